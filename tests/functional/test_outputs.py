"""What the commands may replace and what they must keep, for every command that writes a folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from writing_commands import COMMANDS, OUT, grassmeans, make_material

EVERY_COMMAND = pytest.mark.parametrize("name", COMMANDS)


@pytest.fixture(scope="module")
def material(tmp_path_factory, synthetic) -> Path:
    """A folder with the inputs of every command."""
    return make_material(tmp_path_factory.mktemp("outputs"), synthetic)


@pytest.fixture(scope="module")
def finished(material, tmp_path_factory):
    """Make the result of a command once, and copy it to where it is asked for."""
    folder = tmp_path_factory.mktemp("finished")

    def copy(name: str, place: Path) -> None:
        if not (folder / name).exists():
            assert grassmeans(material, COMMANDS[name].line, folder / name) == 0
        shutil.copytree(folder / name, place)

    return copy


def refuses(capsys, *parts: str) -> None:
    """One line on standard error that says what is wrong."""
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    for part in parts:
        assert part in lines[0]


def contents(folder: Path) -> dict[str, bytes]:
    """All files, hidden ones too."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@EVERY_COMMAND
def test_a_web_site_is_kept(name, material, tmp_path, capsys) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "manifest.json").write_text(json.dumps({"name": "Holidays", "icons": []}))
    (site / "photo.jpg").write_bytes(b"photo")
    before = contents(tmp_path)
    assert grassmeans(material, f"{COMMANDS[name].line} --overwrite", site) == 2
    refuses(capsys, "is not empty and not a grassmeans")
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "given"), [(name, given) for name in COMMANDS for given in COMMANDS[name].inputs]
)
def test_inputs_are_kept(name, given, material, tmp_path, capsys) -> None:
    (tmp_path / "link").symlink_to(material, target_is_directory=True)
    before = contents(material)
    for output in (material / given, Path(given), tmp_path / "link" / given):
        assert grassmeans(material, f"{COMMANDS[name].line} --overwrite", output) == 2
        refuses(capsys, "an input")
    assert contents(material) == before


@EVERY_COMMAND
def test_folders_of_another_kind_are_kept(name, material, finished, tmp_path, capsys) -> None:
    makes_corpus = name in ("ingest", "append", "label")
    finished("compact" if makes_corpus else "ingest", tmp_path / "out")
    capsys.readouterr()
    before = contents(tmp_path)
    assert grassmeans(material, f"{COMMANDS[name].line} --overwrite", tmp_path / "out") == 2
    refuses(capsys, f"another kind ({'model' if makes_corpus else 'corpus'})")
    assert contents(tmp_path) == before


@pytest.mark.parametrize(("name", "other"), [("label", "ingest"), ("lexemes", "convert")])
def test_what_others_are_made_from_is_kept(
    name, other, material, finished, tmp_path, capsys
) -> None:
    finished(other, tmp_path / "out")
    capsys.readouterr()
    before = contents(tmp_path)
    assert grassmeans(material, f"{COMMANDS[name].line} --overwrite", tmp_path / "out") == 2
    refuses(capsys, "another kind", "without")
    assert contents(tmp_path) == before


@EVERY_COMMAND
def test_a_run_that_fails_keeps_the_earlier_result(
    name, material, finished, tmp_path, capsys
) -> None:
    finished(name, tmp_path / "out")
    capsys.readouterr()
    before = contents(tmp_path)
    line = COMMANDS[name].line.replace(*COMMANDS[name].failing, 1)
    assert grassmeans(material, f"{line} --overwrite", tmp_path / "out") == 2
    assert "exists already" not in capsys.readouterr().err
    assert contents(tmp_path) == before


@EVERY_COMMAND
def test_an_earlier_result_is_replaced_only_when_told(
    name, material, finished, tmp_path, capsys
) -> None:
    finished(name, tmp_path / "out")
    capsys.readouterr()
    (tmp_path / "out" / "note.txt").touch()
    before = contents(tmp_path)
    if name != "iterate":  # there it means: open what is there
        assert grassmeans(material, COMMANDS[name].line, tmp_path / "out") == 2
        refuses(capsys, "exists already: choose another, or pass --overwrite")
        assert contents(tmp_path) == before
    assert grassmeans(material, f"{COMMANDS[name].line} --overwrite", tmp_path / "out") == 0
    assert not (tmp_path / "out" / "note.txt").exists()
    assert contents(tmp_path).keys() == before.keys() - {"out/note.txt"}


@EVERY_COMMAND
def test_places_that_cannot_be_an_output(name, material, finished, tmp_path, capsys) -> None:
    finished(name, tmp_path / "out")
    capsys.readouterr()
    (tmp_path / "link").symlink_to(tmp_path / "out", target_is_directory=True)
    (tmp_path / "file").touch()
    before = contents(tmp_path), contents(material)
    line = f"{COMMANDS[name].line} --overwrite"
    wrong = {
        tmp_path / "link": "symbolic link",
        tmp_path / "file": "is a file",
        ".": "the folder you are in",
    }
    for output, message in wrong.items():
        assert grassmeans(material, line, output) == 2
        refuses(capsys, message)
    assert (contents(tmp_path), contents(material)) == before


def test_files_are_kept(material, tmp_path, capsys) -> None:
    assert grassmeans(material, f"convert vectors {OUT} --to glove", tmp_path / "v.txt") == 0
    capsys.readouterr()
    before = contents(tmp_path)
    wrong = {
        f"convert vectors {OUT} --to glove": "exists already",
        f"convert {tmp_path / 'v.txt'} {OUT} --to word2vec-text --overwrite": "is an input",
        f"export corpus -o {OUT}": "exists already",
    }
    for line, message in wrong.items():
        assert grassmeans(material, line, tmp_path / "v.txt") == 2
        refuses(capsys, message)
    manifest = material / "corpus" / "manifest.json"
    assert grassmeans(material, f"export corpus -o {OUT} --overwrite", manifest) == 2
    refuses(capsys, "lies in corpus, an input")
    data = "evaluate jsonl --data test.jsonl --model model --key-out"
    assert grassmeans(material, f"{data} {OUT}", material / "test.jsonl") == 2
    refuses(capsys, "is an input")
    compare = "compare --corpus corpus --vectors vectors --task jsonl=test.jsonl -o"
    assert grassmeans(material, f"{compare} {OUT}", material / "test.jsonl") == 2
    refuses(capsys, "is an input")
    assert contents(tmp_path) == before
    assert grassmeans(material, f"export corpus -o {OUT} --overwrite", tmp_path / "v.txt") == 0
    assert contents(tmp_path) != before
