"""Senses of a word that occurs a few times only: a tree of its contexts, cut where they part.

Of few contexts no direction can be estimated well, so directions are not compared as
`grassmeans.clustering.sense_number` does. What can be compared are the contexts themselves, pair by
pair: those of one sense are as like each other as those of the other, and pairs across are less so.
The mean likeness across, over the mean likeness inside (without any context and itself), estimates
the cosine of the angle between both senses, however few the contexts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import ClusterNode, linkage, to_tree

Doubles = NDArray[np.float64]

SMALLEST_GROUP = 2
_SMALLEST_SHARE = 0.1
_NEVER = np.inf


def group_few(bases: NDArray[np.float32], limit: float, max_senses: int) -> NDArray[np.int64]:
    """Group few contexts into as many senses as they show.

    Parameters
    ----------
    bases : (n_contexts, rank, dim) float32
        All different.
    limit : float
        Two groups are two senses where the cosine between them is estimated to be less.

    Returns
    -------
    senses : (n_contexts,) int64
        From 0; -1 for contexts that are like no others.
    """
    if len(bases) < 2 * SMALLEST_GROUP:
        return np.zeros(len(bases), np.int64)
    alike = measure_likeness(bases)
    far = 1.0 - alike[np.triu_indices(len(alike), 1)]
    smallest = max(SMALLEST_GROUP, round(_SMALLEST_SHARE * len(bases)))
    groups = [to_tree(linkage(far, "average"))]
    while len(groups) < max_senses:
        # The clearest split first: where the number of senses is limited, it counts.
        splits = [_find_split(group, alike, smallest) for group in groups]
        best = int(np.argmin([cosine for cosine, _ in splits]))
        if splits[best][0] >= limit:
            break
        groups[best : best + 1] = splits[best][1]
    senses = np.full(len(bases), -1, np.int64)
    for number, group in enumerate(groups):
        senses[group.pre_order()] = number
    return senses


def measure_likeness(bases: NDArray[np.float32]) -> Doubles:
    """(n, n) likeness of contexts: |cos| of lines, ||B_i B_j'|| of subspaces; 1 with themselves."""
    n_contexts, rank, dim = bases.shape
    flat = bases.reshape(-1, dim).astype(np.float64)
    squares = np.square(flat @ flat.T).reshape(n_contexts, rank, n_contexts, rank)
    found: Doubles = np.sqrt(squares.sum(axis=(1, 3)))
    own = np.sqrt(np.diag(found))
    own[own == 0.0] = 1.0  # a context that says nothing is like no other
    likeness: Doubles = found / np.outer(own, own)
    return likeness


def _find_split(
    group: ClusterNode, alike: Doubles, smallest: int
) -> tuple[float, list[ClusterNode]]:
    """Where a group parts into two that are large enough, and the cosine between them.

    What hangs on the way there is too little to be a sense, and goes with neither.
    """
    node = group
    while not node.is_leaf():
        sides = sorted([node.get_left(), node.get_right()], key=lambda side: -side.get_count())
        if sides[1].get_count() >= smallest:
            one, other = (np.array(side.pre_order()) for side in sides)
            inside = _mean_inside(alike, one) * _mean_inside(alike, other)
            across = alike[np.ix_(one, other)].mean()
            return float(across / np.sqrt(inside)) if inside > 0.0 else _NEVER, sides
        node = sides[0]
    return _NEVER, [group]


def _mean_inside(alike: Doubles, group: NDArray[np.integer]) -> float:
    """The mean likeness of the pairs in a group."""
    n = len(group)
    inner = alike[np.ix_(group, group)]
    return float((inner.sum() - np.trace(inner)) / (n * (n - 1)))
