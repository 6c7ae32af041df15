"""Distances of contexts to lines, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans.geometry.distances import (
    SenseLines,
    compare_all,
    compare_rows,
    distances_from_squares,
    measure_distances,
    measure_senses,
    usable_contexts,
)

X, Y, Z = np.eye(3, dtype=np.float32)
NOTHING = np.zeros(3, np.float32)
SLANTED = np.array([0.6, 0.8, 0.0], np.float32)

# The plane of x and y, the plane of y and z, and a context that says nothing.
PLANES = np.stack([[X, Y], [Y, Z], [NOTHING, NOTHING]])


def test_a_distance_is_the_sine_of_the_angle_to_a_subspace():
    # Of (0.6, 0.8, 0) all lies in the first plane, 0.8 in the second; of z nothing and all.
    found = measure_distances(PLANES, np.stack([SLANTED, Z, NOTHING]))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, [[0, 1, 1], [0.6, 0, 1], [1, 1, 1]], atol=1e-3)


def test_shorter_rows_count_less():
    # Weighted subspaces: half of y is inside.
    bases = np.stack([[X, 0.5 * Y]])
    assert measure_distances(bases, Y[None])[0, 0] == pytest.approx(np.sqrt(0.75), abs=1e-6)


def test_lines_with_ends_are_measured_on_their_side_alone():
    bases = np.stack([X, -X, SLANTED, NOTHING])[:, None]
    found = measure_distances(bases, np.stack([X, -Y]), signed=True)
    expected = [[0, 1], [1, 1], [0.8, 1], [1, 1]]
    np.testing.assert_allclose(found, expected, atol=1e-3)
    without = measure_distances(bases, np.stack([X, -Y]))
    np.testing.assert_allclose(without, [[0, 1], [0, 1], [0.8, 0.6], [1, 1]], atol=1e-3)


def test_rounding_leads_out_of_no_bound():
    squares = np.array([-1e-7, 0.0, 0.36, 1.0, 1.0000002], np.float32)
    found = distances_from_squares(squares)
    np.testing.assert_allclose(found, [1, 1, 0.8, 0, 0], atol=1e-6)
    assert found.dtype == np.float64
    # In single precision both would be the same distance.
    near = distances_from_squares(np.array([1e-9, 2e-9]))
    assert near[0] > near[1]


def test_a_context_says_something_where_its_first_row_is_not_zero():
    assert usable_contexts(PLANES).tolist() == [True, True, False]
    assert usable_contexts(np.stack([[NOTHING, X], [0.001 * Z, NOTHING]])).tolist() == [False, True]


def test_the_lines_of_several_words_stand_one_after_the_other():
    lines = SenseLines.collect([np.stack([X, Y]), Z[None], np.empty((0, 3), np.float32)])
    np.testing.assert_array_equal(lines.directions, [X, Y, Z])
    assert lines.directions.dtype == np.float32
    assert lines.offsets.tolist() == [0, 2, 3, 3]
    assert lines.n_senses.tolist() == [2, 1, 0]
    assert lines.most_senses == 2
    nothing = SenseLines.collect([])
    assert (nothing.offsets.tolist(), nothing.most_senses) == ([0], 1)


@pytest.mark.parametrize("times", [1, 65], ids=["NumPy", "compiled"])
def test_contexts_are_measured_by_the_senses_of_their_own_words(times):
    lines = SenseLines.collect([np.stack([X, Z]), SLANTED[None]])
    # The second word has one sense: it has no distance to another.
    bases = np.concatenate([PLANES, PLANES[1:2]] * times)
    words = np.array([0, 0, 1, 1] * times)
    found = measure_senses(bases, words, lines)
    expected = [[0, 1], [1, 0], [np.nan, np.nan], [0.6, np.nan]] * times
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_rays_are_measured_by_the_senses_of_their_own_words():
    lines = SenseLines.collect([np.stack([X, Z]), -SLANTED[None]])
    bases = np.stack([X, -Z, -X, NOTHING])[:, None]
    found = measure_senses(bases, np.array([0, 0, 1, 0]), lines, signed=True)
    expected = [[0, 1], [1, 1], [0.8, np.nan], [np.nan, np.nan]]
    np.testing.assert_allclose(found, expected, atol=1e-3)


FLAT = np.array([[1, 0, 0, 0], [0, 1, 0, 0]], np.float32)
# A plane that meets FLAT in one axis and is turned by 60 degrees in the other.
TURNED = np.array([[1, 0, 0, 0], [0, 0.5, 0, 0.75**0.5]], np.float32)
NO_PLANE = np.zeros((2, 4), np.float32)


def test_rays_are_compared_by_their_cosine_with_its_sign() -> None:
    rays = np.array([[[1.0, 0.0]], [[0.6, 0.8]], [[-0.5, 0.0]], [[0.0, 0.0]]], np.float32)
    found = compare_all(rays, rays, signed=True)
    np.testing.assert_allclose(found[0], [1.0, 0.6, -1.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(found, found.T)
    np.testing.assert_allclose(compare_all(rays, rays)[0], [1.0, 0.36, 1.0, 0.0], atol=1e-6)


def test_subspaces_are_compared_by_the_mean_squared_cosine_of_their_angles() -> None:
    planes = np.stack([FLAT, TURNED, NO_PLANE])
    # cos 0 and cos 60 degrees, squared: (1 + 0.25) / 2
    expected = [[1.0, 0.625, 0.0], [0.625, 1.0, 0.0], [0.0, 0.0, 0.0]]
    np.testing.assert_allclose(compare_all(planes, planes), expected, atol=1e-6)
    other = FLAT * np.array([[-1.0], [1.0]], np.float32)  # another basis of the same plane
    np.testing.assert_allclose(compare_all(other[None], planes)[0], expected[0], atol=1e-6)


def test_weak_directions_weigh_less() -> None:
    weak = FLAT * np.array([[1.0], [0.5]], np.float32)
    line = np.stack([FLAT[0], NO_PLANE[0]])
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
