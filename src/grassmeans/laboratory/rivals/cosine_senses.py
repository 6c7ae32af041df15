"""Senses as directions that the weighted mean of a context's vectors is compared with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import open_array, read_bytes, write_array, write_bytes
from grassmeans.errors import ArtifactError
from grassmeans.kernels import get_kernels
from grassmeans.laboratory.rivals.interface import ContextRule, InducedSenses
from grassmeans.vectors.storage import decode_words, encode_words
from grassmeans.vectors.word_vectors import WordVectors

_WORDS = "sense_words.txt"
_COUNTS = "sense_counts.npy"
_DIRECTIONS = "directions.npy"


@dataclass(frozen=True)
class SenseDirections:
    """The sense directions of many words in one table.

    Attributes
    ----------
    words : tuple of str
    n_senses : (n_words,) int64
    directions : (sum of n_senses, dim) float32
        Unit rows, the senses of one word after the other.
    """

    words: tuple[str, ...]
    n_senses: NDArray[np.int64]
    directions: NDArray[np.float32]

    @classmethod
    def collect(cls, senses: Mapping[str, NDArray[np.float32]], dim: int) -> SenseDirections:
        """Stack the (n_senses, dim) directions of words."""
        stacked = np.concatenate([np.empty((0, dim), np.float32), *senses.values()])
        n_senses = np.fromiter((len(rows) for rows in senses.values()), np.int64, len(senses))
        return cls(tuple(senses), n_senses, stacked)

    @classmethod
    def load(cls, folder: Path) -> SenseDirections:
        """Open what `save` wrote."""
        words = tuple(decode_words(read_bytes(folder / _WORDS)))
        n_senses = open_array(folder / _COUNTS, mapped=False)
        directions = open_array(folder / _DIRECTIONS)
        if len(words) != len(n_senses) or len(directions) != n_senses.sum():
            raise ArtifactError(f"{folder} is damaged, its files disagree: delete it and run again")
        return cls(words, n_senses, directions)

    def save(self, folder: Path) -> None:
        """Write three files into a folder."""
        write_array(folder / _DIRECTIONS, self.directions)
        write_array(folder / _COUNTS, self.n_senses)
        write_bytes(folder / _WORDS, encode_words(list(self.words)))  # last: the others are whole

    @staticmethod
    def are_saved(folder: Path) -> bool:
        """Whether `load` finds its files."""
        return (folder / _WORDS).exists()

    def select(self, words: Iterable[str]) -> SenseDirections:
        """The same for some of the words."""
        dim = self.directions.shape[1]
        return self.collect({word: self.directions[self.part_of(word)] for word in words}, dim)

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """(n_words + 1,) where each word's directions begin, and the end."""
        return np.concatenate([[0], np.cumsum(self.n_senses)]).astype(np.int64)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def __contains__(self, word: object) -> bool:
        return word in self._numbers

    def part_of(self, word: str) -> slice:
        """The rows of a word that has directions."""
        number = self._numbers[word]
        return slice(int(self.offsets[number]), int(self.offsets[number + 1]))


class CosineSenses(InducedSenses):
    """Distances (1 - cosine) / 2 between a context's weighted mean and the senses' directions.

    Parameters
    ----------
    senses : SenseDirections
    vectors : WordVectors
        Whose rows are the context ids.
    weights : (n_words,) float32
        Of these rows in the mean.
    rule : ContextRule
    sense_vectors : (n_directions, dim) float32, optional
        Row by row as the directions; the directions themselves by default.
    space : WordVectors, optional
        What the sense vectors may be compared with; ``vectors`` by default.
    """

    def __init__(
        self,
        senses: SenseDirections,
        vectors: WordVectors,
        weights: NDArray[np.float32],
        rule: ContextRule,
        *,
        sense_vectors: NDArray[np.float32] | None = None,
        space: WordVectors | None = None,
    ) -> None:
        self.words = senses.words
        self.rule = rule
        self.space = vectors if space is None else space
        self._senses = senses
        self._vectors = vectors
        self._weights = weights
        self._sense_vectors = senses.directions if sense_vectors is None else sense_vectors

    def keep_alive(self, owner: object) -> None:
        """Hold on to what the arrays are mapped from, a temporary folder, as long as the senses."""
        self._owner = owner

    def __contains__(self, word: object) -> bool:
        return word in self._senses

    def n_senses(self, word: str) -> int:
        """How many senses a word has."""
        self.require(word)
        part = self._senses.part_of(word)
        return int(part.stop - part.start)

    def distances(self, word: str, context_ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """(n_contexts, n_senses) distances; NaN where no word of a context weighs anything."""
        self.require(word)
        directions = np.asarray(self._senses.directions[self._senses.part_of(word)])
        kernels = get_kernels()
        means = kernels.average_contexts(context_ids, self._vectors.vectors, self._weights)
        only = np.zeros(len(means), np.int32)
        return kernels.measure_means(means, only, directions, np.array([0, len(directions)]))

    def sense_vectors(self, word: str) -> NDArray[np.float32]:
        """(n_senses, dim) a vector for each sense."""
        self.require(word)
        return np.array(self._sense_vectors[self._senses.part_of(word)])
