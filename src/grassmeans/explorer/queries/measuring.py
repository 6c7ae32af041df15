"""Distances of a word's occurrences to its senses, worked out once and remembered.

The confidence of an occurrence is that of tagging: the probability that its sense is right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.writing import digest_of_array
from grassmeans.editing.edited_words import EditedWord
from grassmeans.explorer.limits import BoundedCache, Kept, bound_bytes
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.occurrences import (
    EVERYTHING,
    LineSample,
    choose_positions,
    encode_lines,
    sample_for_counts,
)
from grassmeans.explorer.queries.words import require_word
from grassmeans.explorer.work import UNLIMITED, Checkpoint
from grassmeans.models.model import SenseModel
from grassmeans.models.origin import name_corpus
from grassmeans.senses.decoding import decode_soft

_DIGITS = 4


@dataclass(frozen=True, slots=True)
class MeasuredWord:
    """Distances of a word's occurrences."""

    positions: NDArray[np.int64]  # (n,) in text order
    distances: NDArray[np.float32]  # (n, n_senses), NaN with too few known words around
    senses: NDArray[np.int16]  # (n,) number of the nearest sense, 0 where it is too far
    confidence: NDArray[np.float32]  # (n,)

    @property
    def n_bytes(self) -> int:
        """Memory that it takes."""
        arrays = (self.positions, self.distances, self.senses, self.confidence)
        return sum(array.nbytes for array in arrays)

    def __getitem__(self, rows: slice | NDArray[np.int64] | NDArray[np.bool_]) -> MeasuredWord:
        return MeasuredWord(
            self.positions[rows], self.distances[rows], self.senses[rows], self.confidence[rows]
        )


_MEASURED: Kept[BoundedCache[MeasuredWord]] = bound_bytes(
    lambda memory: memory.distance_bytes, lambda measured: measured.n_bytes
)


def measured_positions(opened: OpenModel, key: str, sample: LineSample) -> NDArray[np.int64]:
    """Those of `choose_positions` whose senses are told: not more than the limits allow."""
    work = opened.limits.work
    most = work.measured_lines
    if sample.size is None and opened.base.encoder.worth_keeping:
        most = min(most, work.encoded_lines)
    return choose_positions(opened, key, sample, most)


def measure_word(
    opened: OpenModel,
    key: str,
    directions: NDArray[np.float32],
    check: Checkpoint,
    sample: LineSample = EVERYTHING,
) -> MeasuredWord:
    """Distances of all occurrences of a word, or of a sample of many."""

    def make() -> MeasuredWord:
        positions = measured_positions(opened, key, sample)
        return measure_positions(opened, key, positions, directions, check)

    return _MEASURED.of(opened).get_or_make(_cache_key(key, directions, sample), make)


def is_measured(
    opened: OpenModel, key: str, directions: NDArray[np.float32], sample: LineSample = EVERYTHING
) -> bool:
    """Whether `measure_word` can answer without work."""
    return _cache_key(key, directions, sample) in _MEASURED.of(opened)


def _cache_key(
    key: str, directions: NDArray[np.float32], sample: LineSample
) -> tuple[str, str, LineSample]:
    return key, digest_of_array(directions), sample


def measure_positions(
    opened: OpenModel,
    key: str,
    positions: NDArray[np.int64],
    directions: NDArray[np.float32],
    check: Checkpoint,
) -> MeasuredWord:
    """Distances of occurrences at given positions, which are in text order."""
    n = len(positions)
    if n == 0 or len(directions) == 0:
        nothing = np.empty((n, len(directions)), np.float32)
        return MeasuredWord(positions, nothing, np.zeros(n, np.int16), np.zeros(n, np.float32))
    model = opened.current
    if model.encoder.worth_keeping:
        distances = model.measure_bases(encode_lines(opened, key, positions, check), directions)
    else:
        corpus = opened.require_corpus("looking at lines")
        distances = model.measure_at(corpus, positions, directions, check)
    return MeasuredWord(positions, distances, *tell_senses(model, key, distances))


def tell_senses(
    model: SenseModel, key: str, distances: NDArray[np.float32]
) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """(n,) numbers of the senses of a word's occurrences, and (n,) how sure they are.

    That is the probability to be right of a model that is calibrated, 0 where a context says
    nothing; else the probability of the sense under soft decoding.
    """
    senses, sure = model.decide(key, distances)
    if sure is None:
        sure = decode_soft(distances, model.choose_sharpness()).max(axis=1)
    return senses.astype(np.int16), np.nan_to_num(sure).astype(np.float32)


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """A word in the corpus that is open.

    Attributes
    ----------
    corpus : str
        Its name.
    count : int
        Occurrences of the word.
    n_contexts : int
        Those that were looked at and say something.
    shares : tuple of float
        Of the senses 1, 2, ..., hidden ones too; empty without any context.
    """

    word: str
    corpus: str
    count: int
    n_contexts: int
    shares: tuple[float, ...]


def count_in_corpus(opened: OpenModel, word: str, check: Checkpoint = UNLIMITED) -> CorpusCounts:
    """Count a word of the model in the corpus: every context belongs to its nearest sense.

    The counts stand beside the model's own, and are never mixed with them.
    """
    corpus = opened.require_corpus("counting a word")
    now = opened.now
    key = require_word(opened, word)
    count = corpus.count_of(key) if key in corpus.vocabulary else 0
    shares: tuple[float, ...] = ()
    n_contexts = 0
    if count:
        edited = now.edits.get(key) or EditedWord.start(opened.base, key)
        sample = sample_for_counts(opened, key, check)
        n_contexts = len(sample.contexts)
        if n_contexts:
            nearest = sample.measure(edited.entry.directions).argmin(axis=1)
            sizes = np.bincount(nearest, minlength=edited.entry.n_senses)
            shares = tuple(round(float(size) / n_contexts, _DIGITS) for size in sizes)
    return CorpusCounts(key, name_corpus(corpus).name, count, n_contexts, shares)
