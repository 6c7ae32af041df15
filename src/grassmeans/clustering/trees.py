"""Groups of rays by a tree: Ward's method, cut where the groups are clearest.

For lines of transformers (docs/adr/0022-transformers.md). The two groups are joined whose contexts
then lie least farther from their mean. Of all numbers of groups, the one with the best silhouette
is taken: how much nearer contexts are to their own group than to the next.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import cut_tree, linkage

from grassmeans.clustering.loop import InducedDirections
from grassmeans.clustering.merging import Groups, merge_groups
from grassmeans.clustering.rays import mean_ray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

MOST_GROUPS = 8
"""More than these a silhouette does not tell apart."""


def split_by_tree(rays: Floats, n_groups: int) -> InducedDirections:
    """So many groups of rays; fewer where there are fewer rays.

    Parameters
    ----------
    rays : (n_contexts, dim) float32
        Of unit length, two at least.
    """
    labels = cut_tree(linkage(rays, "ward"), min(n_groups, len(rays)))[:, 0]
    directions = np.stack([mean_ray(rays[labels == k]) for k in range(labels.max() + 1)])
    return InducedDirections(directions, labels.astype(np.int32), 0.0, 1, np.empty(0))


def group_by_silhouette(rays: Floats, limit: float, max_senses: int) -> Labels:
    """(n_contexts,) groups from 0, as many as show best; one where they are not apart.

    Parameters
    ----------
    rays : (n_contexts, dim) float32
    limit : float
        Two groups are one where the cosine between them, estimated from pairs of contexts, is at
        least this.
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

    Parameters
    ----------
    distances : (n, n)
    labels : (n,)
        From 0, two groups at least. A context alone in its group counts 0.
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
    `grassmeans.clustering.few_contexts` does for lines without ends.
    """

    def __init__(self, cosines: Doubles, labels: NDArray[np.integer]) -> None:
        members = np.eye(int(labels.max()) + 1)[labels]
        self._sums = members.T @ cosines @ members
        self._sizes = members.sum(axis=0)
        super().__init__(self._sizes / len(labels))

    def cosines(self) -> Doubles:
        """(n_groups, n_groups) estimates."""
        sizes = self._sizes
        pairs = np.maximum(sizes * (sizes - 1), 1)
        inside = np.where(sizes > 1, (np.diag(self._sums) - sizes) / pairs, 1.0)
        scale = np.sqrt(np.maximum(np.outer(inside, inside), np.finfo(np.float64).tiny))
        found: Doubles = self._sums / np.outer(sizes, sizes) / scale
        return found

    def join(self, first: int, second: int) -> None:
        """Add the sums."""
        super().join(first, second)
        self._sums[first] += self._sums[second]
        self._sums[:, first] += self._sums[:, second]
        self._sums = np.delete(np.delete(self._sums, second, axis=0), second, axis=1)
        self._sizes[first] += self._sizes[second]
        self._sizes = np.delete(self._sizes, second)
