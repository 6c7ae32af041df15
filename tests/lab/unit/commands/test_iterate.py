from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from damage import edit_manifest
from grassmeans.cli.main import app
from grassmeans.clustering.settings import InductionSettings
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.models.building import build_model
from grassmeans.vectors.skipgram import SkipGram
from synthetic import POLYSEMOUS, SyntheticCorpus


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, synthetic: SyntheticCorpus) -> Path:
    """A folder with ``corpus`` and ``model``."""
    root = tmp_path_factory.mktemp("cli-iterate")
    corpus = Corpus.from_texts(synthetic.documents, root / "corpus")
    SkipGram(dim=16, min_count=1, epochs=8, workers=1).fit(corpus).vectors_.save(root / "vectors")
    build_model(
        root / "corpus",
        root / "vectors",
        root / "model",
        list(POLYSEMOUS),
        settings=InductionSettings(n_senses=2),
        workers=1,
    )
    manifest = root / "model" / "manifest.json"
    edit_manifest(manifest.parent, idk_threshold=0.45)
    return root


def run(folder: Path, name: str, *arguments: str):
    inputs = [str(folder / "corpus"), str(folder / "model"), "-o", str(folder / name)]
    return CliRunner().invoke(app, ["iterate", *inputs, "-j", "1", *arguments])


@pytest.mark.parametrize("decoding", ["hard", "soft"])
def test_one_line_of_json_a_round(folder: Path, decoding: str) -> None:
    options = ["--rounds", "1", "--epochs", "1", "--decoding", decoding]
    done = run(folder, decoding, *options)
    assert done.exit_code == 0, done.output
    first, last = (json.loads(line) for line in done.stdout.splitlines())
    assert (first["number"], first["agreement"], first["stopped"]) == (0, None, None)
    assert first["n_occurrences"] == last["n_occurrences"] == 800
    assert "lexemes" not in first
    assert last["stopped"] is not None
    about = Corpus.open(last["labelled"]).manifest["labelled"]
    assert (about["decoding"], about["idk_threshold"]) == ("hard", 0.45)
    assert LexemeVectors.load(last["lexemes"]).senses("crane") == [1, 2]
    again = run(folder, decoding, *options)
    assert again.stdout == done.stdout


def test_a_table_on_a_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("grassmeans_lab.commands.iterate")  # the package has the command so
    monkeypatch.setattr(module, "wants_json", lambda _asked: False)
    done = run(folder, "table", "--rounds", "1", "--epochs", "1", "--from-scratch")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["round", "occurrences", "IDK", "entropy", "agreement"]
    reports = json.loads((folder / "table" / "rounds.json").read_text())
    second = reports["rounds"][1]
    assert lines[2].split() == [
        "1",
        "800",
        f"{second['idk_share']:.1%}",
        f"{second['mean_entropy']:.4f}",
        f"{second['agreement']:.1%}",
    ]
    assert lines[3] == f"stopped: {reports['stopped']}"
    manifest = LexemeVectors.load(folder / "table" / "round-1" / "lexemes").vectors.manifest
    assert "started_from" not in manifest["lexemes"]


def test_mistakes_are_explained(folder: Path) -> None:
    done = run(folder, "wrong", "--decoding", "firm")
    assert isinstance(done.exception, InputError)
    assert "hard, soft" in str(done.exception)
    assert not (folder / "wrong").exists()
    (folder / "mine").mkdir()
    (folder / "mine" / "notes.txt").write_text("x")
    done = run(folder, "mine")
    assert "not a grassmeans iteration" in str(done.exception)
