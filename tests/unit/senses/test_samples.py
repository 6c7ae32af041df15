from __future__ import annotations

import numpy as np

from grassmeans import Corpus, WordVectors
from grassmeans.clustering.settings import InductionSettings
from grassmeans.geometry.windows import Contexts
from grassmeans.senses import samples
from grassmeans.senses.samples import draw_positions, encode_words, orient_directions


def test_directions_point_to_where_the_words_are() -> None:
    vectors = WordVectors(["a", "b"], np.array([[1, 0], [0.5, 1]], np.float32))
    contexts = Contexts(np.array([[0, 1]], np.int32), np.array([0]))
    directions = np.array([[-1, 0], [0, 1]], np.float32)
    oriented = orient_directions(directions, contexts, vectors)
    assert oriented.tolist() == [[1, 0], [0, 1]]


class PlaceEncoder:
    """Says of each place only where it is."""

    def encode_unordered(self, source, positions) -> np.ndarray:
        return positions.astype(np.float32)[:, None, None]


def test_words_looked_up_together_have_the_positions_of_each(tmp_path, monkeypatch) -> None:
    words = ["crane", "bird", "steel", "river", "bank"]
    texts = [" ".join(words[i % 5 :] + words) for i in range(40)]
    corpus = Corpus.from_texts(texts, tmp_path / "corpus")
    settings = InductionSettings(n_senses="auto", max_contexts=7)
    monkeypatch.setattr(samples, "_LOOKED_UP_TOGETHER", 2)  # three times
    found = encode_words(words, corpus, PlaceEncoder(), settings)
    for word, encoded in zip(words, found, strict=True):
        expected = draw_positions(word, corpus, settings)
        assert len(expected) == 7
        assert encoded.positions.tolist() == expected.tolist()
        assert encoded.bases[:, 0, 0].tolist() == expected.tolist()
