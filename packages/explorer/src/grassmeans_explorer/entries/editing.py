"""Changes of an entry that somebody makes on its page: checked, on the disk, and then answered.

A change is made for a revision. Where the entry has another one by then, nothing is changed: both
texts are told, and the one that came too late is kept in the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from grassmeans.errors import InputError
from grassmeans.senses.examples import Candidate
from grassmeans.senses.keys import encode_key
from grassmeans_explorer.entries import changes
from grassmeans_explorer.entries.entry import (
    DictionaryEntry,
    EntryExample,
    EntrySense,
    SensePath,
    walk_senses,
)
from grassmeans_explorer.entries.following import ModelNumbers
from grassmeans_explorer.entries.open_entries import ENTRIES, find_key, take_entry
from grassmeans_explorer.entries.plain import entry_to_values
from grassmeans_explorer.entries.showing import EntryView, show_entry
from grassmeans_explorer.entries.store import EntryConflictError, EntryStore
from grassmeans_explorer.limits import ConflictError, NothingThereError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.words import check_sense

ENTRY_FIELDS = ("part_of_speech", "status", "labels", "references", "notes")
"""Of an entry, those that a person writes."""
MOST_SENSES = 200
"""Of an entry."""
_REACH = 220  # characters a side in which the sentence of a line is looked for


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One thing that is done to an entry."""

    action: str
    """"set" a field, "accept" proposals, "add", "remove" or "move" a sense."""
    path: SensePath = ()
    """Of the sense; empty for the entry itself, and to add a sense at its end."""
    key: str = ""
    """Of the sense as it was shown; of the model's sense, to add it."""
    field: str = ""
    value: Any = ""
    to: SensePath = ()
    """Where a sense is moved to."""


def apply_change(entry: DictionaryEntry, change: EntryChange) -> DictionaryEntry:
    """The entry after a change; `InputError` where it does not fit."""
    if change.action == "add":
        return changes.add_sense(entry, EntrySense(change.key), change.path)
    if change.action == "remove":
        return changes.remove_sense(entry, change.path)
    if change.action == "move":
        return changes.move_sense(entry, change.path, change.to)
    if change.action == "accept":
        return changes.accept_fields(entry, change.path, *filter(None, [change.field]))
    if change.path:
        return changes.change_sense(entry, change.path, **{change.field: change.value})
    if change.field not in ENTRY_FIELDS:
        raise InputError(f"{change.field!r} is no field of an entry, but of a sense")
    return replace(entry, **{change.field: change.value})


def change_entry(
    opened: OpenModel, word: str, wanted: Sequence[EntryChange], revision: int
) -> EntryView:
    """Make changes, all of them or none: one step that can be undone; the entry as it is then.

    `EntryConflictError` where the entry has another revision by now, `ConflictError` where a change
    does not fit it.
    """
    key = find_key(opened, word)
    numbers = ModelNumbers.of_open(opened)
    with ENTRIES.of(opened).changing() as store:
        written = store.find(key)
        entry = take_entry(written, key, numbers)
        if written.revision != revision:
            _keep_conflict(store, entry, wanted, revision, numbers)
        changed = _make(entry, wanted)
        if changed != entry or written.entry is None:
            store.put(changed, revision, numbers)
    return show_entry(opened, key)


def _make(entry: DictionaryEntry, wanted: Sequence[EntryChange]) -> DictionaryEntry:
    try:
        changed = reduce(_make_one, wanted, entry)
    except InputError as error:
        raise ConflictError(str(error)) from error
    if len(list(walk_senses(changed.senses))) > MOST_SENSES:
        raise ConflictError(f"an entry has {MOST_SENSES} senses at most")
    return changed


def _make_one(entry: DictionaryEntry, change: EntryChange) -> DictionaryEntry:
    """A change for the sense that it was made for, where a move before it has put that."""
    place = _find_again(entry, change)
    if place is None and change.key and change.action != "add":
        raise InputError(
            f"the entry of {entry.word[:80]!r} has no sense {change.key[:80]} any more"
        )
    return apply_change(entry, change if place is None else replace(change, path=place))


def _keep_conflict(
    store: EntryStore,
    entry: DictionaryEntry,
    wanted: Sequence[EntryChange],
    revision: int,
    numbers: ModelNumbers,
) -> None:
    """Keep what came too late, and raise `EntryConflictError` with both texts of each field.

    Each change is told with the place where its sense is now, so that it can be made there. Texts
    of a sense that is gone have the place of a new one at the end.
    """
    texts: list[dict[str, Any]] = []
    places: list[list[int] | None] = []
    added: dict[tuple[SensePath, str], SensePath] = {}
    late = entry
    for number, change in enumerate(wanted):
        place = _find_again(entry, change)
        is_gone = place is None
        if place is None and change.action == "set":
            place = added.get((change.path, change.key))
            if place is None:
                late = changes.add_sense(late, EntrySense(_find_free(late, change.key, numbers)))
                place = (len(late.senses),)
                added[change.path, change.key] = place
        places.append(None if place is None else list(place))
        if place is None:
            continue
        if change.action == "set":
            there = None if is_gone else _look(entry, place)
            told = (
                _to_plain(change.field, value)
                for value in (change.value, getattr(there, change.field, None))
            )
            about = {"change": number, "path": list(place), "field": change.field}
            key = getattr(_look(late, place), "key", "")
            about |= {"key": key, "is_gone": is_gone}
            texts.append(about | dict(zip(("yours", "theirs"), told, strict=True)))
        with suppress(InputError):  # it does not fit any more
            late = apply_change(late, replace(change, path=place))
    try:
        store.put(late, revision, numbers)
    except EntryConflictError as error:
        error.details = {"revision": error.revision, "texts": texts, "places": places}
        raise


