"""Entries of an open model as files, and back: what a file would change is told before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from grassmeans.errors import InputError
from grassmeans_explorer.entries.entry import DictionaryEntry, Lexicon
from grassmeans_explorer.entries.following import ModelNumbers, settle_numbering
from grassmeans_explorer.entries.formats import encode_lexicon, read_lexicon
from grassmeans_explorer.entries.lexicon import fit_entries, gather_lexicon, put_lexicon
from grassmeans_explorer.entries.open_entries import ENTRIES, Written, find_key
from grassmeans_explorer.entries.store import WrittenEntry
from grassmeans_explorer.limits import ConflictError, NothingThereError, TooMuchError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.work import begin_long_work, checkpoint

NEW, OTHER, SAME = "new", "other", "same"
SHOWN_WORDS = 200
"""Of a file, as many are named."""


@dataclass(frozen=True, slots=True)
class ImportedWord:
    """What becomes of the entry of a word."""

    word: str
    state: str
    """"new", "other" (than what was written) or "same"."""
    in_model: bool


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What a file changes, or has changed.

    Attributes
    ----------
    n_new, n_other, n_same : int
        Entries that were not there; that replace another, which can be undone; and the same ones.
    words : tuple of ImportedWord
        The first of them, those that change first.
    latest : int
        The last revision of all entries: an import is made for it.
    done : bool
        Whether they are changed.
    """

    n_entries: int
    n_new: int
    n_other: int
    n_same: int
    words: tuple[ImportedWord, ...]
    remarks: tuple[str, ...]
    latest: int
    done: bool


def write_entries(opened: OpenModel, format: str, word: str = "", title: str = "") -> bytes:
    """The entry of a word, or all that are written, in a format."""
    begin_long_work()
    numbers = ModelNumbers.of_open(opened)
    words = [find_key(opened, word)] if word else None
    folder = ENTRIES.of(opened).folder
    written = ENTRIES.of(opened).written
    if not any(one.entry for key, one in written.items() if words is None or key in words):
        raise NothingThereError("there is no entry yet: write one first")
    checkpoint(0.2)
    lexicon = gather_lexicon(opened.base, words, folder, None, title or None, numbers)
    checkpoint(0.5)
    return encode_lexicon(lexicon, format)


def summarise_import(opened: OpenModel, content: str, format: str) -> ImportSummary:
    """What would change if the entries of a file were imported; nothing is changed."""
    begin_long_work()
    lexicon = _read(opened, content, format)
    checkpoint(0.5)
    written = ENTRIES.of(opened).written
    return _compare(opened, lexicon, written, ModelNumbers.of_open(opened))


def import_entries(opened: OpenModel, content: str, format: str, latest: int) -> ImportSummary:
    """Put the entries of a file in the place of those that are written; each can be undone.

    `ConflictError` where something was written since the summary, whose ``latest`` this is.
    """
    begin_long_work()
    lexicon = _read(opened, content, format)
    numbers = ModelNumbers.of_open(opened)
    checkpoint(0.5)
    with ENTRIES.of(opened).changing() as store:
        before = store.written
        if _find_latest(before) != latest:
            raise ConflictError("entries were changed meanwhile: look at the summary again")
        told = _compare(opened, lexicon, before, numbers)
        done = put_lexicon(store, lexicon, opened.base, numbers)
        now = _find_latest(store.written)
    return replace(told, remarks=done.remarks[:SHOWN_WORDS], latest=now, done=True)


def _read(opened: OpenModel, content: str, format: str) -> Lexicon:
    most = opened.limits.request.lexicon_characters
    if len(content) > most:
        raise TooMuchError(f"a file of entries has {most:,} characters at most here")
    try:
        return read_lexicon(content, format, Path("the file"))
    except InputError as error:
        raise ConflictError(str(error)) from error


def _compare(
    opened: OpenModel, lexicon: Lexicon, written: Written, numbers: ModelNumbers
) -> ImportSummary:
    entries, remarks = fit_entries(lexicon, opened.base)
    found = [_tell(entry, written, numbers) for entry in entries]
    states = [one.state for one in found]
    found.sort(key=lambda one: (one.state == SAME, one.state == NEW, one.word))
    missing = sum(not one.in_model for one in found)
    if missing:
        remarks.append(f"{missing:,} of these words have no senses in the model")
    return ImportSummary(
        n_entries=len(found),
        n_new=states.count(NEW),
        n_other=states.count(OTHER),
        n_same=states.count(SAME),
        words=tuple(found[:SHOWN_WORDS]),
        remarks=tuple(remarks),
        latest=_find_latest(written),
        done=False,
    )


def _tell(entry: DictionaryEntry, written: Written, numbers: ModelNumbers) -> ImportedWord:
    there = written.get(entry.word, WrittenEntry()).entry
    state = NEW if there is None else OTHER
    if there == settle_numbering(entry, numbers):
        state = SAME
    return ImportedWord(entry.word, state, entry.word in numbers.model.inventory)


def _find_latest(written: Written) -> int:
    return max((one.revision for one in written.values()), default=0)
