"""Register-blocked inner products in single precision, shared by the CPU kernels.

Only sums are reassociated here (``reassoc``), which is what lets the compiler keep one vector
register per inner product. Every inner product of a tile is summed in the same order, so equal rows
give bit-equal products.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from grassmeans.arrays import Floats, Indices

FAST_SUMS = {"reassoc", "contract", "nsz"}
TILE = 4
"""Rows on each side of a tile: 16 sums and 8 operands fit the vector registers."""


@njit(cache=True, error_model="numpy", fastmath=FAST_SUMS)
def multiply_tile(
    left: Floats, rows: Indices, i: int, right: Floats, columns: Indices, j: int, tile: Floats
) -> None:
    """Write ``left[rows[i:i+4]] @ right[columns[j:j+4]].T`` to ``tile`` (4, 4)."""
    a0, a1, a2, a3 = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
    b0, b1, b2, b3 = columns[j], columns[j + 1], columns[j + 2], columns[j + 3]
    s00 = s01 = s02 = s03 = np.float32(0.0)
    s10 = s11 = s12 = s13 = np.float32(0.0)
    s20 = s21 = s22 = s23 = np.float32(0.0)
    s30 = s31 = s32 = s33 = np.float32(0.0)
    for d in range(left.shape[1]):
        x0, x1, x2, x3 = left[a0, d], left[a1, d], left[a2, d], left[a3, d]
        y0, y1, y2, y3 = right[b0, d], right[b1, d], right[b2, d], right[b3, d]
        s00 += x0 * y0
        s01 += x0 * y1
        s02 += x0 * y2
        s03 += x0 * y3
        s10 += x1 * y0
        s11 += x1 * y1
        s12 += x1 * y2
        s13 += x1 * y3
        s20 += x2 * y0
        s21 += x2 * y1
        s22 += x2 * y2
        s23 += x2 * y3
        s30 += x3 * y0
        s31 += x3 * y1
        s32 += x3 * y2
        s33 += x3 * y3
    tile[0, 0], tile[0, 1], tile[0, 2], tile[0, 3] = s00, s01, s02, s03
    tile[1, 0], tile[1, 1], tile[1, 2], tile[1, 3] = s10, s11, s12, s13
    tile[2, 0], tile[2, 1], tile[2, 2], tile[2, 3] = s20, s21, s22, s23
    tile[3, 0], tile[3, 1], tile[3, 2], tile[3, 3] = s30, s31, s32, s33


@njit(cache=True, error_model="numpy", fastmath=FAST_SUMS)
def multiply_column(
    left: Floats, rows: Indices, i: int, right: Floats, column: int, tile: Floats
) -> None:
    """Write ``left[rows[i:i+4]] @ right[column]`` to the first column of ``tile``."""
    a0, a1, a2, a3 = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
    s0 = s1 = s2 = s3 = np.float32(0.0)
    for d in range(left.shape[1]):
        y = right[column, d]
        s0 += left[a0, d] * y
        s1 += left[a1, d] * y
        s2 += left[a2, d] * y
        s3 += left[a3, d] * y
    tile[0, 0], tile[1, 0], tile[2, 0], tile[3, 0] = s0, s1, s2, s3


@njit(cache=True, error_model="numpy", fastmath=FAST_SUMS)
def add_rows(
    rows: Floats, indices: Indices, i: int, coefficients: Floats, total: Floats, k: int
) -> None:
    """Add four rows times their coefficients: ``total[k] += sum c_a rows[indices[i + a]]``."""
    a0, a1, a2, a3 = indices[i], indices[i + 1], indices[i + 2], indices[i + 3]
    c0, c1, c2, c3 = coefficients[0], coefficients[1], coefficients[2], coefficients[3]
    for d in range(rows.shape[1]):
        total[k, d] += (c0 * rows[a0, d] + c1 * rows[a1, d]) + (c2 * rows[a2, d] + c3 * rows[a3, d])
