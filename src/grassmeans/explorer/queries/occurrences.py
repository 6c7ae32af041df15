"""Occurrences of a word in the corpus: which of them are looked at, and their bases.

Of very many a random sample is looked at, the same one each time. Senses change with every
correction and every turn of the dial, the bases of the same lines do not: what a network has read
(learned contexts, transformers) is kept and never read again, and work that ran out of time goes on
when it is asked again.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.explorer.limits import (
    BoundedCache,
    ConflictError,
    Kept,
    OutOfTimeError,
    WordNotFoundError,
    bound_bytes,
)
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.lookup import suggest_words
from grassmeans.explorer.work import Checkpoint
from grassmeans.geometry.windows import sample_positions
from grassmeans.senses.samples import (
    EncodedWord,
    WordSample,
    complete_sample,
    draw_positions,
    word_seeds,
)

_AT_ONCE = 512
_WAIT = 0.2
_READING = threading.Lock()
"""Held while a network reads: two at once would take twice as long, and read the same."""


@dataclass(frozen=True, slots=True)
class LineSample:
    """Which of a word's occurrences are looked at: a random sample, the same for a seed.

    A smaller sample of the same seed is a part of a larger one.

    """

    size: int | None = None  # None for all, or as many as the limits allow
    seed: int = 0
    # Other words whose occurrences count as the word's, with its senses: its inflected forms.
    forms: tuple[str, ...] = ()


EVERYTHING = LineSample()


def word_id_of(opened: OpenModel, key: str) -> int:
    """The corpus's id of a word; `WordNotFoundError` where it does not occur."""
    word_id = opened.require_corpus("looking at contexts").vocabulary.id_of(key)
    if word_id < 0:
        suggestions = tuple(found.word for found in suggest_words(opened, key))
        raise WordNotFoundError(f"{key[:80]!r} does not occur in the corpus", suggestions)
    return word_id


def choose_positions(
    opened: OpenModel, key: str, sample: LineSample, most: int | None = None
) -> NDArray[np.int64]:
    """Positions of a word's occurrences that are looked at, in text order: not more than most."""
    corpus = opened.require_corpus("looking at lines")
    parts = [corpus.positions(word_id) for word_id in _ids_of_forms(opened, key, sample)]
    positions = parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts))
    bounds = [bound for bound in (sample.size, most) if bound is not None]
    return sample_positions(positions, min(bounds, default=None), word_seeds(key, sample.seed))


def count_occurrences(opened: OpenModel, key: str, sample: LineSample) -> int:
    """How often a word and its other forms occur."""
    corpus = opened.require_corpus("looking at lines")
    return int(corpus.vocabulary.counts[_ids_of_forms(opened, key, sample)].sum())


def _ids_of_forms(opened: OpenModel, key: str, sample: LineSample) -> list[int]:
    forms = dict.fromkeys([key, *map(opened.key_of, sample.forms)])
    return [word_id_of(opened, form) for form in forms]


def sample_word(opened: OpenModel, word: str, max_contexts: int, check: Checkpoint) -> WordSample:
    """A random sample of a word's contexts: the one that inducing its senses would take.

    Raises `NoCorpusError`, `WordNotFoundError`.
    """
    corpus = opened.require_corpus("looking at contexts")
    key = opened.key_of(word)
    samples = _SAMPLES.of(opened)
    found = samples.get((key, max_contexts))
    if found is not None:
        return found
    word_id_of(opened, key)
    settings = replace(opened.settings, max_contexts=max_contexts)
    positions = draw_positions(key, corpus, settings)
    encoded = EncodedWord(positions, encode_lines(opened, key, positions, check, 0.6))
    sample = complete_sample(key, encoded, corpus, opened.base.encoder)
    samples.put((key, max_contexts), sample)
    check(0.6)
    return sample


def _size_of(sample: WordSample) -> int:
    contexts = sample.contexts
    return sample.bases.nbytes + contexts.context_ids.nbytes + contexts.positions.nbytes


_SAMPLES: Kept[BoundedCache[WordSample]] = bound_bytes(lambda memory: memory.sample_bytes, _size_of)


def sample_for_counts(opened: OpenModel, key: str, check: Checkpoint) -> WordSample:
    """The contexts in which a word is counted: as many as the model looked at, the same ones."""
    most = min(opened.settings.max_contexts, opened.limits.work.contexts)
    sample = sample_word(opened, key, most, check)
    if not len(sample.contexts):
        raise ConflictError(f"no occurrence of {key!r} has known words enough around it")
    return sample


@dataclass(frozen=True, slots=True)
class EncodedLines:
    """Occurrences of a word as an encoder has read them."""

    positions: NDArray[np.int64]  # (n,) in text order
    bases: NDArray[np.float32]  # (n, rank, dim)

    @property
    def n_bytes(self) -> int:
        """Memory that they take."""
        return self.positions.nbytes + self.bases.nbytes

    def lacks(self, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(n,) which of the positions are not among these."""
        return ~np.isin(positions, self.positions, assume_unique=True)

    def join(self, positions: NDArray[np.int64], bases: NDArray[np.float32]) -> EncodedLines:
        """These and others."""
        both = np.concatenate([self.positions, positions])
        order = np.argsort(both, kind="stable")
        return EncodedLines(both[order], np.concatenate([self.bases, bases])[order])


_READ: Kept[BoundedCache[EncodedLines]] = bound_bytes(
    lambda memory: memory.line_bytes, lambda encoded: encoded.n_bytes
)


def encode_lines(
    opened: OpenModel, key: str, positions: NDArray[np.int64], check: Checkpoint, until: float = 1.0
) -> NDArray[np.float32]:
    """(n, rank, dim) bases of a word's occurrences; those that are kept are not read again.

    The (n,) positions are in text order; ``until`` is the share of all work that is done then.
    """
    corpus = opened.require_corpus("looking at lines")
    encoder = opened.base.encoder
    if not encoder.worth_keeping:
        return encoder.encode_at(corpus, positions)
    while not _READING.acquire(timeout=_WAIT):
        check(0.0)
    try:
        return _read_missing(opened, corpus, key, positions, check, until)
    finally:
        _READING.release()


def _read_missing(
    opened: OpenModel,
    corpus: Corpus,
    key: str,
    positions: NDArray[np.int64],
    check: Checkpoint,
    until: float,
) -> NDArray[np.float32]:
    encoder = opened.base.encoder
    empty = np.empty((0, encoder.shape.rank, encoder.vectors.dim), np.float32)
    known = _READ.of(opened)
    kept = known.get(key) or EncodedLines(np.empty(0, np.int64), empty)
    missing = positions[kept.lacks(positions)]
    parts = []
    try:
        for start in range(0, len(missing), _AT_ONCE):
            check(until * start / len(missing))
            parts.append(encoder.encode_at(corpus, missing[start : start + _AT_ONCE]))
    except OutOfTimeError as error:
        n_read = len(positions) - len(missing) + sum(map(len, parts))
        raise OutOfTimeError(
            f"{n_read:,} of {len(positions):,} lines are read so far, the rest takes longer than "
            "is given at once: ask again to go on, or for a smaller sample"
        ) from error
    finally:
        if parts:
            bases = np.concatenate(parts)
            kept = kept.join(missing[: len(bases)], bases)
            known.put(key, kept)
    return kept.bases[np.searchsorted(kept.positions, positions)]
