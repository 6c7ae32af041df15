"""Tiles, and what processors have for them."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from grassmeans.kernels.cpu.tiles import (
    ARM,
    FEATURES,
    NARROW,
    WIDE,
    find_byte_products,
    find_registers,
    make_code_tile,
    make_single_tile,
)


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ({"avx512vnni", "avxvnni"}, WIDE),
        ({"avxvnni", "avx2"}, NARROW),
        ({"avx2", "avx512f"}, None),
        ({"dotprod", "neon"}, ARM),
        (set(), None),
    ],
)
def test_bytes_are_multiplied_as_the_processor_can(features, expected) -> None:
    assert find_byte_products(features) is expected


def test_registers_of_processors() -> None:
    assert find_registers({"avx512f", "avx2"})[0] == 16
    assert find_registers({"avx2"})[0] == 8
    assert find_registers({"neon"})[0] == 4


def can_use(products) -> bool:
    if products is NARROW:  # those with wide registers have the narrow ones, too
        return bool(FEATURES & {"avxvnni", "avx512vnni"})
    return find_byte_products(FEATURES) is products


@pytest.mark.parametrize("products", [WIDE, NARROW, ARM], ids=lambda products: products.words)
@pytest.mark.parametrize("rows", [1, 4, 6])
def test_a_tile_of_codes(products, rows) -> None:
    if not can_use(products):
        pytest.skip("another processor's")
    add_tile = make_code_tile(products, rows)

    @njit
    def add(codes, totals, factors, panel, offsets, scales, sums):
        add_tile((codes[1:], totals[1:], factors[1:]), (panel, offsets, scales), sums[1:, 3:])

    rng = np.random.default_rng(0)
    width = 2 * products.lanes
    codes = rng.integers(-128, 128, (rows + 2, 20)).astype(np.int8)
    weights = rng.integers(0, 256, (width, 12)).astype(np.uint8)
    panel = np.ascontiguousarray(weights.reshape(width, 3, 4).transpose(1, 0, 2))
    if not products.unsigned:
        panel ^= 128
    totals = codes[:, :12].sum(axis=1, dtype=np.int32)
    factors = 2.0 ** np.arange(rows + 2, dtype=np.float32)
    offsets, scales = np.arange(width, dtype=np.float32), np.full(width, 0.5, np.float32)
    sums = np.ones((rows + 2, width + 5), np.float32)
    add(codes, totals, factors, panel, offsets, scales, sums)
    products_of = codes[:, :12].astype(float) @ (weights - 127.5).T + offsets
    expected = np.ones_like(sums)
    expected[1:-1, 3:-2] += (products_of * factors[:, None] * 0.5)[1:-1]
    np.testing.assert_array_equal(sums, expected)


@pytest.mark.parametrize("lanes", [4, find_registers(FEATURES)[0]])
def test_a_tile_of_numbers(lanes) -> None:
    write_tile = make_single_tile(lanes, 3)

    @njit
    def write(left, right, n, found):
        write_tile(left[1:], right[:, 2:], n, found[1:])

    rng = np.random.default_rng(0)
    left = rng.integers(-9, 9, (5, 8)).astype(np.float32)
    right = rng.integers(-9, 9, (7, 2 * lanes + 2)).astype(np.float32)
    found = np.full((5, 2 * lanes), 7.0, np.float32)
    write(left, right, 7, found)
    np.testing.assert_array_equal(found[1:4], left[1:4, :7] @ right[:, 2:])
    assert (found[[0, 4]] == 7.0).all()
