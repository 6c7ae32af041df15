from __future__ import annotations

import math

import numpy as np
import pytest

from grassmeans.kernels.cpu.negative_sampling import sigmoid_table
from grassmeans_lab.kernels import SenseRule
from grassmeans_lab.kernels.cpu.multisense import (
    assign_sense,
    average_rows,
    find_nearest_centre,
    follow_contexts,
    update_side,
)

RATE = 0.1
SHARPNESS = 2.0


def array(*rows: list[float]) -> np.ndarray:
    return np.array(rows, np.float32)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def test_context_is_the_mean_of_its_rows() -> None:
    mean = np.full(2, 9, np.float32)
    average_rows(array([1, 0], [5, 5], [0, 3]), np.array([0, 2, 2, 1]), 3, mean)
    np.testing.assert_allclose(mean, [1 / 3, 2], rtol=1e-6)


def test_nearest_centre_has_the_largest_cosine_whatever_its_length() -> None:
    centres = array([0, 0], [100, 90], [0.001, 0], [-5, 0], [1, 0])
    row, cosine = find_nearest_centre(np.array([3, 0], np.float32), centres, 1, 3)
    assert (row, cosine) == (2, pytest.approx(1.0))
    _, cosine = find_nearest_centre(np.array([3, 0], np.float32), centres, 3, 1)
    assert cosine == pytest.approx(-1.0)
    assert find_nearest_centre(np.array([3, 0], np.float32), centres, 0, 1) == (0, 0.0)


def assign(
    context: list[float],
    state: dict,
    below: float,
    word: int = 1,
    concentration: float = 0.0,
    usual: tuple[float, float] = (0.0, 1.0),
) -> int:
    return assign_sense(
        word,
        np.array(context, np.float32),
        state["centres"],
        state["sizes"],
        state["first_row"],
        state["n_open"],
        np.array(usual, np.float32),
        SenseRule(np.float32(below), np.float32(concentration), np.float32(SHARPNESS)),
        np.zeros(4, np.float32),
        state["random"],
    )


@pytest.fixture
def state() -> dict:
    """Word 0 has one sense, word 1 up to three."""
    return {
        "centres": np.zeros((4, 2), np.float32),
        "sizes": np.zeros(4, np.int64),
        "first_row": np.array([0, 1, 4]),
        "n_open": np.zeros(2, np.int32),
        "random": np.array([12345], np.uint64),
    }


def test_first_contexts_open_all_senses_and_later_ones_go_to_the_nearest(state) -> None:
    rows = [assign(c, state, np.inf) for c in ([1, 0], [2, 0.1], [0, 1], [0.1, 4], [-1, 0.5])]
    assert rows == [1, 2, 3, 3, 3]
    np.testing.assert_allclose(state["centres"][1:], [[1, 0], [2, 0.1], [-0.9, 5.5]], rtol=1e-6)
    assert state["sizes"].tolist() == [0, 1, 1, 3]
    assert state["n_open"].tolist() == [0, 3]


def test_new_sense_where_every_cosine_is_below_the_threshold(state) -> None:
    # Cosines with the sense before: 0.995, 0 (opens), 0.707 with the sum of both, -0.7 (opens).
    rows = [assign(c, state, 0.5) for c in ([1, 0], [1, 0.1], [0, 1], [1, 1.2], [-1, -0.1])]
    assert rows == [1, 1, 2, 2, 3]
    assert assign([0, -1], state, 0.5) in (1, 2, 3)  # no fourth sense
    assert state["n_open"].tolist() == [0, 3]


def test_word_with_one_sense_keeps_no_centre(state) -> None:
    assert [assign(c, state, np.inf, word=0) for c in ([1, 0], [0, 1])] == [0, 0]
    assert state["sizes"].tolist() == [2, 0, 0, 0]
    assert state["n_open"].tolist() == [1, 0]
    assert not state["centres"].any()


def test_senses_are_drawn_by_size_fit_and_concentration(state) -> None:
    # A sense of three contexts along the first axis; the context has a cosine of 1 with it and of 0
    # with the usual context, so that a new sense has the chance c / (c + 3 e^2).
    concentration = 3 * math.e**2
    drawn = []
    for seed in range(1, 401):
        state["centres"][:] = 0
        state["centres"][1] = 3, 0
        state["sizes"][:] = [0, 3, 0, 0]
        state["n_open"][:] = [0, 1]
        state["random"][0] = seed * 2654435761
        drawn.append(assign([2, 0], state, np.inf, concentration=concentration))
        assert state["n_open"][1] == (1 if drawn[-1] == 1 else 2)
    assert set(drawn) == {1, 2}
    assert np.mean(np.array(drawn) == 2) == pytest.approx(0.5, abs=0.08)


def test_no_sense_is_drawn_beyond_the_last(state) -> None:
    rows = [assign([1, 0], state, np.inf, concentration=1e6) for _ in range(30)]
    assert rows[:3] == [1, 2, 3]
    assert state["n_open"].tolist() == [0, 3]
    assert state["sizes"].sum() == 30


def test_usual_context_goes_towards_the_directions_of_contexts() -> None:
    usual = np.array([0, 1], np.float32)
    follow_contexts(usual, np.array([10, 0], np.float32))
    np.testing.assert_allclose(usual, [1e-5, 1 - 1e-5], rtol=1e-4)
    follow_contexts(usual, np.zeros(2, np.float32))
    np.testing.assert_allclose(usual, [1e-5, 1 - 1e-5], rtol=1e-4)


def test_gradient_of_one_side_is_that_of_its_pairs() -> None:
    global_vectors = array([1, 2], [0.5, -1], [-1, 0.3], [2, 2])
    senses = array([9, 9], [0.4, -0.2])
    rows = np.zeros(6, np.int64)
    rows[:3] = 1, 0, 2  # two words of the window, one negative
    before, sense = global_vectors.astype(float), senses[1].astype(float)
    update_side(
        global_vectors,
        senses,
        1,
        rows,
        2,
        3,
        sigmoid_table(),
        np.float32(RATE),
        np.full((6, 2), 7, np.float32),
        np.zeros((1, 6), np.float32),
    )
    # The negative belongs to both pairs.
    errors = {
        1: RATE * (1 - sigmoid(0.4 * 0.5 + 0.2)),
        0: RATE * (1 - sigmoid(0.4 - 0.4)),
        2: -2 * RATE * sigmoid(-0.4 - 0.06),
    }
    for row, error in errors.items():
        np.testing.assert_allclose(global_vectors[row], before[row] + error * sense, atol=2e-3)
    np.testing.assert_array_equal(global_vectors[3], before[3])
    moved = sense + sum(error * before[row] for row, error in errors.items())
    np.testing.assert_allclose(senses[1], moved, atol=2e-3)
    np.testing.assert_array_equal(senses[0], [9, 9])
