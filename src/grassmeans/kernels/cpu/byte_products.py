"""Matrix products in 8 bits, where the processor has an instruction for them.

A matrix comes in the codes in which it is stored: ``(c - 127.5) * scale`` with a scale for each of
its rows. They are used as they are, so nothing is lost by them. The rows that it is multiplied with
are rounded when they come: ``(q + zero) * factor`` with a factor for each row, where q fills a
signed byte, and ``zero`` is 128 for rows that have no negative numbers (all 256 levels are above 0)
and else 0. A product is then

    factor * scale * (sum (c - 127.5) q + zero * sum (c - 127.5))

of which the first sum is one of integers and the second is known beforehand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grassmeans.arrays import Floats, Integers
from grassmeans.kernels.arguments import NORM_FLOOR, SIGNED, UNSIGNED
from grassmeans.kernels.cpu.row_sums import find_largest, sum_squares
from grassmeans.kernels.cpu.threads import FUSED, as_read_only, run_in_blocks
from grassmeans.kernels.cpu.tiles import FEATURES, WIDE, find_byte_products, make_code_tile

WIDTH = 32
"""Both sides of a matrix are filled up to a multiple of this, on every processor."""

BLOCK = 48
"""Rows per block, whole tiles of every processor; what they hold stays in the cache."""

PRODUCTS = find_byte_products(FEATURES)
"""Those of this processor. Numba keeps what it has compiled apart by processor and features."""

_USED = PRODUCTS or WIDE  # without any, nothing below is ever compiled
PANEL, ROWS, LAST_ROWS = 2 * _USED.lanes, _USED.rows, 4
_add_tile, _add_last_tile = make_code_tile(_USED, ROWS), make_code_tile(_USED, LAST_ROWS)

NO_ZERO, ZERO = np.float32(0.0), np.float32(128.0)
"""What is added to the codes of rows: of any numbers, and of such as are never negative."""


class PackedMatrices(NamedTuple):
    """Matrices of codes, filled up to whole panels."""

    codes: NDArray[np.uint8]
    """(n_matrices, n_panels, n_in / 4, PANEL, 4): four inputs of a panel's outputs lie together;
    signed where the processor wants that."""
    scales: Floats  # (n_matrices, n_panels * PANEL)
    sums: Floats  # (n_matrices, n_panels * PANEL) of ``code - 127.5`` over a matrix's row


class RoundedRows(NamedTuple):
    """Rows of 8 bits a number, with room for `ROWS` more than are in use."""

    codes: NDArray[np.int8]  # (n, width), a multiple of `WIDTH`
    totals: Integers  # (n,) sums of the codes
    factors: Floats  # (n,)


@njit(cache=True)
def make_rounded(n: int, width: int) -> RoundedRows:
    """Room for n rows."""
    totals, factors = np.zeros(n + ROWS, np.int32), np.zeros(n + ROWS, np.float32)
    return RoundedRows(np.zeros((n + ROWS, width), np.int8), totals, factors)


def pack_codes(codes: NDArray[np.uint8], scales: Floats) -> PackedMatrices:
    """See `grassmeans.kernels.interface`."""
    n, n_out, n_in = codes.shape
    width, depth = fill_up(n_out), fill_up(n_in)
    filled = np.full((n, width, depth), 128, np.uint8)
    filled[:, :n_out, :n_in] = codes
    sums = filled.sum(axis=2, dtype=np.int64) - 127.5 * depth
    if not _USED.unsigned:
        filled ^= 128
    panels = filled.reshape(n, width // PANEL, PANEL, depth // 4, 4).transpose(0, 1, 3, 2, 4)
    all_scales = np.zeros((n, width), np.float32)
    all_scales[:, :n_out] = scales
    return PackedMatrices(
        as_read_only(panels), as_read_only(all_scales), as_read_only(sums, np.float32)
    )


def fill_up(n: int) -> int:
    """The next multiple of `WIDTH`."""
    return -(-n // WIDTH) * WIDTH


def add_code_products(rows: Floats, matrices: PackedMatrices, number: int, sums: Floats) -> None:
    """See `grassmeans.kernels.interface`."""
    given = as_read_only(rows, np.float32)
    run_in_blocks(_add_products, len(rows), BLOCK, given, matrices, number, sums)


@njit(nogil=True, **FUSED)
def _add_products(start, stop, rows, matrices, number, sums):
    n_in, n_out = rows.shape[1], sums.shape[1]
    depth = 4 * matrices.codes.shape[2]
    filled = np.zeros((BLOCK, depth), np.float32)
    rounded = make_rounded(BLOCK, depth)
    found = np.empty((BLOCK + ROWS, matrices.scales.shape[1]), np.float32)
    for first in range(start, stop, BLOCK):
        many = min(BLOCK, stop - first)
        for r in range(many):
            for i in range(n_in):
                filled[r, i] = rows[first + r, i]
        round_rows(filled, many, rounded)
        found.fill(NO_ZERO)
        multiply_codes(rounded, many, matrices, number, NO_ZERO, found)
        for r in range(many):
            for j in range(n_out):
                sums[first + r, j] += found[r, j]


@njit(**FUSED)
def round_rows(rows: Floats, n: int, rounded: RoundedRows) -> None:
    """Round n rows, whose width is a multiple of `WIDTH`."""
    for r in range(n):
        largest = find_largest(rows[r])
        _round_row(rows, r, divide(SIGNED, largest), NO_ZERO, rounded)
        rounded.factors[r] = largest / SIGNED


@njit(**FUSED)
def round_normed(rows: Floats, n: int, dim: int, rounded: RoundedRows) -> None:
    """Round n rows of a mean square of 1 over ``dim`` numbers: only the factors know of it."""
    round_rows(rows, n, rounded)
    for r in range(n):
        rounded.factors[r] /= np.sqrt(sum_squares(rows[r]) / np.float32(dim) + NORM_FLOOR)


@njit(**FUSED)
def round_squares(rows: Floats, n: int, rounded: RoundedRows) -> None:
    """Round ``square(max(row, 0))`` of n rows, which are changed to it."""
    for r in range(n):
        for i in range(rows.shape[1]):
            positive = max(rows[r, i], np.float32(0.0))
            rows[r, i] = positive * positive
        largest = find_largest(rows[r])
        _round_row(rows, r, divide(UNSIGNED, largest), ZERO, rounded)
        rounded.factors[r] = largest / UNSIGNED


@njit(**FUSED)
def divide(x, y):
    """``x / y``, 0 where y is."""
    return x / y if y > np.float32(0.0) else np.float32(0.0)


@njit(**FUSED)
def _round_row(rows, r, steps, zero, rounded):
    total = np.int32(0)
    for i in range(rows.shape[1]):
        code = np.int32(np.rint(rows[r, i] * steps) - zero)
        rounded.codes[r, i] = code
        total += code
    rounded.totals[r] = total


@njit(**FUSED)
def multiply_codes(rounded, n, matrices, number, zero, sums):
    """Add the products of n rows; `ROWS` more than those can be read and written to."""
    codes, totals, factors = rounded
    panels, scales = matrices.codes[number], matrices.scales[number]
    offsets = zero * matrices.sums[number]
    for j in range(len(panels)):
        at = j * PANEL
        right = panels[j], offsets[at:], scales[at:]
        for i in range(0, n - ROWS + 1, ROWS):
            _add_tile((codes[i:], totals[i:], factors[i:]), right, sums[i:, at:])
        for i in range(n - n % ROWS, n, LAST_ROWS):
            _add_last_tile((codes[i:], totals[i:], factors[i:]), right, sums[i:, at:])
