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


@pytest.mark.parametrize(
    ("name", "other", "found"),
    [
        ("label", "ingest", "without"),
        ("lexemes", "convert", "without"),
        ("ingest", "label", "with"),
        ("append", "label", "with"),
        ("vectors", "lexemes", "with"),
        ("convert", "lexemes", "with"),
    ],
)
def test_what_others_are_made_from_is_kept(
    name, other, found, material, finished, tmp_path, capsys
) -> None:
    finished(other, tmp_path / "out")
    capsys.readouterr()
    before = contents(tmp_path)
    assert grassmeans(material, f"{COMMANDS[name].line} --overwrite", tmp_path / "out") == 2
    refuses(capsys, "another kind", f"{found} '")
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
    note = tmp_path / "out" / "note.txt"
    note.touch()
    before = contents(tmp_path)
    if name != "iterate":  # there it means: open what is there
        assert grassmeans(material, COMMANDS[name].line, tmp_path / "out") == 2
        refuses(capsys, "exists already: choose another, or pass --overwrite")
        assert contents(tmp_path) == before
    line = f"{COMMANDS[name].line} --overwrite"
    assert grassmeans(material, line, tmp_path / "out") == 2
    refuses(capsys, "holds note.txt, which is not a part of it", "move")
    assert contents(tmp_path) == before
    note.unlink()
    assert grassmeans(material, line, tmp_path / "out") == 0
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
        ".": "an input",
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


READ_AND_WRITTEN = {
    # Words are those of the material; each line would write over something that it reads.
    "change deep/model corpus --word crane -o deep --overwrite": "deep holds model",
    "change model corpus --words w.csv -o w.csv --overwrite": "w.csv is an input",
    "change model corpus --word crane -o model --overwrite": "model is an input",
    "compare --corpus corpus --vectors vectors --task jsonl=test.jsonl --model model "
    "-o model/manifest.json --overwrite": "lies in model",
    "compare --corpus corpus --vectors vectors --task jsonl=test.jsonl --model model "
    "-o test.jsonl --overwrite": "test.jsonl is an input",
    "compare --corpus corpus --vectors vectors --task jsonl=test.jsonl --methods one "
    "--keep corpus": "corpus is an input",
    "compare --corpus corpus --vectors vectors --task jsonl=test.jsonl --methods one "
    "--keep corpus/kept": "lies in corpus",
    "induce corpus vectors --words deep/model/w.txt -o deep/model --overwrite": "holds w.txt",
    "induce corpus vectors --word crane -o deep/model --cache vectors": "vectors is an input",
    "ingest books --function-words deep/corpus/fw.txt -o deep/corpus --overwrite": "holds fw.txt",
    "ingest books --append corpus -o corpus --overwrite": "corpus is an input",
    "phrases corpus --list deep/corpus/fw.txt -o deep/corpus --overwrite": "holds fw.txt",
    "phrases corpus --common-words deep/corpus/fw.txt -o deep/corpus --overwrite": "holds fw.txt",
    "update model books --words deep/model/w.txt -o deep/model --overwrite": "holds w.txt",
    "lexemes labelled --start-from vectors -o vectors --overwrite": "vectors is an input",
    "compact model --lexemes vectors -o vectors --overwrite": "vectors is an input",
    "evaluate jsonl --data test.jsonl --model model --key-out test.jsonl --overwrite": "an input",
    "evaluate jsonl --data test.jsonl --model model --key-out model/answers.key": "lies in model",
    "evaluate jsonl --data books --model model --key-out books/book.txt --overwrite": "lies in",
    "reliability model --task jsonl=test.jsonl --picture test.jsonl --overwrite": "is an input",
    "reliability model corpus --picture model/p.svg": "lies in model",
    "reproduce low-rank --corpus corpus --vectors vectors -o corpus --overwrite": "is an input",
    "reproduce low-rank --corpus corpus --vectors vectors --model model -o model/x": "lies in",
    "build-dataset lineup --words w.csv -o w.csv --overwrite": "w.csv is an input",
    "build-dataset pseudowords corpus --groups w.csv -o d --corpus-out d/c": "both written",
    "build-dataset links corpus --merge-pages deep/fw.txt -o deep --overwrite": "holds fw.txt",
    "explore model --save-to model --no-browser": "model is an input",
    "demo -o d --page d/page.html": "both written",
}


