from __future__ import annotations

import numpy as np

from grassmeans import WordVectors
from grassmeans.geometry.windows import Contexts
from grassmeans.senses.description import (
    characteristic_words,
    find_nearest_words,
    orient_directions,
)


def test_characteristic_words_mark_one_sense_off() -> None:
    # word 0 is everywhere, word 1 only in sense 0, word 2 only in sense 1
    ids = np.array([[0, 1, -1], [0, 1, 1], [0, 1, -1], [0, 2, 2], [0, 2, -1], [2, 0, -1]])
    words = characteristic_words(ids.astype(np.int32), np.array([0, 0, 0, 1, 1, 1]), 2)
    assert [list(w) for w in words] == [[1], [2]]


def test_one_sense_shows_its_most_frequent_words() -> None:
    ids = np.array([[3, 3, 5], [3, 5, -1], [7, -1, -1]], np.int32)
    assert characteristic_words(ids, np.zeros(3, int), 1)[0].tolist() == [3, 5, 7]


def test_directions_point_to_where_the_words_are() -> None:
    vectors = WordVectors(["a", "b"], np.array([[1, 0], [0.5, 1]], np.float32))
    contexts = Contexts(np.array([[0, 1]], np.int32), np.array([0]))
    directions = np.array([[-1, 0], [0, 1]], np.float32)
    oriented = orient_directions(directions, contexts, vectors)
    assert oriented.tolist() == [[1, 0], [0, 1]]


def test_function_words_are_no_neighbours_unless_there_are_no_others() -> None:
    vectors = WordVectors(["the", "bird", "crane"], np.array([[1, 0], [0.9, 0.1], [1, 0]]))
    direction = np.array([[1, 0]], np.float32)
    assert find_nearest_words("crane", direction, vectors) == [("the", "bird")]
    assert find_nearest_words("crane", direction, vectors, {"the"}) == [("bird",)]
    assert find_nearest_words("crane", direction, vectors, {"the", "bird"}) == [("the", "bird")]
