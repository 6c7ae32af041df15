"""Distances of a word's occurrences to its senses, worked out once and remembered.

The confidence of an occurrence is the probability of its nearest sense under soft decoding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import digest_of_array
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.induction import word_id_of
from grassmeans.explorer.work import Checkpoint
from grassmeans.geometry.distances import SenseLines
from grassmeans.senses.decoding import decode_hard, decode_soft

_AT_ONCE = 8192


@dataclass(frozen=True, slots=True)
class MeasuredWord:
    """Distances of a word's occurrences.

    Attributes
    ----------
    positions : (n,) int64
    distances : (n, n_senses) float32
        Rows of NaN have too few known words around them.
    senses : (n,) int16
        Number of the nearest sense, 0 where it is too far.
    confidence : (n,) float32
    """

    positions: NDArray[np.int64]
    distances: NDArray[np.float32]
    senses: NDArray[np.int16]
    confidence: NDArray[np.float32]

    @property
    def n_bytes(self) -> int:
        """Memory that it takes."""
        arrays = (self.positions, self.distances, self.senses, self.confidence)
        return sum(array.nbytes for array in arrays)

    def __getitem__(self, rows: slice | NDArray[np.int64] | NDArray[np.bool_]) -> MeasuredWord:
        return MeasuredWord(
            self.positions[rows], self.distances[rows], self.senses[rows], self.confidence[rows]
        )


def measure_word(
    opened: OpenModel,
    key: str,
    directions: NDArray[np.float32],
    checkpoint: Checkpoint,
) -> MeasuredWord:
    """Distances of all occurrences of a word, or of an even sample of very many."""

    def make() -> MeasuredWord:
        corpus = opened.require_corpus("looking at lines")
        positions = corpus.positions(word_id_of(opened, key))
        most = opened.limits.work.measured_lines
        if len(positions) > most:
            positions = positions[np.arange(most) * len(positions) // most]
        return measure_positions(opened, key, positions, directions, checkpoint)

    return opened.distances.get_or_make((key, digest_of_array(directions)), make)


def measure_positions(
    opened: OpenModel,
    key: str,
    positions: NDArray[np.int64],
    directions: NDArray[np.float32],
    checkpoint: Checkpoint,
) -> MeasuredWord:
    """Distances of occurrences at given positions, which are in text order."""
    corpus = opened.require_corpus("looking at lines")
    lines = SenseLines.collect([directions])
    distances = np.empty((len(positions), len(directions)), np.float32)
    for start in range(0, len(positions), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        for inside, occurrences in corpus.occurrences(positions[part]):
            same = np.zeros(len(occurrences), np.int64)
            distances[part][inside] = opened.base.encoder.measure(occurrences, same, lines)
        checkpoint(start / len(positions))
    if len(positions) == 0:
        return MeasuredWord(positions, distances, np.empty(0, np.int16), np.empty(0, np.float32))
    senses = (decode_hard(distances, opened.base.idk_threshold) + 1).astype(np.int16)
    confidence = decode_soft(distances).max(axis=1).astype(np.float32)
    return MeasuredWord(positions, distances, senses, confidence)
