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
from grassmeans.kernels.cpu.emitting import FEATURES
from grassmeans.kernels.cpu.products import as_read_only
from grassmeans.kernels.cpu.row_sums import find_largest, sum_squares
from grassmeans.kernels.cpu.threads import run_in_blocks
from grassmeans.kernels.cpu.tiles import WIDE, find_byte_products, make_code_tile
from grassmeans.kernels.interface.passages import NORM_FLOOR, SIGNED, UNSIGNED

Codes = NDArray[np.int8]

FUSED = {"contract", "nsz"}  # not "reassoc": see `attention`
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
    """Matrices of codes, filled up to whole panels.

    Attributes
    ----------
    codes : (n_matrices, n_panels, n_in / 4, PANEL, 4) uint8
        Four inputs of a panel's outputs lie together; signed where the processor wants that.
    scales : (n_matrices, n_panels * PANEL) float32
    sums : (n_matrices, n_panels * PANEL) float32
        Of ``code - 127.5`` over a matrix's row.
    """

    codes: NDArray[np.uint8]
    scales: Floats
    sums: Floats


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
    arguments = as_read_only(rows, np.float32), matrices, number, sums
    run_in_blocks(lambda start, stop: _add_products(start, stop, *arguments), len(rows), BLOCK)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FUSED)
def _add_products(
    start: int, stop: int, rows: Floats, matrices: PackedMatrices, number: int, sums: Floats
) -> None:
    n_in, n_out = rows.shape[1], sums.shape[1]
    depth = 4 * matrices.codes.shape[2]
    filled = np.zeros((BLOCK, depth), np.float32)
    codes = np.zeros((BLOCK + ROWS, depth), np.int8)
    found = np.empty((BLOCK + ROWS, matrices.scales.shape[1]), np.float32)
    totals, factors = np.zeros(BLOCK + ROWS, np.int32), np.zeros(BLOCK + ROWS, np.float32)
    for first in range(start, stop, BLOCK):
        many = min(BLOCK, stop - first)
        for r in range(many):
            for i in range(n_in):
                filled[r, i] = rows[first + r, i]
        round_rows(filled, many, codes, totals, factors)
        found.fill(NO_ZERO)
        multiply_codes(codes, many, totals, factors, matrices, number, NO_ZERO, found)
        for r in range(many):
            for j in range(n_out):
                sums[first + r, j] += found[r, j]


@njit(cache=True, error_model="numpy", fastmath=FUSED)
def round_rows(rows: Floats, n: int, codes: Codes, totals: Integers, factors: Floats) -> None:
    """Round n rows, whose width is a multiple of `WIDTH`."""
    for r in range(n):
        largest = find_largest(rows[r])
        _round_row(rows, r, divide(SIGNED, largest), NO_ZERO, codes, totals)
        factors[r] = largest / SIGNED


@njit(cache=True, error_model="numpy", fastmath=FUSED)
def round_normed(
    rows: Floats, n: int, dim: int, codes: Codes, totals: Integers, factors: Floats
) -> None:
    """Round n rows of a mean square of 1 over ``dim`` numbers: only the factors know of it."""
    round_rows(rows, n, codes, totals, factors)
    for r in range(n):
        factors[r] /= np.sqrt(sum_squares(rows[r]) / np.float32(dim) + NORM_FLOOR)


@njit(cache=True, error_model="numpy", fastmath=FUSED)
def round_squares(rows: Floats, n: int, codes: Codes, totals: Integers, factors: Floats) -> None:
    """Round ``square(max(row, 0))`` of n rows, which are changed to it."""
    for r in range(n):
        for i in range(rows.shape[1]):
            positive = max(rows[r, i], np.float32(0.0))
            rows[r, i] = positive * positive
        largest = find_largest(rows[r])
        _round_row(rows, r, divide(UNSIGNED, largest), ZERO, codes, totals)
        factors[r] = largest / UNSIGNED


@njit(cache=True, error_model="numpy", fastmath=FUSED)
def divide(x: np.float32, y: np.float32) -> np.float32:
    """``x / y``, 0 where y is."""
    return x / y if y > np.float32(0.0) else np.float32(0.0)


@njit(cache=True, error_model="numpy", fastmath=FUSED)
def _round_row(
    rows: Floats, r: int, steps: np.float32, zero: np.float32, codes: Codes, totals: Integers
) -> None:
    total = np.int32(0)
    for i in range(rows.shape[1]):
        code = np.int32(np.rint(rows[r, i] * steps) - zero)
        codes[r, i] = code
        total += code
    totals[r] = total


@njit(cache=True, error_model="numpy", fastmath=FUSED)
def multiply_codes(
    codes: Codes,
    n: int,
    totals: Integers,
    factors: Floats,
    matrices: PackedMatrices,
    number: int,
    zero: np.float32,
    sums: Floats,
) -> None:
    """Add the products of n rows; `ROWS` more than those can be read and written to."""
    panels, scales = matrices.codes[number], matrices.scales[number]
    offsets = zero * matrices.sums[number]
    for j in range(len(panels)):
        at = j * PANEL
        right = panels[j], offsets[at:], scales[at:]
        for i in range(0, n - ROWS + 1, ROWS):
            left = codes[i:], totals[i:], factors[i:]
            _add_tile(left, right, sums[i:, at:])
        for i in range(n - n % ROWS, n, LAST_ROWS):
            left = codes[i:], totals[i:], factors[i:]
            _add_last_tile(left, right, sums[i:, at:])
