"""Entries on the disk: nothing that was answered is lost, whoever else writes."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from entry_material import CRANE
from grassmeans import load
from grassmeans.errors import InputError
from grassmeans_explorer.editing.edited_words import Edit, EditedWord
from grassmeans_explorer.editing.saving import save_version
from grassmeans_explorer.entries.entry import DictionaryEntry, EntrySense, Numbering
from grassmeans_explorer.entries.following import ModelNumbers
from grassmeans_explorer.entries.store import (
    EntryConflictError,
    EntryStore,
    carry_entries,
    find_journal,
    find_other_journals,
    read_entries,
    store_entries,
)
from grassmeans_explorer.limits import ConflictError
from kills import record_kills

FIRST, SECOND, THIRD = (
    DictionaryEntry("crane", notes=(text,), numbering=Numbering((), 2)) for text in ("a", "b", "ü")
)


@pytest.fixture
def model(topic_model_folder, tmp_path):
    return load(shutil.copytree(topic_model_folder, tmp_path / "place" / "model"))


@pytest.fixture
def numbers(model):
    return ModelNumbers.of_model(model)


def test_changes_are_undone_and_made_again_after_a_new_start(model, numbers):
    with EntryStore(model) as store:
        assert store.find("crane").revision == 0
        revision = 0
        for entry in (FIRST, SECOND, THIRD):
            revision = store.put(entry, revision, numbers).revision
        assert store.find("crane").entry == THIRD
        revision = store.undo("crane", revision).revision
    assert read_entries(model) == [SECOND]
    with EntryStore(model) as store:
        assert store.words == ("crane",)
        found = store.find("crane")
        assert (found.entry, found.revision) == (SECOND, revision)
        assert store.redo("crane", revision).entry == THIRD
        with pytest.raises(InputError, match="was undone"):
            store.redo("crane", store.find("crane").revision)
        for expected in (SECOND, FIRST, None):
            assert store.undo("crane", store.find("crane").revision).entry == expected
        with pytest.raises(InputError, match="was made"):
            store.undo("crane", store.find("crane").revision)
        # A new change takes the place of those that were undone.
        store.redo("crane", store.find("crane").revision)
        store.put(THIRD, store.find("crane").revision, numbers)
        assert store.find("crane").states == (FIRST, THIRD)
    assert find_journal(model).parent == model.folder.parent


def test_of_two_writers_the_second_is_told_and_its_text_is_kept(model, numbers):
    with EntryStore(model) as store:
        seen = store.put(FIRST, 0, numbers).revision
        store.put(SECOND, seen, numbers)
        with pytest.raises(EntryConflictError, match="changed meanwhile") as error:
            store.put(THIRD, seen, numbers)
        assert error.value.revision == store.find("crane").revision
        with pytest.raises(ConflictError, match="changed meanwhile"):
            store.undo("crane", seen)
    with EntryStore(model) as store:
        assert store.find("crane").entry == SECOND
        assert store.find("crane").conflicts == (THIRD,)


def test_another_process_is_refused_and_may_read(model, numbers):
    with EntryStore(model) as store:
        store.put(FIRST, 0, numbers)
        with pytest.raises(InputError, match="another process"):
            EntryStore(model)
        assert read_entries(model) == [FIRST]


def test_a_kill_between_any_two_changes_of_the_disk_loses_no_answered_change(
    model, numbers, tmp_path
):
    answered: list[DictionaryEntry] = []
    store = EntryStore(model)

    def work() -> None:
        for entry in (FIRST, SECOND, THIRD):
            store.put(entry, store.find("crane").revision, numbers)
            answered.append(entry)

    states = record_kills(work, model.folder.parent, tmp_path / "copies")
    assert len(states) > 0
    store._lock.close()
    content = store.path.read_bytes()
    for size in range(len(content)):  # cut anywhere: what was whole is there
        store.path.write_bytes(content[:size])
        found = read_entries(model)
        n_whole = content[:size].count(b"\n") - 1
        assert (
            found == answered[max(n_whole, 0) - 1 : max(n_whole, 0)] if n_whole > 0 else not found
        )


def test_all_versions_of_a_model_have_the_same_entries(model, numbers):
    with EntryStore(model) as store:
        store.put(FIRST, 0, numbers)
    hidden = EditedWord.start(model, "crane").apply(Edit("crane", "hide", (1,)), model.vectors)
    version = load(save_version(model, {"crane": hidden}, name="other-name"))
    assert find_journal(version) == find_journal(model)
    assert read_entries(version) == [FIRST]


def test_a_version_that_is_saved_elsewhere_is_given_the_entries(model, numbers, tmp_path):
    hidden = EditedWord.start(model, "crane").apply(Edit("crane", "hide", (1,)), model.vectors)
    (tmp_path / "far").mkdir()
    version = load(save_version(model, {"crane": hidden}, tmp_path / "far"))
    assert carry_entries(model, version) is None  # there are none yet
    with EntryStore(model) as store:
        store.put(FIRST, 0, numbers)
    assert read_entries(version) == []
    place = carry_entries(model, version)
    assert place is not None
    assert place.parent == tmp_path / "far"
    assert read_entries(version) == read_entries(model) == [FIRST]
    assert carry_entries(model, version) is None  # it has them, and may have changed them
    assert carry_entries(model, version, tmp_path / "mine") is None


def test_a_folder_may_be_chosen_and_one_without_entries_stays_empty(model, numbers, tmp_path):
    with EntryStore(model, tmp_path / "mine") as store:
        assert store.path.parent == tmp_path / "mine"
    assert list((tmp_path / "mine").iterdir()) == []
    assert read_entries(model, tmp_path / "mine") == []
    with EntryStore(model, tmp_path / "mine") as store:
        store.put(FIRST, 0, numbers)
    assert read_entries(model) == []
    assert read_entries(model, tmp_path / "mine") == [FIRST]


def test_a_damaged_journal_is_set_aside_and_told(model, numbers):
    path = find_journal(model)
    path.write_text('{"kind": "something else"}\n')
    with EntryStore(model) as store:
        assert "it is kept as" in store.remarks[0]
        store.put(FIRST, 0, numbers)
    assert path.with_name(path.name + ".damaged-1").read_text() == '{"kind": "something else"}\n'
    assert read_entries(model) == [FIRST]


def test_journals_of_other_models_are_left_and_told(model, numbers):
    with EntryStore(model) as store:
        store.put(FIRST, 0, numbers)
    path = find_journal(model)
    other = path.with_name(".model-0123456789ab.entries.jsonl")
    lines = path.read_text().splitlines()
    lines[0] = json.dumps(json.loads(lines[0]) | {"root": "0123456789ab"})
    other.write_text("\n".join(lines) + "\n")
    (path.parent / ".odd-0123456789ac.entries.jsonl").write_text("nonsense\n")
    assert find_other_journals(model) == [other]
    assert read_entries(model) == [FIRST]
    other.rename(path)  # of another model, under this one's name
    with EntryStore(model) as store:
        assert store.words == ()
        assert "kept as" in store.remarks[0]


def test_entries_from_elsewhere_take_the_place_of_those_there(model, numbers):
    entry = replace(CRANE, numbering=Numbering())
    with EntryStore(model) as store:
        store.put(FIRST, 0, numbers)
        assert store_entries(store, [entry], numbers) == 1
        assert store.find("crane").entry.numbering == Numbering((), 2)
        assert store_entries(store, [entry], numbers) == 0
        assert store.undo("crane", store.find("crane").revision).entry == FIRST


def test_text_of_any_kind_is_kept(model, numbers):
    text = '"\n\r\u2028\ud800 <b>🏗️' + "x" * 10_000
    entry = DictionaryEntry(text, senses=(EntrySense(definition=text),))
    with EntryStore(model) as store:
        store.put(entry, 0, numbers)
    assert read_entries(model) == [entry]
    assert Path(find_journal(model)).read_bytes().count(b"\n") == 2
