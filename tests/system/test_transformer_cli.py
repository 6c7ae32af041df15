"""A transformer through all commands: induce, show, tag, label, evaluate, compare."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grassmeans import Corpus, load
from grassmeans.cli.main import app
from grassmeans.errors import InputError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.server import warm_up


def run(*arguments: object, expect: type[Exception] | None = None) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if expect is None:
        assert result.exception is None, result.exception
        return result.stdout
    assert isinstance(result.exception, expect)
    return str(result.exception)


@pytest.fixture(scope="module")
def model(topic_corpus, transformer_folder, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("transformer") / "model"
    cache = folder.parent / "cache"
    given = ("induce", topic_corpus.path, f"transformer:{transformer_folder}", "-o", folder)
    told = ("--word", "crane", "--senses", 2, "--layers", "3-4", "--batch-size", 8)
    run(*given, *told, "--cache", cache, "--no-calibrate", "--json")
    assert list(cache.rglob("*.lines.npy"))
    return folder


def test_a_model_tags_labels_and_is_explored(model, topic_corpus, tmp_path) -> None:
    shown = run("show", model, "crane", "--json")
    assert "crane" in shown
    told = json.loads(run("info", model, "--json"))
    assert told["context"]["kind"] == "transformer"
    text = tmp_path / "text.txt"
    text.write_text("The crane stood by the river.\n", encoding="utf-8")
    (answer,) = run("tag", model, text, "--json").strip().splitlines()
    assert json.loads(answer)["words"][0]["key"] == "crane"
    run("label", topic_corpus.path, model, "-o", tmp_path / "labelled", "--json")
    labels = Corpus.open(tmp_path / "labelled").vocabulary.words
    assert any(word.startswith("crane") for word in labels)
    warm_up(OpenModel(load(model), topic_corpus))


def test_test_sets_are_answered(
    model, topic_corpus, topic_vectors, transformer_folder, tmp_path
) -> None:
    rows = [
        {"id": f"{i}", "target": "crane", "left": left, "right": " .", "label": label}
        for i, (left, label) in enumerate([("the river ", "a"), ("steel ", "b"), ("a bird ", "a")])
    ]
    data = tmp_path / "test.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = json.loads(run("evaluate", "jsonl", "--data", data, "--model", model, "--json"))
    assert found["counts"]["n_instances"] == 3
    bare = f"transformer:{transformer_folder}"
    given = ("evaluate", "jsonl", "--data", data, "--model", bare, "--senses", 2, "--json")
    assert json.loads(run(*given, "--corpus", topic_corpus.path))["counts"]["n_words_induced"] == 1
    assert "give --corpus" in run(*given, expect=InputError)
    topic_vectors.save(tmp_path / "vectors")
    compared = ("compare", "--corpus", topic_corpus.path, "--vectors", tmp_path / "vectors")
    named = ("--task", f"jsonl={data}", "--model", bare, "--model", model, "--workers", 1)
    rows = [json.loads(line) for line in run(*compared, *named, "--json").splitlines()]
    assert [row["error"] for row in rows] == [None, None]
    assert [row["method"] for row in rows] == [transformer_folder.name, "model"]
    assert rows[0]["result"]["counts"]["n_words_induced"] == 1


def test_bad_input_is_one_line(topic_corpus, transformer_folder, tmp_path) -> None:
    good = f"transformer:{transformer_folder}"
    for contexts, options, reason in (
        (f"transformer:{tmp_path}", (), "it has no config.json"),
        ("transformer:./nowhere", (), "there is no transformer at"),
        (good, ("--layers", "7-9"), "the layers 1 to 4"),
        (good, ("--layers", "x"), "such as 7-9"),
        (good, ("--rank", 3), "unknown setting 'rank'"),
        (good, ("--device", "gpu"), "device must be one of"),
    ):
        given = ("induce", topic_corpus.path, contexts, "-o", tmp_path / "model")
        message = run(*given, "--word", "crane", *options, expect=InputError)
        assert reason in message
        assert "\n" not in message
    assert not (tmp_path / "model").exists()


def test_the_spacy_component_tags_with_it(model) -> None:
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    pipeline.add_pipe("grassmeans", config={"model": str(model), "idk_threshold": None})
    senses = [token._.sense for token in pipeline("The crane stood by the river.")]
    assert senses[1] in ("crane.1", "crane.2")
    assert senses[0] is None
