"""Distances of a word's occurrences to its senses, worked out once and remembered.

Of very many occurrences a random sample is looked at, the same one each time. Where a network reads
every occurrence (learned contexts, transformers), what it read is kept as well: other senses of the
same lines are then measured at once, and work that ran out of time goes on when it is asked again.

The confidence of an occurrence is that of tagging: the probability that its sense is right.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.writing import digest_of_array
from grassmeans.explorer.caches import BoundedCache, Kept, bound_bytes
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.encoding import encode_lines
from grassmeans.explorer.queries.induce import word_id_of
from grassmeans.explorer.work import Checkpoint
from grassmeans.geometry.distances import SenseLines, measure_senses
from grassmeans.geometry.windows import sample_positions
from grassmeans.models.model import SenseModel
from grassmeans.senses.decoding import decode_hard, decode_soft

_AT_ONCE = 8192


@dataclass(frozen=True, slots=True)
class LineSample:
    """Which of a word's occurrences are looked at: a random sample, the same for a seed.

    A smaller sample of the same seed is a part of a larger one.

    Attributes
    ----------
    size : int or None
        None for all, or as many as the limits allow.
    forms : tuple of str
        Other words whose occurrences count as the word's: its inflected forms. They have its
        senses.
    """

    size: int | None = None
    seed: int = 0
    forms: tuple[str, ...] = ()


EVERYTHING = LineSample()


@dataclass(frozen=True, slots=True)
class MeasuredWord:
    """Distances of a word's occurrences.

    Attributes
    ----------
    positions : (n,) int64
        In text order.
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


_MEASURED: Kept[BoundedCache[MeasuredWord]] = bound_bytes(
    lambda memory: memory.distance_bytes, lambda measured: measured.n_bytes
)


def choose_positions(
    opened: OpenModel, key: str, sample: LineSample, most: int | None = None
) -> NDArray[np.int64]:
    """Positions of a word's occurrences that are looked at, in text order.

    Parameters
    ----------
    most : int, optional
        A bound of the size of the sample.
    """
    corpus = opened.require_corpus("looking at lines")
    parts = [corpus.positions(word_id) for word_id in _ids_of_forms(opened, key, sample)]
    positions = parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts))
    seed = np.random.SeedSequence([sample.seed, zlib.crc32(key.encode())])
    bounds = [bound for bound in (sample.size, most) if bound is not None]
    return sample_positions(positions, min(bounds, default=None), seed)


def count_occurrences(opened: OpenModel, key: str, sample: LineSample) -> int:
    """How often a word and its other forms occur."""
    corpus = opened.require_corpus("looking at lines")
    return int(corpus.vocabulary.counts[_ids_of_forms(opened, key, sample)].sum())


def _ids_of_forms(opened: OpenModel, key: str, sample: LineSample) -> list[int]:
    forms = dict.fromkeys([key, *map(opened.key_of, sample.forms)])
    return [word_id_of(opened, form) for form in forms]


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
    checkpoint: Checkpoint,
    sample: LineSample = EVERYTHING,
) -> MeasuredWord:
    """Distances of all occurrences of a word, or of a sample of many."""

    def make() -> MeasuredWord:
        positions = measured_positions(opened, key, sample)
        return measure_positions(opened, key, positions, directions, checkpoint)

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
    checkpoint: Checkpoint,
) -> MeasuredWord:
    """Distances of occurrences at given positions, which are in text order."""
    n = len(positions)
    if n == 0 or len(directions) == 0:
        nothing = np.empty((n, len(directions)), np.float32)
        return MeasuredWord(positions, nothing, np.zeros(n, np.int16), np.zeros(n, np.float32))
    lines = SenseLines.collect([directions])
    if opened.base.encoder.worth_keeping:
        bases = encode_lines(opened, key, positions, checkpoint)
        same = np.zeros(len(positions), np.int64)
        signed = opened.base.encoder.lines_have_ends
        distances = measure_senses(bases, same, lines, signed=signed)
    else:
        distances = _measure_at_once(opened, positions, lines, checkpoint)
    senses = (decode_hard(distances, opened.base.idk_threshold) + 1).astype(np.int16)
    return MeasuredWord(positions, distances, senses, tell_confidence(opened.base, distances))


def tell_confidence(model: SenseModel, distances: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n,) how sure the nearest sense is, by the rule that decides on "I don't know".

    The probability to be right of a model that is calibrated, 0 where a context says nothing; else
    the probability of the sense under soft decoding.
    """
    if model.calibration is None:
        sure = decode_soft(distances, model.choose_sharpness()).max(axis=1)
    else:
        sure = np.nan_to_num(model.calibration.confidence(distances))
    return np.asarray(sure, np.float32)


def _measure_at_once(
    opened: OpenModel, positions: NDArray[np.int64], lines: SenseLines, checkpoint: Checkpoint
) -> NDArray[np.float32]:
    corpus = opened.require_corpus("looking at lines")
    distances = np.empty((len(positions), lines.most_senses), np.float32)
    for start in range(0, len(positions), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        for inside, occurrences in corpus.occurrences(positions[part]):
            same = np.zeros(len(occurrences), np.int64)
            distances[part][inside] = opened.base.encoder.measure(occurrences, same, lines)
        checkpoint(start / len(positions))
    return distances
