"""What the explorer looks at: a model, where given a corpus, and corrections not saved yet."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.clustering.settings import InductionSettings
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import StorageError, UnknownWordError
from grassmeans.labelling.measuring import find_targets
from grassmeans.lexemes.lexeme_vectors import LexemeVectors, open_lexemes
from grassmeans.models.model import SenseModel, load
from grassmeans.models.origin import relate_corpus
from grassmeans.models.places import installed_name
from grassmeans_explorer.drafts import SAVED, Draft, make_step
from grassmeans_explorer.editing.edited_words import EditedWord, apply_edits
from grassmeans_explorer.editing.saving import name_model
from grassmeans_explorer.journals import Step
from grassmeans_explorer.limits import ConflictError, Kept, Limits, NoCorpusError, StaleError

if TYPE_CHECKING:
    from grassmeans_explorer.grammar.layer import GrammarLayer
    from grassmeans_explorer.queries.documents import ChangedWords
    from grassmeans_explorer.queries.shelf import Shelf


@dataclass(frozen=True, slots=True)
class Corrected:
    """The model with corrections, as it is at one moment; never changed, only replaced."""

    model: SenseModel  # with the corrections in it
    # The corrected words, and those whose corrections were all undone and may be made again.
    edits: Mapping[str, EditedWord] = field(default_factory=dict)
    revisions: Mapping[str, int] = field(default_factory=dict)
    n_steps: int = 0  # that led here: corrections, and what was undone and done again
    n_discards: int = 0  # how often all corrections were taken back before

    def revision(self, word: str) -> int:
        """A number that changes whenever the senses of a word do; 0 for the model's own."""
        return self.revisions.get(word, 0)


