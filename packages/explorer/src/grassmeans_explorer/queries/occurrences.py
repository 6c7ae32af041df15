"""Occurrences of a word in the corpus: which are looked at, their bases, and their senses.

Of very many a random sample is looked at, the same one each time. Senses change with every
correction and every turn of the dial, the bases of the same lines do not: what a network has read
(learned contexts, transformers) is kept and never read again, and work that ran out of time goes on
when it is asked again. The distances to senses are worked out once and remembered; the confidence
of an occurrence is that of tagging, the probability that its sense is right.
"""

from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats, Indices
from grassmeans.artifacts.writing import digest_of_array
from grassmeans.geometry.windows import sample_positions
from grassmeans.models.model import SenseModel
from grassmeans.models.origin import name_corpus
from grassmeans.senses import samples
from grassmeans.senses.decoding import decode_soft
from grassmeans.senses.samples import EncodedWord, WordSample
from grassmeans.text.tokenizer import normalize_text
from grassmeans_explorer import limits
from grassmeans_explorer.editing.edited_words import EditedWord
from grassmeans_explorer.limits import BoundedCache, Kept, OutOfTimeError, bound_bytes
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.asking.typed import tell_absence
from grassmeans_explorer.queries.lookup import suggest_words
from grassmeans_explorer.queries.words import require_word
from grassmeans_explorer.querying.patterns import (
    SlowPatternError,
    compile_pattern,
    find_fitting,
)
from grassmeans_explorer.work import begin_long_work, checkpoint

_AT_ONCE = 512
_WAIT = 0.2
_DIGITS = 4
_READING = threading.Lock()
"""Held while a network reads: two at once would take twice as long, and read the same."""


@dataclass(frozen=True, slots=True)
class LineSample:
    """Which of a word's occurrences are looked at: a random sample, the same for a seed.

    A smaller sample of the same seed is a part of a larger one.
    """

    size: int | None = None  # None for all, or as many as the limits allow
    seed: int = 0
    # Other words whose occurrences count as the word's, with its senses: its inflected forms. In
    # them * stands for any letters.
    forms: tuple[str, ...] = ()


EVERYTHING = LineSample()
MOST_FITTING = 200
"""Words that a form with a wildcard may stand for."""
_ANY = "*"
_FEWEST_LETTERS = 2
_FITTING: Kept[BoundedCache[tuple[int, ...]]] = Kept(lambda _: BoundedCache(32))


def ids_of_forms(opened: OpenModel, key: str) -> list[int]:
    """The corpus's ids of a word and its forms; `WordNotFoundError` where none occurs."""
    corpus = opened.require_corpus("looking at contexts")
    if not opened.is_in_corpus(key):
        suggestions = tuple(found.word for found in suggest_words(opened, key))
        raise limits.WordNotFoundError(tell_absence(opened, key), suggestions)
    return corpus.ids_of_forms(key)


def choose_positions(
    opened: OpenModel, key: str, sample: LineSample, most: int | None = None
) -> Indices:
    """Positions of a word's occurrences that are looked at, in text order: not more than most."""
    corpus = opened.require_corpus("looking at lines")
    parts = [corpus.positions(word_id) for word_id in _ids_of_sample(opened, key, sample)]
    positions = parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts))
    bounds = [bound for bound in (sample.size, most) if bound is not None]
    return sample_positions(
        positions, min(bounds, default=None), samples.word_seeds(key, sample.seed)
    )


def count_occurrences(opened: OpenModel, key: str, sample: LineSample) -> int:
    """How often a word and its other forms occur."""
    corpus = opened.require_corpus("looking at lines")
    return int(corpus.vocabulary.counts[_ids_of_sample(opened, key, sample)].sum())


def _ids_of_sample(opened: OpenModel, key: str, sample: LineSample) -> list[int]:
    found = ids_of_forms(opened, key)
    for form in sample.forms:
        if _ANY in form:
            found = [*found, *_find_fitting(opened, form)]
        else:
            found = [*found, *ids_of_forms(opened, opened.key_of(form))]
    return list(dict.fromkeys(found))


