from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grassmeans.cli.main import app
from grassmeans.errors import InputError

GOLD = "a.n a.n.1 p\na.n a.n.2 p\na.n a.n.3 q\nb.v b.v.1 p\nb.v b.v.2 q\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "gold.key").write_text(GOLD)
    return tmp_path


def score(files: Path, key: str, *options: object):
    (files / "answers.key").write_text(key)
    arguments = ["score", str(files / "answers.key"), str(files / "gold.key"), *map(str, options)]
    return CliRunner().invoke(app, arguments)


def test_json_has_every_group_and_score(files: Path) -> None:
    result = score(files, GOLD.replace(" p", " x/0.9 y/0.1"))
    found = json.loads(result.stdout)
    assert [found[group]["v_measure"] for group in ("all", "n", "v")] == [100, 100, 100]
    fields = {"f_score", "n_clusters", "b_cubed", "ari", "accuracy", "v_measure_interval"}
    assert fields <= found["all"].keys()
    assert found["counts"] == {"n_unanswered": 0, "n_unknown": 0}
    assert result.stderr == ""


def test_unanswered_and_unknown_are_counted(files: Path) -> None:
    result = score(files, "a.n a.n.1 x\na.n a.n.9 x\nc.n c.n.1 x\n")
    assert json.loads(result.stdout)["counts"] == {"n_unanswered": 4, "n_unknown": 2}
    assert "gold instances without an answer: 4 of 5" in result.stderr
    assert "words without any answer: b.v" in result.stderr
    assert "without a gold label (not scored): 2" in result.stderr


def test_markdown(files: Path) -> None:
    lines = score(files, GOLD, "--markdown").stdout.splitlines()
    assert lines[0].startswith("|  | words | instances | V |")
    assert lines[2].startswith("| all | 2 | 5 | 100.00 |")


def test_gold_of_json_lines(tmp_path: Path) -> None:
    lines = [
        {"id": str(i), "target": "crane", "left": "a", "right": "b", "label": label}
        for i, label in enumerate(["sense one", "sense two"])
    ]
    gold = tmp_path / "gold.jsonl"
    gold.write_text("\n".join(json.dumps(line) for line in lines))
    (tmp_path / "a.key").write_text("crane 0 x\ncrane 1 y\n")
    arguments = ["score", str(tmp_path / "a.key"), str(gold), "--task", "jsonl"]
    assert json.loads(CliRunner().invoke(app, arguments).stdout)["all"]["v_measure"] == 100


@pytest.mark.parametrize(
    ("key", "options", "message"),
    [
        ("z z.1 x\n", (), "none of the 1 answers .*'z z.1' against 'a.n a.n.1'"),
        ("a.n a.n.1\n", (), "line 1: expected 'word instance"),
        ("a.n a.n.1 x\na.n a.n.1 y\n", (), "line 2: .* is in line 1 already"),
        ("\n", (), "is empty"),
        (GOLD, ("--task", "senseval"), "unknown task 'senseval'"),
    ],
)
def test_mistakes(files: Path, key: str, options: tuple[str, ...], message: str) -> None:
    result = score(files, key, *options)
    assert isinstance(result.exception, InputError)
    with pytest.raises(InputError, match=message):
        raise result.exception


def test_empty_gold(files: Path) -> None:
    (files / "gold.key").write_text("")
    result = score(files, GOLD)
    assert isinstance(result.exception, InputError)
    assert "gold.key is empty" in str(result.exception)
