from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.errors import InputError
from grassmeans.senses.induction import InductionSettings, choose_encoder
from grassmeans.senses.samples import sample_word
from grassmeans.tagging.tagging import occurrences_in_passages
from grassmeans_lab.rivals.interface import (
    Material,
    Windows,
    check_at_least_one,
    map_words,
)


@pytest.fixture(scope="module")
def material(tmp_path_factory) -> Material:
    texts = ["nest the crane nest", "beam a crane beam", "seal nest"]
    corpus = Corpus.from_texts(texts, tmp_path_factory.mktemp("words") / "corpus")
    vectors = WordVectors(["nest", "beam", "the"], np.eye(3, dtype=np.float32))
    return Material(corpus, vectors, ("crane", "seal", "absent", "crane"))


def test_words_of_the_corpus(material: Material) -> None:
    assert material.known_words == ["crane", "seal"]


def test_windows_of_texts_are_those_of_the_corpus(material: Material) -> None:
    texts = [("beam the ", " nest"), ("", "unseen")]
    read = occurrences_in_passages("crane", texts, material.corpus.tokenizer)
    assert Windows.of(material, 1).read(read).tolist() == [[1, 0], [-1, -1]]
    kept = Windows.of(material, 1, drop_function_words=False)
    assert kept.read(read).tolist() == [[2, 0], [-1, -1]]


def test_contexts_follow_the_windows(material: Material) -> None:
    def collect(word, contexts, _rng):
        return contexts.tolist() if word == "crane" else None

    found = map_words(collect, material, Windows.of(material, 1))
    assert found == {"crane": [[0, 0], [1, 1]]}
    kept = Windows.of(material, 1, drop_function_words=False)
    assert map_words(collect, material, kept) == {"crane": [[2, 0], [1, 1]]}


def test_sample_of_contexts_is_that_of_our_own_induction(tmp_path) -> None:
    words = [f"w{i:02}" for i in range(40)]
    corpus = Corpus.from_texts([f"{word} crane" for word in words], tmp_path / "corpus")
    vectors = WordVectors(words, np.eye(40, dtype=np.float32))
    settings = InductionSettings(n_senses=1, max_contexts=7, random_state=3)
    encoder, _ = choose_encoder(corpus, vectors, settings, {"rank": 1})
    ours = sample_word("crane", corpus, encoder, settings).contexts.context_ids
    material = Material(corpus, vectors, ("crane",), max_contexts=7, random_state=3)
    found = map_words(lambda word, contexts, rng: contexts, material, Windows.of(material, 10))
    assert len(ours) == 7
    np.testing.assert_array_equal(found["crane"], ours)


def test_each_word_has_its_own_random_stream(material: Material) -> None:
    def draw(_word, _contexts, rng):
        return rng.random()

    both = map_words(draw, material, Windows.of(material, 10))
    assert both["crane"] != both["seal"]
    alone = Material(material.corpus, material.vectors, ("seal",))
    assert map_words(draw, alone, Windows.of(alone, 10)) == {"seal": both["seal"]}


@pytest.mark.parametrize("value", [0, -1, True, 2.0])
def test_whole_numbers_are_checked(value) -> None:
    with pytest.raises(InputError, match="n_senses must be a whole number, 1 or more"):
        check_at_least_one(n_senses=value)
