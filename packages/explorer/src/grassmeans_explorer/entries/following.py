"""Corrections of a model give senses other numbers: the senses of an entry go with them.

The corrections of a word since its model was built, saved as versions or not, are a list that both
the entry and the model have a state of. From the entry's state the way leads back to the last
correction that both have, and on to the model's. A text whose sense is no longer there is kept,
with the key that it had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from grassmeans.models.model import SenseModel
from grassmeans.models.versions import list_edits, read_versions
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.keys import decode_key, encode_key
from grassmeans_explorer.editing.edited_words import Edit, edit_to_dict
from grassmeans_explorer.entries.entry import (
    CrossReference,
    DictionaryEntry,
    EntrySense,
    Numbering,
    Renumbering,
    walk_senses,
)

if TYPE_CHECKING:
    from grassmeans_explorer.open_model import OpenModel

FindNumbering = Callable[[str], Numbering]
"""For which numbers of a word's senses the model is."""


def root_of(model: SenseModel) -> str:
    """The digest of the first version of a model: one thing for all its versions."""
    versions = read_versions(model)
    return str(versions[1].get("digest_before", model.digest)) if versions[1:] else model.digest


def list_renumberings(edits: Iterable[Mapping[str, Any]]) -> tuple[Renumbering, ...]:
    """Of corrections of one word, as plain values, those that gave senses other numbers."""
    found = []
    for edit in edits:
        action, senses = edit.get("action"), tuple(edit.get("senses", ()))
        if action == "assign" and not senses:
            found.append(Renumbering("add"))
        elif action == "merge":
            found.append(Renumbering("merge", tuple(sorted(senses))))
        elif action in ("split", "adopt"):
            found.append(Renumbering(action, senses))
    return tuple(found)


@dataclass(frozen=True)
class ModelNumbers:
    """What a model's senses are numbered by: its versions, and corrections not saved yet."""

    model: SenseModel
    """As it is now, with corrections that are not saved yet."""
    saved: Mapping[str, tuple[Mapping[str, Any], ...]]
    """The corrections of each word in the versions of the model."""
    pending: Mapping[str, Sequence[Edit]]
    """Those that are not saved yet."""

    @classmethod
    def of_model(
        cls, model: SenseModel, pending: Mapping[str, Sequence[Edit]] | None = None
    ) -> ModelNumbers:
        """Of a model in its folder, or with corrections that no version has yet."""
        saved: dict[str, tuple[Mapping[str, Any], ...]] = {}
        for edit in list_edits(read_versions(model)):
            word = edit.get("word", "")
            saved[word] = (*saved.get(word, ()), edit)
        return cls(model, saved, pending or {})

    @classmethod
    def of_open(cls, opened: OpenModel) -> ModelNumbers:
        """Of the explorer's model, as it is corrected at this moment."""
        now = opened.now
        return cls.of_model(now.model, {word: one.edits for word, one in now.edits.items()})

    def find(self, word: str) -> Numbering:
        """For which numbers of a word's senses the model is."""
        own = [edit_to_dict(edit) for edit in self.pending.get(word, ())]
        steps = list_renumberings([*self.saved.get(word, ()), *own])
        return Numbering(steps, self.model.inventory.sense_counts.get(word, 0))

    def senses_of(self, word: str) -> WordSenses | None:
        """What the model knows of a word; None where it has no senses of it."""
        return self.model.senses(word) if word in self.model.inventory else None


def follow_number(number: int, before: Numbering, now: Numbering) -> int | None:
    """The number that a sense has now; None where it is no longer there."""
    return _follow([number], before, now)[0]


def _follow(numbers: Sequence[int], before: Numbering, now: Numbering) -> list[int | None]:
    """The same for several, in their order: two that were one sense may be two again."""
    steps, others = before.steps, now.steps
    n_same = 0
    while n_same < min(len(steps), len(others)) and steps[n_same] == others[n_same]:
        n_same += 1
    found: list[int | None] = list(numbers)
    n_senses = before.n_senses
    for step in reversed(steps[n_same:]):
        found = _go_back(found, step, n_senses)
        n_senses += len(step.senses) - 1 if step.action == "merge" else -1
    for step in others[n_same:]:
        found = [None if number is None else _go_on(number, step) for number in found]
    return [n if n is not None and 1 <= n <= now.n_senses else None for n in found]


def _go_on(number: int, step: Renumbering) -> int | None:
    if step.action == "adopt":
        return None
    if step.action != "merge":
        return number  # the first part of a split has the number, the second one is at the end
    first, *others = step.senses
    return first if number in others else number - sum(other < number for other in others)


def _go_back(numbers: Sequence[int | None], step: Renumbering, n_senses: int) -> list[int | None]:
    """The numbers before a correction that was taken back, of senses that were so many after it."""
    if step.action == "adopt":
        return [None] * len(numbers)
    if step.action != "merge":  # what came at the end is gone
        return [None if number == n_senses else number for number in numbers]
    found: list[int | None] = []
    left = list(step.senses)
    for number in numbers:
        if number == step.senses[0]:  # a second text of the merged sense is that of the second one
            found.append(left.pop(0) if len(left) > 1 else left[0])
        else:
            found.append(None if number is None else _make_room(number, step.senses[1:]))
    return found