@pytest.mark.parametrize("line", READ_AND_WRITTEN)
def test_nothing_that_is_read_is_written_over(line, material, tmp_path, capsys) -> None:
    place = tmp_path / "material"
    shutil.copytree(material, place)
    (place / "w.csv").write_text("crane\n")
    (place / "deep").mkdir()
    for kind, name in (("model", "w.txt"), ("corpus", "fw.txt")):
        shutil.copytree(place / kind, place / "deep" / kind)
        (place / "deep" / kind / name).write_text("the crane\n")
    (place / "deep" / "fw.txt").write_text("a\tb\n")
    before = contents(tmp_path)
    assert grassmeans(place, line) == 2
    refuses(capsys, READ_AND_WRITTEN[line])
    assert contents(tmp_path) == before


FILES = {
    "compare --corpus corpus --vectors vectors --task jsonl=test.jsonl --methods one -o OUT": "{",
    "evaluate jsonl --data test.jsonl --model model --key-out OUT": "crane",
    "reliability model --task jsonl=test.jsonl --picture OUT": "<svg",
    "change model corpus --by source --word crane -o OUT.json": None,
    "export corpus -o OUT": None,
    "convert vectors OUT --to glove": None,
}


@pytest.mark.parametrize("line", FILES)
def test_a_file_of_somebody_is_replaced_only_when_told(line, material, tmp_path, capsys) -> None:
    thesis = tmp_path / ("thesis.json" if ".json" in line.split()[-1] else "thesis.md")
    thesis.write_text("mine")
    line = line.replace("OUT.json", OUT)
    assert grassmeans(material, line, thesis) == 2
    refuses(capsys, "exists already: choose another, or pass --overwrite")
    assert contents(tmp_path) == {thesis.name: b"mine"}


@pytest.mark.parametrize("line", [line for line, start in FILES.items() if start])
def test_a_file_is_replaced_when_told(line, material, tmp_path) -> None:
    (tmp_path / "old.txt").write_text("mine")
    assert grassmeans(material, f"{line} --overwrite", tmp_path / "old.txt") in (0, 1)
    assert (tmp_path / "old.txt").read_text().startswith(FILES[line])


def test_a_report_of_experiments_keeps_what_others_wrote(material, tmp_path, capsys) -> None:
    line = "reproduce linearity --corpus corpus --vectors vectors -o OUT --quick -j 1"
    foreign = tmp_path / "foreign"
    (foreign / "data").mkdir(parents=True)
    for name in ("report.html", "data/mine.csv", "written.txt"):
        (foreign / name).write_text("mine")
        before = contents(tmp_path)
        assert grassmeans(material, line, foreign) == 2
        refuses(capsys, name, "pass --overwrite")
        assert contents(tmp_path) == before
        (foreign / name).unlink()
    (foreign / "notes.txt").write_text("mine")
    for _ in range(2):  # and what it wrote itself it writes anew
        assert grassmeans(material, line, foreign) == 0
    capsys.readouterr()
    (foreign / "report.html").write_text("changed")
    assert grassmeans(material, line, foreign) == 2
    refuses(capsys, "report.html was not written by this command, or was changed since")
    assert (foreign / "report.html").read_text() == "changed"
    assert grassmeans(material, f"{line} --overwrite", foreign) == 0
    assert (foreign / "report.html").read_text() != "changed"
    assert (foreign / "notes.txt").read_text() == "mine"


def test_a_demo_replaces_only_a_demo(material, tmp_path, capsys) -> None:
    before = contents(material)
    page = tmp_path / "notes.txt"
    for place, message in ((".", "the folder you are in"), ("model", "another kind (model)")):
        assert grassmeans(material, f"demo -o {place} --page {page} --overwrite") == 2
        refuses(capsys, message)
    assert contents(material) == before
    page.write_text("mine")
    assert grassmeans(material, f"demo --page {page}") == 2
    refuses(capsys, "notes.txt exists already")
    assert page.read_text() == "mine"
    for place in ("corpus", "vectors", "model"):
        shutil.copytree(material / place, tmp_path / "work" / place)
    before = contents(tmp_path)
    assert grassmeans(material, f"demo -o {tmp_path / 'work'} --page {page} --overwrite") == 2
    refuses(capsys, "work is not empty and not a grassmeans demo")
    assert contents(tmp_path) == before


def test_a_result_that_somebody_changed_is_kept(material, finished, tmp_path, capsys) -> None:
    finished("ingest", tmp_path / "out")
    capsys.readouterr()
    words = tmp_path / "out" / "words.txt"
    words.write_text(words.read_text() + "mine\n")
    before = contents(tmp_path)
    assert grassmeans(material, f"{COMMANDS['ingest'].line} --overwrite", tmp_path / "out") == 2
    refuses(capsys, "words.txt was changed after it was written", "delete it yourself")
    assert contents(tmp_path) == before
