from __future__ import annotations

from dataclasses import replace

import pytest

from grassmeans.errors import InputError
from grassmeans_explorer.entries.changes import (
    accept_fields,
    add_sense,
    change_sense,
    decide_example,
    find_sense,
    move_sense,
    remove_sense,
)
from grassmeans_explorer.entries.entry import (
    KEEP,
    NEVER,
    PROPOSED,
    DictionaryEntry,
    EntryExample,
    EntrySense,
    walk_senses,
)

A, B, C, D = (EntrySense(name=name) for name in "abcd")
ENTRY = DictionaryEntry("x", senses=(replace(A, senses=(B, C)), D))


def show(entry: DictionaryEntry) -> list[str]:
    return [f"{'.'.join(map(str, path))} {sense.name}" for path, sense in walk_senses(entry.senses)]


def test_a_sense_is_found_and_changed_where_it_is():
    assert show(ENTRY) == ["1 a", "1.1 b", "1.2 c", "2 d"]
    assert find_sense(ENTRY, (1, 2)) == C
    changed = change_sense(ENTRY, (1, 2), name="z", notes=("n",))
    assert show(changed) == ["1 a", "1.1 b", "1.2 z", "2 d"]
    assert find_sense(changed, (1, 2)).notes == ("n",)
    for path in ((), (3,), (0,), (2, 1), (1, 3)):
        with pytest.raises(InputError, match="has no sense at"):
            find_sense(ENTRY, path)
    for name in ("key", "senses", "odd"):
        with pytest.raises(InputError, match="a field of a sense must be one of name"):
            change_sense(ENTRY, (1,), **{name: ""})


def test_senses_come_go_and_move():
    assert show(add_sense(ENTRY, B)) == ["1 a", "1.1 b", "1.2 c", "2 d", "3 b"]
    assert show(add_sense(ENTRY, A, (1, 1)))[1:3] == ["1.1 b", "1.1.1 a"]
    assert show(remove_sense(ENTRY, (1, 1))) == ["1 a", "1.1 c", "2 d"]
    assert show(remove_sense(ENTRY, (1,))) == ["1 d"]
    assert show(move_sense(ENTRY, (2,), (1,))) == ["1 d", "2 a", "2.1 b", "2.2 c"]
    assert show(move_sense(ENTRY, (1, 1), (1, 2))) == ["1 a", "1.1 c", "1.2 b", "2 d"]
    assert show(move_sense(ENTRY, (2,), (1, 3))) == ["1 a", "1.1 b", "1.2 c", "1.3 d"]
    assert show(move_sense(ENTRY, (1, 2), (3,))) == ["1 a", "1.1 b", "2 d", "3 c"]
    assert move_sense(ENTRY, (1, 1), (1, 1)) == ENTRY
    for to in ((), (4,), (2, 3)):
        with pytest.raises(InputError, match="place"):
            move_sense(ENTRY, (1, 1), to)
    with pytest.raises(InputError, match="has no sense at"):
        move_sense(ENTRY, (1,), (2, 1))  # once the first has left there is no second


def test_what_a_person_has_changed_or_accepted_is_no_proposal():
    example = EntryExample("a ", "b", " c", decision=PROPOSED)
    never = EntryExample("d ", "b", " c", decision=NEVER)
    sense = EntrySense(name="n", examples=(example, never), proposed=("name", "definition"))
    entry = DictionaryEntry("x", senses=(sense,))
    assert change_sense(entry, (1,), name="m").senses[0].proposed == ("definition",)
    one = accept_fields(entry, (1,), "definition").senses[0]
    assert (one.proposed, one.examples) == (("name",), (example, never))
    every = accept_fields(entry, (1,)).senses[0]
    assert every.proposed == ()
    assert every.examples == (replace(example, decision=KEEP), never)
    assert accept_fields(entry, (1,), "examples").senses[0].examples == every.examples


def test_examples_are_decided_on_once():
    first, second = EntryExample("a ", "b", " c"), EntryExample("d ", "e", " f", "book")
    entry = DictionaryEntry("x", senses=(EntrySense(examples=(first, second)),))
    changed = decide_example(entry, (1,), replace(first, left=" A  "), NEVER)
    assert [e.decision for e in changed.senses[0].examples] == [NEVER, KEEP]
    third = EntryExample("g ", "h", " i", decision=PROPOSED)
    more = decide_example(changed, (1,), third, KEEP).senses[0].examples
    assert (len(more), more[2]) == (3, replace(third, decision=KEEP))
    with pytest.raises(InputError, match="decision must be one of keep, never"):
        decide_example(entry, (1,), first, PROPOSED)
