from __future__ import annotations

import math

import numpy as np
import pytest

from grassmeans.kernels.cpu.multisense import (
    assign_sense,
    average_rows,
    find_nearest_centre,
    train_multisense,
    update_side,
)
from grassmeans.kernels.cpu.skipgram import alias_table, sigmoid_table

RATE = 0.1


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


def assign(context: list[float], state: dict, below: float, word: int = 1) -> int:
    return assign_sense(
        word,
        np.array(context, np.float32),
        state["centres"],
        state["sizes"],
        state["first_row"],
        state["n_open"],
        below,
    )


@pytest.fixture
def state() -> dict:
    """Word 0 has one sense, word 1 up to three."""
    return {
        "centres": np.zeros((4, 2), np.float32),
        "sizes": np.zeros(4, np.int64),
        "first_row": np.array([0, 1, 4]),
        "n_open": np.zeros(2, np.int32),
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


def train(
    tokens: list[int], offsets: list[int], n_words: int, window: int = 1, choosing: bool = True
) -> dict:
    """One epoch with two senses a word, global vectors as unit vectors."""
    weights = np.ones(n_words)
    threshold, alias = alias_table(weights)
    arrays = {
        "global_vectors": np.eye(n_words, dtype=np.float32),
        "senses": np.zeros((2 * n_words, n_words), np.float32),
        "centres": np.zeros((2 * n_words, n_words), np.float32),
        "sizes": np.zeros(2 * n_words, np.int64),
        "first_row": np.arange(0, 2 * n_words + 1, 2),
        "n_open": np.zeros(n_words, np.int32),
    }
    n_centres = train_multisense(
        np.array(tokens, np.int32),
        np.array(offsets, np.int64),
        *arrays.values(),
        np.inf,
        choosing,
        np.ones(n_words, np.float32),
        threshold,
        alias,
        sigmoid_table(),
        window,
        1,
        1e-9,
        1e-9,
        np.uint64(5),
    )
    return arrays | {"n_centres": n_centres}


def test_contexts_stay_inside_documents_and_pass_over_unknown_words() -> None:
    # Word 0 stands between 1 and 2 (an unknown word in between), then alone, then before 3.
    result = train([1, -1, 0, 9, 2, 0, 0, 3], [0, 5, 6, 8], 4)
    assert result["n_centres"] == 5
    np.testing.assert_allclose(result["centres"][0], [0, 0.5, 0.5, 0], atol=1e-6)
    np.testing.assert_allclose(result["centres"][1], [0, 0, 0, 1], atol=1e-6)
    assert result["sizes"].tolist() == [1, 1, 1, 0, 1, 0, 1, 0]
    assert result["n_open"].tolist() == [2, 1, 1, 1]


def test_same_seed_gives_the_same_matrices() -> None:
    tokens = np.random.default_rng(0).integers(0, 6, 400).tolist()
    first, second = (train(tokens, [0, 150, 400], 6, window=3) for _ in range(2))
    for name, value in first.items():
        np.testing.assert_array_equal(value, second[name])


def test_without_choosing_only_first_senses_are_trained() -> None:
    result = train([0, 1, 2, 0, 1], [0, 5], 3, choosing=False)
    assert result["senses"][::2].any(axis=1).all()
    assert not result["senses"][1::2].any()
    assert not result["centres"].any()
    assert not result["n_open"].any()