def list_forms(opened: OpenModel, key: str, sample: LineSample) -> tuple[str, ...]:
    """The other words whose occurrences count as a word's, where some are named by ``run*``."""
    if not any(_ANY in form for form in sample.forms):
        return ()
    words = opened.require_corpus("looking at lines").vocabulary.words
    own = ids_of_forms(opened, key)
    return tuple(words[i] for i in _ids_of_sample(opened, key, sample) if i not in own)


def _find_fitting(opened: OpenModel, form: str) -> list[int]:
    """The corpus's ids of the words that ``run*`` stands for, the most frequent first."""
    corpus = opened.require_corpus("looking at lines")
    letters = normalize_text(form)
    if corpus.tokenizer.lowercase:
        letters = letters.lower()
    if len(letters.replace(_ANY, "")) < _FEWEST_LETTERS:
        raise limits.ConflictError(
            f"{form!r} fits too much: name {_FEWEST_LETTERS} letters or more"
        )

    def find() -> tuple[int, ...]:
        words = corpus.vocabulary.words
        compiled = compile_pattern(re.escape(letters).replace(re.escape(_ANY), ".*"))
        end = time.monotonic() + opened.limits.work.pattern_seconds
        try:
            return tuple(find_fitting(compiled, words, range(len(words)), end))
        except SlowPatternError as error:
            raise limits.TooMuchError(str(error)) from error

    found = _FITTING.of(opened).get_or_make(letters, find)
    if not found:
        raise limits.WordNotFoundError(f"no word of the corpus fits {form[:80]!r}")
    if len(found) > MOST_FITTING:
        raise limits.TooMuchError(
            f"{form[:80]!r} fits {len(found):,} words, {MOST_FITTING} are the most: name more "
            "letters"
        )
    return list(found)


def _size_of(sample: WordSample) -> int:
    contexts = sample.contexts
    return sample.bases.nbytes + contexts.context_ids.nbytes + contexts.positions.nbytes


_SAMPLES: Kept[BoundedCache[WordSample]] = bound_bytes(lambda memory: memory.sample_bytes, _size_of)


def sample_word(opened: OpenModel, word: str, max_contexts: int) -> WordSample:
    """A random sample of a word's contexts: the one that inducing its senses would take.

    Raises `NoCorpusError`, `WordNotFoundError`.
    """
    corpus = opened.require_corpus("looking at contexts")
    key = opened.key_of(word)

    def make() -> WordSample:
        ids_of_forms(opened, key)
        settings = replace(opened.settings, max_contexts=max_contexts)
        positions = samples.draw_positions(key, corpus, settings)
        encoded = EncodedWord(positions, encode_lines(opened, key, positions, until=0.6))
        return samples.complete_sample(key, encoded, corpus, opened.base.encoder)

    sample = _SAMPLES.of(opened).get_or_make((key, max_contexts), make)
    checkpoint(0.6)
    return sample


def sample_for_counts(opened: OpenModel, key: str) -> WordSample:
    """The contexts in which a word is counted: as many as the model looked at, the same ones."""
    most = min(opened.settings.max_contexts, opened.limits.work.contexts)
    sample = sample_word(opened, key, most)
    if not len(sample.contexts):
        raise limits.ConflictError(f"no occurrence of {key!r} has known words enough around it")
    return sample


_READ: Kept[BoundedCache[EncodedWord]] = bound_bytes(
    lambda memory: memory.line_bytes, lambda read: read.positions.nbytes + read.bases.nbytes
)


def encode_lines(opened: OpenModel, key: str, positions: Indices, until: float = 1.0) -> Floats:
    """(n, rank, dim) bases of a word's occurrences; those that are kept are not read again.

    The (n,) positions are in text order; ``until`` is the share of all work that is done then.
    """
    encoder = opened.base.encoder
    if not encoder.worth_keeping:
        return encoder.encode_at(opened.require_corpus("looking at lines"), positions)
    while not _READING.acquire(timeout=_WAIT):
        checkpoint(0.0)
    try:
        return _read_missing(opened, key, positions, until)
    finally:
        _READING.release()


