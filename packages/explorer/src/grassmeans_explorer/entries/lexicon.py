"""From a person's entries and proposals to a lexicon, and from a lexicon to a person's entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grassmeans.errors import InputError
from grassmeans.models.model import SenseModel
from grassmeans_explorer.editing.saving import name_model
from grassmeans_explorer.entries.entry import DictionaryEntry, Lexicon
from grassmeans_explorer.entries.following import (
    ModelNumbers,
    follow_entry,
    forget_numbering,
    root_of,
)
from grassmeans_explorer.entries.proposals import Material, propose_entry
from grassmeans_explorer.entries.store import EntryStore, read_entries, store_entries


def gather_lexicon(
    model: SenseModel,
    words: Sequence[str] | None = None,
    folder: str | Path | None = None,
    proposals: Material | None = None,
    title: str | None = None,
    numbers: ModelNumbers | None = None,
) -> Lexicon:
    """The entries of words as a lexicon, for the senses that the model has now.

    Parameters
    ----------
    words : sequence of str, optional
        By default all that have an entry; with proposals all words of the model.
    folder : path, optional
        Where the entries are; by default beside the model.
    proposals : Material, optional
        Fill what nobody has written yet.
    numbers : ModelNumbers, optional
        What senses are numbered by, where corrections are not saved yet.

    Raises
    ------
    InputError
        Where a word has no entry, and none is proposed.
    """
    numbers = numbers or ModelNumbers.of_model(model)
    written = {entry.word: entry for entry in read_entries(model, folder)}
    if words is None:
        chosen = dict.fromkeys((*written, *(model.words if proposals else ())))
    else:
        chosen = dict.fromkeys(w if w in written else model.spell(w) for w in words)
    entries: list[DictionaryEntry] = []
    remarks: list[str] = []
    for word in chosen:
        own = written.get(word)
        if own is not None:
            followed = follow_entry(own, numbers)
            remarks += [f"{word[:80]}: {remark}" for remark in followed.remarks]
            own = followed.entry
        if proposals is not None and (own is None or word in model.inventory):
            own = propose_entry(proposals, word, own, numbers)
        if own is None:
            raise InputError(
                f"there is no entry of {word[:80]!r} yet: write one, or pass proposals=True"
            )
        entries.append(own)
    if not entries:
        raise InputError("there are no entries yet: write some, or pass proposals=True")
    name = name_model(model)
    language = model.language or "und"
    return Lexicon(tuple(entries), language, title or name, name, root_of(model), tuple(remarks))


@dataclass(frozen=True, slots=True)
class Imported:
    """What has become of a lexicon that was read."""

    n_entries: int
    n_changed: int
    """Those that are other than what was there."""
    path: Path
    """Where they are now."""
    remarks: tuple[str, ...]


def import_lexicon(
    model: SenseModel,
    lexicon: Lexicon,
    folder: str | Path | None = None,
    words: Sequence[str] | None = None,
) -> Imported:
    """Put the entries of a lexicon in the place of a person's; `EntryStore.undo` takes it back.

    ``words`` are those to take, by default all. The numbers of senses are taken as they are where
    the lexicon is of another model: remarks say so.
    """
    numbers = ModelNumbers.of_model(model)
    with EntryStore(model, folder) as store:
        return put_lexicon(store, lexicon, model, numbers, words)


def put_lexicon(
    store: EntryStore,
    lexicon: Lexicon,
    model: SenseModel,
    numbers: ModelNumbers,
    words: Sequence[str] | None = None,
) -> Imported:
    """The same into a store that is open, for the numbers that senses have at this moment."""
    entries, remarks = fit_entries(lexicon, model, words)
    remarks += store.remarks
    n_changed = store_entries(store, entries, numbers)
    for entry in entries:
        there = store.find(entry.word).entry or entry
        told = follow_entry(there, numbers).remarks
        remarks += [f"{entry.word[:80]}: {remark}" for remark in told]
    return Imported(len(entries), n_changed, store.path, tuple(remarks))


def fit_entries(
    lexicon: Lexicon, model: SenseModel, words: Sequence[str] | None = None
) -> tuple[list[DictionaryEntry], list[str]]:
    """The entries of a lexicon as they would be taken for a model, with remarks for people."""
    entries = list(lexicon.entries)
    if words is not None:
        wanted = {*words, *map(model.spell, words)}
        entries = [entry for entry in entries if entry.word in wanted]
    if not lexicon.root or lexicon.root == root_of(model):
        return entries, list(lexicon.remarks)
    return [forget_numbering(entry) for entry in entries], [
        *lexicon.remarks,
        "the entries are of another model: look whether their senses are those of this one",
    ]
