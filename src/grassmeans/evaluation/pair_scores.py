"""How well a similarity tells pairs of occurrences in one sense from pairs in two.

The measure is the area under the ROC curve: how often a pair in one sense is more alike than a pair
in two, ties counted half. It asks for no threshold. All scores are in percent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Booleans, Doubles, Floats
from grassmeans.evaluation.reports import Interval, bootstrap_weighted_mean, bootstrap_words


class RankedPairs:
    """Pairs in the order of their similarity; areas with any weights need no further sorting.

    scikit-learn's `roc_auc_score` gives the same; a bootstrap with it takes fifty times as long.

    Parameters
    ----------
    similarities : (n,)
    same : (n,) bool
        Whether the two occurrences of a pair have one sense.
    """

    def __init__(self, similarities: Floats, same: Booleans) -> None:
        self._order = np.argsort(similarities)
        ranked = similarities[self._order]
        self._same = same[self._order]
        # Where each group of equal similarities begins.
        self._starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1])[: len(ranked)])

    def area(self, weights: Doubles | None = None) -> float:
        """The area under the curve, of pairs that count as often as their weights say.

        NaN where pairs in one sense, or in two, are missing.
        """
        if not len(self._same):
            return math.nan
        drawn = np.ones(len(self._same)) if weights is None else weights[self._order]
        same = np.add.reduceat(np.where(self._same, drawn, 0.0), self._starts)
        other = np.add.reduceat(np.where(self._same, 0.0, drawn), self._starts)
        n_pairs = same.sum() * other.sum()
        below = np.cumsum(other) - other / 2
        return 100 * float(same @ below / n_pairs) if n_pairs > 0 else math.nan


@dataclass(frozen=True, slots=True)
class WordArea:
    """The pairs of instances of one word.

    Attributes
    ----------
    area : float
        Under the curve of all pairs of them; NaN where all have one sense, or each its own.
    """

    word: str
    n_instances: int
    n_pairs: int
    area: float


@dataclass(frozen=True, slots=True)
class AreaScores:
    """Scores over a group of words, in percent.

    Attributes
    ----------
    n_words, n_instances, n_pairs : int
        Of the words that have an area.
    area : float
        The mean over these words, weighted by their instances; NaN where there are none.
    area_interval : Interval or None
        95% of bootstrap samples of the words; None for fewer than two.
    """

    n_words: int
    n_instances: int
    n_pairs: int
    area: float
    area_interval: Interval | None


def average_areas(words: Sequence[WordArea]) -> AreaScores:
    """The mean over the words that have an area."""
    known = [word for word in words if not math.isnan(word.area)]
    areas = np.array([word.area for word in known], np.float64)
    weights = np.array([word.n_instances for word in known], np.float64)
    return AreaScores(
        n_words=len(known),
        n_instances=int(weights.sum()),
        n_pairs=sum(word.n_pairs for word in known),
        area=float(np.average(areas, weights=weights)) if known else math.nan,
        area_interval=bootstrap_weighted_mean(areas, weights),
    )


@dataclass(frozen=True, slots=True)
class PairScores:
    """Scores of single pairs of many words, in percent; NaN where there is nothing to score.

    Attributes
    ----------
    same : float
        Share of the pairs in one sense.
    area : float
        Under the curve of all pairs, whatever their words.
    accuracy : float
        Share of the pairs that are on the right side of a threshold. Words are halved at random;
        the threshold of either half is the best one for the other. NaN for a single word.
    area_interval, accuracy_interval : Interval or None
        95% of bootstrap samples of the words; None for fewer than two.
    """

    n_words: int
    n_pairs: int
    same: float
    area: float
    area_interval: Interval | None
    accuracy: float
    accuracy_interval: Interval | None


def score_pairs(words: Sequence[str], similarities: Floats, same: Booleans) -> PairScores:
    """Score pairs by their similarities.

    Parameters
    ----------
    words : sequence of str
        The word of each pair.
    similarities : (n,)
    same : (n,) bool
        As for `RankedPairs`.
    """
    numbers = {word: number for number, word in enumerate(dict.fromkeys(words))}
    owners = np.array([numbers[word] for word in words], np.int64)
    ranked = RankedPairs(similarities, same)

    def measure_areas(chosen: NDArray[np.int64]) -> Doubles:
        counts = (np.bincount(sample, minlength=len(numbers)) for sample in chosen)
        found = (ranked.area(count[owners].astype(np.float64)) for count in counts)
        # A sample of few words may lack one kind of pairs.
        return np.array([area for area in found if not math.isnan(area)])

    right = _judge(similarities, same, owners)
    totals = np.bincount(owners, minlength=len(numbers)).astype(np.float64)
    shares = 100 * np.bincount(owners, right, minlength=len(numbers)) / totals
    area = ranked.area()
    return PairScores(
        n_words=len(numbers),
        n_pairs=len(same),
        same=100 * float(same.mean()),
        area=area,
        area_interval=None if math.isnan(area) else bootstrap_words(len(numbers), measure_areas),
        accuracy=100 * float(right.mean()) if len(numbers) > 1 else math.nan,
        accuracy_interval=bootstrap_weighted_mean(shares, totals),
    )


def _judge(similarities: Floats, same: Booleans, owners: NDArray[np.int64]) -> Booleans:
    """(n,) which pairs are on the right side of the threshold that the other half of words has."""
    n_words = int(owners.max()) + 1
    is_second = np.zeros(n_words, np.bool_)
    is_second[np.random.default_rng(0).permutation(n_words)[::2]] = True
    right = np.zeros(len(same), np.bool_)
    for half in (False, True):
        mine = is_second[owners] == half
        if mine.any() and not mine.all():
            threshold = find_threshold(similarities[~mine], same[~mine])
            right[mine] = (similarities[mine] >= threshold) == same[mine]
    return right


def find_threshold(similarities: Floats, same: Booleans) -> float:
    """From which similarity on most pairs are told right; the lowest of those that do it best.

    Halfway between two similarities; infinite where all pairs, or none, are best called the same.
    """
    order = np.argsort(similarities, kind="stable")
    ranked, is_same = similarities[order].astype(np.float64), same[order]
    # With a threshold below pair i: the pairs in two senses before it, those in one from it on.
    right = np.append(0, np.cumsum(~is_same)) + is_same.sum() - np.append(0, np.cumsum(is_same))
    is_cut = np.append(True, np.append(ranked[1:] != ranked[:-1], True))
    best = int(np.argmax(np.where(is_cut, right, -1)))
    around = np.concatenate([[-np.inf], ranked, [np.inf]])[best : best + 2]
    return float(around.mean())
