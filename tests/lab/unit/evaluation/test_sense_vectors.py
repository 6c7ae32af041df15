from __future__ import annotations

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.evaluation.systems import ModelSystem, VectorSystem
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans_lab.evaluation.sense_vectors import (
    VectorSenses,
    collect_lexemes,
    find_sense_vectors,
    find_space,
    merge_lexemes,
    plain_vectors,
)


class TwoSenses(VectorSenses):
    """Two senses of crane; the second has no vector."""

    words = ("crane",)

    def __init__(self, space: WordVectors) -> None:
        self._space = space

    @property
    def space(self) -> WordVectors:
        return self._space

    def n_senses(self, word: str) -> int:
        return 2

    def distances(self, word, occurrences):
        raise NotImplementedError

    def sense_vectors(self, word):
        return np.array([[1, 0], [np.nan, np.nan]], np.float32)


def test_directions_or_lexemes_are_the_sense_vectors(small_model) -> None:
    senses = ModelSystem(small_model).find_senses(())
    np.testing.assert_array_equal(find_sense_vectors(senses, "crane"), np.eye(2))
    assert find_space(senses) is small_model.vectors
    keys = ["crane.1", "crane.0", "nest"]
    lexemes = LexemeVectors(WordVectors(keys, np.array([[1, 0], [0, 1], [1, 1]], np.float32)))
    senses = ModelSystem(small_model, lexemes).find_senses(())
    # The second sense has no vector: that of "I don't know" stands in.
    np.testing.assert_array_equal(find_sense_vectors(senses, "crane"), [[1, 0], [0, 1]])
    space = find_space(senses)
    assert space is not None
    assert space.words == ["crane", "nest"]
    assert collect_lexemes(senses, ["crane"]) is lexemes
    without = LexemeVectors(WordVectors(["nest"], np.ones((1, 2), np.float32)))
    found = ModelSystem(small_model, without).find_senses(())
    assert find_sense_vectors(found, "crane") is None


def test_vectors_alone_have_no_senses(small_model) -> None:
    system = VectorSystem(small_model.vectors)
    senses = system.find_senses(["crane"])
    assert collect_lexemes(senses, ["crane"]) is None
    assert plain_vectors(system, senses) is small_model.vectors


def test_vectors_of_senses_and_of_whole_words() -> None:
    space = WordVectors(["crane", "nest"], np.array([[1, 1], [2, 0]], np.float32))
    lexemes = collect_lexemes(TwoSenses(space), ["Crane", "nest", "absent"])
    assert lexemes is not None
    assert lexemes.vectors.words == ["crane.1", "crane", "nest"]
    # The sense without a vector, and an occurrence that tells nothing, stand for the whole word.
    assert lexemes.hard_similarity("crane", 2, "nest", None) == pytest.approx(0.5**0.5)
    assert lexemes.hard_similarity("crane", 1, "nest", None) == pytest.approx(1)


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