def _find_again(entry: DictionaryEntry, change: EntryChange) -> SensePath | None:
    """Where the sense is now that a change was made for; None where it is gone.

    A sense of the model is known by its key, one's own by its place alone.
    """
    if change.key and change.action != "add":
        places = [path for path, sense in walk_senses(entry.senses) if sense.key == change.key]
        return change.path if change.path in places else next(iter(places), None)
    return None if _look(entry, change.path) is None else change.path


def _find_free(entry: DictionaryEntry, key: str, numbers: ModelNumbers) -> str:
    """The key of a sense that the model still has and the entry has not; else none."""
    known = numbers.senses_of(entry.word)
    n_senses = 0 if known is None else known.n_senses
    keys = {encode_key(entry.word, number) for number in range(1, n_senses + 1)}
    taken = {sense.key for _, sense in walk_senses(entry.senses)}
    return key if key in keys - taken else ""


def _look(entry: DictionaryEntry, path: SensePath) -> DictionaryEntry | EntrySense | None:
    try:
        return changes.find_sense(entry, path) if path else entry
    except InputError:
        return None


def _to_plain(field: str, value: Any) -> Any:
    """A field's value as JSON has it."""
    if value is None or isinstance(value, str):
        return value
    fields: dict[str, Any] = {field: tuple(value)}
    holder = DictionaryEntry("-", senses=(EntrySense(**fields),))
    return entry_to_values(holder)["senses"][0].get(field, []) if value else []


def take_back(opened: OpenModel, word: str, action: str, revision: int) -> EntryView:
    """Undo the last change of an entry, or redo the one that was undone; "undo" or "redo"."""
    key = find_key(opened, word)
    with ENTRIES.of(opened).changing() as store:
        step: Callable[[str, int], Any] = store.undo if action == "undo" else store.redo
        try:
            step(key, revision)
        except InputError as error:
            raise ConflictError(str(error)) from error
    return show_entry(opened, key)


@dataclass(frozen=True, slots=True)
class LineDecision:
    """A line that is to be in the entry of a sense, or never to be shown there."""

    sense: int
    decision: str
    """"keep" or "never"."""
    example: EntryExample
    """As it was shown."""
    position: int | None = None
    """In the corpus: its whole sentence is taken from there."""


@dataclass(frozen=True, slots=True)
class DecidedLine:
    """What has become of a line."""

    word: str
    key: str
    """Of the sense."""
    revision: int
    example: EntryExample


def decide_line(opened: OpenModel, word: str, wanted: LineDecision) -> DecidedLine:
    """Take a line into the entry of a sense, or exclude it: for whatever revision it has."""
    key = find_key(opened, word)
    model = opened.current
    check_sense(key, model.inventory.sense_counts.get(key, 0), wanted.sense)
    example = replace(_read_sentence(opened, wanted), decision=wanted.decision)
    numbers = ModelNumbers.of_open(opened)
    lexeme = encode_key(key, wanted.sense)
    with ENTRIES.of(opened).changing() as store:
        written = store.find(key)
        entry = take_entry(written, key, numbers)
        places = [path for path, sense in walk_senses(entry.senses) if sense.key == lexeme]
        if not places:
            entry = changes.add_sense(entry, EntrySense(lexeme))
            places = [(len(entry.senses),)]
        decided = changes.decide_example(entry, places[0], example, wanted.decision)
        revision = written.revision
        if decided != written.entry:  # a second click is no step that could be undone
            revision = store.put(decided, revision, numbers).revision
    return DecidedLine(key, lexeme, revision, example)


def _read_sentence(opened: OpenModel, wanted: LineDecision) -> EntryExample:
    """The whole sentence of a line of the corpus; without one, the line."""
    if wanted.position is None:
        return wanted.example
    corpus = opened.require_corpus("a line by its position")
    if wanted.position >= corpus.n_tokens:
        raise NothingThereError(f"the corpus has {corpus.n_tokens:,} words")
    line = corpus.line_at(wanted.position, _REACH, keep_breaks=True)
    found = Candidate.read(line, 0.0, 0.0).make_example()
    return EntryExample(found.left, found.word, found.right, found.document)
