"""Scores of one word's clusters against its gold classes, from how many instances they share.

All take ``table`` (n_clusters, n_classes), the number of instances that each cluster and class have
in common, with no empty row or column, and give a number in [0, 1] (the Rand index in [-1, 1]).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment


@dataclass(frozen=True, slots=True)
class PrecisionRecall:
    """Precision, recall, and their harmonic mean ``f``."""

    precision: float
    recall: float

    @property
    def f(self) -> float:
        """The harmonic mean; 0 where both are 0."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both > 0 else 0.0


def v_measure(table: NDArray[np.int64]) -> float:
    """Harmonic mean of homogeneity and completeness, in [0, 1].

    Parameters
    ----------
    table : (n_clusters, n_classes)
        How many instances each cluster and class share.
    """
    joint = _entropy(table.ravel())
    clusters, classes = _entropy(table.sum(axis=1)), _entropy(table.sum(axis=0))
    homogeneity = 1 - (joint - clusters) / classes if classes > 0 else 1.0
    completeness = 1 - (joint - classes) / clusters if clusters > 0 else 1.0
    # Independent clusters give 0 up to rounding: neither below it nor divided by it.
    homogeneity, completeness = max(homogeneity, 0.0), max(completeness, 0.0)
    both = homogeneity + completeness
    return 2 * homogeneity * completeness / both if both > 0 else 0.0


def paired_f_score(table: NDArray[np.int64]) -> float:
    """F-score of the pairs of instances that stand together, in [0, 1].

    Parameters
    ----------
    table : (n_clusters, n_classes)
        How many instances each cluster and class share.
    """
    cluster_sizes, class_sizes = table.sum(axis=1), table.sum(axis=0)
    alone_on_both = (table == 1) & (cluster_sizes == 1)[:, None] & (class_sizes == 1)[None, :]
    common = int((table * (table - 1) // 2).sum() + alone_on_both.sum())
    if common == 0:
        return 0.0
    precision = common / _count_pairs(cluster_sizes)
    recall = common / _count_pairs(class_sizes)
    return 2 * precision * recall / (precision + recall)


def b_cubed(table: NDArray[np.int64]) -> PrecisionRecall:
    """B-cubed of a hard clustering (Bagga and Baldwin 1998).

    Precision is the mean, over instances, of the share of their cluster that has their class,
    themselves included; recall the share of their class that has their cluster.
    """
    squares, n_instances = np.square(table.astype(np.float64)), table.sum()
    return PrecisionRecall(
        precision=float((squares / table.sum(axis=1)[:, None]).sum() / n_instances),
        recall=float((squares / table.sum(axis=0)[None, :]).sum() / n_instances),
    )


def adjusted_rand(table: NDArray[np.int64]) -> float:
    """Rand index adjusted for chance (Hubert and Arabie 1985): 1 is perfect, 0 is chance."""
    together = _choose_two(table).sum()
    in_clusters, in_classes = (_choose_two(table.sum(axis=axis)).sum() for axis in (1, 0))
    n_pairs = _choose_two(table.sum())
    expected = in_clusters * in_classes / n_pairs if n_pairs > 0 else 0.0
    highest = (in_clusters + in_classes) / 2
    # No pairs on either side, or all pairs on both: two clusterings that are the same.
    return float((together - expected) / (highest - expected)) if highest != expected else 1.0


def mapped_accuracy(table: NDArray[np.int64]) -> float:
    """Share of instances whose class is the one that their cluster stands for.

    Each cluster stands for at most one class and the other way round, so that most agree; the
    instances of clusters left over are wrong.
    """
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum() / table.sum())


def _entropy(counts: NDArray[np.int64]) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _count_pairs(sizes: NDArray[np.int64]) -> int:
    """Pairs inside groups of the given sizes, a group of one counted as one pair."""
    return int(np.where(sizes == 1, 1, sizes * (sizes - 1) // 2).sum())


def _choose_two(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    counts = np.asarray(sizes, dtype=np.float64)
    pairs: NDArray[np.float64] = counts * (counts - 1) / 2
    return pairs
