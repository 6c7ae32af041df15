from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.tagging.tagging import occurrences_in_passages
from grassmeans.text.tokenizer import Tokenizer
from grassmeans_lab.rivals.interface import Material
from grassmeans_lab.rivals.trivial import (
    OneSense,
    PlainSkipGram,
    RandomSenses,
    SensePerInstance,
)

# The same words in another order, and no known word.
TEXTS = [("nest beam ", ""), ("beam ", " nest"), ("unseen ", "")]
CRANES = occurrences_in_passages("crane", TEXTS, Tokenizer())
VECTORS = WordVectors(["nest", "beam"], np.eye(2, dtype=np.float32))


@pytest.fixture(scope="module")
def material(tmp_path_factory) -> Material:
    folder = tmp_path_factory.mktemp("trivial") / "corpus"
    corpus = Corpus.from_texts(["nest crane nest", "beam crane seal crane"], folder)
    return Material(corpus, VECTORS, ("crane", "nest", "absent", "crane"))


def test_one_sense(material: Material) -> None:
    senses = OneSense().induce(material)
    assert senses.words == ("crane", "nest")
    assert senses.distances("crane", CRANES).tolist() == [[0.0]] * 3


def test_each_instance_its_own_sense(material: Material) -> None:
    senses = SensePerInstance().induce(material)
    assert senses.n_senses("crane") == 3
    assert senses.distances("crane", CRANES).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert SensePerInstance().induce_from("x", CRANES[:0], material) is None


def test_random_senses_depend_on_the_words_around_only(material: Material) -> None:
    senses = RandomSenses(3).induce(material)
    found = senses.distances("crane", CRANES)
    np.testing.assert_array_equal(found[0], found[1])
    assert np.isnan(found[2]).all()
    assert (senses.distances("nest", CRANES)[:2] != found[:2]).all()
    other = RandomSenses(3).induce_from("crane", CRANES, replace(material, random_state=1))
    assert other is not None
    assert (other.distances("crane", CRANES)[0] != found[0]).all()
    assert RandomSenses(4).induce_from("crane", CRANES, material) is None


def test_random_senses_are_equally_frequent(material: Material) -> None:
    contexts = np.arange(3000, dtype=np.int32)[:, None]
    chosen = RandomSenses(3).induce(material).measure("crane", contexts).argmin(axis=1)
    # Standard deviation of each count is 26.
    assert (np.abs(np.bincount(chosen) - 1000) < 100).all()


def test_whole_words_have_their_own_vectors(material: Material) -> None:
    senses = PlainSkipGram().induce(material)
    assert senses.words == ("nest",)
    vectors = senses.sense_vectors("nest")
    assert vectors is not None
    assert vectors.tolist() == [[1.0, 0.0]]
    assert senses.space is VECTORS
