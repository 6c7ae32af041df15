"""`grassmeans compare` and `grassmeans evaluate --method`, from a corpus to tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grassmeans import Corpus, SkipGram
from grassmeans.cli.main import app
from grassmeans.clustering.settings import InductionSettings
from grassmeans.errors import GrassmeansError
from grassmeans.models.building import build_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory, synthetic) -> Path:
    """A corpus, vectors, a model, labelled instances of two words, and a lineup."""
    place = tmp_path_factory.mktemp("compare")
    corpus = Corpus.from_texts(synthetic.documents, place / "corpus")
    trainer = SkipGram(dim=20, window=5, min_count=2, epochs=10, workers=1)
    trainer.fit(corpus).vectors_.save(place / "vectors")
    build_model(
        place / "corpus",
        place / "vectors",
        place / "model",
        ["crane", "seal"],
        settings=InductionSettings(n_senses=2),
        workers=1,
    )
    lines = []
    for word in ("crane", "seal"):
        for document, topic in synthetic.gold[word][::5]:
            left, _, right = synthetic.documents[document].lower().partition(f" {word} ")
            lines.append(
                {
                    "id": f"{word}{document}",
                    "target": word,
                    "left": left,
                    "right": right,
                    "label": f"{topic}",
                }
            )
    (place / "a.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    # Each word of a topic is defined by its topic's words and, as a second sense, by the next's.
    topics = synthetic.topic_words
    senses = [
        f"{topics[k][first]}\t{' '.join(topics[(k + other) % 8][first + 2 : first + 6])}"
        for k in range(8)
        for first in (0, 1)
        for other in (0, 1)
    ]
    (place / "lineup.txt").write_text("\n".join(senses) + "\n")
    return place


def run(folder: Path, command: str, *options: object):
    shared = ["--corpus", folder / "corpus", "--vectors", folder / "vectors", "-j", 1]
    return CliRunner().invoke(app, [command, *map(str, shared), *map(str, options)])


def test_json_lines_of_all_rows_and_a_second_run(folder: Path, tmp_path: Path) -> None:
    options = ("--task", f"jsonl={folder / 'a.jsonl'}", "--methods", "one, kmeans,grassmeans")
    options += ("--senses", 2, "--keep", tmp_path / "rows")
    result = run(folder, "compare", *options)
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["method"] for row in rows] == ["one", "kmeans", "grassmeans"]
    assert [row["result"]["all"]["v_measure"] for row in rows] == pytest.approx([0, 100, 100])
    assert rows[1]["result"]["parameters"]["n_init"] == 5
    assert run(folder, "compare", *options).stdout == result.stdout


def test_markdown_with_a_finished_model(folder: Path) -> None:
    options = ("--task", f"jsonl={folder / 'a.jsonl'}", "--model", folder / "model", "--markdown")
    result = run(folder, "compare", *options)
    assert result.stdout.splitlines()[-1].startswith("| model | 2 | 100.00 | 100.0–100.0 | 100.00")
    assert "model, 2 senses: jsonl is done" in result.stderr


def test_files_of_results(folder: Path, tmp_path: Path) -> None:
    options = ("--task", f"jsonl={folder / 'a.jsonl'}", "--methods", "one", "-o")
    assert run(folder, "compare", *options, tmp_path / "out.json").stdout == ""
    (row,) = json.loads((tmp_path / "out.json").read_text())["rows"]
    assert row["method"] == "one"
    run(folder, "compare", *options, tmp_path / "out.md")
    assert (tmp_path / "out.md").read_text().startswith("## jsonl\n\n| method |")


def test_lineup_of_word_vectors_and_senses(folder: Path) -> None:
    options = ("--task", f"lineup={folder / 'lineup.txt'}", "--methods", "skipgram,one")
    rows = [json.loads(line) for line in run(folder, "compare", *options).stdout.splitlines()]
    plain = rows[0]["result"]["all"]
    assert plain["k"] == [1, 2, 3, 4, 5, 6]
    # A word without sense vectors is answered by its word vector.
    assert rows[1]["result"]["all"] == plain
    assert plain["precision"][0] > 30  # tiny vectors, which end otherwise on other processors
    table = run(folder, "compare", *options, "--markdown").stdout.splitlines()[2]
    assert table.startswith("| method | K | P / R at 1 | P / R at 2 |")


def test_one_table_of_all_test_sets_comes_first(folder: Path) -> None:
    options = ("--task", f"jsonl={folder / 'a.jsonl'}", "--task", f"lineup={folder / 'lineup.txt'}")
    found = run(folder, "compare", *options, "--methods", "one,kmeans", "--senses", 2, "--markdown")
    lines = found.stdout.splitlines()
    assert lines[0] == "## all test sets"
    assert lines[2] == (
        "| method | K | jsonl: V, F, clusters | lineup: P / R at 4 | induction s | decoding s |"
    )
    assert lines[4].startswith("| one | - | 0.00 (0.0–0.0), 65.52 (65.5–65.5), 1.00 | ")
    assert lines[5].startswith("| kmeans | 2 | 100.00 (100.0–100.0), 100.00 (100.0–100.0), 2.00 | ")
    assert [line for line in lines if line.startswith("##")] == [
        "## all test sets",
        "## jsonl",
        "## lineup",
    ]


def test_methods_without_wordnet_fail_with_one_line_and_the_others_go_on(
    folder: Path, tmp_path: Path
) -> None:
    options = ("--task", f"jsonl={folder / 'a.jsonl'}", "--methods")
    found = run(folder, "compare", *options, f"autoextend:wordnet={tmp_path},one,chen:wordnet=no")
    rows = [json.loads(line) for line in found.stdout.splitlines()]
    assert found.exit_code == 1
    assert [row["error"] is None for row in rows] == [False, True, False]
    assert rows[0]["error"].startswith(f"{tmp_path} is not a WordNet database: it has no data.adj")
    assert rows[2]["error"].startswith("no is not a WordNet database: there is nothing there; get")
    assert all("\n" not in row["error"] for row in rows if row["error"])


def test_evaluate_with_a_method(folder: Path) -> None:
    options = ("jsonl", "--data", folder / "a.jsonl", "--method", "kmeans")
    found = json.loads(run(folder, "evaluate", *options).stdout)
    assert found["all"]["v_measure"] == pytest.approx(100)
    assert found["parameters"]["method"] == "kmeans"
    assert found["parameters"]["n_senses"] == 2
    on_test = run(folder, "evaluate", *options, "--induce", "on-test", "-k", 3, "--seed", 4)
    found = json.loads(on_test.stdout)
    assert found["parameters"]["induce"] == "on-test"
    assert (found["parameters"]["n_senses"], found["parameters"]["random_state"]) == (3, 4)


def test_method_and_model_go_through_the_same_door(folder: Path, tmp_path: Path) -> None:
    options = ("jsonl", "--data", folder / "a.jsonl", "--decoding", "soft")
    by_method = run(
        folder, "evaluate", *options, "--method", "grassmeans", "--key-out", tmp_path / "method.key"
    )
    found = json.loads(by_method.stdout)
    assert found["parameters"]["decoding"] == "soft"
    given = ["evaluate", *map(str, options), "--model", str(folder / "model")]
    by_model = CliRunner().invoke(app, [*given, "--key-out", str(tmp_path / "model.key")])
    assert json.loads(by_model.stdout)["all"] == found["all"]
    assert (tmp_path / "method.key").read_text() == (tmp_path / "model.key").read_text()


def test_row_that_fails_is_reported_and_the_rest_goes_on(folder: Path, tmp_path: Path) -> None:
    options = ("--task", f"jsonl={folder / 'a.jsonl'}", "--methods", "atoms:n_atoms=100000,one")
    result = run(folder, "compare", *options)
    assert result.exit_code == 1
    failed, one = (json.loads(line) for line in result.stdout.splitlines())
    assert "100000 atoms need at least as many vectors" in failed["error"]
    assert one["error"] is None
    assert one["result"]["all"]["n_clusters"] == 1
    result = run(folder, "compare", *options, "-o", tmp_path / "out.md")
    assert result.exit_code == 1
    assert "atoms:n_atoms=100000: jsonl failed: 100000 atoms need" in result.stderr
    table = (tmp_path / "out.md").read_text()
    assert "| atoms:n_atoms=100000 | - | failed | failed |" in table
    assert "atoms:n_atoms=100000 failed: 100000 atoms need" in table
    assert "| one | - | 0.00 |" in table


def test_evaluate_the_lineup(folder: Path) -> None:
    data = ("evaluate", "lineup", "--data", str(folder / "lineup.txt"))
    by_words = CliRunner().invoke(app, [*data, "--vectors", str(folder / "vectors")])
    by_senses = CliRunner().invoke(app, [*data, "--model", str(folder / "model")])
    words, senses = (json.loads(result.stdout) for result in (by_words, by_senses))
    assert words["parameters"]["vectors"] == "words"
    assert senses["parameters"]["vectors"] == "senses"
    # The model has senses of none of these words.
    assert words["all"] == senses["all"]


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        ("compare", ("--task", "jsonl"), "--task must be NAME=PATH"),
        ("compare", ("--task", "jsonl=absent"), "there is nothing at absent"),
        ("compare", ("--task", "x=TASK"), "unknown task 'x'"),
        ("compare", ("--task", "jsonl=TASK", "--methods", "best"), "unknown method 'best'"),
        ("compare", ("--task", "jsonl=TASK", "--methods", ","), "nothing to compare"),
        ("compare", ("--task", "jsonl=TASK", "--model", "absent"), "there is no model at absent"),
        ("evaluate", ("jsonl", "--data", "TASK", "--method", "best"), "unknown method"),
        (
            "evaluate",
            ("jsonl", "--data", "TASK", "--method", "one", "--model", "m"),
            "--model and --lexemes do not go together with --method",
        ),
    ],
)
def test_mistakes(folder: Path, command: str, options: tuple[str, ...], message: str) -> None:
    data = str(folder / "a.jsonl")
    result = run(folder, command, *(option.replace("TASK", data) for option in options))
    assert isinstance(result.exception, GrassmeansError)
    assert message in str(result.exception)


def test_method_needs_a_corpus_and_vectors(folder: Path) -> None:
    arguments = ["evaluate", "jsonl", "--data", str(folder / "a.jsonl"), "--method", "one"]
    result = CliRunner().invoke(app, arguments)
    assert "--method needs --corpus and --vectors" in str(result.exception)
