"""Where versions come from, which corrections they lack, and how two of them become one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from grassmeans import load
from grassmeans.cli.main import app
from grassmeans.errors import InputError
from grassmeans.models.model import SenseModel
from grassmeans.models.versions import describe_descent, find_left_out, read_versions
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_explorer.editing.edited_words import Edit, EditedWord, read_hidden_directions
from grassmeans_explorer.editing.saving import save_version
from grassmeans_explorer.editing.version_merge import compare_versions, merge_versions


@pytest.fixture
def model(topic_model_folder, tmp_path) -> SenseModel:
    """With lexemes, one for each sense: the vectors (1, 0), (2, 0), (3, 0), (4, 0)."""
    folder = shutil.copytree(topic_model_folder, tmp_path / "place" / "model")
    keys = ["crane.1", "crane.2", "bank.1", "bank.2", "river"]
    rows = np.array([[1, 0], [2, 0], [3, 0], [4, 0], [5, 0]], np.float32)
    WordVectors(keys, rows).save(folder / "lexemes")
    return load(folder)


def correct(model: SenseModel, name: str, *edits: Edit) -> SenseModel:
    """A version with these corrections, beside the model."""
    words: dict[str, EditedWord] = {}
    for edit in edits:
        before = words.get(edit.word) or EditedWord.start(model, edit.word)
        words[edit.word] = before.apply(edit, model.vectors)
    return load(save_version(model, words, name=name))


HIDE_CRANE = Edit("crane", "hide", (1,))
NAME_CRANE = Edit("crane", "rename", (2,), "machine")
MERGE_BANK = Edit("bank", "merge", (1, 2))
NAME_BANK = Edit("bank", "rename", (1,), "shore")


def place_of(model: SenseModel) -> Path:
    assert model.folder is not None
    return model.folder.parent


def test_versions_name_their_parent_and_what_they_lack(model):
    second = correct(model, "v2", HIDE_CRANE)
    third = correct(model, "v3", MERGE_BANK)
    edited = third.manifest["edited"]
    assert (edited["from"], edited["from_digest"]) == ("model", model.digest)
    assert describe_descent(third) == {"made_from": "model", "lacks_corrections_of": ["v2"]}
    assert describe_descent(second)["lacks_corrections_of"] == ["v3"]
    fourth = correct(second, "v4", NAME_CRANE)  # has all of v2
    assert describe_descent(fourth) == {"made_from": "v2", "lacks_corrections_of": ["v3"]}
    assert describe_descent(third)["lacks_corrections_of"] == ["v2", "v4"]
    longer = correct(model, "v5", HIDE_CRANE, NAME_CRANE, MERGE_BANK)
    assert describe_descent(longer)["lacks_corrections_of"] == []
    assert find_left_out(model, place_of(model)) == ["v2", "v3", "v4", "v5"]
    assert describe_descent(model) == {}


def test_versions_that_touch_other_words_are_merged(model):
    first = correct(correct(model, "v2", HIDE_CRANE), "v3", NAME_CRANE)
    second = correct(model, "v4", MERGE_BANK)
    found = merge_versions(first, second, place_of(model) / "both")
    assert (found.words_of_second, found.conflicts) == (("bank",), ())
    merged = load(place_of(model) / "both")
    for word, version in (("crane", first), ("bank", second)):
        assert merged.senses(word).senses == version.senses(word).senses
        assert np.array_equal(merged.inventory.directions(word), version.inventory.directions(word))
    assert list(read_hidden_directions(merged)) == [("crane", 1)]
    shown = EditedWord.start(merged, "crane").apply(Edit("crane", "unhide", (1,)), merged.vectors)
    assert np.array_equal(shown.entry.directions, model.inventory.directions("crane"))
    shares = [sense.share for sense in model.senses("bank").senses]
    mean = (3 * shares[0] + 4 * shares[1]) / sum(shares)
    lexemes = merged.lexemes
    assert lexemes.words == ["crane.1", "crane.2", "river", "bank.1"]
    assert lexemes.vectors[:, 0] == pytest.approx([1, 2, 5, mean])
    edited = merged.manifest["edited"]
    assert [edit["action"] for edit in edited["edits"]] == ["hide", "rename", "merge"]
    assert [version["name"] for version in edited["merged"]] == ["v3", "v4"]
    log = read_versions(merged)
    assert [version["kind"] for version in log] == ["built", "merged"]
    assert (log[1]["digest_before"], log[1]["keeps_numbers"]) == (model.digest, False)
    assert describe_descent(merged)["lacks_corrections_of"] == []


def test_merging_the_other_way_round_gives_the_same_senses(model):
    first, second = correct(model, "v2", HIDE_CRANE), correct(model, "v3", MERGE_BANK)
    merge_versions(first, second, place_of(model) / "one")
    merge_versions(second, first, place_of(model) / "other")
    one, other = load(place_of(model) / "one"), load(place_of(model) / "other")
    assert one.digest == other.digest
    assert list(read_hidden_directions(one)) == list(read_hidden_directions(other))
    assert list(read_hidden_directions(other)) == [("crane", 1)]


def test_words_in_conflict_are_named_unless_somebody_is_preferred(model):
    first = correct(model, "v2", HIDE_CRANE, NAME_BANK)
    second = correct(model, "v3", NAME_CRANE, NAME_BANK)  # alike in bank
    assert compare_versions(first, second).conflicts == ("crane",)
    target = place_of(model) / "both"
    with pytest.raises(InputError, match=r"v2 and v3 .*not alike: crane;"):
        merge_versions(first, second, target)
    assert not target.exists()
    for prefer, version in (("first", first), ("second", second)):
        merge_versions(first, second, target, prefer=prefer, overwrite=True)
        merged = load(target)
        assert merged.senses("crane").senses == version.senses("crane").senses
        assert merged.senses("bank").senses[0].name == "shore"
        n_hidden = 1 if prefer == "first" else 0
        assert len(read_hidden_directions(merged)) == n_hidden
        edits = merged.manifest["edited"]["edits"]
        kept = {"first": "hide", "second": "rename"}[prefer]
        assert [e["action"] for e in edits if e["word"] == "crane"] == [kept]


def test_versions_without_a_common_ancestor_are_refused(model, doubtful_model_folder, tmp_path):
    first = correct(model, "v2", HIDE_CRANE)
    later = correct(first, "v3", MERGE_BANK)
    with pytest.raises(InputError, match="v3 has all corrections of the other"):
        compare_versions(first, later)
    with pytest.raises(InputError, match="v2 has all corrections of the other"):
        compare_versions(first, model)
    copied = shutil.copytree(doubtful_model_folder, tmp_path / "elsewhere" / "model")
    strange = correct(load(copied), "strange", HIDE_CRANE)
    with pytest.raises(InputError, match="v2 and strange are no versions of one model"):
        compare_versions(first, strange)
    shutil.copytree(strange.folder, place_of(model) / "strange")
    assert find_left_out(model, place_of(model)) == ["v2", "v3"]


def test_the_command_refuses_conflicts_and_merges(model):
    correct(model, "v2", HIDE_CRANE)
    correct(model, "v3", NAME_CRANE, MERGE_BANK)
    place = place_of(model)
    command = ["merge", str(place / "v2"), str(place / "v3"), "-o", str(place / "both")]
    refused = CliRunner().invoke(app, command)
    assert isinstance(refused.exception, InputError)
    done = CliRunner().invoke(app, [*command, "--prefer", "second", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {
        "model": str(place / "both"),
        "prefer": "second",
        "from_second": ["bank"],
        "conflicts": ["crane"],
    }
    told = CliRunner().invoke(app, ["info", str(place / "v3"), "--json"])
    about = json.loads(told.stdout)
    assert (about["made_from"], about["lacks_corrections_of"]) == ("model", ["v2"])
