from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus, SenseInventory, WordVectors
from grassmeans.contexts import ContextExtractor
from grassmeans.errors import InputError
from grassmeans.laboratory.rivals.interface import ContextRule, Material
from grassmeans.laboratory.rivals.word_contexts import (
    check_at_least_one,
    map_words,
    words_in_corpus,
)


@pytest.fixture(scope="module")
def material(tmp_path_factory) -> Material:
    texts = ["nest the crane nest", "beam a crane beam", "seal nest"]
    corpus = Corpus.from_texts(texts, tmp_path_factory.mktemp("words") / "corpus")
    vectors = WordVectors(["nest", "beam", "the"], np.eye(3, dtype=np.float32))
    return Material(corpus, vectors, ("crane", "seal", "absent", "crane"))


def test_words_of_the_corpus(material: Material) -> None:
    assert words_in_corpus(material) == ["crane", "seal"]


def test_contexts_follow_the_rule(material: Material) -> None:
    def collect(word, contexts, _rng):
        return contexts.tolist() if word == "crane" else None

    found = map_words(collect, material, ContextRule(window=1))
    assert found == {"crane": [[0, 0], [1, 1]]}
    kept = map_words(collect, material, ContextRule(window=1, drop_function_words=False))
    assert kept == {"crane": [[2, 0], [1, 1]]}


def test_sample_of_contexts_is_that_of_our_own_induction(tmp_path, monkeypatch) -> None:
    words = [f"w{i:02}" for i in range(40)]
    corpus = Corpus.from_texts([f"{word} crane" for word in words], tmp_path / "corpus")
    vectors = WordVectors(words, np.eye(40, dtype=np.float32))
    seen = []
    extract = ContextExtractor.extract

    def spy(self, *arguments, **options):
        found = extract(self, *arguments, **options)
        seen.append(found.context_ids)
        return found

    monkeypatch.setattr(ContextExtractor, "extract", spy)
    SenseInventory.induce(
        corpus, vectors, ["crane"], n_senses=1, rank=1, max_contexts=7, random_state=3
    )
    material = Material(corpus, vectors, ("crane",), max_contexts=7, random_state=3)
    map_words(lambda word, contexts, rng: contexts, material, ContextRule())
    ours, theirs = seen
    assert len(ours) == 7
    np.testing.assert_array_equal(ours, theirs)


def test_each_word_has_its_own_random_stream(material: Material) -> None:
    def draw(_word, _contexts, rng):
        return rng.random()

    both = map_words(draw, material, ContextRule())
    assert both["crane"] != both["seal"]
    alone = Material(material.corpus, material.vectors, ("seal",))
    assert map_words(draw, alone, ContextRule()) == {"seal": both["seal"]}


@pytest.mark.parametrize("value", [0, -1, True, 2.0])
def test_whole_numbers_are_checked(value) -> None:
    with pytest.raises(InputError, match="n_senses must be a whole number, 1 or more"):
        check_at_least_one(n_senses=value)
