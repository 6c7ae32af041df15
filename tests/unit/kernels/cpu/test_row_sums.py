"""What is found in rows by vectors."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from grassmeans.kernels.cpu import row_sums


@njit
def find_largest(row):
    return row_sums.find_largest(row)


@njit
def sum_squares(row):
    return row_sums.sum_squares(row)


@njit
def sum_numbers(row):
    return row_sums.sum_numbers(row)


@njit
def exponentiate(row):
    row_sums.exponentiate(row)


@njit
def turn_row(row, cos, sin, factor, turned):
    row_sums.turn_row(row, cos, sin, factor, turned)


@pytest.mark.parametrize("place", [0, 15, 16, 31, 32, 63])
def test_the_largest_number_is_found_wherever_it_stands(place) -> None:
    row = np.linspace(-1.0, 1.0, 64, dtype=np.float32)
    row[place] = -2.5
    assert find_largest(row) == 2.5
    row[place] = np.nan
    assert np.isnan(find_largest(row))
    row[place] = -np.inf
    assert find_largest(row) == np.inf
    assert find_largest(np.zeros(32, np.float32)) == 0.0


def test_sums() -> None:
    row = np.arange(96, dtype=np.float32)
    assert sum_numbers(row) == 95 * 96 / 2
    assert sum_squares(row) == 95 * 96 * 191 / 6


def test_exponentials_are_exact_to_the_last_bits() -> None:
    row = np.linspace(-87.0, 88.0, 1024, dtype=np.float32)
    row[:3] = 0.0, -1.0, 8.0
    found = row.copy()
    exponentiate(found)
    np.testing.assert_allclose(found, np.exp(row.astype(float)), rtol=4e-6)
    near = np.linspace(-8.0, 8.0, 1024, dtype=np.float32)
    found = near.copy()
    exponentiate(found)
    np.testing.assert_allclose(found, np.exp(near.astype(float)), rtol=1e-6)
    assert exponentials_of_zero() == 1.0


def exponentials_of_zero() -> float:
    row = np.zeros(32, np.float32)
    exponentiate(row)
    return float(row[0])


def test_halves_are_turned() -> None:
    row = np.arange(64, dtype=np.float32)
    turned = np.empty(64, np.float32)
    quarter = np.zeros(32, np.float32), np.ones(32, np.float32)  # cos, sin of 90 degrees
    turn_row(row, *quarter, np.float32(2.0), turned)
    np.testing.assert_array_equal(turned, 2 * np.concatenate([-row[32:], row[:32]]))