def _read_missing(opened: OpenModel, key: str, positions: Indices, until: float) -> Floats:
    corpus = opened.require_corpus("looking at lines")
    encoder = opened.base.encoder
    kept = _READ.of(opened).get(key)
    if kept is None:
        nothing = np.empty((0, encoder.shape.rank, encoder.vectors.dim), np.float32)
        kept = EncodedWord(np.empty(0, np.int64), nothing)
    missing = np.setdiff1d(positions, kept.positions, assume_unique=True)
    parts = []
    try:
        for start in range(0, len(missing), _AT_ONCE):
            checkpoint(until * start / len(missing))
            parts.append(encoder.encode_at(corpus, missing[start : start + _AT_ONCE]))
    except OutOfTimeError as error:
        n_read = len(positions) - len(missing) + sum(map(len, parts))
        raise OutOfTimeError(
            f"{n_read:,} of {len(positions):,} lines are read so far, the rest takes longer than "
            "is given at once: ask again to go on, or for a smaller sample"
        ) from error
    finally:
        if parts:
            bases = np.concatenate([kept.bases, *parts])
            both = np.concatenate([kept.positions, missing])[: len(bases)]
            order = np.argsort(both, kind="stable")
            kept = EncodedWord(both[order], bases[order])
            _READ.of(opened).put(key, kept)
    return kept.bases[np.searchsorted(kept.positions, positions)]


@dataclass(frozen=True, slots=True)
class MeasuredWord:
    """Distances of a word's occurrences."""

    positions: Indices  # (n,) in text order
    distances: Floats  # (n, n_senses), NaN with too few known words around
    senses: NDArray[np.int16]  # (n,) number of the nearest sense, 0 where it is too far
    confidence: Floats  # (n,)

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


def measure_word(
    opened: OpenModel, key: str, directions: Floats, sample: LineSample = EVERYTHING
) -> MeasuredWord:
    """Distances of all occurrences of a word, or of a sample of many; long, but the first time."""

    def make() -> MeasuredWord:
        begin_long_work()
        most = opened.limits.work.measured_lines
        if sample.size is None and opened.base.encoder.worth_keeping:
            most = min(most, opened.limits.work.encoded_lines)
        positions = choose_positions(opened, key, sample, most)
        return measure_positions(opened, key, positions, directions)

    return _MEASURED.of(opened).get_or_make((key, digest_of_array(directions), sample), make)


def measure_positions(
    opened: OpenModel, key: str, positions: Indices, directions: Floats
) -> MeasuredWord:
    """Distances of occurrences at given positions, which are in text order."""
    n = len(positions)
    if n == 0 or len(directions) == 0:
        nothing = np.empty((n, len(directions)), np.float32)
        return MeasuredWord(positions, nothing, np.zeros(n, np.int16), np.zeros(n, np.float32))
    model = opened.current
    if model.encoder.worth_keeping:
        distances = model.measure_bases(encode_lines(opened, key, positions), directions)
    else:
        corpus = opened.require_corpus("looking at lines")
        distances = model.measure_at(corpus, positions, directions, checkpoint)
    return MeasuredWord(positions, distances, *tell_senses(model, key, distances))


def tell_senses(model: SenseModel, key: str, distances: Floats) -> tuple[NDArray[np.int16], Floats]:
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
    reason : str
        Why it has no occurrences, where it has none: a corpus may keep frequent words alone.
    """

    word: str
    corpus: str
    count: int
    n_contexts: int
    shares: tuple[float, ...]
    reason: str = ""


def count_in_corpus(opened: OpenModel, word: str) -> CorpusCounts:
    """Count a word of the model in the corpus: every context belongs to its nearest sense.

    The counts stand beside the model's own, and are never mixed with them.
    """
    begin_long_work()
    corpus = opened.require_corpus("counting a word")
    now = opened.now
    key = require_word(opened, word)
    name = name_corpus(corpus).name
    count = corpus.count_of(key) if opened.is_in_corpus(key) else 0
    if not count:
        return CorpusCounts(key, name, 0, 0, (), tell_absence(opened, key))
    edited = now.edits.get(key) or EditedWord.start(opened.base, key)
    sample = sample_for_counts(opened, key)
    n_contexts = len(sample.contexts)
    nearest = sample.measure(edited.entry.directions).argmin(axis=1)
    sizes = np.bincount(nearest, minlength=edited.entry.n_senses)
    shares = tuple(round(float(size) / n_contexts, _DIGITS) for size in sizes)
    return CorpusCounts(key, name, count, n_contexts, shares)
