"""What the explorer looks at: a model, where given its corpus, and corrections not saved yet."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.tokenizer import normalize_text
from grassmeans.explorer.caching import BoundedCache
from grassmeans.explorer.failures import NoCorpusError
from grassmeans.explorer.limits import Limits
from grassmeans.labelling.targets import find_targets
from grassmeans.lexemes.lexeme_vectors import LexemeVectors, open_lexemes
from grassmeans.senses.edited_words import EditedWord, apply_edits
from grassmeans.senses.editing import WordSample
from grassmeans.senses.model import SenseModel, load
from grassmeans.senses.settings import InductionSettings

if TYPE_CHECKING:
    from grassmeans.explorer.queries.concordance import MeasuredWord
    from grassmeans.explorer.queries.induction import InducedWord
    from grassmeans.explorer.queries.tagging import SenseName
    from grassmeans.explorer.queries.words import WordView

_MANY = 1 << 16  # entries of caches that are bounded by their size
_MANY_NAMES = 4096


class OpenModel:
    """A model that can be asked and corrected; safe to use from several threads.

    Attributes
    ----------
    base : SenseModel
        As it was opened.
    corpus : Corpus or None
    limits : Limits
    save_to : Path or None
        Where new versions go; None for beside the model.
    samples, distances, inductions, views, names : BoundedCache
        What was worked out for the words looked at last.
    correcting : Lock
        Held while a correction is made.
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
        memory = self.limits.memory
        self.samples: BoundedCache[WordSample] = BoundedCache(
            _MANY, memory.sample_bytes, _size_of_sample
        )
        self.distances: BoundedCache[MeasuredWord] = BoundedCache(
            _MANY, memory.distance_bytes, lambda measured: measured.n_bytes
        )
        self.inductions: BoundedCache[InducedWord] = BoundedCache(memory.inductions)
        self.views: BoundedCache[WordView] = BoundedCache(memory.words)
        self.names: BoundedCache[tuple[SenseName, ...]] = BoundedCache(_MANY_NAMES)
        self.correcting = threading.Lock()
        self._lock = threading.Lock()
        self._edits: dict[str, EditedWord] = {}
        self._revisions: dict[str, int] = {}
        self._last_revision = 0
        self._current = base

    @classmethod
    def open(
        cls,
        model: str | Path,
        corpus: str | Path | None = None,
        limits: Limits | None = None,
        save_to: str | Path | None = None,
    ) -> OpenModel:
        """Open a model by its folder or name, and its corpus."""
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
    def current(self) -> SenseModel:
        """The model with the corrections made so far."""
        return self._current

    @property
    def edits(self) -> Mapping[str, EditedWord]:
        """The corrected words."""
        return MappingProxyType(self._edits)

    def revision(self, word: str) -> int:
        """A number that changes whenever the senses of a word do; 0 for the model's own."""
        return self._revisions.get(word, 0)

    def change_word(self, word: str, edited: EditedWord | None) -> None:
        """Put corrections of a word in the place of earlier ones; None takes them all back."""
        with self._lock:
            edits = dict(self._edits)
            revisions = dict(self._revisions)
            self._last_revision += 1
            if edited is None:
                edits.pop(word, None)
                revisions.pop(word, None)
            else:
                edits[word] = edited
                revisions[word] = self._last_revision
            self._edits, self._revisions = edits, revisions
            self._current = apply_edits(self.base, edits) if edits else self.base

    @cached_property
    def words_by_count(self) -> tuple[str, ...]:
        """The model's words, frequent ones first as its vectors tell; else in its own order."""
        words = self.base.words
        counts = self.base.vectors.counts
        if counts is None:
            return words
        rows = self.base.vectors.ids_of(words)
        known = np.where(rows >= 0, np.asarray(counts, np.int64)[rows], 0)
        return tuple(words[i] for i in np.argsort(-known, kind="stable"))

    @cached_property
    def lexemes(self) -> LexemeVectors | None:
        """The model's lexemes, where it has vectors of them."""
        return open_lexemes(self.base)

    @cached_property
    def settings(self) -> InductionSettings:
        """How the model's senses were induced; what it does not tell is the default."""
        known = {field.name for field in fields(InductionSettings)}
        told = self.base.manifest.get("settings", {})
        rules = self.base.rules
        settings = InductionSettings(**{k: v for k, v in told.items() if k in known})
        return replace(
            settings,
            window=rules.window,
            rank=rules.rank,
            weighting=rules.weighting,
            drop_repeats=rules.drop_repeats,
            max_senses=self.limits.work.senses,
        )

    @cached_property
    def row_of_token(self) -> NDArray[np.int32]:
        """(n_types,) row of every word of the corpus in the vectors, -1 for those left out."""
        vocabulary = self.require_corpus("this").vocabulary
        rows = self.base.vectors.ids_of(vocabulary.words)
        function_ids = vocabulary.ids_of(sorted(self.base.rules.function_words))
        rows[function_ids[function_ids >= 0]] = -1
        return rows

    def require_corpus(self, purpose: str) -> Corpus:
        """The corpus, or `NoCorpusError` that names what it is needed for."""
        if self.corpus is None:
            raise NoCorpusError(purpose)
        return self.corpus

    def key_of(self, word: str) -> str:
        """A word as the model spells it: in lower case, say."""
        keys = self.base.rules.tokenizer.tokenize(normalize_text(word))
        return keys[0] if len(keys) == 1 else normalize_text(word).strip()


def _size_of_sample(sample: WordSample) -> int:
    contexts = sample.contexts
    return sample.bases.nbytes + contexts.context_ids.nbytes + contexts.positions.nbytes
