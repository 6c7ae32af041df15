"""Two words, each in its context -> HardSim and SoftSim (section 5.4 of the paper)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from grassmeans.arrays import Doubles, Floats
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.senses.decoding import (
    MODEL_THRESHOLD,
    IdkRule,
    IdkThreshold,
    decode_hard,
    decode_soft,
)


class PassageSenses(Protocol):
    """What decodes occurrences: a `SenseModel`, or the senses of another method."""

    @property
    def inventory(self) -> Container[str]:
        """The words that have senses."""

    def distances(self, word: str, passages: Sequence[tuple[str, str]]) -> Floats:
        """(n_passages, n_senses) distances of occurrences, given as the text on both sides."""

    def choose_threshold(self, idk_threshold: IdkThreshold) -> IdkRule:
        """A threshold as a number (or None): its own for "model"."""

    def choose_sharpness(self, sharpness: float | None) -> float:
        """How sharp soft answers are: as asked, or its own for None."""


@dataclass(frozen=True, slots=True)
class Passage:
    """An occurrence of a word: the text before it, the word, the text after it."""

    left: str
    """The text before the word."""
    word: str
    """As it stands there."""
    right: str
    """The text after it."""


@dataclass(frozen=True, slots=True)
class DecodedPassage:
    """What an occurrence means to the model."""

    word: str
    """The entry: the word, or its lower-case form where only that is known."""
    sense: int | None
    """From 1; 0 is "I don't know"; None for a word without senses."""
    probabilities: tuple[float, ...] | None
    """Of the senses 1, 2, ...; None for a word without senses."""


@dataclass(frozen=True, slots=True)
class PairSimilarities:
    """Similarities of pairs of occurrences, (n_pairs,); NaN where a word has no vector at all."""

    hard: Doubles
    """HardSim."""
    soft: Doubles
    """SoftSim."""
    average: Doubles
    """AvgSim, which does not look at contexts."""
    maximum: Doubles
    """MaxSim, which does not, either."""
    n_missing: int
    """Pairs with NaN."""
    n_occurrences: int
    """Occurrences in all."""
    n_decoded: int
    """Those of words with senses."""
    n_idk: int
    """Those whose sense could not be told."""
    missing_words: tuple[str, ...]
    """Words without a vector, each once."""


class ContextSimilarity:
    """Similarity of words in context, by the senses of a model and the vectors of its lexemes.

    Parameters
    ----------
    model : SenseModel or other PassageSenses
        Decodes the occurrences. Words outside its inventory have no senses.
    lexemes : LexemeVectors
        Trained on a corpus that this model labelled, or the vectors of the other's senses.
    idk_threshold : float, "model" or None
        From this distance on an occurrence is "I don't know" and stands for ``word.0``; "model"
        takes the model's own. Where there is no such vector, because soft labelling never writes
        it, the nearest sense counts.
    sharpness : float, optional
        Of the soft probabilities; the model's own by default.
    """

    def __init__(
        self,
        model: PassageSenses,
        lexemes: LexemeVectors,
        *,
        idk_threshold: IdkThreshold = MODEL_THRESHOLD,
        sharpness: float | None = None,
    ) -> None:
        self.model = model
        self.lexemes = lexemes
        self.idk_threshold = model.choose_threshold(idk_threshold)
        self.sharpness = model.choose_sharpness(sharpness)

    def hard(self, first: Passage, second: Passage) -> float | None:
        """HardSim of two occurrences; None where a word has no vector at all."""
        return _or_none(self.compare([(first, second)]).hard[0])

    def soft(self, first: Passage, second: Passage) -> float | None:
        """SoftSim of two occurrences; None where a word has no vector at all."""
        return _or_none(self.compare([(first, second)]).soft[0])

    def compare(self, pairs: Iterable[tuple[Passage, Passage]]) -> PairSimilarities:
        """HardSim, SoftSim, AvgSim and MaxSim of many pairs at once."""
        chosen = list(pairs)
        decoded = self.decode([passage for pair in chosen for passage in pair])
        hard, soft, average, maximum = np.full((4, len(chosen)), np.nan)
        known = self.lexemes
        for i, (a, b) in enumerate(zip(decoded[::2], decoded[1::2], strict=True)):
            if a.word in known and b.word in known:
                hard[i] = known.hard_similarity(a.word, a.sense, b.word, b.sense)
                soft[i] = known.soft_similarity(a.word, a.probabilities, b.word, b.probabilities)
                average[i] = known.average_similarity(a.word, b.word)
                maximum[i] = known.maximum_similarity(a.word, b.word)
        missing = [entry.word for entry in decoded if entry.word not in known]
        return PairSimilarities(
            hard=hard,
            soft=soft,
            average=average,
            maximum=maximum,
            n_missing=int(np.isnan(hard).sum()),
            n_occurrences=len(decoded),
            n_decoded=sum(entry.sense is not None for entry in decoded),
            n_idk=sum(entry.sense == 0 for entry in decoded),
            missing_words=tuple(dict.fromkeys(missing)),
        )

    def decode(self, passages: Sequence[Passage]) -> list[DecodedPassage]:
        """Find sense and probabilities of every occurrence, all of one word together."""
        by_word: dict[str, list[int]] = defaultdict(list)
        known = self.model.inventory, self.lexemes  # by senses first, then by any vector
        for i, passage in enumerate(passages):
            forms = (passage.word, passage.word.lower())
            entries = (form for places in known for form in forms if form in places)
            by_word[next(entries, passage.word)].append(i)
        decoded: dict[int, DecodedPassage] = {}
        for word, members in by_word.items():
            if word not in self.model.inventory:
                decoded |= dict.fromkeys(members, DecodedPassage(word, None, None))
                continue
            around = [(passages[i].left, passages[i].right) for i in members]
            distances = self.model.distances(word, around)
            threshold = self.idk_threshold if self.lexemes.has_idk(word) else None
            senses = decode_hard(distances, threshold) + 1  # IDK, -1, becomes 0
            probabilities = decode_soft(distances, self.sharpness)
            for i, sense, row in zip(members, senses, probabilities, strict=True):
                decoded[i] = DecodedPassage(word, int(sense), tuple(row.tolist()))
        return [decoded[i] for i in range(len(passages))]


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
