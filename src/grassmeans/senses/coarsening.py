"""Coarser senses for running text: which senses are better counted as one.

In running text most occurrences of a word have its main sense, and a split that is right but for a
few occurrences costs more than it gains. So senses are kept apart only where that is to be expected
to raise B-cubed F (`grassmeans.evaluation.clustering_scores.b_cubed`). For two occurrences that the
model gives the senses i and j, let s_ij be the probability that they mean the same, and p_i the
shares of the senses. With C(i) the senses that are one with i,

    precision = sum_i p_i (sum_{j in C(i)} p_j s_ij) / (sum_{j in C(i)} p_j)
    recall    = sum_i p_i (sum_{j in C(i)} p_j s_ij) / (sum_j p_j s_ij)

are expected. s_ij comes from the model's own curve of sameness
(`grassmeans.senses.calibration.SamenessCurve`), over how alike contexts of the two senses are to be
expected, with the prior of running text. Of all senses, pair after pair becomes one, the best
pair first; of the groupings on this way the best is taken.

It is a view of answers: a group has the number and the name of its first sense, and is as far from
a context as its nearest sense. All senses stay what they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grassmeans.arrays import Doubles, Floats, Indices
from grassmeans.senses.calibration import OWN_SPREAD, SamenessCurve, measure_inside
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory

TEXT = "text"
"""The granularity of running text."""

MAIN_SHARE = 0.789
"""Of the occurrences of words in running text, those that have the most frequent of coarse senses:
what always answering it scores on the texts of SemEval-2007 task 7 (Navigli et al. 2007)."""

SAME_IN_TEXT = MAIN_SHARE**2 + (1.0 - MAIN_SHARE) ** 2
"""How likely two occurrences of a word mean the same, where it has one more sense beside."""

_SMALLEST = 1e-9  # share of a sense that no occurrence was nearest to


@dataclass(frozen=True, slots=True)
class TextGrouping:
    """Which senses of a word are one in running text, for models whose lines have ends."""

    curve: SamenessCurve
    prior: float = SAME_IN_TEXT

    def group(self, entry: WordSenses) -> Indices:
        """(n_senses,) the number of each sense's group: that of its first sense. Hidden ones: 0."""
        shown = np.array([i for i, sense in enumerate(entry.senses) if not sense.hidden], np.int64)
        found = np.zeros(entry.n_senses, np.int64)
        if not entry.senses:  # they are not described: nothing tells how frequent they are
            return np.arange(1, entry.n_senses + 1)
        shares = np.array([max(entry.senses[i].share, _SMALLEST) for i in shown])
        distances = [entry.senses[i].mean_distance for i in shown]
        same = expect_same(entry.directions[shown], distances, self.curve, self.prior)
        functional = np.array([entry.senses[i].function for i in shown])
        same[functional[:, None] != functional] = 0.0  # "may" and the month
        found[shown] = shown[group_senses(same, shares / shares.sum())] + 1
        return found


def expect_same(
    directions: Floats, distances: Sequence[float], curve: SamenessCurve, prior: float
) -> Doubles:
    """(n_senses, n_senses) how likely occurrences of two senses, or of one, mean the same.

    A context is its sense's line, as far as that lies inside it, and else a direction of its own,
    as in `grassmeans.senses.calibration.expect_sameness`. Directions (n_senses, dim) have ends;
    distances are the mean ones of the senses.
    """
    cosines = np.clip(directions.astype(np.float64) @ directions.T, -1.0, 1.0)
    np.fill_diagonal(cosines, 1.0)
    inside = np.outer(measure_inside(distances), measure_inside(distances))
    square = np.minimum(np.square(inside * (1.0 + OWN_SPREAD**2)), 1.0)
    spread = np.square(cosines) * (square - np.square(inside))
    variances = np.maximum(spread, 0.0) + (1.0 - square) / directions.shape[1]
    return curve.expect(inside * cosines, variances, prior)


def expect_b_cubed(same: Doubles, shares: Doubles, groups: Indices) -> float:
    """The F-score that a grouping (n_senses,) is to be expected to have."""
    together = groups[:, None] == groups[None, :]
    common = (same * together) @ shares
    precision = float(shares @ (common / (together @ shares)))
    recall = float(shares @ (common / (same @ shares)))
    return 2 * precision * recall / (precision + recall)


def group_senses(same: Doubles, shares: Doubles) -> Indices:
    """(n_senses,) groups, each named by its first sense, from 0: the best on the way to one group.

    Of `expect_same`, and of shares above 0 that are 1 in all.
    """
    groups = np.arange(len(shares))
    best, most = groups, expect_b_cubed(same, shares, groups)
    while len(names := np.unique(groups)) > 1:
        pairs = [(first, second) for i, first in enumerate(names) for second in names[i + 1 :]]
        joined = [np.where(groups == second, first, groups) for first, second in pairs]
        expected = [expect_b_cubed(same, shares, one) for one in joined]
        groups = joined[int(np.argmax(expected))]
        if max(expected) >= most:  # fewer senses where both are as good
            best, most = groups, max(expected)
    return best


class CoarseInventory(SenseInventory):
    """An inventory whose senses are answered as groups; words are grouped when asked for.

    What is told of the senses is told of each as before.
    """

    def __init__(self, fine: SenseInventory, grouping: TextGrouping) -> None:
        self._keep(fine.to_compact())
        self.function_words = fine.function_words
        self._grouping = grouping
        self._groups: dict[str, Indices] = {}

    def groups_of(self, word: str) -> Indices:
        """(n_senses,) the number of each sense's group, as `TextGrouping.group` gives it."""
        if word not in self._groups:
            self._groups[word] = self._grouping.group(self[word])
        return self._groups[word]

    def shares_of(self, word: str) -> tuple[float, ...]:
        """The share of each group at its first sense; the others have none."""
        groups = self.groups_of(word)
        shown = groups > 0
        parts = np.array(super().shares_of(word))
        return tuple(np.bincount(groups[shown] - 1, parts[shown], minlength=len(groups)).tolist())

    def gather(self, distances: Floats, numbers: Indices, words: Sequence[str]) -> Floats:
        """The distance of each group at its first sense, that of its nearest one; 1 at others."""
        found = distances.copy()
        for number in np.unique(numbers).tolist():
            groups = self.groups_of(words[number])
            rows = np.flatnonzero(numbers == number)
            own = distances[rows]
            for lead in np.unique(groups[groups > 0]).tolist():
                members = np.flatnonzero(groups == lead)
                found[np.ix_(rows, members)] = np.where(np.isnan(own[:, members]), np.nan, 1.0)
                found[rows, members[0]] = own[:, members].min(axis=1)
        return found
