from __future__ import annotations

import json
import shutil
from importlib.util import find_spec

import pytest

from command_line import CommandLine, run_line
from entry_material import LEXICON
from grassmeans_explorer.entries.formats import FORMATS, load_lexicon, save_lexicon


@pytest.fixture
def folder(topic_model_folder, tmp_path):
    return shutil.copytree(topic_model_folder, tmp_path / "model")


@pytest.fixture
def command(capsys) -> CommandLine:
    return CommandLine(capsys)


@pytest.mark.parametrize("format", FORMATS.values(), ids=lambda format: format.name)
def test_every_format_is_written(folder, tmp_path, command, format):
    path = tmp_path / f"lexicon{format.endings[0]}"
    said = command.line("entries", folder, "--word", "crane", "--proposals", "-o", path)
    assert said == {"output": str(path), "n_entries": 1, "n_senses": 2}
    assert "crane" in path.read_text("utf-8")
    if format.can_read and (format.name != "ontolex" or find_spec("rdflib")):
        assert load_lexicon(path).entries[0].word == "crane"
    printed = command.say("entries", folder, "-w", "crane", "--proposals", "-f", format.name)
    assert printed.splitlines() == path.read_text("utf-8").splitlines()


def test_a_corpus_and_weights_give_other_examples(folder, tmp_path, topic_corpus, command):
    weights = tmp_path / "weights.json"
    weights.write_text('{"length": 0, "rare": 0, "nearness": 0}')
    words = tmp_path / "words.txt"
    words.write_text("crane\nbank\n")
    given = ("--proposals", "--corpus", topic_corpus.path, "--weights", weights, "--examples", 1)
    out = tmp_path / "a.json"
    said = command.line("entries", folder, "--words", words, *given, "-o", out, "--title", "T")
    assert said["n_entries"] == 2
    found = load_lexicon(out)
    assert found.title == "T"
    assert all(len(sense.examples) <= 1 for entry in found.entries for sense in entry.senses)
    assert all(sense.collocates for entry in found.entries for sense in entry.senses)


def test_entries_are_imported_and_written_again(folder, tmp_path, command):
    save_lexicon(LEXICON, tmp_path / "theirs.csv")
    mine = tmp_path / "mine"
    said = command.line("entries", folder, "--import", tmp_path / "theirs.csv", "--entries", mine)
    assert (said["n_read"], said["n_changed"]) == (2, 2)
    out = tmp_path / "out.json"
    command.say("entries", folder, "--entries", mine, "-o", out)
    assert [entry.word for entry in load_lexicon(out).entries] == ["crane", "bank"]
    # In and out in one go; the file that is there is not replaced unless that is asked for, and
    # then nothing is taken in either.
    new = tmp_path / "new"
    given = ("entries", folder, "--entries", new, "--import", tmp_path / "theirs.csv", "-o", out)
    assert run_line(*given) == 2
    assert not new.exists()
    command.say(*given, "--overwrite")
    assert new.is_dir()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["-o", "a.xml"], "cannot be told from its name"),
        (["-o", "a.json"], "there are no entries yet: write some, or pass --proposals"),
        (["-o", "a.json", "--word", "crane"], "no entry of 'crane' yet"),
        (["-o", "a.json", "--word", "xyzzy", "--proposals"], "xyzzy"),
        (["-o", "a.json", "--corpus", "model"], "add --proposals"),
        (["-o", "a.json", "--grammar", "model", "--proposals"], "name it with --corpus"),
        (["-o", "a.json", "--entries", "nowhere"], "there is no folder nowhere of entries"),
        (["-o", "there.json", "--proposals"], "exists already: choose another, or pass --over"),
        (["-o", "nowhere/a.json", "--proposals"], "there is no folder nowhere"),
        (["-o", "a.json", "--proposals", "--weights", "there.json"], "'a' is no weight"),
        (["-o", "a.json", "--proposals", "--corpus", "model"], "corpus"),
        ([], "name a file with -o, or a format with --format"),
        (["-f", "pdf"], "format must be one of tei"),
        (["--import", "there.json"], "no lexicon of ours"),
        (["--import", "nothing.json"], "there is no file nothing.json"),
        (["--import", "there.html"], "entries are not read from html"),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_a_line(folder, monkeypatch, capsys, given, told):
    monkeypatch.chdir(folder.parent)
    (folder.parent / "there.json").write_text('{"a": 1}')
    (folder.parent / "there.html").write_text("<p>")
    before = sorted(path.name for path in folder.parent.iterdir())
    assert run_line("entries", "model", *given) == 2
    said = capsys.readouterr().err
    assert told in said
    assert "Traceback" not in said
    assert sorted(path.name for path in folder.parent.iterdir()) == before


def test_what_is_no_longer_there_is_told(folder, tmp_path, capsys):
    values = {"kind": "grassmeans-lexicon", "format_version": 1, "language": "en"}
    entry = {"word": "crane", "senses": [{"key": f"crane.{n}"} for n in range(1, 40)]}
    (tmp_path / "a.json").write_text(json.dumps(values | {"entries": [entry]}))
    assert run_line("entries", folder, "--import", tmp_path / "a.json") == 0
    said = capsys.readouterr().err
    assert "crane: crane.3 is no longer there: its text is kept" in said
    assert "... and 17 more remarks" in said
