"""Where text, names and numbers enter and leave: bad ones end in one line, or in a sound result."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import typer
from typer.models import OptionInfo
from typer.testing import CliRunner

from crane_model import save_crane_model
from grassmeans import Corpus
from grassmeans.cli.main import app
from grassmeans.errors import GrassmeansError

RUN = "from grassmeans.cli.main import run; run()"
TEXT = "The crane built a nest on the façade — 中文.\n"
RECORD = json.dumps({"id": "2", "title": "good", "text": "the crane built a nest"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus, its vectors and a model."""
    place = tmp_path_factory.mktemp("boundary")
    save_crane_model(place / "model")
    corpus = Corpus.from_texts(["the crane built a nest of steel beam and wing"], place / "corpus")
    from grassmeans import WordVectors

    words = corpus.vocabulary.words
    rows = [[float(i % 3), 1.0] for i in range(len(words))]
    WordVectors(words, rows).save(place / "vectors")
    return place


def run(*arguments: object, shell: str = "", **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a command as a shell does, with its redirections."""
    command = [sys.executable, "-c", RUN, *map(str, arguments)]
    line = " ".join(map(shlex.quote, command))
    environment = os.environ | options.pop("env", {})
    return subprocess.run(
        ["sh", "-c", f"{line} {shell}"],
        capture_output=True,
        check=False,
        env=environment,
        **options,
    )


def complaint(*arguments: object) -> str:
    """What a command complains of; fails where it ends well, or in anything but our own error."""
    done = CliRunner().invoke(app, [str(a) for a in arguments])
    if done.exception is None or isinstance(done.exception, SystemExit):
        assert done.exit_code == 2, done.output
        return done.output
    assert isinstance(done.exception, GrassmeansError), repr(done.exception)
    return str(done.exception)


@pytest.mark.parametrize(
    ("shell", "code", "message"),
    [
        (">/dev/full", 2, "grassmeans: the output cannot be written: No space left on device\n"),
        (">&-", 2, "grassmeans: standard output is closed: send it to a file, or to /dev/null\n"),
        ("2>&- >&-", 2, ""),
        ("<&-", 0, ""),
    ],
)
def test_streams_that_are_closed_or_full(folder, shell, code, message) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no full device")
    done = run("tag", folder / "model", shell=shell, input=TEXT.encode())
    assert (done.returncode, done.stderr.decode()) == (code, message)


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "utf-8"},
    ],
)
def test_letters_that_the_locale_lacks_are_escaped(folder, env) -> None:
    done = run("tag", folder / "model", input=TEXT.encode(), env=env)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["text"] == TEXT.strip()


def test_names_and_titles_that_are_no_utf_8(tmp_path) -> None:
    """Lone surrogates in JSON, and a file's name, become U+FFFD; nothing else is lost."""
    name = os.fsdecode(b"bad\xff.jsonl")
    bad = '{"id": "\\ud800", "title": "\\udc00x", "text": "a crane \\ud800 flew"}'
    try:
        (tmp_path / name).write_text(f"{bad}\n{RECORD}\n")
    except OSError:
        pytest.skip("this file system has UTF-8 names only")
    corpus = Corpus.from_files([tmp_path], tmp_path / "out" / "corpus", workers=1)
    assert corpus.manifest["sources"] == ["bad\ufffd.jsonl"]
    assert corpus.shards[0].metadata == [("\ufffd", "\ufffdx"), ("2", "good")]
    assert corpus.document_text(0) == "a crane \ufffd flew"


@pytest.mark.parametrize(
    ("content", "n_documents"),
    [
        ('{"text": ' + "[" * 100_000, 1),
        ('{"text": ' + "9" * 5000 + "}", 1),
        ('{"id": ' + "9" * 5000 + ', "text": "a crane"}', 1),
        ('{"text": NaN}', 1),
    ],
)
def test_strange_json_does_not_end_an_ingest(tmp_path, content, n_documents) -> None:
    (tmp_path / "in.jsonl").write_text(f"{RECORD}\n{content}\n")
    corpus = Corpus.from_files([tmp_path / "in.jsonl"], tmp_path / "corpus", workers=1)
    assert corpus.n_documents == n_documents
    assert corpus.manifest["skipped"]


@pytest.mark.parametrize(
    "encoding", ["hex", "punycode", "idna", "rot13", "base64", "zip", "undefined", "cp037", "x", ""]
)
def test_codecs_that_are_none_of_text_files(tmp_path, encoding) -> None:
    (tmp_path / "t.txt").write_text("a crane flew")
    told = complaint(
        "ingest", tmp_path / "t.txt", "-o", tmp_path / "c", "--encoding", encoding, "-j", 1
    )
    assert "unknown encoding" in told
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-32", "latin-1", "cp1251", "iso2022_jp", "UTF8"]
)
def test_encodings_of_text_files(tmp_path, encoding) -> None:
    (tmp_path / "t.txt").write_bytes("a crane flew".encode(encoding))
    corpus = Corpus.from_files([tmp_path / "t.txt"], tmp_path / "c", encoding=encoding, workers=1)
    assert corpus.vocabulary.words == ["a", "crane", "flew"]


