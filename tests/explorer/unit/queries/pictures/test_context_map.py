"""Corners of senses on a ring, and where contexts lie between them."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans_explorer.queries.pictures.context_map import (
    place_contexts,
    place_corners,
    weigh_senses,
)

NAN = float("nan")


def test_corners_are_evenly_spaced_and_like_senses_are_abreast():
    likeness = np.eye(4)
    likeness[0, 2] = likeness[2, 0] = 0.9
    likeness[1, 3] = likeness[3, 1] = 0.9
    corners = place_corners(likeness)
    # In the order of their numbers, 1 and 3 would face each other, and so would 2 and 4.
    assert np.linalg.norm(corners, axis=1) == pytest.approx(1.0)
    assert corners[0] == pytest.approx([0.0, 1.0])
    apart = np.linalg.norm(corners[:, None] - corners, axis=2)
    assert apart[0, 2] == pytest.approx(np.sqrt(2.0))
    assert apart[1, 3] == pytest.approx(np.sqrt(2.0))
    assert np.sort(apart[0])[-1] == pytest.approx(2.0)


def test_a_ring_begins_at_the_top_and_goes_to_the_lower_number():
    corners = place_corners(np.eye(3))
    assert corners[0] == pytest.approx([0.0, 1.0])
    assert corners[1] == pytest.approx([np.sqrt(0.75), -0.5])  # on the right
    assert corners[2] == pytest.approx([-np.sqrt(0.75), -0.5])


def test_weights_are_as_sharp_as_half_of_the_contexts_need():
    squares = np.array([[0.5, 0.6, 0.6], [0.9, 0.4, 0.9], [0.7, 0.7, 0.7]])
    weights = weigh_senses(squares)
    assert weights.sum(axis=1) == pytest.approx(1.0)
    # The middle one of the three best weights is that of the first context.
    assert weights[0] == pytest.approx([0.8, 0.1, 0.1], abs=1e-6)
    assert weights[1, 1] > 0.99
    assert weights[2] == pytest.approx(1 / 3)
    # A model whose contexts lie ten times as close together has the same picture.
    assert weigh_senses(squares / 10.0) == pytest.approx(weights, abs=1e-6)


def test_contexts_lie_near_the_corner_of_their_sense_and_doubtful_ones_between():
    distances = np.sqrt([[0.1, 0.9, 0.9], [0.9, 0.1, 0.9], [0.1, 0.1, 0.9], [0.9, 0.9, 0.1]])
    distances = np.vstack([distances, np.full(3, NAN)])
    layout, places, corners = place_contexts(distances, np.eye(3))
    assert layout == "ring"
    for row, sense in ((0, 0), (1, 1), (3, 2)):
        nearest = np.linalg.norm(corners - places[row], axis=1)
        assert nearest.argmin() == sense
        assert nearest.min() < 0.4
    assert np.linalg.norm(places[2] - (corners[0] + corners[1]) / 2) < 0.1
    assert places[4] == pytest.approx([0.0, 0.0])  # it says nothing


def test_two_senses_are_left_and_right_and_better_contexts_higher():
    distances = np.sqrt([[0.1, 0.9], [0.6, 0.9], [0.9, 0.3]])
    layout, places, corners = place_contexts(distances, np.eye(2))
    assert layout == "between"
    assert corners.tolist() == [[-1.0, 1.0], [1.0, 1.0]]
    assert np.sign(places[:, 0]).tolist() == [-1.0, -1.0, 1.0]
    # Fits of 0.9, 0.4 and 0.7, from the worst to the best.
    assert places[:, 1] == pytest.approx([1.0, 0.0, 0.6])
    # What says nothing fits neither: it lies in the middle, below all others.
    _, places, _ = place_contexts(np.vstack([distances, [NAN, NAN]]), np.eye(2))
    assert places[3] == pytest.approx([0.0, 0.0])
    assert places[1, 1] > 0.0


def test_one_sense_has_its_best_contexts_on_the_right():
    layout, places, corners = place_contexts(np.sqrt([[0.2], [0.5]]), np.eye(1))
    assert (layout, corners.tolist()) == ("alone", [[0.8, 0.0]])
    assert places == pytest.approx(np.array([[0.8, 0.0], [0.5, 0.0]]))


@pytest.mark.parametrize("n_senses", [0, 1, 2, 3])
def test_without_contexts_there_are_corners_alone(n_senses):
    _, places, corners = place_contexts(np.empty((0, n_senses)), np.eye(n_senses))
    assert (places.shape, corners.shape) == ((0, 2), (n_senses, 2))
