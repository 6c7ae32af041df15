"""The command line, as a user runs it; in a process of its own where streams or signals count."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from command_line import run_line
from grassmeans import Corpus, WordVectors

COMMAND = [sys.executable, "-c", "from grassmeans.cli.main import run; run()"]


def grassmeans(
    *arguments: object, stdin: str | bytes = "", file_limit: int | None = None
) -> subprocess.CompletedProcess[str]:
    def limit_file_size() -> None:
        if file_limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

    content = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=content,
        capture_output=True,
        timeout=600,  # kernels may have to be compiled first, on a busy machine
        check=False,
        preexec_fn=limit_file_size,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The same inside of this process, which needs not be started."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        capsys.readouterr()
        code = run_line(*arguments)
        return subprocess.CompletedProcess(arguments, code, *capsys.readouterr())

    return run


def fails(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    """A user's mistake: exit code 2, one clear line, no traceback."""
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    message = " ".join(done.stderr.split())
    for part in parts:
        assert part in message


@pytest.fixture(scope="module")
def work(tmp_path_factory, synthetic_text_file) -> Path:
    """Corpus, vectors and model, made by the three commands."""
    folder = tmp_path_factory.mktemp("cli")
    done = grassmeans("ingest", synthetic_text_file, "-o", folder / "corpus")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["n_documents"] == 160
    assert report["n_tokens"] == 11_200
    done = grassmeans(
        "vectors", folder / "corpus", "-o", folder / "vectors",
        "--dim", 40, "--epochs", 20, "--min-count", 3, "--workers", 1,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["dim"] == 40
    done = grassmeans(
        "induce", folder / "corpus", folder / "vectors", "-o", folder / "model",
        "-w", "Crane", "-w", "bank", "-w", "heron", "--senses", 2,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["skipped"] == {"heron": "does not occur in the corpus"}
    assert "no senses for 'heron'" in done.stderr
    return folder


def test_show_gives_the_senses_as_json(work, synthetic) -> None:
    shown = grassmeans("show", work / "model", "Crane", "--json", "--examples", 1)
    entry = json.loads(shown.stdout)
    assert (entry["word"], entry["count"]) == ("crane", 200)
    assert [len(sense["examples"]) for sense in entry["senses"]] == [1, 1]
    topics = [set(words) for words in synthetic.topic_words[:2]]
    for sense in entry["senses"]:
        assert any(set(sense["characteristic_words"]) <= topic for topic in topics)


def test_tag_reads_standard_input_and_files(work, synthetic, tmp_path) -> None:
    bird, machine = (" ".join(words[:6]) for words in synthetic.topic_words[:2])
    lines = f"{bird} <b>crane</b> {bird}\n\n{machine} <b>crane</b> {machine}\nThe crane.\n"
    done = grassmeans("tag", work / "model", stdin=lines)
    tagged = [json.loads(line) for line in done.stdout.splitlines()]
    senses = [line["words"][0]["sense"] for line in tagged]
    assert len(set(senses[:2])) == 2
    assert senses[2] == 0
    assert tagged[2]["words"][0]["label"] == "crane.0"
    (tmp_path / "lines.txt").write_text(lines)
    assert grassmeans("tag", work / "model", tmp_path / "lines.txt").stdout == done.stdout
    soft = grassmeans("tag", work / "model", "--decoding", "soft", stdin=lines)
    first = json.loads(soft.stdout.splitlines()[0])["words"][0]
    assert sum(first["probabilities"]) == pytest.approx(1, abs=1e-3)
    assert first["probabilities"][first["sense"] - 1] > 0.5


def test_tag_only_one_word(work) -> None:
    done = grassmeans("tag", work / "model", "--word", "Bank", stdin="crane bank")
    assert [w["key"] for w in json.loads(done.stdout)["words"]] == ["bank"]
    fails(grassmeans("tag", work / "model", "--word", "heron", stdin="x"), "'heron'", "no senses")


def test_tag_reads_text_that_comes_tokenised(work) -> None:
    done = grassmeans("tag", work / "model", "--format", "tokens", stdin="a crane, Crane\nbank")
    first, second = (json.loads(line)["words"] for line in done.stdout.splitlines())
    assert [(w["word"], w["position"]) for w in first] == [("Crane", 2)]
    assert [w["key"] for w in second] == ["bank"]
    rows = [("1", "Two", "two"), ("2", "cranes", "crane"), ("", "", ""), ("1", "banks", "bank")]
    lines = "\n".join("\t".join([*row, *["_"] * 7]) for row in rows)
    arguments = ("tag", work / "model", "--format", "conllu", "--column", "lemma")
    found = [json.loads(line) for line in grassmeans(*arguments, stdin=lines).stdout.splitlines()]
    assert [(line["text"], line["words"][0]["key"]) for line in found] == [
        ("Two cranes", "crane"),
        ("banks", "bank"),
    ]
    fails(grassmeans("tag", work / "model", "--format", "x", stdin=""), "--format must be")


def test_tag_answers_line_by_line(work) -> None:
    process = subprocess.Popen(
        [*COMMAND, "tag", work / "model"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for text in ("a crane", "a bank"):
        process.stdin.write(text.encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["text"] == text
    process.stdin.close()
    assert process.wait(timeout=30) == 0


def test_tag_survives_wrong_encoding_and_long_lines(work) -> None:
    done = grassmeans("tag", work / "model", stdin=b"caf\xe9 crane\n" + b"x" * 2_000_000)
    assert done.returncode == 0
    assert len(json.loads(done.stdout.splitlines()[0])["words"]) == 1


def test_induce_on_a_text_file_needs_no_corpus(work, synthetic_text_file, tmp_path) -> None:
    done = grassmeans(
        "induce", synthetic_text_file, work / "vectors", "-w", "bass", "-k", 2,
        "-o", tmp_path / "m",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    entry = json.loads(grassmeans("show", tmp_path / "m", "bass").stdout)
    assert entry["count"] == 200
    fails(grassmeans("induce", "en", "-o", tmp_path / "n"), "induce TEXT en")
    arguments = ("induce", work / "corpus", synthetic_text_file, "en", "-o", tmp_path / "n")
    fails(grassmeans(*arguments), "is no text: give a corpus alone, or texts only")


def test_words_from_a_file_and_all_frequent_words(work, tmp_path) -> None:
    (tmp_path / "words.txt").write_text("crane\n\nseal\n")
    done = grassmeans(
        "induce", work / "corpus", work / "vectors", "-o", tmp_path / "a", "-k", 2,
        "--words", tmp_path / "words.txt", "--no-calibrate",
    )  # fmt: skip
    assert json.loads(done.stdout)["n_words"] == 2
    done = grassmeans(
        "induce", work / "corpus", work / "vectors", "-o", tmp_path / "b", "-k", 2,
        "--min-count", 200, "--no-calibrate",
    )  # fmt: skip
    assert json.loads(done.stdout)["n_words"] == 4


def test_info_of_every_kind(here, work) -> None:
    for kind in ("corpus", "vectors", "model"):
        assert json.loads(here("info", work / kind).stdout)["kind"] == kind
    assert json.loads(here("info", work / "model").stdout)["n_senses"] == 4
    listed = json.loads(here("info", work / "model", "--words").stdout)
    assert listed["words"] == ["crane", "bank"]
    fails(here("info", work / "nothing"), "there is no folder at")


def test_similar_and_convert(here, work, tmp_path) -> None:
    lines = here("similar", work / "vectors", "crane", "-n", 3).stdout.splitlines()
    assert len(lines) == 3
    for to in ("word2vec-text", "word2vec-binary", "glove", "folder"):
        target = tmp_path / to
        assert here("convert", work / "vectors", target, "--to", to).returncode == 0
        again = here("similar", target, "crane", "-n", 3).stdout.splitlines()
        assert [json.loads(line)["word"] for line in again] == [
            json.loads(line)["word"] for line in lines
        ]
    fails(here("convert", work / "vectors", tmp_path / "x", "--to", "doc"), "--to must be")
    fails(here("similar", work / "vectors", "heron"), "'heron' is not among")


def test_help_teaches_every_command(here) -> None:
    text = here("--help").stdout
    for command in ("ingest", "vectors", "induce", "show", "tag", "info", "demo"):
        assert command in text
        page = here(command, "--help").stdout
        assert len(page) > 300
    assert grassmeans("--version").stdout.startswith("grassmeans ")


def test_closed_pipe_is_no_error(work) -> None:
    script = f"{' '.join(COMMAND[:1])} -c 'from grassmeans.cli.main import run; run()'"
    line = f"yes 'crane bank' | head -20000 | {script} tag {work / 'model'} | head -1"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.stdout.count("\n") == 1
    assert "Traceback" not in done.stderr


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.txt", b"", "no words were found"),
        ("garbage.bin", bytes(range(256)) * 64, "no words were found"),
        ("digits.txt", b"12 34 ... 56\n", "no words were found"),
    ],
)
def test_inputs_without_words(here, tmp_path, name, content, message) -> None:
    (tmp_path / name).write_bytes(content)
    fails(here("ingest", tmp_path / name, "-o", tmp_path / "c"), message)
    assert not (tmp_path / "c").exists()


def test_missing_input_unknown_format_language_and_column(here, tmp_path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("some words here")
    out = tmp_path / "c"
    fails(here("ingest", tmp_path / "no.txt", "-o", out), "no.txt")
    fails(here("ingest", text, "-o", out, "--format", "word"), "mediawiki")
    fails(here("ingest", text, "-o", out, "--language", "xx"), "--function-words")
    fails(here("ingest", text, "-o", out, "--numbers", "eat"), "drop, keep, mask")
    fails(here("ingest", text), "--output")
    assert not out.exists()


def test_existing_output_is_refused_then_replaced(tmp_path, synthetic_text_file) -> None:
    out = tmp_path / "c"
    assert grassmeans("ingest", synthetic_text_file, "-o", out).returncode == 0
    fails(grassmeans("ingest", synthetic_text_file, "-o", out), "exists already", "--overwrite")
    assert grassmeans("ingest", synthetic_text_file, "-o", out, "--overwrite").returncode == 0


def test_wrong_order_of_folders_is_explained(here, work, tmp_path) -> None:
    done = here("induce", work / "vectors", work / "corpus", "-o", tmp_path / "m", "-w", "crane")
    fails(done, "holds a vectors, but a corpus is needed")
    fails(here("induce", work / "corpus", "-o", tmp_path / "m"), "contexts after them")
    fails(here("show", work / "corpus", "crane"), "holds a corpus, but a model is needed")
    fails(here("vectors", work / "model", "-o", tmp_path / "v"), "holds a model")


def test_no_word_could_be_induced(here, work, tmp_path) -> None:
    arguments = ("induce", work / "corpus", work / "vectors", "-o", tmp_path / "m")
    fails(here(*arguments, "-w", "heron"), "no senses were induced", "'heron' does not occur")
    fails(here(*arguments, "-w", "crane", "-k", 5000), "too few for 5000 senses")
    assert not (tmp_path / "m").exists()


def test_vectors_that_do_not_fit(here, work, tmp_path) -> None:
    (tmp_path / "other.txt").write_text("2 3\nun 1 2 3\ndeux 4 5 6\n")
    (tmp_path / "nan.txt").write_text("1 2\ncrane nan nan\n")
    arguments = ("-o", tmp_path / "m", "-w", "crane")
    fails(here("induce", work / "corpus", tmp_path / "other.txt", *arguments), "in common")
    fails(here("induce", work / "corpus", tmp_path / "nan.txt", *arguments))
    fails(here("induce", work / "corpus", tmp_path / "none.txt", *arguments), "none.txt")


def test_truncated_model_is_explained(work, tmp_path) -> None:
    import shutil

    shutil.copytree(work / "model", tmp_path / "m")
    path = tmp_path / "m" / "inventory" / "directions.npy"
    path.write_bytes(path.read_bytes()[:200])
    fails(grassmeans("tag", tmp_path / "m", stdin="crane"), "truncated or damaged")


def test_full_disk_loses_nothing(tmp_path) -> None:
    documents = tmp_path / "documents.jsonl"
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(2000)]
    with documents.open("w") as file:
        for number in range(40):
            text = " ".join(rng.choice(words, size=2000 if number < 39 else 60_000))
            file.write(json.dumps({"id": number, "text": text}) + "\n")
    out = tmp_path / "c"
    done = grassmeans("ingest", documents, "-o", out, "--workers", 1, file_limit=150_000)
    fails(done, "is full while writing", "start the same command again")
    assert grassmeans("ingest", documents, "-o", out, "--workers", 1).returncode == 0
    assert Corpus.open(out).n_documents == 40


def _start(*arguments: object, before: str = "") -> subprocess.Popen[bytes]:
    # Where the tests run in the background of a shell, interrupts are ignored.
    *python, code = COMMAND
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    return subprocess.Popen(
        [*python, "; ".join(filter(None, (listen, before, code))), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _wait_for(
    folder: Path, pattern: str, process: subprocess.Popen[bytes], seconds: float = 300
) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and process.poll() is None:
        if any(folder.glob(pattern)):
            return
        time.sleep(0.005)
    raise AssertionError(f"{folder / pattern} did not appear")


def test_interrupted_training_goes_on(work, tmp_path) -> None:
    out = tmp_path / "v"
    # So many passes take seconds on any machine, and a checkpoint is written after each batch.
    often = "from grassmeans.vectors import training; training.CHECKPOINT_SECONDS = 0"
    arguments = (
        "vectors", work / "corpus", "-o", out, "--dim", 100, "--epochs", 500,
        "--min-count", 1, "--workers", 1,
    )  # fmt: skip
    process = _start(*arguments, before=often)
    scratch = tmp_path / ".v.building" / "scratch"
    _wait_for(scratch, "checkpoint/checkpoint.json", process)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"goes on from where it was" in error
    assert (scratch / "checkpoint" / "checkpoint.json").exists()
    assert grassmeans("info", out).returncode == 2
    assert grassmeans(*arguments).returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["v"]
    assert len(WordVectors.load(out)) > 300


def test_killed_induction_goes_on(work, tmp_path) -> None:
    out = tmp_path / "m"
    arguments = (
        "induce", work / "corpus", work / "vectors", "-o", out, "--min-count", 20, "-k", 2,
        "--workers", 1, "--no-calibrate",
    )  # fmt: skip
    process = _start(*arguments)
    parts = tmp_path / ".m.building" / "scratch"
    _wait_for(parts, "*.jsonl", process)
    process.kill()
    process.communicate()
    fails(grassmeans("show", out, "crane"), "start it again")
    assert any(parts.glob("*.jsonl"))
    done = grassmeans(*arguments)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["m"]
    fresh = tmp_path / "fresh"
    grassmeans(*(fresh if a is out else a for a in arguments))
    one, two = (folder / "inventory" / "directions.npy" for folder in (out, fresh))
    assert one.read_bytes() == two.read_bytes()


def test_demo_runs_without_a_terminal(tmp_path) -> None:
    environment = os.environ | {"COLUMNS": "100"}
    done = subprocess.run(
        [*COMMAND, "demo"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "crane.1" in done.stdout
    assert "crane[?] was there" in done.stdout
    assert re.search(r"crane\[0\.5\d 0\.\d\d\] was there", done.stdout)
    (page,) = tmp_path.iterdir()
    text = page.read_text(encoding="utf-8")
    assert text.count("drawPlanes(document") == 5
    assert "https://" not in text.replace("http://www.w3.org", "")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["ingest"], ["Missing argument", "see grassmeans ingest --help"]),
        (["tag", "en", "--nothing"], ["No such option: --nothing", "see grassmeans tag --help"]),
        (["tag", "en", "--idk", 2], ["--idk", "1"]),
        (["nothing"], ["No such command 'nothing'", "see grassmeans --help"]),
        (["build-dataset", "links"], ["see grassmeans build-dataset links --help"]),
    ],
)
def test_usage_mistakes_are_one_line(here, arguments: list[object], parts: list[str]) -> None:
    fails(here(*arguments), *parts)


def test_a_usage_mistake_is_one_line_of_a_process() -> None:
    fails(grassmeans("ingest"), "Missing argument", "see grassmeans ingest --help")


def test_warnings_of_libraries_do_not_leak() -> None:
    code = (
        "import sys, warnings; from grassmeans.cli import main; "
        "main._silence_libraries(); warnings.warn('from a library')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stderr == b""
    asked = [sys.executable, "-W", "default", "-c", code]
    assert b"from a library" in subprocess.run(asked, capture_output=True, check=True).stderr