def test_a_column_of_lists_is_no_text(tmp_path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    categories = pyarrow.array(["a crane flew"]).dictionary_encode()
    parquet.write_table(pyarrow.table({"text": categories}), tmp_path / "good.parquet")
    corpus = Corpus.from_files([tmp_path / "good.parquet"], tmp_path / "c", workers=1)
    assert corpus.n_tokens == 3
    parquet.write_table(pyarrow.table({"text": [["a", "b"]]}), tmp_path / "bad.parquet")
    told = complaint("ingest", tmp_path / "bad.parquet", "-o", tmp_path / "d", "-j", 1)
    assert "holds list<" in told


@pytest.mark.parametrize("content", [bytes(range(256)), b"\xff\xfe", b"cr\0ane\n", b"\n\n"])
def test_lists_of_words_that_are_no_text(folder, tmp_path, content) -> None:
    (tmp_path / "words").write_bytes(content)
    told = complaint(
        "induce", folder / "corpus", folder / "vectors", "-o", tmp_path / "m",
        "--words", tmp_path / "words", "-j", 1,
    )  # fmt: skip
    assert str(tmp_path / "words") in told


@pytest.mark.parametrize("word", ["\udcff", "cr\ud800ane"])
def test_words_that_are_no_utf_8(folder, tmp_path, word) -> None:
    inputs = folder / "corpus", folder / "vectors", "-o", tmp_path / "m"
    assert "must be words in UTF-8" in complaint("induce", *inputs, "-w", word, "-j", 1)
    assert "is not among" in complaint("show", folder / "model", word)
    assert "is not among" in complaint("similar", folder / "vectors", word)


HUGE = "1000000000000"
NUMBERS = [
    *[("vectors", name, HUGE) for name in ("dim", "window", "negative", "epochs")],
    *[("vectors", name, "-1") for name in ("dim", "window", "negative", "epochs", "seed")],
    ("vectors", "seed", "99999999999999999999999"),
    *[("vectors", "parts", value) for value in (HUGE, str(2**63), "0")],
    ("vectors", "sample", "nan"),
    ("vectors", "learning-rate", "nan"),
    ("vectors", "learning-rate", "inf"),
    *[("induce", name, HUGE) for name in ("restarts", "senses", "window", "rank")],
    *[("induce", name, "-1") for name in ("restarts", "senses", "window", "rank", "seed")],
    ("induce", "granularity", "nan"),
    ("induce", "granularity", "inf"),
    *[("encoder", name, HUGE) for name in ("dim", "layers", "passage", "vocabulary", "epochs")],
    *[("encoder", name, HUGE) for name in ("minutes", "batch-tokens")],
    *[("encoder", name, "0") for name in ("dim", "layers", "vocabulary", "epochs", "minutes")],
    ("encoder", "passage", "3"),
    ("encoder", "epochs", "nan"),
    ("encoder", "seed", "99999999999999999999999"),
    *[(name, "workers", "100000") for name in ("vectors", "induce", "encoder")],
]


@pytest.mark.parametrize(("command", "option", "value"), NUMBERS)
def test_numbers_out_of_range(folder, tmp_path, command, option, value) -> None:
    inputs: list[object] = [folder / "corpus"]
    if command == "induce":
        inputs += [folder / "vectors", "-w", "crane"]
    workers = () if option == "workers" else ("-j", 1)
    told = complaint(command, *inputs, "-o", tmp_path / "out", f"--{option}", value, *workers)
    assert value[:5] in told.replace(",", "") or f"--{option}" in told
    assert not (tmp_path / "out").exists()


def find_number_options(
    group: typer.Typer, prefix: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str, bool]]:
    """Every option that takes a number: its command, its name, whether the number is whole."""
    for inner in group.registered_groups:
        yield from find_number_options(inner.typer_instance, (*prefix, inner.name))
    for command in group.registered_commands:
        hints = get_type_hints(command.callback, include_extras=True)
        for name, hint in hints.items():
            kind, option, *_ = [*get_args(hint), None, None]
            kinds = {kind, *get_args(kind)}
            if kinds & {int, float} and isinstance(option, OptionInfo):
                path = (*prefix, command.name or command.callback.__name__)
                first = [option.default] if isinstance(option.default, str) else []
                named = sorted([*first, *(option.param_decls or ())])  # the long one first
                yield path, (*named, f"--{name.replace('_', '-')}")[0], int in kinds


