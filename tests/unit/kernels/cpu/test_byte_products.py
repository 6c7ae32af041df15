"""Codes of rows, and sums of integers that are exact."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from grassmeans.kernels.cpu import byte_products
from grassmeans.kernels.cpu.byte_products import (
    BLOCK,
    ROWS,
    add_code_products,
    make_rounded,
    multiply_codes,
    pack_codes,
    round_normed,
    round_rows,
    round_squares,
)

pytestmark = pytest.mark.skipif(
    byte_products.PRODUCTS is None, reason="this processor does not multiply bytes fast"
)


def fill(rows, width=32):
    filled = np.zeros((len(rows), width), np.float32)
    filled[:, : len(rows[0])] = rows
    return filled


def test_rows_are_rounded_by_their_largest_number() -> None:
    codes, totals, factors = rounded = make_rounded(3, 32)
    rows = fill([[254.0, -127.0, 3.1, 2.9], [-0.5, 0.25, 0.0, 0.0], [0.0] * 4])
    round_rows(rows, 3, rounded)
    assert codes[:3, :4].tolist() == [[127, -64, 2, 1], [-127, 64, 0, 0], [0, 0, 0, 0]]
    assert totals[:3].tolist() == [66, -63, 0]
    np.testing.assert_allclose(factors[:3], [2.0, 0.5 / 127, 0.0], rtol=1e-6)


def test_a_mean_square_of_1_is_left_to_the_factors() -> None:
    rows = fill([[3.0, 4.0, 0.0, 0.0], [30.0, 40.0, 0.0, 0.0]])
    codes, _, factors = rounded = make_rounded(2, 32)
    round_normed(rows, 2, 4, rounded)
    assert codes[:2, :4].tolist() == [[95, 127, 0, 0]] * 2
    # The root of the mean square of (3, 4, 0, 0) is 2.5.
    np.testing.assert_allclose(factors[:2], 4.0 / 2.5 / 127, rtol=1e-5)


def test_squares_use_all_levels_above_zero() -> None:
    codes, totals, factors = rounded = make_rounded(1, 32)
    round_squares(fill([[-5.0, 1.0, 2.0, 0.0]]), 1, rounded)
    # 0, 1, 4, 0 with 255 steps up to 4.
    assert codes[0, :4].tolist() == [-128, 64 - 128, 127, -128]
    assert totals[0] == 64 + 255 - 32 * 128
    assert factors[0] == np.float32(4.0 / 255.0)


@pytest.mark.parametrize("n", [1, 4, 5, 12, 25, 61])
@pytest.mark.parametrize("zero", [0, 128])
def test_sums_of_integers_are_exact(n, zero) -> None:
    rng = np.random.default_rng(n)
    weights = rng.integers(0, 256, (2, 96, 64)).astype(np.uint8)
    codes, totals, factors = rounded = make_rounded(n, 64)
    codes[:n] = rng.integers(-128, 128, (n, 64))
    totals[:n], factors[:n] = codes[:n].sum(axis=1, dtype=np.int32), 2.0
    sums = np.zeros((n + ROWS, 96), np.float32)
    packed = pack_codes(weights, np.ones((2, 96), np.float32))
    multiply_codes(rounded, n, packed, 1, np.float32(zero), sums)
    # Twice a half-integer below 2^24: a single holds all of them.
    levels = 2 * weights[1].astype(np.int64) - 255
    np.testing.assert_array_equal(sums[:n], (codes[:n].astype(np.int64) + zero) @ levels.T)


def test_the_largest_sums_do_not_overflow() -> None:
    n_in = 8192
    weights = np.full((1, 32, n_in), 255, np.uint8)
    sums = np.zeros((1, 32), np.float32)
    rows = np.full((1, n_in), -1.0, np.float32)
    add_code_products(rows, pack_codes(weights, np.ones((1, 32), np.float32)), 0, sums)
    np.testing.assert_allclose(sums, -127.5 * n_in, rtol=1e-6)


def test_a_row_gives_the_same_bits_among_any_others_and_on_any_number_of_threads() -> None:
    rng = np.random.default_rng(0)
    n = 9 * BLOCK + 5
    packed = pack_codes(
        rng.integers(0, 256, (1, 40, 50)).astype(np.uint8), np.ones((1, 40), np.float32)
    )
    rows = rng.standard_normal((n, 50)).astype(np.float32)

    def multiply(rows, threads):
        sums = np.zeros((len(rows), 40), np.float32)
        before = numba.get_num_threads()
        numba.set_num_threads(threads)
        try:
            add_code_products(rows, packed, 0, sums)
        finally:
            numba.set_num_threads(before)
        return sums

    together = multiply(rows, 1)
    np.testing.assert_array_equal(multiply(rows, min(2, numba.config.NUMBA_NUM_THREADS)), together)
    for i in (0, 11, 12, 47, 48, n - 1):
        np.testing.assert_array_equal(multiply(rows[i : i + 1], 1)[0], together[i])
