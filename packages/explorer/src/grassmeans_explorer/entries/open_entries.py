"""The entries of a model that is open: read by everybody, written by the process that holds them.

They are held from the first change on, until the explorer ends. Before that others may write them:
the journal is read again where it has changed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from grassmeans.errors import ArtifactError, GrassmeansError, InputError
from grassmeans.models.model import load
from grassmeans_explorer.editing.saving import place_beside
from grassmeans_explorer.entries.entry import DictionaryEntry
from grassmeans_explorer.entries.following import ModelNumbers, follow_entry, root_of
from grassmeans_explorer.entries.proposals import add_missing_senses
from grassmeans_explorer.entries.store import (
    EntryStore,
    WrittenEntry,
    carry_entries,
    find_journal,
    read_journal,
)
from grassmeans_explorer.limits import ConflictError, Kept, WordNotFoundError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.adjudicating import RefitResult, refit_from_lines
from grassmeans_explorer.queries.asking.typed import understand_typed
from grassmeans_explorer.queries.corrections import SavedVersion, save_corrections
from grassmeans_explorer.queries.words import require_word
from grassmeans_explorer.querying.headwords import LONGEST_TYPED, PHRASE

Written = Mapping[str, WrittenEntry]


class OpenEntries:
    """The entries of an open model; safe to use from several threads."""

    def __init__(self, opened: OpenModel) -> None:
        self.folder: Path | None = None  # where they are; None for beside the model
        self._opened = opened
        self._store: EntryStore | None = None
        self._read: tuple[tuple[int, int], Written] = (0, 0), {}
        self._changing = threading.RLock()
        self._is_closed = False

    @property
    def why_not(self) -> str:
        """Why nothing can be written; empty where it can, as far as is known."""
        if self._opened.read_only:
            return "the explorer was started with --read-only"
        return "the model is in no folder" if self._opened.base.folder is None else ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was found when they were taken up, for people."""
        return () if self._store is None else tuple(self._store.remarks)

    @property
    def written(self) -> Written:
        """What was written, word by word."""
        if self._store is not None:
            return self._store.written
        if self._opened.base.folder is None:
            return {}
        try:
            return self._look()
        except FileNotFoundError:
            return {}
        except (ArtifactError, InputError):
            # Who takes the file up sets it aside, so that one can go on.
            with self.changing() as store:
                return store.written

    def _look(self) -> Written:
        """What the journal has, which nobody here holds."""
        base = self._opened.base
        path = find_journal(base, self.folder)
        about = path.stat()
        stamp = about.st_mtime_ns, about.st_size
        if self._read[0] != stamp:
            self._read = stamp, read_journal(path, root_of(base))[1]
        return self._read[1]

    def find(self, word: str) -> WrittenEntry:
        """What was written of a word."""
        return self.written.get(word, WrittenEntry())

    @contextmanager
    def changing(self) -> Iterator[EntryStore]:
        """Hold the entries, and let nobody else change them meanwhile.

        `ConflictError` where nothing can be written, or another process holds them.
        """
        with self._changing:
            if self.why_not or self._is_closed:
                reason = self.why_not or "the explorer is stopping"
                raise ConflictError(f"entries cannot be written: {reason}")
            if self._store is None:
                try:
                    self._store = EntryStore(self._opened.base, self.folder)
                except InputError as error:
                    raise ConflictError(str(error)) from error
                except OSError as error:
                    reason = error.strerror or str(error)
                    raise ConflictError(f"entries cannot be written: {reason}") from error
            yield self._store

    def close(self) -> None:
        """Let others have them."""
        with self._changing:
            self._is_closed = True
            if self._store is not None:
                self._store.close()


ENTRIES = Kept(OpenEntries)


def find_key(opened: OpenModel, word: str) -> str:
    """The word as entries and the model spell it, or what the corpus alone has: a word, a phrase.

    `WordNotFoundError` where nobody has it.
    """
    written = ENTRIES.of(opened).written
    for spelt in (word, opened.key_of(word)):
        if spelt in written and written[spelt].states:
            return spelt
    try:
        return require_word(opened, word)
    except WordNotFoundError:
        found = _find_in_corpus(opened, word, written)
        if found is None:
            raise
        return found


def _find_in_corpus(opened: OpenModel, word: str, written: Written) -> str | None:
    """A word of the corpus, or a phrase as it was typed first; None for neither."""
    if opened.corpus is None or len(word) > LONGEST_TYPED:
        return None
    try:
        found = understand_typed(opened, word)
    except ConflictError:  # a corpus that has no words to be looked for
        return None
    if not found.count:
        return None
    if found.kind != PHRASE:
        return found.word
    plain = " ".join(word.split())
    alike = (one for one in written if one.casefold() == plain.casefold() and written[one].states)
    return next(alike, plain)


def take_entry(written: WrittenEntry, key: str, numbers: ModelNumbers) -> DictionaryEntry:
    """The entry for the senses of this moment; where nothing is written, with these senses."""
    if written.entry is not None:
        return follow_entry(written.entry, numbers).entry
    entry = DictionaryEntry(key, numbering=numbers.find(key))
    known = numbers.senses_of(key)
    return entry if known is None else add_missing_senses(entry, known)


def save_with_entries(opened: OpenModel, name: str | None = None) -> SavedVersion:
    """Save corrections as a new version, which has the entries of the model too."""
    return _carry_along(opened, save_corrections(opened, name))


def refit_with_entries(
    opened: OpenModel, project: str, version: str | None = None, token: str = ""
) -> RefitResult:
    """Give the decided lines of an annotation to their senses, in a version with the entries."""
    found = refit_from_lines(opened, project, version, token)
    return replace(found, version=_carry_along(opened, found.version))


def _carry_along(opened: OpenModel, saved: SavedVersion) -> SavedVersion:
    place = (opened.save_to or place_beside(opened.base)) / saved.saved_to
    entries = ENTRIES.of(opened)
    if opened.base.folder is None:  # it has no entries
        return saved
    try:
        carry_entries(opened.base, load(place), entries.folder)
    except (GrassmeansError, OSError) as error:
        own = find_journal(opened.base, entries.folder).name
        return saved.with_remark(f"the entries in {own} were not carried along: {error}")
    return saved
