"""What the explorer looks at: a model, where given a corpus, and corrections not saved yet."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from grassmeans.clustering.settings import InductionSettings
from grassmeans.corpus.corpus import Corpus
from grassmeans.editing.edited_words import EditedWord, apply_edits
from grassmeans.explorer.limits import Limits, NoCorpusError, StaleError
from grassmeans.labelling.targets import find_targets
from grassmeans.lexemes.lexeme_vectors import LexemeVectors, open_lexemes
from grassmeans.models.model import SenseModel, load
from grassmeans.models.origin import relate_corpus
from grassmeans.senses.samples import WordSample
from grassmeans.vectors.spelling import SpellingIndex
from grassmeans.vectors.word_forms import WordForms

if TYPE_CHECKING:
    from grassmeans.change.grouping import GroupedDocuments
    from grassmeans.explorer.queries.change import ChangedWords
    from grassmeans.explorer.queries.encoding import EncodedLines
    from grassmeans.explorer.queries.induction import InducedWord
    from grassmeans.explorer.queries.measuring import MeasuredWord
    from grassmeans.explorer.queries.tagging import SenseName
    from grassmeans.explorer.queries.words import Line, WordView
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_MANY = 1 << 16  # entries of caches that are bounded by their size
_MANY_NAMES = 4096
_FEW_GROUPINGS = 8


@dataclass(frozen=True, slots=True)
class Corrected:
    """The model with corrections, as it is at one moment; never changed, only replaced.

    Attributes
    ----------
    model : SenseModel
        With the corrections in it.
    edits : mapping of str to EditedWord
        The corrected words, and those whose corrections were all undone and may be made again.
    """

    model: SenseModel
    edits: Mapping[str, EditedWord] = field(default_factory=dict)
    revisions: Mapping[str, int] = field(default_factory=dict)

    def revision(self, word: str) -> int:
        """A number that changes whenever the senses of a word do; 0 for the model's own."""
        return self.revisions.get(word, 0)


