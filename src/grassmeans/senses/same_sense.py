"""How likely a word means the same in two contexts: a logistic curve over how alike they are.

The curve is learnt without labels, from contexts of words: two of one word count as one sense, one
each of two words as two senses, both as likely. Any two words are told apart more easily than two
senses of a word, which have something in common. So the other word is a near one: of all words that
could be told from the first at all, one in twenty lies nearer.

A model whose lines have ends, and that has not stored such a curve, expects one from the lines of
its own senses: how near those of one word lie, and how much of a context is its line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from grassmeans.arrays import Booleans, Doubles, Floats
from grassmeans.clustering.loop import FitOptions
from grassmeans.clustering.sense_number import find_meeting
from grassmeans.errors import InputError
from grassmeans.geometry.distances import compare_all, compare_rows
from grassmeans.senses.logistic import fit_logistic
from grassmeans.senses.only_senses import FEWEST_LINES, OWN_SPREAD, measure_inside

NEARER = 0.05
"""The share of all words that is nearer to a word than the one that stands for another sense."""

FEWEST_PAIRS = 100


@dataclass(frozen=True, slots=True)
class SamenessCurve:
    """The probability that two contexts have one sense, where that is as likely as two.

    Attributes
    ----------
    intercept, slope : float
        Of the logistic curve over similarities (`grassmeans.geometry.distances`).
    """

    intercept: float
    slope: float

    def __post_init__(self) -> None:
        if not all(np.isfinite([self.intercept, self.slope])):
            raise InputError(f"a curve needs finite numbers, got {self}")

    def probability(self, similarities: ArrayLike) -> Doubles:
        """(n,) probabilities, of similarities (n,); NaN for NaN."""
        alike = np.asarray(similarities, np.float64)
        return np.asarray(expit(self.intercept + self.slope * alike), np.float64)

    def to_dict(self) -> dict[str, float]:
        """Plain values, for a manifest."""
        return asdict(self)


class KnownPairs(NamedTuple):
    """Pairs of contexts.

    Attributes
    ----------
    similarities : (n,) float32
    same : (n,) bool
        Whether they are of one word.
    """

    similarities: Floats
    same: Booleans


def pair_contexts(
    samples: Sequence[Floats], alike: Booleans, *, signed: bool = False
) -> KnownPairs:
    """Pair the contexts of words with others of the same word, and of a near one.

    Parameters
    ----------
    samples : sequence of (n, rank, dim) float32
        The contexts of each word in text order, two or more, none of zeros.
    alike : (n_words, n_words) bool
        Words that stand in the same contexts: they are not paired.
    signed : bool
        Whether lines have ends.
    """
    halves = [(bases[::2], bases[1::2]) for bases in samples]
    others = _find_near([first for first, _ in halves], alike, signed)
    similarities, same = [np.empty(0, np.float32)], [np.empty(0, np.bool_)]
    for word, (first, _) in enumerate(halves):
        for other in dict.fromkeys((word, others[word])):
            # Neighbours in the text have more in common than the word: they are not paired.
            second = halves[other][1]
            second = np.roll(second, len(second) // 2, axis=0)
            n_pairs = min(len(first), len(second))
            found = compare_rows(first[:n_pairs], second[:n_pairs], signed=signed)
            similarities.append(found)
            same.append(np.full(n_pairs, other == word))
    return KnownPairs(np.concatenate(similarities), np.concatenate(same))


def _find_near(samples: Sequence[Floats], alike: Booleans, signed: bool) -> list[int]:
    """The number of another word for each, not the nearest; its own where all are alike."""
    if not samples:
        return []
    lines = np.stack([find_meeting(bases, FitOptions(signed=signed)) for bases in samples])
    near = compare_all(lines[:, None], lines[:, None], signed=signed)
    found = []
    for word, own in enumerate(near):
        others = np.flatnonzero(~alike[word] & (np.arange(len(near)) != word))
        order = others[np.argsort(-own[others], kind="stable")]
        found.append(int(order[int(NEARER * len(order))]) if len(order) else word)
    return found


def fit_sameness(pairs: KnownPairs) -> SamenessCurve | None:
    """The curve of known pairs; None for too few of either kind, or where it would fall."""
    sizes = np.array([(~pairs.same).sum(), pairs.same.sum()])
    if sizes.min() < FEWEST_PAIRS:
        return None
    weights = 0.5 / sizes[pairs.same.astype(np.int64)]
    found = fit_logistic(pairs.similarities.astype(np.float64), pairs.same, weights)
    return SamenessCurve(*found) if found.slope > 0.0 else None


def expect_sameness(
    cosines: NDArray[np.floating], distances: Sequence[float], dim: int
) -> SamenessCurve | None:
    """The curve as it is to be expected from lines that have ends; None for too few senses.

    A context is its sense's line, as far as that lies inside it, and else a direction of its own,
    evenly spread over all dimensions. How alike two contexts are then has a mean and a spread for
    one sense, and others for two. The curve is at a half where both means are as many of their
    spreads away, and as steep as between normal distributions with the mean of the two variances.

    Parameters
    ----------
    cosines : (n,)
        Of lines of two senses of a word.
    distances : sequence of float
        Of senses to their contexts, in the mean.
    """
    if len(cosines) < FEWEST_LINES or not len(distances):
        return None
    between = np.asarray(cosines, np.float64)
    inside = measure_inside(distances)
    mean, square = inside.mean() ** 2, np.mean(inside**2) * (1.0 + OWN_SPREAD**2)
    same, other = mean, mean * between.mean()
    noise = (1.0 - square**2) / dim
    same_variance = square**2 - same**2 + noise
    other_variance = square**2 * np.mean(between**2) - other**2 + noise
    slope = 2 * (same - other) / (same_variance + other_variance)
    if not slope > 0.0:
        return None
    spreads = np.sqrt([other_variance, same_variance])
    half = np.average([same, other], weights=spreads)  # the mean of the narrower one is nearer
    return SamenessCurve(float(-slope * half), float(slope))
