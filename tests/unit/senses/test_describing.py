from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.shard import ConcordanceLine
from grassmeans.geometry.windows import Contexts, ContextShape
from grassmeans.senses.describing import (
    _share_stem,
    characteristic_words,
    describe_senses,
    find_nearest_words,
    name_by_phrases,
    name_senses,
)
from grassmeans.senses.examples import Candidate
from grassmeans.senses.fixed_phrases import FixedPhrase
from grassmeans.senses.samples import WordSample, sample_word


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


def test_names_of_people_come_after_other_words(vectors):
    candidates = [["fish", "lake", "striped"], ["guitar", "band"]]
    names = name_senses("bass", candidates, DIRECTIONS, vectors, [{"fish", "lake"}, ()])
    assert names == ("striped, fish, lake", "guitar, band")


def test_a_phrase_names_the_sense_that_it_belongs_to_more_surely() -> None:
    line = ConcordanceLine("the Cold ", "War", " era", 0, "d", "")
    candidates = [[Candidate.read(line, 0.5, 0.0)]] * 3
    cold, era = FixedPhrase(("cold",), (), 9, 20.0), FixedPhrase((), ("era",), 9, 15.0)
    surer = FixedPhrase(("cold",), (), 9, 30.0)
    hot = FixedPhrase(("hot",), (), 9, 40.0)  # stands in no line
    assert name_by_phrases([[cold, era], [hot, surer], []], candidates) == [
        "War era",
        "Cold War",
        "",
    ]


def test_senses_are_told_by_phrases_words_and_whole_sentences() -> None:
    places = ["Rome", "Troy", "Athens", "Sparta", "Thebes", "Corinth", "Argos", "Delphi"]
    cold = [f"Once. Then the Cold War in {p} froze snow and ice. So" for p in places]
    hot = [f"Once. So the sword and fire burned {p} war {p}n flame. So" for p in places]
    filling = [f"{word}a {word}b {word}c {word}d." for word in "efghijklmnopqrstuvwxyz"]
    corpus = Corpus.from_texts([*cold, *hot, *filling])
    rows = {"cold": (1, 0), "froze": (1, 0), "snow": (1, 0), "ice": (1, 0), "rome": (0, 1)}
    rows |= dict.fromkeys(("sword", "fire", "burned", "flame"), (0, 1))
    vectors = WordVectors(list(rows), np.array(list(rows.values()), np.float32))
    encoder = SubspaceEncoder(vectors, ContextShape(rank=1), corpus.function_words)
    sample = sample_word("war", corpus, encoder, InductionSettings())
    first, second = describe_senses(sample, DIRECTIONS, vectors)
    assert first.name == "Cold War"
    assert set(second.name.split(", ")) < {"sword", "fire", "burned", "flame"}
    assert (len(first.examples), len(second.examples)) == (6, 6)
    for line in (*first.examples, *second.examples):
        text = f"{line.left}{line.word}{line.right}"
        assert text.startswith(("Then the Cold War in", "So the sword and"))
        assert text.endswith((" ice.", " flame."))
        assert "Once" not in text


@pytest.mark.parametrize(
    ("word", "name"), [("war", "sword, fire, rome"), ("War", "rome, sword, fire")]
)
def test_a_sense_that_is_no_name_is_told_by_names_last(word: str, name: str) -> None:
    texts = [f"The {i}x old rulers of Rome {i}y {word} {i}z sword {i}v fire." for i in range(8)]
    corpus = Corpus.from_texts(texts)
    rows = {"rome": (1, 0), "sword": (0.9, 0.1), "fire": (0.8, 0.2)}
    vectors = WordVectors(list(rows), np.array(list(rows.values()), np.float32))
    encoder = SubspaceEncoder(vectors, ContextShape(rank=1), corpus.function_words)
    sample = sample_word("war", corpus, encoder, InductionSettings())
    (only,) = describe_senses(sample, DIRECTIONS[:1], vectors)
    assert only.name == name


def test_function_words_are_no_name() -> None:
    corpus = Corpus.from_texts(["The war of it."] * 2)
    contexts = Contexts(np.full((2, 2), -1, np.int32), corpus.positions("war"))
    bases = np.tile(np.array([[[1, 0]]], np.float32), (2, 1, 1))
    sample = WordSample("war", contexts, bases, corpus, function_words=corpus.function_words)
    vectors = WordVectors(["the", "of"], np.array([[1, 0], [0.9, 0.1]], np.float32))
    (only,) = describe_senses(sample, DIRECTIONS[:1], vectors)
    assert (only.nearest_words, only.name) == (("the", "of"), "")


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