class OpenModel:
    """A model that can be asked and corrected; safe to use from several threads."""

    def __init__(
        self,
        base: SenseModel,
        corpus: Corpus | None = None,
        limits: Limits | None = None,
        save_to: Path | None = None,
    ) -> None:
        self.base = base  # as it was opened
        # Its words have the occurrences of all their forms, where the model knows these.
        self.corpus = None if corpus is None else base.pool_forms(corpus)
        self.limits = limits or Limits()
        self.save_to = save_to  # where new versions go; None for beside the model
        if corpus is not None:
            find_targets(corpus, base)  # refuses a corpus that does not fit the model
        # What the corpus is to the model; empty without one.
        self.relation = "" if corpus is None else relate_corpus(base, corpus)
        # The words that changed most, of a report that was made before.
        self.changes: ChangedWords | None = None
        self.annotations: Shelf | None = None  # lines that several people judge
        self.grammar: GrammarLayer | None = None  # of the corpus, where one was given
        self.kept: dict[Kept[Any], Any] = {}  # what queries keep of it
        self.saving = threading.Lock()  # held while a version is saved
        # The revision of each word that was saved last, and the name of the version; guarded by
        # ``saving``.
        self.saved: dict[str, tuple[int, str]] = {}
        self.draft: Draft | None = None  # where corrections are kept that are not saved yet
        self.not_kept = "drafts are not asked for"  # why they are not, where there is no draft
        self.read_only = False  # whether nothing may be written, versions neither
        self.n_found = 0  # corrections of an earlier visit, until they are saved or discarded
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
        """That of an installed model, as it was asked for; else the name of the model's folder."""
        folder = self.base.folder
        return (folder and installed_name(folder)) or name_model(self.base)

    @property
    def now(self) -> Corrected:
        """The model with the corrections made so far; what belongs together comes from one."""
        return self._now

    @property
    def current(self) -> SenseModel:
        """The model of this moment."""
        return self._now.model

    def change_word(self, word: str, edited: EditedWord, revision: int, step: Step) -> None:
        """Put corrections of a word in the place of earlier ones, once the draft has the step.

        `StaleError` where the word is not at ``revision`` any more.
        """
        with self._changing:
            if self._now.revision(word) != revision:
                raise StaleError(word)
            if self.draft is not None:
                self.draft.append(step)
            self._settle(self._put(self._now, word, edited))

    def _put(self, now: Corrected, word: str, edited: EditedWord) -> Corrected:
        """What is corrected after a word was changed; the model does not have it yet."""
        edits, revisions = dict(now.edits), dict(now.revisions)
        self._last_revision += 1
        edits.pop(word, None)
        revisions.pop(word, None)
        if edited.edits:
            revisions[word] = self._last_revision
        if len(edits) >= self.limits.memory.edited_words:  # what was undone goes first
            edits = {key: other for key, other in edits.items() if other.edits}
        if edited.edits or edited.undone:
            edits[word] = edited
        return replace(now, edits=edits, revisions=revisions, n_steps=now.n_steps + 1)

    def _settle(self, now: Corrected) -> None:
        model = apply_edits(self.base, now.edits) if now.edits else self.base
        self._now = replace(now, model=model)

    def replay(self, steps: Sequence[Step], path: Path) -> None:
        """Make the steps of a draft again, on the model as it was opened.

        `ArtifactError` or `InputError` where one does not fit.
        """
        with self._changing:
            now = Corrected(self.base)
            for step in steps:
                if step["action"] == SAVED:
                    known = now.revisions.items()  # as many as steps, from 1 on
                    self.saved = {w: (r, step["version"]) for w, r in known if r <= step["n_steps"]}
                    continue
                word = step["word"]
                edited = now.edits.get(word) or EditedWord.start(self.base, word)
                now = self._put(now, word, make_step(edited, step, self.base, path))
            self._settle(now)
            self.n_found = self.n_corrections

    def note_saved(self, now: Corrected, words: Iterable[str], version: str) -> None:
        """Remember which version has the corrections of a moment; the draft of them is settled."""
        with self._changing:
            if now.n_discards != self._now.n_discards:
                return  # they were discarded meanwhile: a draft of others has begun
            if self.draft is not None:
                step = {"action": SAVED, "version": version, "n_steps": now.n_steps}
                with contextlib.suppress(StorageError):  # then the draft is found once more
                    self.draft.append(step)
            self.saved = {word: (now.revision(word), version) for word in words}
            self.n_found = 0

    def discard(self, n_corrections: int) -> None:
        """Take all corrections back; the draft is kept, as ``.old``.

        `ConflictError` where there are not so many.
        """
        with self._changing:
            if n_corrections != self.n_corrections:
                raise ConflictError(
                    f"there are {self.n_corrections} corrections now, not {n_corrections}: look at "
                    "them again"
                )
            if self.draft is not None:
                self.draft.begin_anew()
            self.forget_all()

    def forget_all(self) -> None:
        """Be as the model was opened."""
        self._now = Corrected(self.base, n_discards=self._now.n_discards + 1)
        self.saved = {}
        self.n_found = 0

    @property
    def n_corrections(self) -> int:
        """How many corrections are in force."""
        return sum(len(edited.edits) for edited in self._now.edits.values())

    @property
    def n_unsaved(self) -> int:
        """How many corrections are of words that no version has as they are now."""
        now, saved = self._now, self.saved
        return sum(
            len(edited.edits)
            for word, edited in now.edits.items()
            if edited.edits and saved.get(word, (0, ""))[0] != now.revision(word)
        )

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

    @property
    def no_directions(self) -> Floats:
        """(0, dim) the directions of a word without senses."""
        return np.empty((0, self.base.vectors.dim), np.float32)

    def is_in_corpus(self, key: str) -> bool:
        """Whether there is a corpus in which a word occurs."""
        if self.corpus is None:
            return False
        try:
            return bool(self.corpus.ids_of_forms(key))
        except UnknownWordError:
            return False

    def key_of(self, word: str) -> str:
        """A word as the model spells it: in lower case, say."""
        return self.base.spell(word)
