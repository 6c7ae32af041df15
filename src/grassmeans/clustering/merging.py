"""Groups of contexts that are one sense: which of them lie near enough to be merged.

A group has a direction, in which its contexts meet, and that of two groups together is known
without another pass over the contexts: from the small matrices C of their lines or subspaces, or
from the sums of their rays. Groups are also matched, one to one, to classes that their contexts
belong to.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from grassmeans.arrays import Doubles, Floats, Indices
from grassmeans.clustering.loop import InducedDirections
from grassmeans.clustering.rays import take_rays
from grassmeans.geometry.rules import GroupingRules

RARE = 0.1
"""Share of the contexts below which a group is merged more easily, where that is asked for."""

UNMATCHED = -1  # of a group that stands for no class
_INDEPENDENT = 1e-6  # of the largest eigenvalue: directions closer than that count as one


def merge_groups(groups: Groups, limit: float, rare_ease: float = 0.0) -> Indices:
    """(n_groups,) senses, from 0: the nearest two groups become one while as near as the limit.

    ``limit`` and ``rare_ease`` are those of `GroupingRules`; the groups are joined in place.
    """
    senses = np.arange(len(groups.shares))
    while len(groups.shares) > 1:
        nearness = groups.cosines() + rare_ease * measure_rarity(groups.shares)
        np.fill_diagonal(nearness, -np.inf)
        first, second = sorted(np.unravel_index(int(nearness.argmax()), nearness.shape))
        if nearness[first, second] < limit:
            break
        groups.join(int(first), int(second))
        senses[senses == second] = first
        senses[senses > second] -= 1
    return senses


def is_apart(cosines: NDArray[np.floating[Any]], share: float, rules: GroupingRules) -> bool:
    """Whether a group is one with no other sense, by its cosines to them and its own share."""
    nearer = rules.rare_ease * measure_rarity(np.array([1.0, share]))[0, 1]
    return bool((cosines + nearer < rules.merge_cosine).all())


class Groups(ABC):
    """Groups of contexts that can be joined.

    ``shares``, (n_groups,), are of all contexts, also of those that belong to no group; ``sums``,
    (n_groups, ...), are added where groups are joined.
    """

    def __init__(self, shares: Doubles, sums: Doubles) -> None:
        self.shares = shares
        self.sums = sums

    @abstractmethod
    def cosines(self) -> Doubles:
        """(n_groups, n_groups) how near the directions are."""

    def join(self, first: int, second: int) -> None:
        """Make two groups one, under the number of the first; later numbers fall by one."""
        self.shares[first] += self.shares[second]
        self.shares = np.delete(self.shares, second)
        self.sums[first] += self.sums[second]
        self.sums = np.delete(self.sums, second, axis=0)


def _share_contexts(found: InducedDirections) -> Doubles:
    """(n_groups,) shares of the groups; contexts labelled -1 belong to none."""
    kept = found.labels[found.labels >= 0]
    shares: Doubles = np.bincount(kept, minlength=len(found.directions)) / max(len(found.labels), 1)
    return shares


class LineGroups(Groups):
    """Groups of lines or subspaces, with their matrices C.

    The direction of a joined group is the leading eigenvector of its matrix C, looked for in the
    span of all directions.
    """

    def __init__(self, bases: Floats, found: InducedDirections) -> None:
        to_span, energies = span_energies(bases, found)
        super().__init__(_share_contexts(found), energies)
        self._lines = found.directions.astype(np.float64) @ to_span.T

    def cosines(self) -> Doubles:
        """Of lines: without signs."""
        lengths = np.linalg.norm(self._lines, axis=1)
        return np.asarray(np.abs(self._lines @ self._lines.T) / np.outer(lengths, lengths))

    def join(self, first: int, second: int) -> None:
        """Find the new direction, too."""
        super().join(first, second)
        self._lines = np.delete(self._lines, second, axis=0)
        self._lines[first] = np.linalg.eigh(self.sums[first])[1][:, -1]


class RayGroups(Groups):
    """Groups of lines that have ends: the direction is the mean.

    Two groups are as near as their directions, or ``by_pairs`` as their contexts are to each other
    in the mean: groups whose contexts are little alike are then far from others, too.
    """

    def __init__(self, bases: Floats, found: InducedDirections, *, by_pairs: bool = False) -> None:
        rays = take_rays(bases).astype(np.float64)
        groups = range(len(found.directions))
        sums = np.stack([rays[found.labels == k].sum(axis=0) for k in groups])
        super().__init__(_share_contexts(found), sums)
        self._n_contexts = len(found.labels)
        self._by_pairs = by_pairs

    def cosines(self) -> Doubles:
        """Of rays: opposite ones are farthest apart."""
        tiny = np.finfo(np.float64).tiny
        if self._by_pairs:
            lengths = np.maximum(self.shares * self._n_contexts, tiny)
        else:
            lengths = np.maximum(np.linalg.norm(self.sums, axis=1), tiny)
        return np.asarray(self.sums @ self.sums.T / np.outer(lengths, lengths))


def start_groups(
    bases: Floats, found: InducedDirections, *, signed: bool = False, by_pairs: bool = False
) -> Groups:
    """The groups that were found; contexts labelled -1 belong to none."""
    if signed:
        return RayGroups(bases, found, by_pairs=by_pairs)
    return LineGroups(bases, found)


def measure_rarity(shares: Doubles) -> Doubles:
    """(n, n) how many times ten the smaller of two groups is rarer than `RARE`; 0 where it is not.

    A group is never so rare that a logarithm of nothing is taken.
    """
    smaller = np.maximum(np.minimum.outer(shares, shares), RARE * 1e-3)
    return np.asarray(np.maximum(np.log10(RARE / smaller), 0.0))


def merge_cheapest_pair(bases: Floats, found: InducedDirections) -> Floats:
    """(n_senses - 1, dim) directions: the pair whose merger raises the objective least is one.

    The cost of a merger is what the two groups keep apart less what they keep together, with a
    common direction out of the span of all directions.
    """
    to_span, energies = span_energies(bases, found)
    first, second = np.triu_indices(len(energies), 1)
    apart = np.linalg.eigvalsh(energies)[:, -1]
    together, vectors = np.linalg.eigh(energies[first] + energies[second])
    best = int(np.argmin(apart[first] + apart[second] - together[:, -1]))
    merged = vectors[best, :, -1] @ to_span
    kept = np.delete(found.directions, [first[best], second[best]], axis=0)
    return np.concatenate([kept, merged[None] / np.linalg.norm(merged)]).astype(np.float32)


def span_energies(bases: Floats, found: InducedDirections) -> tuple[Doubles, Doubles]:
    """Every group's matrix C, seen from the span of the directions.

    Orthonormal axes of the span, (n_axes, dim), and the matrices, (n_senses, n_axes, n_axes).
    """
    _, rank, dim = bases.shape
    directions = found.directions.astype(np.float64)
    values, vectors = np.linalg.eigh(directions @ directions.T)
    used = values > _INDEPENDENT * values[-1]
    to_span = (vectors[:, used] / np.sqrt(values[used])).T @ directions
    products = bases.reshape(-1, dim) @ to_span.T.astype(np.float32)
    groups = np.repeat(found.labels, rank)
    energies = [
        products[groups == k].T.astype(np.float64) @ products[groups == k]
        for k in range(len(directions))
    ]
    return to_span, np.stack(energies)


def pair_all(table: NDArray[np.integer]) -> tuple[Indices, Indices]:
    """Groups, rising, and the class of each: one to one, as many as there are, so that most agree.

    Of a ``table`` as `match_groups` has it; a pair may have no member in common.
    """
    groups, classes = linear_sum_assignment(table, maximize=True)
    return groups, classes


def match_groups(table: NDArray[np.integer]) -> Indices:
    """(n_groups,) the class of each group, matched one to one, so that most members agree.

    Of a ``table`` (n_groups, n_classes): how many members of a group belong to a class. `UNMATCHED`
    where a group has no class, or no member in common with it.
    """
    rows, columns = pair_all(table)
    found = np.full(len(table), UNMATCHED, np.int64)
    shared = table[rows, columns] > 0
    found[rows[shared]] = columns[shared]
    return found
