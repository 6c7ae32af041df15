"""The methods that every other must beat.

One sense a word (with its plain word vector or without any), one an instance, random ones.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.occurrences import Occurrences
from grassmeans.evaluation.systems import Senses
from grassmeans.geometry.windows import DEFAULT_WINDOW
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.evaluation.sense_vectors import VectorSenses
from grassmeans_lab.rivals.interface import (
    ContextInducer,
    Material,
    RivalInducer,
    Windows,
    WindowSenses,
    check_at_least_one,
)


class SingleSenses(VectorSenses):
    """Every word has one sense, at no distance from any context."""

    uses_contexts = False

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words

    def n_senses(self, word: str) -> int:
        """One."""
        self.require(word)
        return 1

    def distances(self, word: str, occurrences: Occurrences) -> NDArray[np.float32]:
        """(n, 1) zeros, also for contexts without words."""
        self.require(word)
        return np.zeros((len(occurrences), 1), np.float32)


class OneSense(ContextInducer):
    """One sense a word: all instances in one cluster."""

    name = "one"

    def induce(self, material: Material) -> Senses:
        """One sense for each word that the corpus has."""
        return SingleSenses(tuple(material.known_words))

    def induce_from(self, word: str, occurrences: Occurrences, material: Material) -> Senses | None:
        """One sense."""
        return SingleSenses((word,))


class OwnSenses(VectorSenses):
    """Every context is a sense of its own.

    So the number of senses depends on what is asked: `n_senses` counts the occurrences that were
    seen, `distances` has a column for each of the contexts it is given.
    """

    uses_contexts = False

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = dict(counts)
        self.words = tuple(self._counts)

    def n_senses(self, word: str) -> int:
        """As many as the occurrences that were seen."""
        self.require(word)
        return self._counts[word]

    def distances(self, word: str, occurrences: Occurrences) -> NDArray[np.float32]:
        """(n, n): 0 to the context's own sense, 1 to the others."""
        self.require(word)
        return 1.0 - np.eye(len(occurrences), dtype=np.float32)


class SensePerInstance(ContextInducer):
    """Each occurrence is a sense of its own: every instance a cluster."""

    name = "per-instance"

    def induce(self, material: Material) -> Senses:
        """Count the occurrences that other methods would look at."""
        vocabulary = material.corpus.vocabulary
        counts = {word: vocabulary.count_of(word) for word in material.known_words}
        return OwnSenses({word: min(n, material.max_contexts) for word, n in counts.items()})

    def induce_from(self, word: str, occurrences: Occurrences, material: Material) -> Senses | None:
        """As many senses as contexts; None without any."""
        return OwnSenses({word: len(occurrences)}) if len(occurrences) else None


class WholeWords(SingleSenses):
    """Words as they are, with the vectors of whole words."""

    def __init__(self, words: tuple[str, ...], vectors: WordVectors) -> None:
        super().__init__(words)
        self._vectors = vectors

    @property
    def space(self) -> WordVectors:
        """The vectors of whole words."""
        return self._vectors

    def sense_vectors(self, word: str) -> NDArray[np.float32]:
        """(1, dim) the vector of the word."""
        self.require(word)
        return self._vectors[word][None, :]


class PlainSkipGram(RivalInducer):
    """One sense a word, with its word vector: for similarity tests and the lineup."""

    name = "skipgram"

    def induce(self, material: Material) -> Senses:
        """Each word that has a vector, as it is."""
        words = dict.fromkeys(word for word in material.words if word in material.vectors)
        return WholeWords(tuple(words), material.vectors)


class DrawnSenses(WindowSenses):
    """Distances are drawn at random, but the same for the same words around."""

    def __init__(
        self, words: tuple[str, ...], n_senses: int, random_state: int, windows: Windows
    ) -> None:
        self.words = words
        self.windows = windows
        self._n_senses = n_senses
        self._random_state = random_state

    def n_senses(self, word: str) -> int:
        """The number asked for."""
        self.require(word)
        return self._n_senses

    def measure(self, word: str, context_ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """(n_contexts, n_senses) even numbers in [0, 1), made of word, state and context words.

        A row of NaN for a context without words.
        """
        self.require(word)
        drawn = np.full((len(context_ids), self._n_senses), np.nan, np.float32)
        head = [self._random_state, zlib.crc32(word.encode())]
        for row, ids in enumerate(context_ids):
            # Sorted, so that the order of the words does not matter.
            known = np.sort(ids[ids >= 0]).astype(np.int32)
            if len(known):
                rng = np.random.default_rng([*head, zlib.crc32(known.tobytes())])
                drawn[row] = rng.random(self._n_senses, dtype=np.float32)
        return drawn


class RandomSenses(ContextInducer):
    """Throws dice: every context goes to one of the senses by chance."""

    name = "random"

    def __init__(self, n_senses: int = 2) -> None:
        self.n_senses = n_senses

    def induce(self, material: Material) -> Senses:
        """Give random senses to each word that the corpus has."""
        return self._draw(tuple(material.known_words), material)

    def induce_from(self, word: str, occurrences: Occurrences, material: Material) -> Senses | None:
        """Random senses, whatever the contexts; None where they are fewer than the senses."""
        senses = self._draw((word,), material)
        return None if len(occurrences) < self.n_senses else senses

    def _draw(self, words: tuple[str, ...], material: Material) -> DrawnSenses:
        check_at_least_one(n_senses=self.n_senses)
        windows = Windows.of(material, DEFAULT_WINDOW)
        return DrawnSenses(words, self.n_senses, material.random_state, windows)