def _make_room(number: int, others: Sequence[int]) -> int:
    """The number that a sense had before senses with these numbers, in order, were merged away."""
    for other in others:
        number += number >= other
    return number


def settle_numbering(entry: DictionaryEntry, numbers: ModelNumbers) -> DictionaryEntry:
    """The entry, and its references, with the model's numbering where they do not say theirs."""

    def settle(reference: CrossReference) -> CrossReference:
        if not reference.sense or reference.numbering != Numbering():
            return reference
        return replace(reference, numbering=numbers.find(reference.word))

    def settle_sense(sense: EntrySense) -> EntrySense:
        references = tuple(map(settle, sense.references))
        return replace(sense, references=references, senses=tuple(map(settle_sense, sense.senses)))

    return replace(
        entry,
        references=tuple(map(settle, entry.references)),
        senses=tuple(map(settle_sense, entry.senses)),
        numbering=numbers.find(entry.word) if entry.numbering == Numbering() else entry.numbering,
    )


def forget_numbering(entry: DictionaryEntry) -> DictionaryEntry:
    """The entry without what it says of numbers: they are taken for those of another model."""

    def forget(sense: EntrySense) -> EntrySense:
        references = tuple(replace(one, numbering=Numbering()) for one in sense.references)
        return replace(sense, references=references, senses=tuple(map(forget, sense.senses)))

    references = tuple(replace(one, numbering=Numbering()) for one in entry.references)
    senses = tuple(map(forget, entry.senses))
    return replace(entry, references=references, senses=senses, numbering=Numbering())


@dataclass(frozen=True, slots=True)
class Followed:
    """An entry for the senses that the model has now."""

    entry: DictionaryEntry
    remarks: tuple[str, ...] = ()
    """What a person should look at again, a sentence each."""


def follow_entry(entry: DictionaryEntry, numbers: ModelNumbers) -> Followed:
    """The entry with the keys of the model's senses as they are now.

    Nothing of its text is lost. Remarks say which senses are no longer there, hidden, split, or one
    with another, and which senses of the model the entry does not have.
    """
    now = numbers.find(entry.word)
    keyed = [sense.key for _, sense in walk_senses(entry.senses) if sense.key]
    old = [decode_key(key)[1] or 0 for key in keyed]
    moved = iter(_follow(old, entry.numbering, now))
    senses = tuple(_renumber(sense, entry.word, moved, numbers.find) for sense in entry.senses)
    references = tuple(_follow_reference(one, numbers.find) for one in entry.references)
    found = replace(entry, senses=senses, references=references, numbering=now)
    remarks = [*_tell_lost(entry, found), *_tell_split(entry, found), *_tell_model(found, numbers)]
    return Followed(found, tuple(remarks))


def _renumber(sense: EntrySense, word: str, moved: Any, find: FindNumbering) -> EntrySense:
    key, former = sense.key, sense.former
    if key:
        number = next(moved)
        key, former = ("", key) if number is None else (encode_key(word, number), "")
    return replace(
        sense,
        key=key,
        former=former,
        references=tuple(_follow_reference(one, find) for one in sense.references),
        senses=tuple(_renumber(inner, word, moved, find) for inner in sense.senses),
    )


def _follow_reference(reference: CrossReference, find: FindNumbering) -> CrossReference:
    """A sense that is no longer there leaves the way to its entry."""
    if not reference.sense:
        return reference
    now = find(reference.word)
    number = follow_number(reference.sense, reference.numbering, now)
    if number is None and not now.n_senses:
        return reference  # of a word that the model does not have: perhaps another one has it
    key = encode_key(reference.word, number)
    return replace(reference, key=key, numbering=now if number else Numbering())


def _tell_lost(before: DictionaryEntry, after: DictionaryEntry) -> list[str]:
    pairs = zip(walk_senses(before.senses), walk_senses(after.senses), strict=True)
    return [
        f"{old.key} is no longer there: its text is kept"
        for (_, old), (_, new) in pairs
        if old.key and not new.key
    ]


def _tell_split(before: DictionaryEntry, after: DictionaryEntry) -> list[str]:
    """Senses that were split since, and those that have become one."""
    n_known = len(before.numbering.steps)
    is_later = after.numbering.steps[:n_known] == before.numbering.steps
    since = after.numbering.steps[n_known:] if is_later else ()
    told = [
        f"{encode_key(before.word, step.senses[0])} was split: look at its text again"
        for step in since
        if step.action == "split" and step.senses
    ]
    keys = [sense.key for _, sense in walk_senses(after.senses) if sense.key]
    twice = dict.fromkeys(key for key in keys if keys.count(key) > 1)
    return told + [f"{key} has more than one text: senses have become one" for key in twice]


def _tell_model(entry: DictionaryEntry, numbers: ModelNumbers) -> list[str]:
    known = numbers.senses_of(entry.word)
    if known is None:
        return [f"the model has no senses of {entry.word[:80]!r}"]
    keys = {sense.key for _, sense in walk_senses(entry.senses)}
    told = []
    for sense in known.senses:
        key = encode_key(entry.word, sense.number)
        if sense.hidden and key in keys:
            told.append(f"{key} is hidden in the model")
        elif not sense.hidden and key not in keys:
            told.append(f"{key} is not in the entry yet")
    return told
