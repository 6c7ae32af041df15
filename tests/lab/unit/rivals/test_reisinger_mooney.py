from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from grassmeans import Corpus, WordVectors
from grassmeans.errors import InputError
from grassmeans_lab.rivals.interface import Material
from grassmeans_lab.rivals.reisinger_mooney import (
    Features,
    PrototypeSenses,
    prune_rows,
    scale_rows,
)

TEXTS = ["crane nest reed", "crane nest reed", "crane steel hook", "crane steel hook", "reed marsh"]


@pytest.fixture
def material(tmp_path) -> Material:
    corpus = Corpus.from_texts(TEXTS, tmp_path / "corpus", language="en")
    words = ["crane", "reed", "nest", "steel", "hook", "marsh", "elsewhere"]
    return Material(corpus, WordVectors(words, np.ones((7, 3))), ("crane", "marsh"))


def test_features_weigh_by_the_documents_that_have_them(material) -> None:
    features = Features.choose(material, 4)
    assert material.vectors.ids_of(["crane"]) in features.rows
    words = [material.vectors.words[row] for row in features.rows]
    assert words[:2] == ["crane", "reed"]  # by frequency: 4 and 3 times
    # Five documents: reed is in 3 of them, crane in 4.
    np.testing.assert_allclose(features.weights[:2], np.log([5 / 4, 5 / 3]), rtol=1e-6)


def test_contexts_are_unit_rows_of_counts_times_weights(material) -> None:
    features = Features.choose(material, 6)
    crane, reed, marsh = material.vectors.ids_of(["crane", "reed", "marsh"])
    context = np.array([[reed, reed, crane, -1], [6, -1, -1, -1]], np.int32)
    found = features.weigh(context).toarray()
    expected = np.zeros(6)
    expected[features.columns[reed]] = 2 * np.log(5 / 3)
    expected[features.columns[crane]] = np.log(5 / 4)
    np.testing.assert_allclose(found[0], expected / np.linalg.norm(expected), rtol=1e-5)
    assert not found[1].any()  # no word of the corpus
    assert features.columns[marsh] >= 0


def test_rows_are_pruned_and_scaled() -> None:
    rows = np.array([[3.0, 1.0, 4.0], [0.0, 0.0, 0.0]], np.float32)
    np.testing.assert_allclose(
        prune_rows(rows, 2).toarray(), [[0.6, 0.0, 0.8], [0.0, 0.0, 0.0]], rtol=1e-6
    )
    doubled = csr_array((np.array([1.0, 2.0, 4.0]), ([0, 0, 0], [1, 1, 2])), (1, 3))
    np.testing.assert_allclose(scale_rows(doubled).toarray(), [[0.0, 0.6, 0.8]], rtol=1e-6)


def test_prototypes_by_hand(material) -> None:
    senses = PrototypeSenses(n_senses=2).induce(material)
    assert senses.words == ("crane",)  # marsh has one context
    nest, steel = np.array([[2, 1], [3, 4]], np.int32)
    distances = senses.measure("crane", np.stack([nest, steel, [-1, -1]]))
    first = int(distances[0].argmin())
    np.testing.assert_allclose(distances[0, first], 0.0, atol=1e-6)
    np.testing.assert_allclose(distances[:2], [[first, 1 - first], [1 - first, first]], atol=1e-6)
    assert np.isnan(distances[2]).all()
    # nest is in 2 documents, reed in 3: the prototype of birds is (ln 5/2, ln 5/3), scaled.
    expected = np.log([5 / 2, 5 / 3]) / np.linalg.norm(np.log([5 / 2, 5 / 3]))
    features = Features.choose(material, 5_000)
    birds = senses.sense_vectors("crane")[first]
    np.testing.assert_allclose(birds[features.columns[[2, 1]]], expected, rtol=1e-5)


def test_whole_words_are_counted_where_they_are_asked_for(material) -> None:
    senses = PrototypeSenses(n_senses=2).induce(material)
    features = Features.choose(material, 5_000)
    # marsh stands beside reed alone, reed beside crane and nest twice and marsh once.
    marsh = np.zeros(len(features.rows))
    marsh[features.columns[1]] = 1.0
    np.testing.assert_allclose(senses.space["marsh"], marsh)
    reed = np.zeros(len(features.rows))
    reed[features.columns[[0, 2, 5]]] = 2 * np.log(5 / 4), 2 * np.log(5 / 2), np.log(5)
    np.testing.assert_allclose(senses.space["reed"], reed / np.linalg.norm(reed), rtol=1e-5)
    assert not senses.space["elsewhere"].any()


def test_a_prototype_keeps_its_heaviest_features(material) -> None:
    senses = PrototypeSenses(n_senses=2, n_kept=1).induce(material)
    kept = [np.count_nonzero(row) for row in senses.sense_vectors("crane")]
    assert sorted(kept) == [1, 2]  # steel and hook weigh the same: both stay


@pytest.mark.parametrize("name", ["n_senses", "window", "n_features", "n_kept", "n_init"])
def test_bad_parameters_are_explained(material, name: str) -> None:
    with pytest.raises(InputError, match=f"{name} must be a whole number, 1 or more; got 0"):
        PrototypeSenses(**{name: 0}).induce(material)
