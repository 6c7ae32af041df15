from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from grassmeans import Corpus, WordVectors
from grassmeans.cli.main import app
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.errors import InputError
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.text.tokenizer import Tokenizer


@pytest.fixture
def folder(tmp_path):
    """A corpus and a model: bird words on the first axis, machine words on the second."""
    Corpus.from_texts(["A crane, a nest.", "mix crane"], tmp_path / "corpus")
    vectors = WordVectors(["nest", "mix"], np.array([[1, 0], [0.6, 0.8]], np.float32))
    crane = WordSenses("crane", 2, 2, np.eye(2, dtype=np.float32), ())
    encoder = SubspaceEncoder(vectors, ContextShape(2, 1), frozenset({"a"}))
    SenseModel(encoder, SenseInventory([crane]), Tokenizer()).save(tmp_path / "model")
    return tmp_path


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_label_then_decode_again_then_export(folder) -> None:
    labelled = folder / "labelled"
    done = run("label", folder / "corpus", folder / "model", "-o", labelled, "-j", 1)
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert (facts["n_tokens"], facts["n_occurrences"], facts["n_idk"]) == (6, 2, 1)
    assert facts["model"] == "model"
    assert run("export", labelled).stdout == "a crane.1 a nest\nmix crane.0\n"

    wider = folder / "wider"
    done = run("label", labelled, folder / "model", "--idk", 0.7, "-o", wider, "-j", 1)
    assert done.exit_code == 0, done.output
    assert "decoded anew" in done.stderr
    assert json.loads(done.stdout)["n_idk"] == 0
    assert run("export", wider, "--format", "text").stdout == "a crane.1 a nest\nmix crane.2\n"


def test_export_to_a_file(folder) -> None:
    target = folder / "out.vert"
    done = run("export", folder / "corpus", "-o", target, "--format", "vertical")
    assert done.exit_code == 0, done.output
    assert "wrote 2 documents" in done.stderr
    assert target.read_text().splitlines()[:2] == ['<doc id="0" title="">', "A\ta\ta\t"]


def test_unknown_choices_are_refused(folder) -> None:
    done = run(
        "label", folder / "corpus", folder / "model", "-o", folder / "l", "--decoding", "firm"
    )
    assert isinstance(done.exception, InputError)
    assert "hard, soft" in str(done.exception)
    assert not (folder / "l").exists()
    done = run("export", folder / "corpus", "--format", "pdf")
    assert isinstance(done.exception, InputError)
