from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.laboratory.rivals.interface import Material
from grassmeans.laboratory.rivals.plain import PlainSkipGram
from grassmeans.laboratory.rivals.trivial import OneSense, RandomSenses, SensePerInstance

CONTEXTS = np.array([[0, 1, -1], [1, -1, 0], [-1, -1, -1]], np.int32)
VECTORS = WordVectors(["nest", "beam"], np.eye(2, dtype=np.float32))


@pytest.fixture(scope="module")
def material(tmp_path_factory) -> Material:
    folder = tmp_path_factory.mktemp("trivial") / "corpus"
    corpus = Corpus.from_texts(["nest crane nest", "beam crane seal crane"], folder)
    return Material(corpus, VECTORS, ("crane", "nest", "absent", "crane"))


def test_one_sense(material: Material) -> None:
    senses = OneSense().induce(material)
    assert senses.words == ("crane", "nest")
    assert senses.distances("crane", CONTEXTS).tolist() == [[0.0]] * 3


def test_each_instance_its_own_sense(material: Material) -> None:
    senses = SensePerInstance().induce(material)
    assert senses.n_senses("crane") == 3
    assert senses.distances("crane", CONTEXTS).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert SensePerInstance().induce_from_contexts("x", CONTEXTS[:0], VECTORS, 0) is None


def test_random_senses_depend_on_the_words_around_only(material: Material) -> None:
    senses = RandomSenses(3).induce(material)
    found = senses.distances("crane", CONTEXTS)
    np.testing.assert_array_equal(found[0], found[1])
    assert np.isnan(found[2]).all()
    assert (senses.distances("nest", CONTEXTS)[:2] != found[:2]).all()
    other = RandomSenses(3).induce_from_contexts("crane", CONTEXTS, VECTORS, 1)
    assert other is not None
    assert (other.distances("crane", CONTEXTS)[0] != found[0]).all()
    assert RandomSenses(4).induce_from_contexts("crane", CONTEXTS, VECTORS, 0) is None


def test_random_senses_are_equally_frequent(material: Material) -> None:
    contexts = np.arange(3000, dtype=np.int32)[:, None]
    chosen = RandomSenses(3).induce(material).distances("crane", contexts).argmin(axis=1)
    # Standard deviation of each count is 26.
    assert (np.abs(np.bincount(chosen) - 1000) < 100).all()


def test_whole_words_have_their_own_vectors(material: Material) -> None:
    senses = PlainSkipGram().induce(material)
    assert senses.words == ("nest",)
    vectors = senses.sense_vectors("nest")
    assert vectors is not None
    assert vectors.tolist() == [[1.0, 0.0]]
    assert senses.space is VECTORS
