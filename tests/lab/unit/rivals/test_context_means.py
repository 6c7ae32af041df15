from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.errors import InputError
from grassmeans.tagging.tagging import occurrences_in_passages
from grassmeans_lab.rivals.context_means import (
    KMeansSenses,
    MeanSenses,
    inverse_frequencies,
    mean_contexts,
)
from grassmeans_lab.rivals.interface import Material, Windows

VECTORS = WordVectors(["nest", "beam", "far"], np.array([[1, 0], [0, 1], [0, 4]], np.float32))
CONTEXTS = np.array([[0, 1, -1], [-1, 2, 2], [-1, -1, -1]], np.int32)


def test_mean_of_the_words_of_a_context() -> None:
    means = mean_contexts(CONTEXTS, VECTORS.vectors)
    np.testing.assert_allclose(means[:2], [[0.5, 0.5], [0, 4]])
    assert np.isnan(means[2]).all()


def test_weighted_mean() -> None:
    weights = np.array([3.0, 1.0, 0.0])
    means = mean_contexts(CONTEXTS, VECTORS.vectors, weights)
    np.testing.assert_allclose(means[0], [0.75, 0.25])
    assert np.isnan(means[1]).all()  # its words weigh nothing


def test_more_contexts_than_a_block() -> None:
    contexts = np.tile(CONTEXTS, (1000, 1))
    means = mean_contexts(contexts, VECTORS.vectors)
    np.testing.assert_array_equal(
        means, np.tile(mean_contexts(CONTEXTS, VECTORS.vectors), (1000, 1))
    )


def test_weights_are_the_inverse_of_frequencies(tmp_path) -> None:
    counted = WordVectors(["a", "b"], np.eye(2, dtype=np.float32), [3, 1])
    np.testing.assert_allclose(inverse_frequencies(counted), np.log([4 / 3, 4]))
    corpus = Corpus.from_texts(["nest nest nest beam"], tmp_path / "corpus")
    # "far" does not occur: it counts once, and the sum is 4.
    np.testing.assert_allclose(inverse_frequencies(VECTORS, corpus), np.log([4 / 3, 4, 4]))
    with pytest.raises(InputError, match="idf weights need the counts of the words"):
        inverse_frequencies(VECTORS)


def test_distances_by_hand() -> None:
    centres = {"crane": np.array([[1, 0], [0, 0.5]], np.float32)}
    senses = MeanSenses(centres, Windows(VECTORS), weights=None, normalise=True)
    contexts = np.array([[0, -1], [1, -1], [2, -1]], np.int32)
    # |x - c| / (1 + 1): nest, and beam whose length does not count.
    near, far = 0.5 / 2, np.sqrt(2) / 2
    expected = [[0, np.sqrt(1.25) / 2], [far, near], [far, near]]
    np.testing.assert_allclose(senses.measure("crane", contexts), expected, rtol=1e-6)
    raw = MeanSenses(centres, Windows(VECTORS), weights=None, normalise=False)
    # "far" has length 4: distances sqrt(17) and 3.5 over 4 + 1.
    np.testing.assert_allclose(
        raw.measure("crane", contexts)[2], [np.sqrt(17) / 5, 3.5 / 5], rtol=1e-6
    )


def test_groups_of_contexts_and_their_centres() -> None:
    contexts = np.array([[0, 0], [0, -1], [0, 0], [1, 2], [2, -1], [-1, -1]], np.int32)
    senses = KMeansSenses(2).induce_from_windows("crane", contexts, Windows(VECTORS), 0)
    assert senses is not None
    found = senses.measure("crane", contexts)
    assert found[:5].argmin(axis=1).tolist() == [0, 0, 0, 1, 1]
    np.testing.assert_allclose(senses.sense_vectors("crane"), [[1, 0], [0, 1]], atol=1e-6)
    assert KMeansSenses(6).induce_from_windows("crane", contexts, Windows(VECTORS), 0) is None


def test_occurrences_are_read_as_the_corpus_was(tmp_path) -> None:
    corpus = Corpus.from_texts(["the nest"], tmp_path / "corpus")
    texts = [("nest the ", ""), ("", " Beam"), ("the ", "")]
    read = occurrences_in_passages("crane", texts, corpus.tokenizer)
    material = Material(corpus, VECTORS, ())
    senses = KMeansSenses(2, window=1).induce_from("crane", read, material)
    assert senses is not None
    found = senses.distances("crane", read)
    assert found[0].argmin() != found[1].argmin()
    assert np.isnan(found[2]).all()
    assert KMeansSenses(3, window=1).induce_from("crane", read, material) is None


def test_vectors_without_counts_cannot_be_weighted() -> None:
    with pytest.raises(InputError, match="idf weights"):
        KMeansSenses(2, idf=True).induce_from_windows("crane", CONTEXTS, Windows(VECTORS), 0)
