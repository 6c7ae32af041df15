from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.senses.induction import induce
from grassmeans.tagging.tagging import occurrences_in_passages
from grassmeans.text.tokenizer import Tokenizer
from grassmeans_lab.evaluation.sense_vectors import find_sense_vectors
from grassmeans_lab.rivals.grassmeans import GrassmeansSenses
from grassmeans_lab.rivals.interface import Material


@pytest.fixture
def material(tmp_path) -> Material:
    texts = ["nest crane nest", "beam crane beam"] * 5
    corpus = Corpus.from_texts(texts, tmp_path / "corpus")
    vectors = WordVectors(["nest", "beam"], np.eye(2, dtype=np.float32))
    return Material(corpus, vectors, ("crane",), folder=tmp_path / "work")


def read(*texts: tuple[str, str]):
    return occurrences_in_passages("crane", texts, Tokenizer())


def test_induced_senses_are_those_of_the_inventory(material: Material) -> None:
    method = GrassmeansSenses(2, rank=1)
    senses = method.induce(material)
    expected = induce(material.corpus, material.vectors, ["crane"], n_senses=2, rank=1)
    found = find_sense_vectors(senses, "crane")
    np.testing.assert_array_equal(found, expected.directions("crane"))
    again = method.induce(material)  # from the parts of the first time
    np.testing.assert_array_equal(
        find_sense_vectors(again, "crane"), find_sense_vectors(senses, "crane")
    )
    assert len(list(material.folder.glob("parts-*/*.jsonl"))) == 1
    assert method.induce(Material(material.corpus, material.vectors, ())).words == ()


def test_contexts_and_settings_are_those_asked_for(material: Material) -> None:
    method = GrassmeansSenses(3, rank=2, weighting="singular", window=4, drop_repeats=True)
    shape = method.make_encoder(material).shape
    assert (shape.rank, shape.weighting) == (2, "singular")
    assert (shape.window, shape.drop_repeats) == (4, True)
    settings = method.make_settings(material)
    assert (settings.n_senses, settings.max_contexts) == (3, material.max_contexts)


def test_contexts_with_fewer_words_than_the_rank_are_left_out(material: Material) -> None:
    cranes = read(("nest beam", ""), ("nest", ""), ("beam", ""))
    assert GrassmeansSenses(2, rank=2).induce_from("crane", cranes, material) is None
    found = GrassmeansSenses(1, rank=2).induce_from("crane", cranes, material)
    assert found is not None
    assert np.isnan(found.distances("crane", cranes)).ravel().tolist() == [False, True, True]


def test_number_of_senses_that_the_contexts_show(material: Material) -> None:
    cranes = read(*[("nest", ""), ("beam", "")] * 30)
    found = GrassmeansSenses("auto", rank=1, max_senses=4).induce_from("crane", cranes, material)
    assert found is not None
    assert 1 <= found.n_senses("crane") <= 4
    assert found.distances("crane", cranes).shape == (60, found.n_senses("crane"))
