from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus, SenseInventory, WordVectors
from grassmeans.corpus.tokenizer import Tokenizer
from grassmeans.laboratory.rivals.grassmeans import GrassmeansSenses, ModelSenses, merge_lexemes
from grassmeans.laboratory.rivals.interface import ContextRule, Material
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.model import SenseModel
from grassmeans.senses.settings import InductionSettings
from grassmeans.senses.tagging import TaggingRules


@pytest.fixture
def model() -> SenseModel:
    """The first sense of crane lies along nest, the second along beam."""
    vectors = WordVectors(["nest", "beam", "mix"], np.array([[1, 0], [0, 1], [3, 4]], np.float32))
    crane = WordSenses("crane", 9, 9, np.eye(2, dtype=np.float32), ())
    rules = TaggingRules(Tokenizer(), frozenset({"a"}), 2, 1, "flat", drop_repeats=True)
    return SenseModel(vectors, SenseInventory([crane]), rules)


def test_distances_are_those_of_the_model(model: SenseModel) -> None:
    senses = ModelSenses(model)
    assert senses.rule == ContextRule(window=2, drop_repeats=True)
    contexts = np.array([[-1, 0, -1, -1], [-1, -1, 2, -1], [-1, -1, -1, -1]], np.int32)
    found = senses.distances("crane", contexts)
    np.testing.assert_allclose(found[:2], [[0, 1], [0.8, 0.6]], atol=1e-6)
    assert np.isnan(found[2]).all()
    texts = [("nest", ""), ("", "mix"), ("unseen", "")]
    np.testing.assert_array_equal(found, model.distances("crane", texts))


def test_directions_or_lexemes_are_the_sense_vectors(model: SenseModel) -> None:
    directions = ModelSenses(model).sense_vectors("crane")
    np.testing.assert_array_equal(directions, np.eye(2))
    keys = ["crane.1", "crane.0", "nest"]
    lexemes = LexemeVectors(WordVectors(keys, np.array([[1, 0], [0, 1], [1, 1]], np.float32)))
    senses = ModelSenses(model, lexemes)
    # The second sense has no vector: that of "I don't know" stands in.
    np.testing.assert_array_equal(senses.sense_vectors("crane"), [[1, 0], [0, 1]])
    assert senses.space is not None
    assert senses.space.words == ["crane", "nest"]
    without = LexemeVectors(WordVectors(["nest"], np.ones((1, 2), np.float32)))
    assert ModelSenses(model, without).sense_vectors("crane") is None


def test_whole_words_are_means_of_their_lexemes_by_count() -> None:
    keys = ["crane.1", "nest", "crane.2", "st.1\\"]
    vectors = np.array([[4, 0], [1, 1], [0, 4], [2, 2]], np.float32)
    merged = merge_lexemes(LexemeVectors(WordVectors(keys, vectors, [3, 7, 1, 5])))
    assert merged.words == ["crane", "nest", "st.1"]
    np.testing.assert_allclose(merged.vectors, [[3, 1], [1, 1], [2, 2]])
    assert merged.counts is not None
    assert merged.counts.tolist() == [4, 7, 5]
    unweighted = merge_lexemes(LexemeVectors(WordVectors(keys, vectors)))
    np.testing.assert_allclose(unweighted["crane"], [2, 2])


def test_induced_senses_are_those_of_the_inventory(tmp_path) -> None:
    texts = ["nest crane nest", "beam crane beam"] * 5
    corpus = Corpus.from_texts(texts, tmp_path / "corpus")
    vectors = WordVectors(["nest", "beam"], np.eye(2, dtype=np.float32))
    material = Material(corpus, vectors, ("crane",), folder=tmp_path / "work")
    method = GrassmeansSenses(2, rank=1)
    senses = method.induce(material)
    expected = SenseInventory.induce(
        corpus, vectors, ["crane"], settings=InductionSettings(n_senses=2, rank=1)
    )
    np.testing.assert_array_equal(senses.sense_vectors("crane"), expected.directions("crane"))
    again = method.induce(material)  # from the parts of the first time
    np.testing.assert_array_equal(again.sense_vectors("crane"), senses.sense_vectors("crane"))
    assert len(list((tmp_path / "work").glob("parts-*/*.jsonl"))) == 1
    assert method.induce(Material(corpus, vectors, ())).words == ()


def test_contexts_with_fewer_words_than_the_rank_are_left_out() -> None:
    vectors = WordVectors(["nest", "beam"], np.eye(2, dtype=np.float32))
    contexts = np.array([[0, 1], [0, -1], [1, -1]], np.int32)
    assert GrassmeansSenses(2, rank=2).induce_from_contexts("crane", contexts, vectors, 0) is None
    found = GrassmeansSenses(1, rank=2).induce_from_contexts("crane", contexts, vectors, 0)
    assert found is not None
    assert np.isnan(found.distances("crane", contexts)).ravel().tolist() == [False, True, True]


def test_number_of_senses_that_the_contexts_show() -> None:
    vectors = WordVectors(["nest", "beam"], np.eye(2, dtype=np.float32))
    contexts = np.array([[0], [1]] * 30, np.int32)
    method = GrassmeansSenses("auto", rank=1, max_senses=4)
    found = method.induce_from_contexts("crane", contexts, vectors, 0)
    assert found is not None
    assert 1 <= found.n_senses("crane") <= 4
    assert found.distances("crane", contexts).shape == (60, found.n_senses("crane"))
