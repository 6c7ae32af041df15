"""The second half of an inner layer: positive numbers, squared, times a matrix."""

from __future__ import annotations

import numpy as np

KERNEL = "add_squares"


def test_what_is_not_positive_adds_nothing(kernels) -> None:
    inner = np.array([[2.0, -3.0, 0.0], [-1.0, -1.0, -0.5], [1.0, 0.5, 3.0]], np.float32)
    weights = np.array([[1.0, 10.0], [100.0, 100.0], [0.0, -1.0]], np.float32)
    sums = np.array([[0.5, 0.0], [7.0, 8.0], [0.0, 1.0]], np.float32)
    kernels.add_squares(inner, weights, sums)
    # 4 (1, 10); nothing; (1, 10) + 0.25 (100, 100) + 9 (0, -1), each to what was there.
    assert sums.tolist() == [[4.5, 40.0], [7.0, 8.0], [26.0, 27.0]]


def test_many_places_and_all_parts_of_the_matrix(kernels) -> None:
    rng = np.random.default_rng(0)
    inner = (rng.standard_normal((300, 1001)) - 0.8).astype(np.float32)
    weights = rng.standard_normal((1001, 37)).astype(np.float32)
    before = rng.standard_normal((300, 37)).astype(np.float32)
    sums = before.copy()
    kernels.add_squares(inner, weights, sums)
    expected = before + np.where(inner > 0, inner, 0).astype(np.float64) ** 2 @ weights
    np.testing.assert_allclose(sums, expected, rtol=1e-4, atol=1e-3)


def test_a_place_depends_on_itself_alone(kernels) -> None:
    rng = np.random.default_rng(1)
    inner = (rng.standard_normal((200, 64)) - 0.8).astype(np.float32)
    weights = np.asfortranarray(rng.standard_normal((64, 16)).astype(np.float32))
    together, halves = np.zeros((2, 200, 16), np.float32)
    kernels.add_squares(inner, weights, together)
    for part in (slice(0, 100), slice(100, 200)):
        kernels.add_squares(inner[part], weights, halves[part])
    np.testing.assert_allclose(together, halves, rtol=1e-5, atol=1e-5)
