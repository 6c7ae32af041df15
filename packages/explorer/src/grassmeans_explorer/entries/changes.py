"""What a person does to an entry, step by step: pure functions from an entry to an entry.

A sense is named by its place, (2, 1) for the first sense of the second one. A field that a person
has changed is no proposal any more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from grassmeans.errors import InputError, check_choice
from grassmeans_explorer.entries.entry import (
    KEEP,
    NEVER,
    DictionaryEntry,
    EntryExample,
    EntrySense,
    SensePath,
)

FIELDS = (
    "name", "definition", "part_of_speech", "labels", "collocates", "examples", "references",
    "notes",
)  # fmt: skip
"""Of a sense, those that a person writes."""
Senses = tuple[EntrySense, ...]


def find_sense(entry: DictionaryEntry, path: SensePath) -> EntrySense:
    """The sense at a place; `InputError` where there is none."""
    senses = entry.senses
    found = None
    for number in path:
        if not 1 <= number <= len(senses):
            found = None
            break
        found = senses[number - 1]
        senses = found.senses
    if found is None:
        place = ".".join(map(str, path))
        raise InputError(f"the entry of {entry.word[:80]!r} has no sense at {place or 'no place'}")
    return found


def change_sense(entry: DictionaryEntry, path: SensePath, **fields: Any) -> DictionaryEntry:
    """The entry with other values in fields of a sense (`FIELDS`)."""
    for name in fields:
        check_choice("a field of a sense", name, FIELDS)
    sense = find_sense(entry, path)
    proposed = tuple(name for name in sense.proposed if name not in fields)
    return _put_sense(entry, path, replace(sense, proposed=proposed, **fields))


def accept_fields(entry: DictionaryEntry, path: SensePath, *names: str) -> DictionaryEntry:
    """The entry with proposals of a sense taken as they are: those named, or all of them.

    Proposed examples are kept where ``examples`` is named, or nothing.
    """
    sense = find_sense(entry, path)
    left = tuple(name for name in sense.proposed if names and name not in names)
    examples = sense.examples
    if not names or "examples" in names:
        examples = tuple(e if e.decision == NEVER else replace(e, decision=KEEP) for e in examples)
    return _put_sense(entry, path, replace(sense, proposed=left, examples=examples))


def decide_example(
    entry: DictionaryEntry, path: SensePath, example: EntryExample, decision: str
) -> DictionaryEntry:
    """The entry with a decision on an example, which may be a new one: "keep" or "never"."""
    check_choice("decision", decision, (KEEP, NEVER))
    sense = find_sense(entry, path)
    decided = replace(example, decision=decision)
    known = [one.identity for one in sense.examples]
    if decided.identity in known:
        place = known.index(decided.identity)
        examples = (*sense.examples[:place], decided, *sense.examples[place + 1 :])
    else:
        examples = (*sense.examples, decided)
    return _put_sense(entry, path, replace(sense, examples=examples))


def add_sense(entry: DictionaryEntry, sense: EntrySense, above: SensePath = ()) -> DictionaryEntry:
    """The entry with one more sense, the last one of the entry or of another sense."""
    return _change_senses(entry, above, lambda senses: (*senses, sense))


def remove_sense(entry: DictionaryEntry, path: SensePath) -> DictionaryEntry:
    """The entry without a sense, and without those in it."""
    find_sense(entry, path)
    return _change_senses(
        entry, path[:-1], lambda senses: (*senses[: path[-1] - 1], *senses[path[-1] :])
    )


def move_sense(entry: DictionaryEntry, path: SensePath, to: SensePath) -> DictionaryEntry:
    """The entry with a sense at another place: where ``to`` is, once it has left its own."""
    sense = find_sense(entry, path)
    if not to:
        raise InputError("a sense needs a place to go to")
    without = remove_sense(entry, path)
    place = to[-1] - 1

    def insert(senses: Senses) -> Senses:
        if not 0 <= place <= len(senses):
            raise InputError(f"there is no place {to[-1]} for a sense: 1 to {len(senses) + 1}")
        return (*senses[:place], sense, *senses[place:])

    return _change_senses(without, to[:-1], insert)


def _put_sense(entry: DictionaryEntry, path: SensePath, sense: EntrySense) -> DictionaryEntry:
    place = path[-1]
    return _change_senses(
        entry, path[:-1], lambda senses: (*senses[: place - 1], sense, *senses[place:])
    )


def _change_senses(
    entry: DictionaryEntry, above: SensePath, change: Callable[[Senses], Senses]
) -> DictionaryEntry:
    """The entry with other senses in one of its senses, or in itself."""
    if not above:
        return replace(entry, senses=change(entry.senses))
    outer = find_sense(entry, above)
    return _put_sense(entry, above, replace(outer, senses=change(outer.senses)))
