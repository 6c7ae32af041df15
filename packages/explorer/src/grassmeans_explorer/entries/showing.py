"""Entries as pages show them: with what can be undone, what is to be looked at, and proposals."""

from __future__ import annotations

from dataclasses import dataclass

from grassmeans.senses.keys import encode_key
from grassmeans_explorer.entries.entry import (
    PROPOSED,
    DictionaryEntry,
    EntryExample,
    EntrySense,
    walk_senses,
)
from grassmeans_explorer.entries.following import ModelNumbers, follow_entry
from grassmeans_explorer.entries.open_entries import ENTRIES, find_key, take_entry
from grassmeans_explorer.entries.proposals import (
    FindGlosses,
    Material,
    WordProposals,
    open_glosses,
    propose_entry,
)
from grassmeans_explorer.limits import BoundedCache, Kept, NothingThereError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.words import name_missing
from grassmeans_explorer.work import begin_long_work, checkpoint

SHOWN_CONFLICTS = 20
_KEPT_PROPOSALS = 16  # words that were read for them
_FIELDS = ("name", "definition", "part_of_speech", "collocates")  # that are proposed


@dataclass(frozen=True, slots=True)
class ModelSense:
    """A sense of the model, as an entry may refer to it."""

    key: str
    number: int
    name: str
    hidden: bool
    in_entry: bool


@dataclass(frozen=True, slots=True)
class EntryView:
    """An entry with all that its page needs.

    Attributes
    ----------
    revision : int
        A change is made for a revision; 0 where nothing was written yet.
    written : bool
        Whether there is an entry; without one its senses are those of the model, empty.
    entry : DictionaryEntry
        For the senses that the model has now.
    model_senses : tuple of ModelSense
        Those that the model has now.
    remarks : tuple of str
        What is to be looked at again.
    conflicts : tuple of DictionaryEntry
        What came too late, the last ones.
    not_kept : str
        Why nothing can be written; empty where it can.
    """

    word: str
    revision: int
    written: bool
    entry: DictionaryEntry
    model_senses: tuple[ModelSense, ...]
    remarks: tuple[str, ...]
    can_undo: bool
    can_redo: bool
    conflicts: tuple[DictionaryEntry, ...]
    not_kept: str


@dataclass(frozen=True, slots=True)
class EntrySummary:
    """An entry as a list has it."""

    word: str
    status: str
    n_senses: int
    n_defined: int
    revision: int


@dataclass(frozen=True, slots=True)
class EntryList:
    """A page of the entries that are written; ``latest`` is the last revision of all of them."""

    total: int
    entries: tuple[EntrySummary, ...]
    latest: int
    remarks: tuple[str, ...]
    not_kept: str


@dataclass(frozen=True, slots=True)
class ProposedSense:
    """What is proposed for a sense; only where it has nothing of its own."""

    path: tuple[int, ...]
    key: str
    name: str
    definition: str
    part_of_speech: str
    collocates: tuple[str, ...]
    examples: tuple[EntryExample, ...]


@dataclass(frozen=True, slots=True)
class EntryProposal:
    """Proposals for the senses of an entry at a revision."""

    word: str
    revision: int
    part_of_speech: str
    senses: tuple[ProposedSense, ...]


def show_entry(opened: OpenModel, word: str) -> EntryView:
    """The entry of a word; empty senses of the model where nobody has written one."""
    key = find_key(opened, word)
    entries = ENTRIES.of(opened)
    numbers = ModelNumbers.of_open(opened)
    written = entries.find(key)
    entry = take_entry(written, key, numbers)
    remarks = () if written.entry is None else follow_entry(written.entry, numbers).remarks
    return EntryView(
        word=key,
        revision=written.revision,
        written=written.entry is not None,
        entry=entry,
        model_senses=_list_senses(opened, entry),
        remarks=(*entries.remarks, *remarks),
        can_undo=written.place > 0,
        can_redo=written.place < len(written.states),
        conflicts=written.conflicts[-SHOWN_CONFLICTS:],
        not_kept=entries.why_not,
    )


def _list_senses(opened: OpenModel, entry: DictionaryEntry) -> tuple[ModelSense, ...]:
    model = opened.current
    if entry.word not in model.inventory:
        return ()
    there = {sense.key for _, sense in walk_senses(entry.senses)}
    found = []
    for sense in name_missing(opened, model.senses(entry.word)).senses:
        key = encode_key(entry.word, sense.number)
        found.append(ModelSense(key, sense.number, sense.name, sense.hidden, key in there))
    return tuple(found)


def list_entries(opened: OpenModel, offset: int = 0, limit: int = 50) -> EntryList:
    """The entries that are written, in the order of their words."""
    entries = ENTRIES.of(opened)
    written = entries.written
    own = sorted((one.entry for one in written.values() if one.entry), key=lambda e: e.word)
    page = tuple(_summarise(e, written[e.word].revision) for e in own[offset : offset + limit])
    latest = max((one.revision for one in written.values()), default=0)
    return EntryList(len(own), page, latest, entries.remarks, entries.why_not)


def _summarise(entry: DictionaryEntry, revision: int) -> EntrySummary:
    senses = [sense for _, sense in walk_senses(entry.senses)]
    n_defined = sum(bool(sense.definition) for sense in senses)
    return EntrySummary(entry.word, entry.status, len(senses), n_defined, revision)


_GLOSSES: Kept[list[FindGlosses | None]] = Kept(lambda opened: [open_glosses(opened.base)])
_READ: Kept[BoundedCache[WordProposals]] = Kept(lambda opened: BoundedCache(_KEPT_PROPOSALS))


def propose(opened: OpenModel, word: str) -> EntryProposal:
    """What can be proposed for an entry; it is long where the word was not read before."""
    key = find_key(opened, word)
    now = opened.now
    if key not in now.model.inventory:
        raise NothingThereError(f"the model has no senses of {key[:80]!r}: nothing is proposed")
    cached = key, now.revision(key)
    read = _READ.of(opened).get(cached)
    if read is None:
        begin_long_work()
        checkpoint(0.0)
        glosses = _GLOSSES.of(opened)[0]
        material = Material(now.model, opened.corpus, find_glosses=glosses, layer=opened.grammar)
        read = WordProposals(material, key)
        checkpoint(0.8)
        _READ.of(opened).put(cached, read)
    numbers = ModelNumbers.of_open(opened)
    written = ENTRIES.of(opened).find(key)
    entry = take_entry(written, key, numbers)
    found = propose_entry(read.material, key, entry, numbers, read)
    before = dict(walk_senses(entry.senses))
    senses = (
        _view_proposal(path, sense, before[path])
        for path, sense in walk_senses(found.senses)
        if path in before
    )
    spoken = "" if entry.part_of_speech else found.part_of_speech
    return EntryProposal(key, written.revision, spoken, tuple(senses))


def _view_proposal(path: tuple[int, ...], sense: EntrySense, before: EntrySense) -> ProposedSense:
    fresh = {name: () if name == "collocates" else "" for name in _FIELDS} | {
        name: getattr(sense, name) for name in _FIELDS if not getattr(before, name)
    }
    known = {example.identity for example in before.examples}
    examples = (e for e in sense.examples if e.decision == PROPOSED and e.identity not in known)
    return ProposedSense(path, sense.key, **fresh, examples=tuple(examples))
