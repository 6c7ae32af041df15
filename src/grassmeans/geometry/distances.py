"""Distances of contexts to the lines of senses: the one place for d(u, S(c)).

The distance of a unit direction u to a context's subspace with the orthonormal basis b_1, ..., b_N
is sqrt(1 - sum_n (b_n . u)^2) (section 3 of the paper). It is 1 to a context of zeros, which says
nothing. Where lines have ends (``signed``; rank 1), a context that points away from u says nothing
of it either: its distance is 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats
from grassmeans.kernels import get_kernels

_FEW = 64
"""Up to this many contexts, plain NumPy has nothing to load or to compile."""


@dataclass(frozen=True, slots=True)
class SenseLines:
    """The lines of the senses of several words.

    Attributes
    ----------
    directions : (n_lines, dim) float32
        The senses of one word after the other.
    offsets : (n_words + 1,) int64
        Where each word's lines begin, and the end.
    """

    directions: Floats
    offsets: NDArray[np.int64]

    @classmethod
    def collect(cls, directions: Iterable[Floats]) -> SenseLines:
        """Of the directions (n_senses, dim) of each word."""
        found = list(directions)
        stacked = np.concatenate(found) if found else np.empty((0, 0))
        offsets = np.array([0, *accumulate(map(len, found))], np.int64)
        return cls(np.ascontiguousarray(stacked, np.float32), offsets)

    @property
    def n_senses(self) -> NDArray[np.int64]:
        """(n_words,) how many senses each word has."""
        return np.diff(self.offsets)

    @property
    def most_senses(self) -> int:
        """The largest number of senses of a word."""
        return int(self.n_senses.max(initial=1))


def usable_contexts(bases: Floats) -> NDArray[np.bool_]:
    """(n,) which contexts say something: the first row of their basis is not zero."""
    return np.asarray(bases[:, 0].any(axis=1), np.bool_)


def distances_from_squares(squares: NDArray[np.floating]) -> NDArray[np.float64]:
    """Squared projections as distances, in [0, 1].

    Double precision keeps the order of the projections through the square root.
    """
    distances: NDArray[np.float64] = np.sqrt(np.clip(1.0 - squares.astype(np.float64), 0.0, 1.0))
    return distances


def measure_distances(
    bases: Floats, directions: Floats, *, signed: bool = False, device: str = "cpu"
) -> NDArray[np.float64]:
    """Distances of contexts to directions.

    Parameters
    ----------
    bases : (n, rank, dim) float32
    directions : (n_senses, dim) float32
        Unit vectors; the distance to a direction of zeros is 1.
    signed : bool
        Whether a projection counts on the side of the direction alone.

    Returns
    -------
    (n, n_senses) float64
    """
    lines = np.ascontiguousarray(directions, np.float32)
    if signed:
        return distances_from_squares(np.square(np.maximum(bases[:, 0] @ lines.T, 0.0)))
    return distances_from_squares(get_kernels(device).square_projections(bases, lines))


def measure_senses(
    bases: Floats, words: NDArray[np.integer], lines: SenseLines, *, signed: bool = False
) -> Floats:
    """Distances of contexts to the senses of their words.

    Parameters
    ----------
    bases : (n, rank, dim) float32
    words : (n,) integers
        Number of each context's word in ``lines``.
    signed : bool
        As for `measure_distances`.

    Returns
    -------
    (n, most senses) float32
        NaN beyond a word's senses, and all along where a context says nothing.
    """
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
