"""Drafts: what was corrected is there again, whenever and however the explorer ended."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grassmeans import load
from grassmeans.artifacts.writing import digest_of_array
from grassmeans.errors import StorageError
from grassmeans.senses.entries import entry_to_dict
from grassmeans_explorer.drafts import DraftPlace, count_corrections, keep_drafts, read_draft
from grassmeans_explorer.editing.edited_words import EditedWord
from grassmeans_explorer.limits import ConflictError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.concordance import LineFilter, find_lines
from grassmeans_explorer.queries.corrections import (
    Correction,
    correct_word,
    discard_corrections,
    list_corrections,
    save_corrections,
)
from grassmeans_explorer.queries.words import show_word
from installed import install_models
from kills import record_kills

HIDE, NAME, UNDO, REDO = (
    Correction("hide", [2]),
    Correction("rename", [1], "mine ü"),
    Correction("undo"),
    Correction("redo"),
)


@pytest.fixture
def folder(topic_model_folder, tmp_path) -> Path:
    return shutil.copytree(topic_model_folder, tmp_path / "place" / "model")


def visit(folder: Path, corpus=None, drafts: Path | None = None) -> tuple[OpenModel, list[str]]:
    opened = OpenModel(load(folder), corpus)
    return opened, keep_drafts(opened, drafts)


def leave(opened: OpenModel) -> None:
    assert opened.draft is not None
    opened.draft.close()


def kill(opened: OpenModel) -> None:
    """The system frees what a killed process held."""
    assert opened.draft is not None
    opened.draft._lock.close()


def tell(edited: EditedWord) -> list[object]:
    """Everything about a word with its corrections, and what leads back and on."""
    own = [entry_to_dict(edited.entry), digest_of_array(edited.entry.directions), edited.edits]
    before = None if edited.before is None else tell(replace(edited.before, undone=()))
    return [own, edited.origins, before, [tell(replace(w, undone=())) for w in edited.undone]]


def state_of(opened: OpenModel) -> list[object]:
    now = opened.now
    return [[(w, tell(e)) for w, e in now.edits.items()], now.revisions, now.n_steps, opened.saved]


def test_every_step_comes_back_with_undo_and_redo(folder, topic_corpus):
    opened, _ = visit(folder, topic_corpus)
    for word, wanted in [
        ("crane", Correction("adopt", n_senses=3)),
        ("crane", Correction("merge", [1, 2])),
        ("bank", Correction("split", [1])),
        ("bank", HIDE),
        ("bank", NAME),
        ("bank", UNDO),
        ("seal", Correction("adopt", n_senses=2)),
        ("crane", Correction("reset")),
        ("crane", REDO),
    ]:
        correct_word(opened, word, wanted)
    lines = find_lines(opened, "crane", LineFilter(sense=1), limit=2).lines
    correct_word(opened, "crane", Correction("assign", [1], lines=[x.position for x in lines]))
    expected = state_of(opened)
    leave(opened)
    for corpus in (None, topic_corpus):  # what was found in a corpus needs none
        again, told = visit(folder, corpus)
        assert state_of(again) == expected
        assert "5 corrections from an earlier visit" in told[-1]
        assert list_corrections(again).n_found == 5
        leave(again)
    again, _ = visit(folder)
    assert correct_word(again, "bank", REDO).senses[0].name == "mine ü"
    assert correct_word(again, "crane", UNDO).n_senses == 3
    assert np.array_equal(
        again.current.inventory.directions("seal"), opened.current.inventory.directions("seal")
    )


def test_a_kill_between_any_two_changes_of_the_disk_loses_no_answered_step(folder, tmp_path):
    answered: list[int] = []
    opened, _ = visit(folder)

    def work() -> None:
        for wanted in (NAME, HIDE, UNDO, REDO):
            correct_word(opened, "crane", wanted)
            answered.append(opened.now.n_steps)

    states = record_kills(work, folder.parent, tmp_path / "copies")
    assert len(states) > 0
    kill(opened)
    content = opened.draft.path.read_bytes()
    steps = read_draft(opened.draft.path)[1]
    assert (answered, len(steps)) == ([1, 2, 3, 4], 4)
    for size in range(len(content) + 1):  # a kill, or a power cut, in the middle of a write
        opened.draft.path.write_bytes(content[:size])
        whole, found = read_draft(opened.draft.path)
        n_lines = content[:size].count(b"\n")
        assert (found, content[:whole].count(b"\n")) == (steps[: max(n_lines - 1, 0)], n_lines)
    opened.draft.path.write_bytes(content[:-5])
    again, _ = visit(folder)
    assert again.now.n_steps == 3
    assert [edit.action for edit in list_corrections(again).edits] == ["rename"]
    correct_word(again, "crane", REDO)
    assert again.draft.path.read_bytes() == content


def test_a_step_is_on_the_disk_before_it_is_taken_and_refused_where_it_cannot_be(
    folder, monkeypatch
):
    opened, _ = visit(folder)
    correct_word(opened, "crane", NAME)
    before = opened.draft.path.read_bytes()

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(StorageError, match="full"):
            correct_word(opened, "crane", HIDE)
    assert opened.draft.path.read_bytes() == before
    assert len(show_word(opened, "crane").corrections) == 1
    correct_word(opened, "crane", HIDE)
    assert len(read_draft(opened.draft.path)[1]) == 2


def test_a_second_explorer_does_not_write_and_says_so(folder):
    first, _ = visit(folder)
    correct_word(first, "crane", HIDE)
    second, told = visit(folder)
    assert told == [f"corrections are not kept when the explorer stops: {second.not_kept}"]
    assert f"another explorer (process {os.getpid()})" in second.not_kept
    correct_word(second, "bank", HIDE)
    pending = list_corrections(second)
    assert (pending.n_found, pending.kept, pending.not_kept) == (0, False, second.not_kept)
    leave(first)
    third, _ = visit(folder)
    assert [edit.word for edit in list_corrections(third).edits] == ["crane"]


def test_drafts_of_a_model_that_changed_are_told_and_kept(folder, doubtful_model_folder):
    opened, _ = visit(folder)
    correct_word(opened, "crane", HIDE)
    path = opened.draft.path
    leave(opened)
    before = path.read_bytes()
    shutil.rmtree(folder)
    shutil.copytree(doubtful_model_folder, folder)
    other, told = visit(folder)
    assert told == [
        f"1 correction of this model as it was before it changed: they are kept in {path}"
    ]
    assert (other.n_corrections, other.draft.path != path) == (0, True)
    leave(other)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda lines: [lines[0], b"{"],
        lambda lines: [b"[]", *lines[1:]],
        lambda lines: [lines[0].replace(b'"digest": "', b'"digest": "x'), *lines[1:]],
        lambda lines: [lines[0], b'{"word": "crane", "action": "dance"}'],
        lambda lines: [lines[0], b'{"word": "crane", "action": "hide", "senses": [9]}'],
        lambda lines: [lines[0], b'{"word": "crane", "action": "undo"}'],
        lambda lines: [lines[0], b"\xff", *lines[1:]],
        lambda lines: [lines[0], b"[" * 100_000],
    ],
)
def test_a_damaged_draft_is_set_aside(folder, spoil):
    opened, _ = visit(folder)
    correct_word(opened, "crane", HIDE)
    path = opened.draft.path
    leave(opened)
    content = b"\n".join(spoil(path.read_bytes().splitlines())) + b"\n"
    path.write_bytes(content)
    again, told = visit(folder)
    kept = path.with_name(path.name + ".damaged-1")
    assert told[0].startswith("a draft cannot be used")
    assert told[0].endswith(f"it is kept as {kept}")
    assert kept.read_bytes() == content
    assert again.n_corrections == 0
    correct_word(again, "crane", NAME)
    kill(again)
    assert visit(folder)[0].n_corrections == 1


def test_outcomes_that_do_not_fit_the_model_are_damage(folder, topic_corpus):
    opened, _ = visit(folder, topic_corpus)
    correct_word(opened, "crane", Correction("split", [1]))
    path = opened.draft.path
    leave(opened)
    head, line = path.read_bytes().splitlines()
    step = json.loads(line)
    directions = step["outcome"]["directions"]
    for wrong in (directions[:-8], "?", "AAAA" * len(directions), "AADAfw==" * 40):
        step["outcome"]["directions"] = wrong
        path.write_bytes(head + b"\n" + json.dumps(step).encode() + b"\n")
        again, told = visit(folder)
        assert "cannot be used" in told[0]
        leave(again)


def test_discarded_corrections_are_kept_however_often(folder):
    opened, _ = visit(folder)
    for word in ("crane", "bank"):
        correct_word(opened, word, HIDE)
        discard_corrections(opened, 1)
    correct_word(opened, "crane", NAME)
    save_corrections(opened)
    leave(opened)
    name = opened.draft.path.name
    kept = {p.name: p for p in folder.parent.iterdir() if p.name.startswith(name)}
    assert set(kept) == {f"{name}.old", f"{name}.old-2", f"{name}.old-3"}
    steps = [read_draft(kept[f"{name}{end}"])[1][0] for end in (".old", ".old-2", ".old-3")]
    assert [step["word"] for step in steps] == ["crane", "bank", "crane"]
    # What a version has is not kept for ever.
    again, _ = visit(folder)
    correct_word(again, "bank", NAME)
    save_corrections(again)
    leave(again)
    assert not (folder.parent / f"{name}.old-4").exists()
    assert read_draft(kept[f"{name}.old-3"])[1][0]["word"] == "bank"


def test_discarded_corrections_are_kept(folder):
    opened, _ = visit(folder)
    correct_word(opened, "crane", HIDE)
    with pytest.raises(ConflictError, match="1 corrections now, not 2"):
        discard_corrections(opened, 2)
    written = opened.draft.path.read_bytes()
    assert discard_corrections(opened, 1).edits == ()
    assert show_word(opened, "crane").corrections == ()
    old = opened.draft.path.with_name(opened.draft.path.name + ".old")
    assert old.read_bytes() == written
    correct_word(opened, "bank", HIDE)
    expected = opened.now.n_steps
    kill(opened)
    again, _ = visit(folder)
    assert [edit.word for edit in list_corrections(again).edits] == ["bank"]
    assert again.now.n_steps == expected == 1


def test_a_saved_draft_is_settled_and_one_with_more_is_not(folder):
    opened, _ = visit(folder)
    correct_word(opened, "crane", HIDE)
    save_corrections(opened)
    assert opened.n_unsaved == 0
    correct_word(opened, "bank", NAME)
    assert (opened.n_corrections, opened.n_unsaved) == (2, 1)
    kill(opened)
    again, _ = visit(folder)
    assert (again.n_corrections, again.n_unsaved) == (2, 1)
    assert show_word(again, "crane").saved_as == "model-v2"
    assert show_word(again, "bank").saved_as == ""
    save_corrections(again)
    kill(again)
    third, told = visit(folder)
    assert (third.n_corrections, told) == (0, [])
    assert count_corrections(read_draft(again.draft.path)[1]) == 0
    leave(third)
    names = {p.name for p in folder.parent.iterdir()}
    assert names == {"model", "model-v2", "model-v3", again.draft.path.name + ".old"}


def test_what_was_corrected_while_a_version_was_saved_is_not_settled(folder):
    opened, _ = visit(folder)
    correct_word(opened, "crane", HIDE)
    moment = opened.now
    correct_word(opened, "bank", HIDE)
    opened.note_saved(moment, ["crane"], "model-v2")
    expected = state_of(opened)
    kill(opened)
    again, _ = visit(folder)
    assert state_of(again) == expected
    assert (again.n_corrections, again.n_unsaved) == (2, 1)


def test_what_was_discarded_while_a_version_was_saved_settles_no_later_draft(folder):
    opened, _ = visit(folder)
    correct_word(opened, "crane", HIDE)
    moment = opened.now
    discard_corrections(opened, 1)
    opened.note_saved(moment, ["crane"], "model-v2")
    correct_word(opened, "bank", HIDE)  # as many steps as the version has
    assert (opened.n_corrections, opened.n_unsaved) == (1, 1)
    kill(opened)
    again, _ = visit(folder)
    assert [edit.word for edit in list_corrections(again).edits] == ["bank"]


def test_a_look_leaves_nothing_behind(folder):
    leave(visit(folder)[0])
    assert [p.name for p in folder.parent.iterdir()] == ["model"]


def test_places_of_drafts(folder, tmp_path, monkeypatch):
    model = load(folder)
    digits = model.digest[:12]
    beside = DraftPlace.find(model).path
    assert beside == folder.parent / f".model-{digits}.draft.jsonl"
    chosen = DraftPlace.find(model, tmp_path / "drafts").path
    assert chosen == tmp_path / "drafts" / f"model-{digits}.draft.jsonl"
    install_models({"xx": folder}, tmp_path, monkeypatch)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    of_package = DraftPlace.find(model).path
    assert of_package == tmp_path / "data" / "grassmeans" / "drafts" / f"model-{digits}.draft.jsonl"


def test_a_place_that_cannot_be_written_is_told_and_the_explorer_goes_on(folder, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    opened, told = visit(folder, drafts=blocked / "drafts")
    assert len(told) == 1
    assert told[0].startswith("corrections are not kept when the explorer stops: ")
    assert str(blocked) in told[0]
    assert correct_word(opened, "crane", HIDE).edited
    opened.read_only = True
    with pytest.raises(ConflictError, match="--read-only"):
        save_corrections(opened)
