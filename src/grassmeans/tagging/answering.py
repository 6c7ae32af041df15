"""Distances -> the answers of tagging: sense, probabilities and confidence of every word.

The sense is chosen as `grassmeans.senses.decoding` has it, for words with different numbers of
senses at once. There is an answer also where there are no distances: where nothing at all is known
around a word, its senses are as likely as they are frequent. The most frequent one is the answer
where no "I don't know" is asked for, or where its share is as much as the confidence that is asked
for. An only sense then has what is assumed of any (`grassmeans.senses.calibration`), and is always
the answer where a distance was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grassmeans.senses.calibration import Calibration, ConfidenceRule
from grassmeans.senses.decoding import IdkRule, choose_senses, decode_hard, decode_soft

SharesOf = Callable[[str], Sequence[float]]
"""Word -> how frequent each of its senses is, 1 in all; 0 for hidden ones."""


class Decided(NamedTuple):
    """What is decided of occurrences by their distances.

    Attributes
    ----------
    senses : (n,) int64
        Numbers, from 1; 0 for "I don't know".
    confidence : (n,) float64 or None
        The probability that the nearest sense is right; NaN where nothing was measured. None where
        the model is not calibrated.
    """

    senses: NDArray[np.int64]
    confidence: NDArray[np.float64] | None


class Answer(NamedTuple):
    """Of one word; `grassmeans.tagging.tagging.TaggedWord` says what the fields are."""

    sense: int
    distances: tuple[float, ...]
    probabilities: tuple[float, ...]
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Answering:
    """How answers are made of distances."""

    idk_threshold: IdkRule  # when to say "I don't know"
    calibration: Calibration | None  # of the model; without it there is no confidence
    sharpness: float  # of the probabilities

    def __post_init__(self) -> None:
        nothing = np.empty((0, 1))
        decode_hard(nothing, self.idk_threshold)  # both say what is wrong with their number
        decode_soft(nothing, self.sharpness)

    def decide(self, distances: NDArray[np.floating], usual: ArrayLike | None = None) -> Decided:
        """The senses of occurrences; `choose_senses` has the parameters."""
        curve = self.calibration
        sure = None if curve is None else curve.confidence(distances, usual)
        return Decided(choose_senses(distances, self.idk_threshold, usual) + 1, sure)

    def answer(
        self,
        distances: NDArray[np.float32],
        n_senses: NDArray[np.int64],
        keys: Sequence[str],
        shares_of: SharesOf,
        usual: ArrayLike | None = None,
    ) -> Iterator[Answer]:
        """The answer of every occurrence, by its (n, most senses) distances.

        These are NaN beyond a word's senses, and all along where nothing was measured. ``keys`` are
        the words, ``usual`` (n,) the usual distance of only senses.
        """
        senses, sure = self.decide(distances, usual)
        found = distances.astype(np.float64)
        absent = np.isnan(found)
        usable = ~absent[:, 0]
        found[absent] = np.inf  # the senses that a word does not have are infinitely far
        nearest = np.where(usable, found.min(axis=1), 0.0)
        weights = np.exp(-self.sharpness * (found - nearest[:, None]))
        weights[~usable] = 1.0
        weights /= weights.sum(axis=1, keepdims=True)
        certain = [None] * len(found) if sure is None else sure.tolist()
        lists = distances.tolist(), weights.tolist(), usable.tolist(), n_senses.tolist(), certain
        rows = zip(keys, senses.tolist(), *lists, strict=True)
        for key, sense, far, chances, can, n, chance in rows:
            if can:
                yield Answer(sense, tuple(far[:n]), tuple(chances[:n]), chance)
            else:
                yield self._answer_by_frequency(tuple(shares_of(key)))

    def _answer_by_frequency(self, shares: tuple[float, ...]) -> Answer:
        """The most frequent sense, where nothing is known around a word."""
        best = max(range(len(shares)), key=shares.__getitem__)
        rule, curve = self.idk_threshold, self.calibration
        chance = shares[best]
        if len(shares) == 1 and curve is not None:
            chance *= curve.assumed
        enough = rule is None or len(shares) == 1
        if isinstance(rule, ConfidenceRule):
            enough = chance >= rule.at_least
        given = enough and shares[best] > 0.0
        return Answer(best + 1 if given else 0, (), shares, None if curve is None else chance)
