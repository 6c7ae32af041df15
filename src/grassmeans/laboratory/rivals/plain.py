"""Plain word vectors: one sense a word, and its vector."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grassmeans.laboratory.rivals.interface import InducedSenses, Material, SenseInducer
from grassmeans.laboratory.rivals.trivial import SingleSenses
from grassmeans.vectors.word_vectors import WordVectors


class WholeWords(SingleSenses):
    """Words as they are, with the vectors of whole words."""

    def __init__(self, words: tuple[str, ...], vectors: WordVectors) -> None:
        super().__init__(words)
        self.space = vectors
        self._vectors = vectors

    def sense_vectors(self, word: str) -> NDArray[np.float32]:
        """(1, dim) the vector of the word."""
        self.require(word)
        return self._vectors[word][None, :]


class PlainSkipGram(SenseInducer):
    """One sense a word, with its word vector: for similarity tests and the lineup."""

    name = "skipgram"

    def induce(self, material: Material) -> InducedSenses:
        """Each word that has a vector, as it is."""
        words = dict.fromkeys(word for word in material.words if word in material.vectors)
        return WholeWords(tuple(words), material.vectors)
