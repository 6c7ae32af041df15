"""Distances of all occurrences in a shard to sense directions, by the means of their contexts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.shard import Shard
from grassmeans.kernels import get_kernels

_OCCURRENCES_AT_ONCE = 8192


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
    window : int
    """

    vectors: NDArray[np.float32]
    weights: NDArray[np.float32]
    directions: NDArray[np.float32]
    sense_offsets: NDArray[np.int64]
    row_of_token: NDArray[np.int32]
    word_of_token: NDArray[np.int32]
    window: int

    def find_distances(self, shard: Shard) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
        """Positions (n,) of the targets in a shard, and their distances (n, most senses)."""
        kernels = get_kernels()
        tokens = np.asarray(shard.tokens)
        words = self.word_of_token[tokens]
        positions = np.flatnonzero(words >= 0)
        max_senses = int(np.diff(self.sense_offsets).max())
        distances = np.empty((len(positions), max_senses), np.float16)
        for start in range(0, len(positions), _OCCURRENCES_AT_ONCE):
            part = slice(start, start + _OCCURRENCES_AT_ONCE)
            here = positions[part]
            contexts = kernels.gather_contexts(
                tokens, np.asarray(shard.document_offsets), self.row_of_token, here, self.window
            )
            means = kernels.average_contexts(contexts, self.vectors, self.weights)
            distances[part] = kernels.measure_means(
                means, words[here], self.directions, self.sense_offsets
            )
        return positions.astype(np.int32), distances
