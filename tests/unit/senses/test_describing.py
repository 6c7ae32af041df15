from __future__ import annotations

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.senses.describing import (
    _share_stem,
    characteristic_words,
    find_nearest_words,
    name_senses,
)


def test_characteristic_words_mark_one_sense_off() -> None:
    # word 0 is everywhere, word 1 only in sense 0, word 2 only in sense 1
    ids = np.array([[0, 1, -1], [0, 1, 1], [0, 1, -1], [0, 2, 2], [0, 2, -1], [2, 0, -1]])
    words = characteristic_words(ids.astype(np.int32), np.array([0, 0, 0, 1, 1, 1]), 2)
    assert [list(w) for w in words] == [[1], [2]]


def test_one_sense_shows_its_most_frequent_words() -> None:
    ids = np.array([[3, 3, 5], [3, 5, -1], [7, -1, -1]], np.int32)
    assert characteristic_words(ids, np.zeros(3, int), 1)[0].tolist() == [3, 5, 7]


def test_function_words_are_no_neighbours_unless_there_are_no_others() -> None:
    vectors = WordVectors(["the", "bird", "crane"], np.array([[1, 0], [0.9, 0.1], [1, 0]]))
    direction = np.array([[1, 0]], np.float32)
    assert find_nearest_words("crane", direction, vectors) == [("the", "bird")]
    assert find_nearest_words("crane", direction, vectors, {"the"}) == [("bird",)]
    assert find_nearest_words("crane", direction, vectors, {"the", "bird"}) == [("the", "bird")]


WORDS = {
    "fish": (1, 0),
    "fishing": (1, 0),
    "lake": (0.9, 0.1),
    "striped": (0.8, 0.2),
    "guitar": (0, 1),
    "band": (0.1, 0.9),
    "album": (0.2, 0.8),
    "basses": (0.5, 0.5),
    "new": (0.5, 0.5),
    "x": (0, 1),
    "mp3": (0, 1),
}
DIRECTIONS = np.eye(2, dtype=np.float32)


@pytest.fixture
def vectors():
    return WordVectors(list(WORDS), np.array(list(WORDS.values()), np.float32))


def test_names_are_characteristic_and_on_the_side_of_their_sense(vectors):
    # ranks of the second: guitar 0+0, new 1+3, band 2+1, album 3+2
    names = name_senses(
        "bass",
        [["fish", "lake", "striped"], ["guitar", "new", "band", "album"]],
        DIRECTIONS,
        vectors,
    )
    assert names == ("fish, lake, striped", "guitar, band, new")


def test_inflections_short_words_digits_and_the_word_itself_are_left_out(vectors):
    names = name_senses(
        "bass",
        [["fish", "fishing", "basses", "lake"], ["x", "mp3", "guitar"]],
        DIRECTIONS,
        vectors,
    )
    assert names == ("fish, lake", "guitar")


def test_no_word_stands_in_two_names(vectors):
    names = name_senses("bass", [["new", "lake"], ["new", "band"]], DIRECTIONS, vectors)
    # Each sense takes its best word in turn: "new" is the first's by rank (0+1 = lake's 1+0).
    assert names == ("new, lake", "band")


def test_one_sense_has_a_name_and_no_candidates_give_none(vectors):
    assert name_senses("bass", [["lake", "fish"]], DIRECTIONS[:1], vectors) == ("lake, fish",)
    assert name_senses("bass", [[]], DIRECTIONS[:1], vectors) == ("",)


def test_a_poor_choice_is_better_than_no_name(vectors):
    assert name_senses("bass", [["x"], ["basses"]], DIRECTIONS, vectors) == ("x", "basses")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("record", "records", True),
        ("city", "cities", True),
        ("program", "programming", True),
        ("computer", "computing", True),
        ("a", "a", True),
        ("international", "internet", False),
        ("war", "water", False),
        ("river", "bank", False),
    ],
)
def test_stems(one, other, same):
    assert _share_stem(one, other) is same
    assert _share_stem(other, one) is same
