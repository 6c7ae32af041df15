"""Every command of the laboratory once, for real and in short, like the core's."""

from __future__ import annotations

import json

import pytest

from command_line import CommandLine, find_commands, without_test
from grassmeans import Corpus
from grassmeans.evaluation.loading import open_task
from grassmeans_lab.evaluation.tasks.lineup.task import read_lineup
from wordnet_files import Entry, write_wordnet

PANEL = "The paper and its rivals"


@pytest.fixture
def grassmeans(capsys) -> CommandLine:
    return CommandLine(capsys)


def test_every_command_has_a_test() -> None:
    ours = [name for name, panel in find_commands().items() if panel == PANEL]
    assert len(ours) >= 7
    assert without_test(ours, globals()) == []


def test_reproduce(grassmeans, topic_corpus, topic_vectors, tmp_path) -> None:
    where = ("--corpus", topic_corpus.path, "--vectors", topic_vectors.folder, "-o", tmp_path)
    grassmeans.say("reproduce", "low-rank", *where, "--quick")
    assert "Contexts are of low rank" in (tmp_path / "report.html").read_text()


def test_compare(grassmeans, topic_corpus, topic_vectors, synthetic, tmp_path) -> None:
    instances = tmp_path / "crane.jsonl"
    lines = []
    for document, topic in synthetic.gold["crane"][::5]:
        left, _, right = synthetic.documents[document].lower().partition(" crane ")
        lines.append({"id": f"{document}", "target": "crane", "left": left, "right": right})
        lines[-1]["label"] = f"{topic}"
    instances.write_text("\n".join(map(json.dumps, lines)))
    where = ("--corpus", topic_corpus.path, "--vectors", topic_vectors.folder, "-j", 1)
    how = ("--task", f"jsonl={instances}", "--methods", "one,grassmeans", "--senses", 2)
    rows = grassmeans.lines("compare", *where, *how)
    found = {row["method"]: row["result"]["all"]["v_measure"] for row in rows}
    assert found == pytest.approx({"one": 0, "grassmeans": 100})


def test_iterate(grassmeans, topic_corpus, topic_model_folder, tmp_path) -> None:
    where = (topic_corpus.path, topic_model_folder, "-o", tmp_path / "rounds", "-j", 1)
    first, last = grassmeans.lines("iterate", *where, "--rounds", 1, "--epochs", 1)
    assert first["n_occurrences"] == last["n_occurrences"] == 400
    assert "crane.1" in Corpus.open(last["labelled"]).vocabulary


def test_wordnet(grassmeans, topic_model_folder, tmp_path) -> None:
    glosses = {"bird": "birdba and birdbe", "machine": "machineba and machinebe"}
    entries = {name: Entry("n", 5, ("crane",), gloss) for name, gloss in glosses.items()}
    database = write_wordnet(tmp_path / "wordnet", entries)
    entry = grassmeans.line("wordnet", topic_model_folder, "crane", "--database", database)
    for sense in entry["senses"]:
        topic = sense["characteristic_words"][0][:4]
        assert sense["wordnet"]["definition"].startswith(topic)


def test_build_dataset_links(grassmeans, tmp_path) -> None:
    senses = ["a [[Crane (bird)|crane]] flew", "a [[Crane (machine)|crane]] lifts"]
    pages = "".join(
        f"<page><title>{i}</title><ns>0</ns><id>{i}</id>"
        f"<revision><text>{text} {i}</text></revision></page>"
        for i, text in enumerate(senses * 10)
    )
    (tmp_path / "dump.xml").write_text(f"<mediawiki>{pages}</mediawiki>")
    corpus = tmp_path / "corpus"
    grassmeans.line("ingest", tmp_path / "dump.xml", "-o", corpus, "--keep-links", "-j", 1)
    said = grassmeans.line("build-dataset", "links", corpus, "-o", tmp_path / "set")
    assert said["words"] == {"crane": {"Crane_(bird)": 10, "Crane_(machine)": 10}}


def test_build_dataset_pseudowords(grassmeans, topic_corpus, tmp_path) -> None:
    out = tmp_path / "set"
    where = (topic_corpus.path, "-o", out, "--group", "crane,bank")
    grassmeans.line("build-dataset", "pseudowords", *where)
    task = open_task("jsonl", out / "instances.jsonl")
    assert set(task.gold.best_labels("pseudoword1").values()) == {"crane", "bank"}


def test_build_dataset_lineup(grassmeans, tmp_path, monkeypatch) -> None:
    # In so few definitions every word is frequent.
    monkeypatch.setattr("grassmeans_lab.wordnet.related_words._GENERAL", 1.0)
    words = ["marsh", "feather", "beak", "river", "lift", "load", "harbour", "hook"]
    entries = {word: Entry("n", 9, (word,), "-") for word in words}
    entries["bird"] = Entry("n", 5, ("crane",), " ".join(words[:4]), (), 1)
    entries["machine"] = Entry("n", 6, ("crane",), " ".join(words[4:]), (), 1)
    database = write_wordnet(tmp_path / "wordnet", entries)
    out = tmp_path / "lineup.jsonl"
    how = ("--wordnet", database, "-w", "crane", "--related", 4)
    grassmeans.line("build-dataset", "lineup", "-o", out, *how)
    assert [set(sense.words) for sense in read_lineup(out).senses] == [
        set(words[:4]),
        set(words[4:]),
    ]
