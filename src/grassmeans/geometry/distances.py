"""How far contexts are from the lines of senses, and how alike two contexts are: the one place.

The distance d(u, S(c)) of a unit direction u to a context's subspace with the orthonormal basis
b_1, ..., b_N is sqrt(1 - sum_n (b_n . u)^2) (section 3 of the paper). It is 1 to a context of
zeros, which says nothing. Where lines have ends (``signed``; rank 1), a context that points away
from u says nothing of it either: its distance is 1.

Two contexts are as alike as the cosine of the projections on their subspaces, <P, Q> / (|P| |Q|),
in [0, 1]: for orthonormal bases of one rank the mean squared cosine of the principal angles, for
lines the squared cosine. Lines that have ends are compared by their cosine, in [-1, 1]. A context
of zeros is 0 alike to any.

Bases are (n, rank, dim) float32, directions (n_senses, dim) float32.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Booleans, Doubles, Floats, Indices
from grassmeans.kernels import get_kernels
from grassmeans.vectors.similarity import unit_rows

_FEW = 64  # up to this many contexts, plain NumPy has nothing to load or to compile


@dataclass(frozen=True, slots=True)
class SenseLines:
    """The lines of the senses of several words."""

    directions: Floats  # (n_lines, dim), the senses of one word after the other
    offsets: Indices  # (n_words + 1,) where each word's lines begin, and the end

    @classmethod
    def collect(cls, directions: Iterable[Floats]) -> SenseLines:
        """Of the directions (n_senses, dim) of each word."""
        found = list(directions)
        stacked = np.concatenate(found) if found else np.empty((0, 0))
        offsets = np.array([0, *accumulate(map(len, found))], np.int64)
        return cls(np.ascontiguousarray(stacked, np.float32), offsets)

    @property
    def n_senses(self) -> Indices:
        """(n_words,) how many senses each word has."""
        return np.diff(self.offsets)

    @property
    def most_senses(self) -> int:
        """The largest number of senses of a word."""
        return int(self.n_senses.max(initial=1))


def usable_contexts(bases: Floats) -> Booleans:
    """(n,) which contexts say something: the first row of their basis is not zero."""
    return np.asarray(bases[:, 0].any(axis=1), np.bool_)


def distances_from_squares(squares: NDArray[np.floating]) -> Doubles:
    """Squared projections as distances in [0, 1], in double precision: their order stays."""
    return np.asarray(np.sqrt(np.clip(1.0 - squares.astype(np.float64), 0.0, 1.0)))


def measure_distances(
    bases: Floats, directions: Floats, *, signed: bool = False, device: str = "cpu"
) -> Doubles:
    """(n, n_senses) distances of contexts to unit directions; 1 to a direction of zeros.

    Where ``signed``, a projection counts on the side of the direction alone.
    """
    lines = np.ascontiguousarray(directions, np.float32)
    if signed:
        return distances_from_squares(np.square(np.maximum(bases[:, 0] @ lines.T, 0.0)))
    return distances_from_squares(get_kernels(device).square_projections(bases, lines))


def measure_senses(
    bases: Floats, words: NDArray[np.integer], lines: SenseLines, *, signed: bool = False
) -> Floats:
    """(n, most senses) distances to the senses of ``words``, (n,) numbers; NaN for no such."""
    if signed:
        squares = np.square(np.maximum(_project_own(bases[:, 0], words, lines), 0.0))
    else:
        kernels = get_kernels("numpy" if len(bases) <= _FEW else "cpu")
        squares = kernels.project_own(
            bases, lines.directions, lines.offsets, np.asarray(words, np.int64)
        )
    distances = distances_from_squares(squares).astype(np.float32)
    distances[~usable_contexts(bases)] = np.nan
    return distances


def _project_own(rays: Floats, words: NDArray[np.integer], lines: SenseLines) -> Floats:
    """(n, most senses) projections on the directions of a ray's own word; NaN beyond these."""
    first, end = lines.offsets[:-1][words], lines.offsets[1:][words]
    projections = np.full((len(rays), lines.most_senses), np.nan, np.float32)
    for sense in range(lines.most_senses):
        mine = np.flatnonzero(first + sense < end)
        directions = lines.directions[first[mine] + sense]
        projections[mine, sense] = np.einsum("nd,nd->n", rays[mine], directions)
    return projections


def compare_all(first: Floats, second: Floats, *, signed: bool = False) -> Floats:
    """(n, m) similarities of each of n contexts with each of m others."""
    if signed:
        return np.asarray(unit_rows(first[:, 0]) @ unit_rows(second[:, 0]).T)
    rows = [bases.reshape(-1, bases.shape[2]) for bases in (first, second)]
    products = (rows[0] @ rows[1].T).reshape(*first.shape[:2], *second.shape[:2])
    inner = np.square(products).sum(axis=(1, 3))
    return _divide(inner, np.outer(_measure_projections(first), _measure_projections(second)))


def compare_rows(first: Floats, second: Floats, *, signed: bool = False) -> Floats:
    """(n,) similarities of each context with the one at its place."""
    if signed:
        rays = unit_rows(first[:, 0]), unit_rows(second[:, 0])
        return np.asarray(np.einsum("nd,nd->n", *rays), np.float32)
    inner = np.square(np.einsum("nid,njd->nij", first, second)).sum(axis=(1, 2))
    return _divide(inner, _measure_projections(first) * _measure_projections(second))


def _measure_projections(bases: Floats) -> Floats:
    """(n,) lengths |P| of the projections on subspaces, as matrices."""
    return np.asarray(np.linalg.norm(np.square(bases).sum(axis=2), axis=1))


def _divide(inner: Floats, lengths: Floats) -> Floats:
    return np.asarray(inner / np.where(lengths > 0.0, lengths, 1.0), np.float32)