def test_every_number_has_a_range() -> None:
    """Numbers beyond 64 bits, and those that are none, are refused before anything is read."""
    options = list(find_number_options(app))
    assert len(options) > 100
    assert (("vectors",), "--parts", True) in options
    command = typer.main.get_command(app)
    for path, option, is_whole in options:
        wrong = (2**63, -(2**63) - 1, "nan", "2.5") if is_whole else ("nan", "inf", "-inf", "x")
        for value in wrong:
            with pytest.raises(typer.BadParameter) as refused:
                command.main([*path, option, str(value)], standalone_mode=False)
            assert type(refused.value) is typer.BadParameter, (path, option, value, refused.value)
            assert option in refused.value.param.opts


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("induce corpus vectors -w crane --language xx", "--language is for texts"),
        ("induce corpus vectors -w crane --text-field body", "--text-field is for texts"),
        ("phrases corpus --list one.txt", "no phrase was given"),
        ("info corpus --words", "lists those of a model"),
        ("demo", "of another kind (corpus) and is never replaced"),
    ],
)
def test_what_would_be_passed_over_is_refused(folder, tmp_path, monkeypatch, line, message) -> None:
    monkeypatch.chdir(folder)
    (folder / "one.txt").write_text("crane\n")
    output = {"demo": ["-o", "corpus", "--page", tmp_path / "p.html"], "info": []}
    words = line.split()
    assert message in complaint(*words, *output.get(words[0], ["-o", tmp_path / "out"]))
    assert not (tmp_path / "out").exists()
    assert not (folder / "corpus" / "corpus").exists()


@pytest.mark.parametrize(
    "place",
    ["s3://bucket/x", "file:///tmp/x", ".", "..", "/", "/dev/null", "/proc/x", "x" * 300, ""],
)
def test_places_that_cannot_be_written(folder, tmp_path, monkeypatch, place) -> None:
    monkeypatch.chdir(folder)
    (tmp_path / "t.txt").write_text("a crane flew")
    done = CliRunner().invoke(app, ["ingest", str(tmp_path / "t.txt"), "-o", place, "-j", "1"])
    assert isinstance(done.exception, GrassmeansError | OSError)
    done = CliRunner().invoke(app, ["show", "model", "crane", "--page", place])
    assert isinstance(done.exception, GrassmeansError | OSError | SystemExit)
    assert done.exit_code != 0


def test_links_are_not_replaced(folder, tmp_path) -> None:
    (tmp_path / "t.txt").write_text("a crane flew")
    (tmp_path / "link").symlink_to(folder / "corpus")
    before = sorted((folder / "corpus").iterdir())
    complaint("ingest", tmp_path / "t.txt", "-o", tmp_path / "link", "--overwrite", "-j", 1)
    assert sorted((folder / "corpus").iterdir()) == before


def test_folders_that_cannot_be_read_are_named(tmp_path, monkeypatch) -> None:
    inner = tmp_path / "texts" / "locked"
    inner.mkdir(parents=True)
    (tmp_path / "texts" / "t.txt").write_text("a crane flew")
    scan = os.scandir

    def refuse(path: Any) -> Any:  # as the system does, but for a user who may read everything
        if str(path) == str(inner):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    corpus = Corpus.from_files([tmp_path / "texts"], tmp_path / "c", workers=1)
    assert corpus.manifest["skipped"] == {"unreadable folder": 1}
    assert str(inner) in corpus.manifest["examples"]["unreadable folder"]


def test_keys_whose_weights_mean_nothing(tmp_path) -> None:
    (tmp_path / "gold").write_text("a.n a.1 s1/1\n")
    for key in ("a.n a.1 s1/0\n", "a.n a.1 s1/1e300\n", "a.n a.1 s1/nan\n", "a.n a.1 s\0/1\n"):
        (tmp_path / "key").write_text(key)
        told = complaint("score", tmp_path / "key", tmp_path / "gold")
        assert str(tmp_path / "key") in told
    (tmp_path / "key").write_text("\ufeffa.n a.1 s1/1\n\ufeffa.n a.2 s1/1\n")
    from grassmeans.evaluation.instances import read_key

    assert list(read_key(tmp_path / "key").labels) == ["a.n"]
