"""Senses as directions that the weighted mean of a context's vectors is compared with.

Such directions are found by spherical k-means: unit vectors grouped by cosine, centres kept at unit
length. Ordinary k-means on unit vectors is not the same: its centres are means, shorter for loose
groups, and a vector may then belong to a centre that is not the nearest by angle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.checking import check_range, open_array
from grassmeans.artifacts.writing import write_array, write_bytes
from grassmeans.clustering.loop import FitOptions
from grassmeans.clustering.rays import Rays, group_rays
from grassmeans.corpus.shard import Shard
from grassmeans.errors import InputError
from grassmeans.kernels.arguments import RunningText
from grassmeans.senses.entries import MOST_SENSES
from grassmeans.vectors.storage import encode_words, read_words
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.kernels import get_kernels
from grassmeans_lab.rivals.interface import Windows, WindowSenses

_WORDS = "sense_words.txt"
_COUNTS = "sense_counts.npy"
_DIRECTIONS = "directions.npy"
_OCCURRENCES_AT_ONCE = 8192


@dataclass(frozen=True)
class SenseDirections:
    """The sense directions of many words in one table.

    Attributes
    ----------
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
        n_senses = open_array(folder / _COUNTS, np.int64, (None,), mapped=False)
        check_range(folder / _COUNTS, n_senses, 0, MOST_SENSES + 1)
        words = tuple(read_words(folder / _WORDS, len(n_senses)))
        directions = open_array(folder / _DIRECTIONS, np.float32, (int(n_senses.sum()), None))
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


class CosineSenses(WindowSenses):
    """Distances (1 - cosine) / 2 between a context's weighted mean and the senses' directions.

    Parameters
    ----------
    weights : (n_words,) float32
        Of the vectors in the mean.
    sense_vectors : (n_directions, dim) float32, optional
        Row by row as the directions; the directions themselves by default.
    space : WordVectors, optional
        What the sense vectors may be compared with; those of the windows by default.
    """

    def __init__(
        self,
        senses: SenseDirections,
        windows: Windows,
        weights: NDArray[np.float32],
        *,
        sense_vectors: NDArray[np.float32] | None = None,
        space: WordVectors | None = None,
    ) -> None:
        self.words = senses.words
        self.windows = windows
        self._space = windows.vectors if space is None else space
        self._senses = senses
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

    @property
    def space(self) -> WordVectors:
        """What the sense vectors may be compared with."""
        return self._space

    def measure(self, word: str, context_ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """(n, n_senses) distances; NaN where no word of a context weighs anything."""
        self.require(word)
        directions = np.asarray(self._senses.directions[self._senses.part_of(word)])
        kernels = get_kernels()
        vectors = self.windows.vectors.vectors
        means = kernels.average_contexts(context_ids, vectors, self._weights)
        only = np.zeros(len(means), np.int32)
        return kernels.measure_means(means, only, directions, np.array([0, len(directions)]))

    def sense_vectors(self, word: str) -> NDArray[np.float32]:
        """(n_senses, dim) a vector for each sense."""
        self.require(word)
        return np.array(self._sense_vectors[self._senses.part_of(word)])


@dataclass(frozen=True, slots=True)
class CosineMeasure:
    """What `CosineSenses.distances` gives, for a whole corpus; a `ShardMeasure`.

    Attributes
    ----------
    vectors : (n_words, dim) float32
    weights : (n_words,) float32
        Of the words in a mean.
    directions : (n_directions, dim) float32
        The senses of one target after the other.
    sense_offsets : (n_targets + 1,) int64
    row_of_token : (n_types,) int32
        Row of each token id in the vectors; -1 for words that contexts leave out.
    word_of_token : (n_types + 1,) int32
        As in `Targets`.
    """

    vectors: NDArray[np.float32]
    weights: NDArray[np.float32]
    directions: NDArray[np.float32]
    sense_offsets: NDArray[np.int64]
    row_of_token: NDArray[np.int32]
    word_of_token: NDArray[np.int32]
    window: int
    shards_here: int = 0

    def find_distances(self, shard: Shard) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
        """Positions (n,) of the targets in a shard, and their distances (n, most senses)."""
        kernels = get_kernels()
        tokens = np.asarray(shard.tokens)
        text = RunningText(tokens, np.asarray(shard.document_offsets), self.row_of_token)
        words = self.word_of_token[tokens]
        positions = np.flatnonzero(words >= 0)
        max_senses = int(np.diff(self.sense_offsets).max())
        distances = np.empty((len(positions), max_senses), np.float16)
        for start in range(0, len(positions), _OCCURRENCES_AT_ONCE):
            part = slice(start, start + _OCCURRENCES_AT_ONCE)
            here = positions[part]
            contexts = kernels.gather_contexts(text, here, self.window)
            means = kernels.average_contexts(contexts, self.vectors, self.weights)
            distances[part] = kernels.measure_means(
                means, words[here], self.directions, self.sense_offsets
            )
        return positions.astype(np.int32), distances


def find_centres(
    rows: Rays, n_clusters: int, *, n_init: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """(n_clusters, dim) unit centres by spherical k-means, those of larger groups first.

    Parameters
    ----------
    rows : (n, dim) float32, dense or sparse
        Unit rows, at least as many as clusters. Groups that end without rows have no centre.
    """
    if n_clusters < 1 or rows.shape[0] < n_clusters:
        raise InputError(
            f"n_clusters must be from 1 to the number of rows, {rows.shape[0]}; got {n_clusters}"
        )
    fit = FitOptions(n_init=n_init, init="k-means++")
    centres = group_rays(rows, n_clusters, fit, rng=rng).directions[0]
    sizes = np.bincount((rows @ centres.T).argmax(axis=1), minlength=n_clusters)
    order = np.argsort(-sizes, kind="stable")
    found: NDArray[np.float32] = centres[order[sizes[order] > 0]]
    return found
