from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from entry_material import LEXICON
from grassmeans import load
from grassmeans.errors import InputError
from grassmeans_explorer.entries.entry import DictionaryEntry, EntrySense, Lexicon, Numbering
from grassmeans_explorer.entries.following import ModelNumbers, root_of
from grassmeans_explorer.entries.formats import (
    find_format,
    load_lexicon,
    save_lexicon,
    write_lexicon,
)
from grassmeans_explorer.entries.lexicon import gather_lexicon, import_lexicon
from grassmeans_explorer.entries.proposals import Material
from grassmeans_explorer.entries.store import EntryStore, read_entries

ENTRY = DictionaryEntry(
    "crane",
    senses=(EntrySense("crane.2", definition="a bird"), EntrySense("crane.7", name="lost")),
    numbering=Numbering((), 7),
)


@pytest.fixture
def model(topic_model_folder, tmp_path):
    return load(shutil.copytree(topic_model_folder, tmp_path / "model"))


@pytest.fixture
def written(model):
    with EntryStore(model) as store:
        store.put(ENTRY, 0, ModelNumbers.of_model(model))
    return model


def test_what_was_written_becomes_a_lexicon_and_what_is_odd_is_told(written):
    found = gather_lexicon(written)
    assert [sense.key for sense in found.entries[0].senses] == ["crane.2", ""]
    assert found.entries[0].senses[1].former == "crane.7"
    assert (found.language, found.title, found.model) == ("en", "model", "model")
    assert found.root == root_of(written)
    assert found.remarks == (
        "crane: crane.7 is no longer there: its text is kept",
        "crane: crane.1 is not in the entry yet",
    )
    assert gather_lexicon(written, ["Crane"], title="Mine").title == "Mine"


def test_proposals_fill_what_is_empty(written):
    found = gather_lexicon(written, ["crane", "bank"], proposals=Material(written))
    crane, bank = found.entries
    assert [sense.key for sense in crane.senses] == ["crane.2", "", "crane.1"]
    assert crane.senses[0].definition == "a bird"
    assert all(sense.name and sense.examples for sense in bank.senses)
    every = gather_lexicon(written, proposals=Material(written))
    assert {entry.word for entry in every.entries} == {"crane", "bank"}


def test_nothing_to_tell_is_an_error(model, written, tmp_path):
    with pytest.raises(InputError, match="no entry of 'bank' yet"):
        gather_lexicon(written, ["bank"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="there are no entries yet"):
        gather_lexicon(model, folder=tmp_path / "empty")


def test_a_lexicon_is_imported_and_can_be_taken_back(written):
    lexicon = gather_lexicon(written)
    other = replace(lexicon.entries[0], notes=("from elsewhere",))
    done = import_lexicon(written, replace(lexicon, entries=(other,)))
    assert (done.n_entries, done.n_changed) == (1, 1)
    assert read_entries(written) == [other]
    assert import_lexicon(written, replace(lexicon, entries=(other,))).n_changed == 0
    with EntryStore(written) as store:
        assert store.undo("crane", store.find("crane").revision).entry == ENTRY


def test_entries_of_another_model_are_told_and_some_may_be_chosen(model):
    done = import_lexicon(model, LEXICON, words=["Bank"])
    assert (done.n_entries, done.n_changed) == (1, 1)
    assert "of another model" in done.remarks[0]
    (entry,) = read_entries(model)
    assert (entry.word, entry.numbering) == ("bank", Numbering((), 2))
    import_lexicon(model, LEXICON, words=["crane"])
    crane = next(entry for entry in read_entries(model) if entry.word == "crane")
    assert crane.numbering == Numbering((), 2)  # the split was one of the other model


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.tei.xml", "tei"), ("A.TTL", "ontolex"), ("a.lexonomy.xml", "lexonomy"),
        ("a.dmlex.json", "dmlex"), ("a.csv", "csv"), ("a.html", "html"), ("a.json", "json"),
    ],
)  # fmt: skip
def test_the_ending_tells_the_format(name, format):
    assert find_format(name).name == format


def test_formats_that_cannot_be_told_or_read_are_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be told from its name"):
        find_format("a.xml")
    with pytest.raises(InputError, match="format must be one of tei, ontolex"):
        find_format("a.csv", "pdf")
    with pytest.raises(InputError, match="not read from html: take one of tei, ontolex"):
        find_format("a.html", to_read=True)
    with pytest.raises(InputError, match="there is no file"):
        load_lexicon(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8"):
        load_lexicon(tmp_path / "a.csv")


def test_files_are_written_once_and_read_again(tmp_path):
    path = tmp_path / "lexicon.json"
    save_lexicon(LEXICON, path)
    with pytest.raises(InputError, match="exists already"):
        save_lexicon(Lexicon(()), path)
    assert load_lexicon(path) == LEXICON
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())  # as some editors do
    assert load_lexicon(path) == LEXICON
    save_lexicon(Lexicon(()), path, overwrite=True)
    assert load_lexicon(path).entries == ()


@pytest.mark.parametrize(
    ("name", "written", "lacks"),
    [
        ("a.xml", "tei", "examples never to be shown"),
        ("a.xml", "lexonomy", "examples never to be shown"),
        ("a.json", "dmlex", "notes, collocates"),
        ("a.json", "json", ""),
        ("a.ttl", "ontolex", "collocates, the status"),
    ],
)
def test_files_of_every_format_are_recognised_and_tell_what_they_lack(
    name, written, lacks, tmp_path, model
):
    if written == "ontolex":
        pytest.importorskip("rdflib", reason="RDFLib reads Turtle, and is not installed")
    (tmp_path / name).write_text(write_lexicon(LEXICON, written), encoding="utf-8")
    found = load_lexicon(tmp_path / name)
    assert sorted(entry.word for entry in found.entries) == ["bank", "crane"]
    assert len(found.remarks) == bool(lacks)
    assert all(lacks in remark for remark in found.remarks)
    done = import_lexicon(model, found, words=["crane"])
    assert done.n_changed == 1
    assert done.remarks[: len(found.remarks)] == found.remarks
