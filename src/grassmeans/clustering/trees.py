"""Groups of contexts by a tree of them.

Few contexts (`group_few`): no direction can be estimated well of them, so directions are not
compared as `grassmeans.clustering.sense_number` does. What can be compared are the contexts
themselves, pair by pair: those of one sense are as like each other as those of the other, and pairs
across are less so. The mean likeness across, over the mean likeness inside (without any context and
itself), estimates the cosine of the angle between both senses, however few the contexts. The tree
is cut where they part.

Lines of transformers (docs/adr/0022-transformers.md), by Ward's method: the two groups are joined
whose contexts then lie least farther from their mean. Of few contexts the number of groups with the
best silhouette is taken: how much nearer contexts are to their own group than to the next.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import ClusterNode, cut_tree, linkage, to_tree

from grassmeans.arrays import Doubles, Floats, Indices
from grassmeans.clustering.loop import InducedDirections
from grassmeans.clustering.merging import Groups, merge_groups
from grassmeans.clustering.rays import mean_ray

Labels = Indices

MOST_GROUPS = 8  # more than these a silhouette does not tell apart
SMALLEST_GROUP = 2
_SMALLEST_SHARE = 0.1
_NEVER = np.inf


def group_few(bases: Floats, limit: float, max_senses: int) -> Labels:
    """(n_contexts,) senses of few contexts, all different; -1 for those that are like no others.

    Two groups are two senses where the cosine between them is estimated to be less than ``limit``.
    """
    if len(bases) < 2 * SMALLEST_GROUP:
        return np.zeros(len(bases), np.int64)
    alike = measure_likeness(bases)
    # Two that differ in the last digit may be more alike than 1.
    far = np.maximum(1.0 - alike[np.triu_indices(len(alike), 1)], 0.0)
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


def measure_likeness(bases: Floats) -> Doubles:
    """(n, n) likeness of contexts: |cos| of lines, ||B_i B_j'|| of subspaces; 1 with themselves."""
    n_contexts, rank, dim = bases.shape
    flat = bases.reshape(-1, dim).astype(np.float64)
    squares = np.square(flat @ flat.T).reshape(n_contexts, rank, n_contexts, rank)
    found: Doubles = np.sqrt(squares.sum(axis=(1, 3)))
    own = np.sqrt(np.diag(found))
    own[own == 0.0] = 1.0  # a context that says nothing is like no other
    return np.asarray(found / np.outer(own, own))


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


def split_by_tree(rays: Floats, n_groups: int) -> InducedDirections:
    """So many groups of rays (n_contexts, dim), two at least; fewer where there are fewer rays."""
    labels = cut_tree(linkage(rays, "ward"), min(n_groups, len(rays)))[:, 0]
    directions = np.stack([mean_ray(rays[labels == k]) for k in range(labels.max() + 1)])
    return InducedDirections(directions, labels.astype(np.int32), 0.0, 1, np.empty(0))


def group_by_silhouette(rays: Floats, limit: float, max_senses: int) -> Labels:
    """(n_contexts,) groups of rays (n_contexts, dim), as many as show best.

    Two of them are one where the cosine between them, estimated from pairs of contexts, is at least
    ``limit``.
    """
    numbers = list(range(2, min(max_senses, MOST_GROUPS, len(rays) - 1) + 1))
    if not numbers:
        return np.zeros(len(rays), np.int64)
    cosines = rays.astype(np.float64) @ rays.T
    cuts = cut_tree(linkage(rays, "ward"), numbers).T
    best = cuts[int(np.argmax([measure_silhouette(1.0 - cosines, labels) for labels in cuts]))]
    senses: Labels = merge_groups(PairGroups(cosines, best), limit)[best]
    return senses


def measure_silhouette(distances: Doubles, labels: NDArray[np.integer]) -> float:
    """The mean of (b - a) / max(a, b): a to the own group, b to the nearest other one.

    Of distances (n, n); labels are from 0, of two groups at least. A context alone in its group
    counts 0.
    """
    rows = np.arange(len(labels))
    members = np.eye(int(labels.max()) + 1)[labels]
    sizes = members.sum(axis=0)
    sums = distances @ members
    own = sums[rows, labels] / np.maximum(sizes[labels] - 1, 1)
    others = sums / sizes
    others[rows, labels] = np.inf
    nearest = others.min(axis=1)
    larger = np.maximum(nearest, own)
    found = np.divide(nearest - own, larger, out=np.zeros_like(own), where=larger > 0.0)
    return float(np.where(sizes[labels] > 1, found, 0.0).mean())


class PairGroups(Groups):
    """Groups whose nearness is estimated from pairs of contexts, however few these are.

    The mean cosine across two groups, over that inside both without any context and itself: what
    `group_few` does for lines without ends.
    """

    def __init__(self, cosines: Doubles, labels: NDArray[np.integer]) -> None:
        members = np.eye(int(labels.max()) + 1)[labels]
        self._sizes = members.sum(axis=0)
        super().__init__(self._sizes / len(labels), members.T @ cosines @ members)

    def cosines(self) -> Doubles:
        """(n_groups, n_groups) estimates."""
        sizes = self._sizes
        pairs = np.maximum(sizes * (sizes - 1), 1)
        inside = np.where(sizes > 1, (np.diag(self.sums) - sizes) / pairs, 1.0)
        scale = np.sqrt(np.maximum(np.outer(inside, inside), np.finfo(np.float64).tiny))
        return np.asarray(self.sums / np.outer(sizes, sizes) / scale)

    def join(self, first: int, second: int) -> None:
        """Add columns, and sizes, too."""
        super().join(first, second)
        self.sums[:, first] += self.sums[:, second]
        self.sums = np.delete(self.sums, second, axis=1)
        self._sizes[first] += self._sizes[second]
        self._sizes = np.delete(self._sizes, second)
