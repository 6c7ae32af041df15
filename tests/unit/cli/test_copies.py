"""`grassmeans compact` and `convert --to compact`, and commands that take the name of a model."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import grassmeans
from grassmeans.cli.copies import compact
from grassmeans.cli.main import app
from grassmeans.errors import InputError
from grassmeans.vectors.word_vectors import WordVectors
from installed import install_models

SPANISH = "la grúa del puerto levanta vigas de acero sobre los muelles y descarga sal"


def run(command: typer.Typer, *arguments: str | Path, text: str | None = None):  # type: ignore[no-untyped-def]
    result = CliRunner().invoke(command, [str(item) for item in arguments], input=text)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def compact_app() -> typer.Typer:
    command = typer.Typer()
    command.command()(compact)
    return command


def test_compact(compact_app: typer.Typer, topic_model_folder: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"

    result = run(compact_app, topic_model_folder, "-o", small, "--examples", "2", "--bits", "8")

    found = json.loads(result.stdout)
    assert found["n_words"] == 2
    assert found["n_senses"] == 4
    assert found["bytes"] == sum(p.stat().st_size for p in small.rglob("*") if p.is_file())
    model = grassmeans.load(small)
    assert model.words == ("crane", "bank")
    assert len(model.senses("crane").senses[0].examples) == 2


def test_compact_refuses_other_bits(
    compact_app: typer.Typer, topic_model_folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="bits must be one of 4, 6, 8, got 5"):
        run(compact_app, topic_model_folder, "-o", tmp_path / "small", "--bits", "5")


def test_convert_to_compact(topic_vectors: WordVectors, tmp_path: Path) -> None:
    assert topic_vectors.folder is not None
    options = ["--to", "compact", "--vocabulary", "50", "--dimensions", "8", "--bits", "8"]

    run(app, "convert", topic_vectors.folder, tmp_path / "small", *options)

    small = WordVectors.load(tmp_path / "small")
    assert small.words == topic_vectors.words[:50]
    assert small.dim == 8
    # an orthogonal projection never makes a vector longer (but for the rounding)
    lengths = np.linalg.norm(small.vectors, axis=1)
    assert (lengths <= 1.01 * np.linalg.norm(topic_vectors.vectors[:50], axis=1)).all()


def test_convert_takes_sizes_for_compact_only(topic_vectors: WordVectors, tmp_path: Path) -> None:
    assert topic_vectors.folder is not None
    with pytest.raises(InputError, match="are for --to compact"):
        run(app, "convert", topic_vectors.folder, tmp_path / "v.txt", "--vocabulary", "5")


@pytest.fixture
def shipped_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, topic_model_folder: Path
) -> None:
    """The model of topics under the name ``xx``."""
    install_models({"xx": topic_model_folder}, tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("shipped_model")
def test_commands_take_the_name_of_a_model() -> None:
    assert json.loads(run(app, "show", "xx", "crane").stdout)["word"] == "crane"
    assert json.loads(run(app, "info", "xx").stdout)["kind"] == "model"
    assert len(run(app, "similar", "xx", "crane", "-n", "3").stdout.splitlines()) == 3


@pytest.mark.usefixtures("shipped_model")
def test_text_in_another_language_is_remarked_on(tmp_path: Path) -> None:
    (tmp_path / "es.txt").write_text(SPANISH)
    (tmp_path / "en.txt").write_text("the crane at the end of the harbour was by the river and so")

    spanish = run(app, "tag", "xx", tmp_path / "es.txt")
    english = run(app, "tag", "xx", tmp_path / "en.txt")

    assert "is the text in another one?" in spanish.stderr
    assert "function words of the model's language (en)" in " ".join(spanish.stderr.split())
    assert "another one" not in english.stderr
