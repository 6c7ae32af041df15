"""From a transformer's vectors to lines: centred, on few axes, of unit length.

The vectors of all words in all contexts share a large mean, which says nothing, and most of their
dimensions say little: the principal axes of contexts of many words keep what tells contexts apart.
The first of them are much longer than the others, and have less to say than that: they are
whitened in part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats
from grassmeans.artifacts.checking import damaged, open_array
from grassmeans.artifacts.writing import digest_of_array, write_array
from grassmeans.vectors.similarity import unit_rows

_FILE = "projection.npy"
WHITENING = 0.4
"""The power of the spread that axes are divided by: 0 leaves them, 1 makes all alike."""

_SMALLEST = 1e-9  # of the largest square: what is smaller is rounding
_ENOUGH = 4
"""Contexts for each dimension from which on axes are found; with fewer all dimensions stay."""


@dataclass(frozen=True)
class Projection:
    """What is taken off a vector, and the axes it is then seen from.

    Attributes
    ----------
    mean : (dim,) float32
    axes : (n_axes, dim) float32
        Orthogonal rows; those along which contexts vary less are longer.
    """

    mean: Floats
    axes: Floats

    @property
    def n_axes(self) -> int:
        """The dimension of the lines."""
        return len(self.axes)

    @cached_property
    def digest(self) -> str:
        """Of the numbers."""
        return digest_of_array(np.concatenate([self.mean[None], self.axes]))

    def project(self, vectors: Floats) -> Floats:
        """(n, n_axes) unit lines, with the precision that they are stored with; zeros stay."""
        unit = unit_rows((vectors - self.mean) @ self.axes.T)
        unit[~vectors.any(axis=1)] = 0.0
        return unit.astype(np.float16).astype(np.float32)

    def turn(self, turn: NDArray[np.float64]) -> Projection:
        """The same lines on turned axes."""
        return Projection(self.mean, (turn.T @ self.axes).astype(np.float32))

    def save(self, folder: Path) -> None:
        """Write one array: the mean, and the axes below it."""
        write_array(folder / _FILE, np.concatenate([self.mean[None], self.axes]))

    @classmethod
    def open(cls, folder: Path) -> Projection:
        """Read what `save` wrote."""
        path = folder / _FILE
        rows = np.asarray(open_array(path, np.float32, (None, None)))
        if len(rows) < 2 or not np.isfinite(rows).all():
            raise damaged(path, "it holds no mean and axes")
        return cls(rows[0], rows[1:])


def fit_projection(vectors: Floats, dim: int) -> Projection:
    """The mean of vectors, and their ``dim`` principal axes, whitened in part.

    Parameters
    ----------
    vectors : (n, dim) float32
        Of contexts of many words. With few of them no axes can be told: all dimensions stay.
    """
    mean = vectors.mean(axis=0, dtype=np.float64)
    size = vectors.shape[1]
    if dim >= size or len(vectors) < _ENOUGH * size:
        return Projection(mean.astype(np.float32), np.eye(size, dtype=np.float32))
    centred = vectors - mean
    squares, found = np.linalg.eigh(centred.T @ centred)
    axes = found[:, ::-1][:, :dim].T
    spread = np.sqrt(np.maximum(squares[::-1][:dim], squares[-1] * _SMALLEST))
    axes = axes * ((spread[0] / spread) ** WHITENING)[:, None]
    # The sign of an axis is arbitrary: the largest number of each is made positive.
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1)
    signed = axes * np.sign(largest)
    return Projection(mean.astype(np.float32), np.ascontiguousarray(signed, np.float32))
