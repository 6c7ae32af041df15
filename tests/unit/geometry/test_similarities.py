from __future__ import annotations

import numpy as np
import pytest

from grassmeans.geometry.similarities import compare_all, compare_rows

FLAT = np.array([[1, 0, 0, 0], [0, 1, 0, 0]], np.float32)
# A plane that meets FLAT in one axis and is turned by 60 degrees in the other.
TURNED = np.array([[1, 0, 0, 0], [0, 0.5, 0, 0.75**0.5]], np.float32)
NOTHING = np.zeros((2, 4), np.float32)


def test_rays_are_compared_by_their_cosine_with_its_sign() -> None:
    rays = np.array([[[1.0, 0.0]], [[0.6, 0.8]], [[-0.5, 0.0]], [[0.0, 0.0]]], np.float32)
    found = compare_all(rays, rays, signed=True)
    np.testing.assert_allclose(found[0], [1.0, 0.6, -1.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(found, found.T)
    np.testing.assert_allclose(compare_all(rays, rays)[0], [1.0, 0.36, 1.0, 0.0], atol=1e-6)


def test_subspaces_are_compared_by_the_mean_squared_cosine_of_their_angles() -> None:
    planes = np.stack([FLAT, TURNED, NOTHING])
    # cos 0 and cos 60 degrees, squared: (1 + 0.25) / 2
    expected = [[1.0, 0.625, 0.0], [0.625, 1.0, 0.0], [0.0, 0.0, 0.0]]
    np.testing.assert_allclose(compare_all(planes, planes), expected, atol=1e-6)
    other = FLAT * np.array([[-1.0], [1.0]], np.float32)  # another basis of the same plane
    np.testing.assert_allclose(compare_all(other[None], planes)[0], expected[0], atol=1e-6)


def test_weak_directions_weigh_less() -> None:
    weak = FLAT * np.array([[1.0], [0.5]], np.float32)
    line = np.stack([FLAT[0], NOTHING[0]])
    # P = diag(1, 1/4), Q = diag(1, 0): 1 / (sqrt(17 / 16) * 1)
    found = compare_all(weak[None], np.stack([weak, line]))
    np.testing.assert_allclose(found, [[1.0, (16 / 17) ** 0.5]], rtol=1e-6)


@pytest.mark.parametrize("signed", [False, True])
def test_rows_are_the_diagonal_of_all(signed: bool) -> None:
    rng = np.random.default_rng(0)
    rank = 1 if signed else 3
    first, second = (
        np.linalg.qr(rng.normal(size=(5, 8, rank)))[0].transpose(0, 2, 1).astype(np.float32)
        for _ in range(2)
    )
    every = compare_all(first, second, signed=signed)
    np.testing.assert_allclose(
        compare_rows(first, second, signed=signed), np.diag(every), atol=1e-6
    )