class OpenModel:
    """A model that can be asked and corrected; safe to use from several threads.

    Attributes
    ----------
    base : SenseModel
        As it was opened.
    corpus : Corpus or None
    limits : Limits
    relation : str
        What the corpus is to the model, as `relate_corpus` tells it; empty without one.
    save_to : Path or None
        Where new versions go; None for beside the model.
    samples, distances, lines, searches, stored, inductions, views, groups, names : BoundedCache
        What was worked out for the words looked at last.
    changes : ChangedWords or None
        The words that changed most, of a report that was made before.
    saving : Lock
        Held while a version is saved.
    saved : dict of str to (int, str)
        The revision of each word that was saved last, and the name of the version; guarded by
        ``saving``.
    reading : Lock
        Held while a network reads lines: two at once would take twice as long, and read the same.
    """

    def __init__(
        self,
        base: SenseModel,
        corpus: Corpus | None = None,
        limits: Limits | None = None,
        save_to: Path | None = None,
    ) -> None:
        self.base = base
        self.corpus = corpus
        self.limits = limits or Limits()
        self.save_to = save_to
        if corpus is not None:
            find_targets(corpus, base)  # refuses a corpus that does not fit the model
        self.relation = "" if corpus is None else relate_corpus(base, corpus)
        memory = self.limits.memory
        self.samples: BoundedCache[WordSample] = BoundedCache(
            _MANY, memory.sample_bytes, _size_of_sample
        )
        self.distances: BoundedCache[MeasuredWord] = BoundedCache(
            _MANY, memory.distance_bytes, lambda measured: measured.n_bytes
        )
        self.lines: BoundedCache[EncodedLines] = BoundedCache(
            _MANY, memory.line_bytes, lambda encoded: encoded.n_bytes
        )
        self.searches: BoundedCache[NDArray[np.bool_]] = BoundedCache(
            _MANY, memory.search_bytes, lambda found: found.nbytes
        )
        self.stored: BoundedCache[tuple[Line, ...]] = BoundedCache(memory.inductions)
        self.inductions: BoundedCache[InducedWord] = BoundedCache(memory.inductions)
        self.views: BoundedCache[WordView] = BoundedCache(memory.words)
        self.groups: BoundedCache[GroupedDocuments] = BoundedCache(_FEW_GROUPINGS)
        self.changes: ChangedWords | None = None
        self.names: BoundedCache[tuple[SenseName, ...]] = BoundedCache(_MANY_NAMES)
        self.saving = threading.Lock()
        self.saved: dict[str, tuple[int, str]] = {}
        self.reading = threading.Lock()
        self._changing = threading.Lock()
        self._last_revision = 0
        self._now = Corrected(base)

    @classmethod
    def open(
        cls,
        model: str | Path,
        corpus: str | Path | None = None,
        limits: Limits | None = None,
        save_to: str | Path | None = None,
    ) -> OpenModel:
        """Open a model by its folder or name, and a corpus: its own, or another one."""
        return cls(
            load(model),
            None if corpus is None else Corpus.open(corpus),
            limits,
            None if save_to is None else Path(save_to),
        )

    @property
    def name(self) -> str:
        """The name of the model's folder."""
        return self.base.folder.resolve().name if self.base.folder else "model"

    @property
    def now(self) -> Corrected:
        """The model with the corrections made so far; what belongs together comes from one."""
        return self._now

    @property
    def current(self) -> SenseModel:
        """The model of this moment."""
        return self._now.model

    def change_word(self, word: str, edited: EditedWord, revision: int) -> None:
        """Put corrections of a word in the place of earlier ones.

        `StaleError` where the word is not at ``revision`` any more.
        """
        with self._changing:
            if self._now.revision(word) != revision:
                raise StaleError(word)
            edits = dict(self._now.edits)
            revisions = dict(self._now.revisions)
            self._last_revision += 1
            edits.pop(word, None)
            revisions.pop(word, None)
            if edited.edits:
                revisions[word] = self._last_revision
            if len(edits) >= self.limits.memory.edited_words:  # what was undone goes first
                edits = {key: other for key, other in edits.items() if other.edits}
            if edited.edits or edited.undone:
                edits[word] = edited
            model = apply_edits(self.base, edits) if edits else self.base
            self._now = Corrected(model, edits, revisions)

    @property
    def words_by_count(self) -> tuple[str, ...]:
        """The words there are now: the model's, frequent ones first, and those that were added."""
        edits = self._now.edits.items()
        added = (w for w, edited in edits if edited.entry.senses and not edited.original.senses)
        return (*self._base_by_count, *added)

    @cached_property
    def _base_by_count(self) -> tuple[str, ...]:
        """The model's words, frequent ones first as its vectors tell; else in its own order."""
        words = self.base.words
        counts = self.base.vectors.counts
        if counts is None:
            return words
        rows = self.base.vectors.ids_of(words)
        known = np.where(rows >= 0, np.asarray(counts, np.int64)[rows], 0)
        return tuple(words[i] for i in np.argsort(-known, kind="stable"))

    @cached_property
    def spelling(self) -> SpellingIndex:
        """The model's words by their letters."""
        words, vectors = self.base.words, self.base.vectors
        if vectors.counts is None:
            return SpellingIndex(words)
        rows = vectors.ids_of(words)
        return SpellingIndex(words, np.where(rows >= 0, np.asarray(vectors.counts)[rows], 0))

    @cached_property
    def forms(self) -> WordForms:
        """Which words are forms of which; it takes a second or so to learn."""
        return WordForms(self.base.vectors)

    @cached_property
    def lexemes(self) -> LexemeVectors | None:
        """The model's lexemes, where it has vectors of them."""
        return open_lexemes(self.base)

    @cached_property
    def settings(self) -> InductionSettings:
        """How the model's senses were induced; what it does not tell is the default."""
        return replace(self.base.settings, max_senses=self.limits.work.senses)

    def require_corpus(self, purpose: str) -> Corpus:
        """The corpus, or `NoCorpusError` that names what it is needed for."""
        if self.corpus is None:
            raise NoCorpusError(purpose)
        return self.corpus

    def key_of(self, word: str) -> str:
        """A word as the model spells it: in lower case, say."""
        return self.base.spell(word)


def _size_of_sample(sample: WordSample) -> int:
    contexts = sample.contexts
    return sample.bases.nbytes + contexts.context_ids.nbytes + contexts.positions.nbytes


Value = TypeVar("Value")


class BoundedCache(Generic[Value]):
    """Keeps the results used last, up to a number of entries and a sum of sizes.

    Safe to use from several threads. Two that miss the same key at once both make the value;
    nobody waits for anybody.

    Parameters
    ----------
    entries : int
    size : int, optional
        Bound of the sum of ``size_of(value)``. A value that alone is larger is not kept.
    size_of : callable, optional
        1 for every value by default.
    """

    def __init__(
        self, entries: int, size: int | None = None, size_of: Callable[[Value], int] | None = None
    ) -> None:
        self._most = entries
        self._bound = entries if size is None else size
        self._size_of: Callable[[Value], int] = size_of or (lambda value: 1)
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    @property
    def size(self) -> int:
        """The sum of the sizes of what is kept."""
        return self._size

    def get(self, key: Hashable) -> Value | None:
        """The value of a key, or None; it counts as used."""
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def put(self, key: Hashable, value: Value) -> None:
        """Keep a value; the ones not used for longest go where there is no room."""
        size = self._size_of(value)
        with self._lock:
            if key in self._values:
                self._size -= self._values.pop(key)[1]
            if size > self._bound:
                return
            self._values[key] = (value, size)
            self._size += size
            while self._size > self._bound or len(self._values) > self._most:
                _, (_, gone) = self._values.popitem(last=False)
                self._size -= gone

    def get_or_make(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key, made where it is not there; an error is not remembered."""
        found = self.get(key)
        if found is not None:
            return found
        value = make()
        self.put(key, value)
        return value

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._values.clear()
            self._size = 0
