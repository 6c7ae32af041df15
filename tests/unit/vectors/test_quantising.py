from __future__ import annotations

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.vectors.quantising import QuantisedRows, bytes_per_row, quantise_rows


def test_four_bits_by_hand() -> None:
    # largest 7.5: scale 7.5 / 7.5 = 1, levels -7.5, -6.5, ..., 7.5, codes 0 to 15
    rows = quantise_rows(np.array([[7.5, -7.5, 0.2, -0.2, 3.9]]), bits=4)

    assert rows.scales.tolist() == [1.0]
    # two codes a byte, the even column below: 15, 0 | 8, 7 | 11, (nothing)
    assert rows.codes.tolist() == [[15 + 16 * 0, 8 + 16 * 7, 11]]
    assert rows.restore().tolist() == [[7.5, -7.5, 0.5, -0.5, 3.5]]


def test_eight_bits_by_hand() -> None:
    # largest 127.5: scale 1, one code a byte
    rows = quantise_rows(np.array([[127.5, -127.5, 0.0, 10.7]]), bits=8)

    assert rows.codes.tolist() == [[255, 0, 128, 138]]
    assert rows.restore().tolist() == [[127.5, -127.5, 0.5, 10.5]]


def test_six_bits_by_hand() -> None:
    # largest 31.5: scale 1, levels -31.5 to 31.5, codes 0 to 63
    rows = quantise_rows(np.array([[31.5, -31.5, 0.2, -0.2, 3.9]]), bits=6)

    # 63, 0, 32, 31 | 35, each from the lowest free bit: 63 | 0 + 0 * 16 | 32 // 16 + 31 * 4 | 35
    assert rows.codes.tolist() == [[63, 0, 2 + 124, 35]]
    assert rows.restore().tolist() == [[31.5, -31.5, 0.5, -0.5, 3.5]]


def test_the_smallest_numbers_there_are_stay_among_the_levels() -> None:
    # 8 / 7.5 is rounded to one of the smallest steps, of which 8 would be the level after the last.
    rows = quantise_rows(np.array([[8.0, -8.0]]) * 2.0**-149, bits=4)

    assert rows.codes.tolist() == [[15 + 16 * 0]]


def test_every_row_has_its_own_scale() -> None:
    rows = quantise_rows(np.array([[1.0, 0.5], [1000.0, 500.0]]), bits=8)

    np.testing.assert_allclose(rows.scales, [1 / 127.5, 1000 / 127.5], rtol=1e-6)
    np.testing.assert_allclose(rows.restore()[1], 1000 * rows.restore()[0], rtol=1e-6)


@pytest.mark.parametrize("bits", [4, 6, 8])
def test_zero_rows_stay_zero(bits: int) -> None:
    rows = quantise_rows(np.zeros((2, 3)), bits)

    assert rows.restore().tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize(("bits", "width"), [(4, 3), (6, 4), (8, 5)])
def test_size_of_a_row(bits: int, width: int) -> None:
    assert bytes_per_row(5, bits) == width
    assert quantise_rows(np.ones((2, 5)), bits).codes.shape == (2, width)


def test_no_rows() -> None:
    rows = quantise_rows(np.empty((0, 4)), 4)

    assert len(rows) == 0
    assert rows.restore().shape == (0, 4)


def test_more_rows_than_a_block() -> None:
    matrix = np.random.default_rng(0).standard_normal((20_000, 3)).astype(np.float32)

    rows = quantise_rows(matrix, 8)

    assert (np.abs(rows.restore() - matrix) <= rows.scales[:, None] * 0.5001).all()


def test_digest_changes_with_any_number() -> None:
    matrix = np.arange(12.0).reshape(3, 4)
    rows = quantise_rows(matrix, 8)
    changed = rows.codes.copy()
    changed[2, 3] ^= 1

    assert quantise_rows(matrix, 8).digest == rows.digest
    assert QuantisedRows(changed, rows.scales, 8, 4).digest != rows.digest
    assert QuantisedRows(rows.codes, 2 * rows.scales, 8, 4).digest != rows.digest


def test_wrong_bits_and_shapes_are_refused() -> None:
    with pytest.raises(InputError, match="bits must be one of 4, 6, 8, got 5"):
        quantise_rows(np.ones((1, 2)), 5)
    with pytest.raises(InputError, match=r"shape \(2, 3\), got \(2, 4\)"):
        QuantisedRows(np.zeros((2, 4), np.uint8), np.zeros(2, np.float32), 8, 3)


def test_some_rows_are_those_of_all() -> None:
    matrix = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
    rows = quantise_rows(matrix, 4)

    everything = np.asarray(rows)

    assert rows.shape == everything.shape == (5, 3)
    np.testing.assert_array_equal(rows[1:3], everything[1:3])
    np.testing.assert_array_equal(rows[np.array([4, 0, 4])], everything[[4, 0, 4]])
    assert rows[2:2].shape == (0, 3)
    assert everything.dtype == np.float32
    assert np.asarray(rows, np.float64).dtype == np.float64


def test_rows_of_unit_length() -> None:
    # levels of 4 bits: 7.5, -7.5 and 0.5 of scale 1; the length is sqrt(7.5**2 + 7.5**2 + 0.5**2)
    rounded = quantise_rows(np.array([[7.5, -7.5, 0.2], [0.0, 0.0, 0.0]]), 4)
    rows = QuantisedRows(rounded.codes, rounded.scales, 4, 3, unit=True)

    found = np.asarray(rows)

    length = (2 * 7.5**2 + 0.5**2) ** 0.5
    np.testing.assert_allclose(found[0], [7.5 / length, -7.5 / length, 0.5 / length], rtol=1e-6)
    assert found[1].tolist() == [0.0, 0.0, 0.0]
    np.testing.assert_array_equal(rows[:1], found[:1])
