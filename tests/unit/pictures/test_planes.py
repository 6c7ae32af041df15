from __future__ import annotations

import json

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.pictures.planes import (
    TextLine,
    build_scene,
    choose_senses,
    example_lines,
    find_axes,
)


def test_axes_hold_the_directions_and_are_orthonormal():
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(2, 10))
    axes = find_axes(directions, rng.normal(size=(30, 10)))
    assert axes.shape == (3, 10)
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(directions @ axes.T @ axes, directions, atol=1e-12)


def test_third_axis_is_the_main_one_of_the_words():
    # Words vary most along e3, which the two directions do not hold.
    words = np.array([[0.1, 0.2, 9.0, 0.0, 0.1], [0.0, 0.1, -8.0, 0.1, 0.0], [0.1, 0, 7.0, 0, 0]])
    axes = find_axes(np.eye(5)[:2], words)
    assert np.linalg.norm(axes @ np.eye(5)[2]) == pytest.approx(1, abs=0.01)


def test_axes_of_few_words_and_equal_directions_are_still_three():
    axes = find_axes(np.eye(6)[[0, 0]], np.eye(6)[:1])
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-9)


def test_senses_that_differ_are_chosen():
    directions = np.array([[1, 0, 0], [0.99, 0.14, 0], [0, 1, 0], [0.7, 0.7, 0]], np.float32)
    assert choose_senses(directions) == (1, 3)
    assert choose_senses(directions[:1]) == (1,)


def test_hidden_senses_are_not_chosen():
    directions = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0], [0.9, 0.4, 0]], np.float32)
    assert choose_senses(directions) == (2, 4)


def test_scene_of_a_model(topic_model):
    scene = build_scene(topic_model, "crane")
    assert [line.sense for line in scene.lines] == [1, 2]
    assert {plane.sense for plane in scene.planes} == {1, 2}
    for plane in scene.planes:
        basis = np.array(plane.basis)
        np.testing.assert_allclose(basis @ basis.T, np.eye(2), atol=1e-4)
        lines = {line.sense: np.array(line.direction) for line in scene.lines}
        assert plane.similarity == pytest.approx(
            np.linalg.norm(basis @ lines[plane.sense]), abs=1e-3
        )
    cosine = np.dot(*(line.direction for line in scene.lines))
    first, second = topic_model.senses("crane").directions
    assert cosine == pytest.approx(float(first @ second), abs=1e-3)
    assert json.loads(json.dumps(scene.to_dict()))["colours"].keys() == {"1", "2"}


def test_examples_lie_nearer_to_their_own_line(topic_model):
    scene = build_scene(topic_model, "crane")
    lines = {line.sense: np.array(line.direction) for line in scene.lines}
    own = [np.linalg.norm(np.array(p.basis) @ lines[p.sense]) for p in scene.planes]
    other = [np.linalg.norm(np.array(p.basis) @ lines[3 - p.sense]) for p in scene.planes]
    assert np.mean(own) > np.mean(other)


def test_own_lines_of_one_sense(topic_model):
    example = example_lines(topic_model.senses("bank"), [2])[0]
    scene = build_scene(topic_model, "bank", senses=[2], lines=[example])
    assert [plane.sense for plane in scene.planes] == [2]
    assert scene.planes[0].left == example.left


def test_what_cannot_be_drawn_is_told(topic_model):
    with pytest.raises(InputError, match="senses 1 to 2, not 5"):
        build_scene(topic_model, "crane", senses=[5])
    with pytest.raises(InputError, match="nothing to draw"):
        build_scene(topic_model, "crane", lines=[TextLine(1, "", "crane", "xyzzy")])
