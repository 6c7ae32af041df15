"""Distances of contexts to lines, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans.geometry.distances import (
    SenseLines,
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
