"""The second half of an inner layer, where most products would be with zero.

Inner numbers count only where they are positive, and squared. Of a trained network's, a fifth is:
the others' rows of the matrix are never read. Eight rows go together, so that sums are read and
written once for all of them, and a part of the matrix serves many places while it is in the cache.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grassmeans.arrays import Floats
from grassmeans.kernels.cpu.products import as_read_only
from grassmeans.kernels.cpu.threads import run_in_blocks

BLOCK = 64
"""Places per block."""

_PART = 384
"""Rows of the matrix that are in use at once: 600 kB where they have 384 columns."""

_TOGETHER = 8
_FUSED = {"contract", "nsz"}  # not "reassoc": see `attention`


def add_squares(inner: Floats, weights: Floats, sums: Floats) -> None:
    """See `grassmeans.kernels.interface`."""
    arguments = as_read_only(inner, np.float32), as_read_only(weights, np.float32), sums
    run_in_blocks(lambda start, stop: _add_squares(start, stop, *arguments), len(sums), BLOCK)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FUSED)
def _add_squares(start: int, stop: int, inner: Floats, weights: Floats, sums: Floats) -> None:
    n_inner = inner.shape[1]
    chosen = np.empty(_PART + _TOGETHER, np.int64)
    squares = np.empty(_PART + _TOGETHER, np.float32)
    for block in range(start, stop, BLOCK):
        for first in range(0, n_inner, _PART):
            last = min(first + _PART, n_inner)
            for n in range(block, min(block + BLOCK, stop)):
                many = _choose(inner[n], first, last, chosen, squares)
                for k in range(0, many, _TOGETHER):
                    _add_rows(weights, chosen, squares, k, sums, n)


@njit(cache=True, error_model="numpy", fastmath=_FUSED)
def _choose(row: Floats, first: int, last: int, chosen: NDArray[np.int64], squares: Floats) -> int:
    """Which numbers are positive, and their squares; squares of 0 fill up the last group."""
    many = 0
    for j in range(first, last):
        chosen[many] = j  # overwritten by the next one where it is not positive: no branch
        many += row[j] > np.float32(0.0)
    for k in range(many):
        squares[k] = row[chosen[k]] * row[chosen[k]]
    chosen[many : many + _TOGETHER] = first
    squares[many : many + _TOGETHER] = np.float32(0.0)
    return many


@njit(cache=True, error_model="numpy", fastmath=_FUSED)
def _add_rows(
    rows: Floats, chosen: NDArray[np.int64], squares: Floats, k: int, sums: Floats, n: int
) -> None:
    """``sums[n] += squares[k:k + 8] @ rows[chosen[k:k + 8]]``."""
    r0, r1, r2, r3 = chosen[k], chosen[k + 1], chosen[k + 2], chosen[k + 3]
    r4, r5, r6, r7 = chosen[k + 4], chosen[k + 5], chosen[k + 6], chosen[k + 7]
    s0, s1, s2, s3 = squares[k], squares[k + 1], squares[k + 2], squares[k + 3]
    s4, s5, s6, s7 = squares[k + 4], squares[k + 5], squares[k + 6], squares[k + 7]
    for i in range(rows.shape[1]):
        left = s0 * rows[r0, i] + s1 * rows[r1, i] + s2 * rows[r2, i] + s3 * rows[r3, i]
        right = s4 * rows[r4, i] + s5 * rows[r5, i] + s6 * rows[r6, i] + s7 * rows[r7, i]
        sums[n, i] += left + right
