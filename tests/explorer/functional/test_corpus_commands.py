"""Every command that asks a corpus once, for real and in short."""

from __future__ import annotations

import numpy as np
import pytest

from command_line import CommandLine, find_commands, run_line, without_test
from grassmeans import Corpus, load
from grassmeans_explorer.annotation.project import AnnotationProject
from treebank import write_treebank

PANEL = "Ask a corpus"


def test_every_command_has_a_test() -> None:
    ours = [name for name, panel in find_commands().items() if panel == PANEL]
    assert "query" in ours
    assert without_test(ours, globals()) == []


@pytest.fixture
def command(capsys) -> CommandLine:
    return CommandLine(capsys)


@pytest.fixture
def birds(tmp_path) -> Corpus:
    """A small corpus in which every count is known."""
    records = [
        {"text": "The crane flew to its nest. The crane sang.", "source": "birds"},
        {"text": "=1+1 says the steel crane, and the steel crane is right.", "source": "machines"},
        {"text": "Nothing but steel, steel and steel.", "source": "machines"},
    ]
    return Corpus.from_texts(records, tmp_path / "birds", meta=["source"])


def test_query(command, birds, topic_corpus, topic_model_folder, capsys) -> None:
    line, *_ = command.lines("query", birds.path, '"the" []? "crane"', "--limit", 2)
    assert (line["start"], line["end"], line["match"], line["source"]) == (
        0,
        2,
        "The crane",
        "birds",
    )
    counts = command.lines("query", birds.path, '"steel"', "--by-document")
    assert [row["count"] for row in counts] == [3, 2]
    table = command.say("query", birds.path, '"says" []', "--csv", "--width", 20).splitlines()
    assert table[0] == "start,end,document,left,match,right,source"
    assert "'=1+1" in table[1]  # no formula of a spreadsheet
    senses = ['[word="crane" & sense="1"]', '[word="crane" & sense="2"]']
    told = [
        command.lines("query", topic_corpus.path, q, "--model", topic_model_folder, "--limit", 999)
        for q in senses
    ]
    assert 0 < len(told[0]) + len(told[1]) <= topic_corpus.count_of("crane")
    assert run_line("query", birds.path, '[lem="x"]') == 2
    assert "column 2: expected an attribute" in capsys.readouterr().err


def test_sample(command, birds, topic_corpus, topic_model_folder) -> None:
    (line,) = command.lines("sample", birds.path, "steel crane", "-n", 1, "--by", "source",
                            "--group", "machines")  # fmt: skip
    assert (line["match"], line["sense"]) == ("steel crane", None)
    wanted = ("--model", topic_model_folder, "-n", 6, "--stratified", "--csv", "--seed", 3)
    table = command.say("sample", topic_corpus.path, "crane", *wanted)
    assert table.splitlines()[0].endswith("word,sense,sense_name")
    assert table == command.say("sample", topic_corpus.path, "crane", *wanted)


def test_ngrams(command, birds) -> None:
    found = command.lines("ngrams", birds.path, "--content-words")
    assert [(row["ngram"], row["count"]) for row in found] == [("steel crane", 2)]
    assert command.lines("ngrams", birds.path, "-n", 3)[0]["ngram"] == "the steel crane"


def test_keywords(command, birds, topic_corpus) -> None:
    wanted = ("--by", "source", "--group", "machines", "--least", 0, "--limit", 1)
    (row,) = command.lines("keywords", birds.path, *wanted)
    assert (row["word"], row["count"], row["reference_count"]) == ("steel", 5, 0)
    assert command.lines("keywords", birds.path, topic_corpus.path, "--limit", 3)


@pytest.fixture
def lines(command, topic_corpus, topic_model_folder, tmp_path):
    """An annotation of which two people have judged six lines."""
    folder = tmp_path / "lines"
    people = ("-a", "Ann", "-a", "Bo", "--model", topic_model_folder)
    command.line("annotation", "make", topic_corpus.path, "crane", "-o", folder, "-n", 6, *people)
    project = AnnotationProject.open(folder)
    model = load(topic_model_folder)
    for item, use in project.uses.items():
        (sense,) = model.senses_at(topic_corpus, "crane", np.array([use.position])).senses
        for name in ("Ann", "Bo"):
            project.judge(name, item, str(sense))
    return folder


def test_annotation_make(command, topic_corpus, tmp_path) -> None:
    wanted = ("annotation", "make", topic_corpus.path, "crane", "-o", tmp_path / "pairs")
    wanted += ("--task", "relatedness", "--pairs", 3, "-a", "Ann")
    assert command.line(*wanted)["n_items"] == 3
    assert run_line(*wanted) == 2
    assert command.line(*wanted, "--overwrite")["n_items"] == 3


def test_annotation_export(command, lines, tmp_path) -> None:
    told = command.line("annotation", "export", lines, "-o", tmp_path / "tables")
    assert told["files"] == ["uses.csv", "senses.csv", "labels.csv", "decisions.csv"]
    assert len((tmp_path / "tables" / "labels.csv").read_text().splitlines()) == 13
    assert run_line("annotation", "export", lines, "-o", tmp_path / "tables") == 2


def test_annotation_import(command, lines, tmp_path) -> None:
    command.line("annotation", "export", lines, "-o", tmp_path / "tables")
    told = command.line("annotation", "import", tmp_path / "tables", "-o", tmp_path / "again")
    assert (told["n_items"], told["n_judgments"], told["skipped"]) == (6, 12, {})


def test_annotation_agreement(command, lines) -> None:
    told = command.line("annotation", "agreement", lines)
    assert (told["n_shared"], told["pairs"][0]["agreed"]) == (6, 1.0)


def test_annotation_refit(command, lines, topic_corpus, topic_model_folder) -> None:
    told = command.line("annotation", "refit", lines, topic_model_folder, topic_corpus.path)
    assert (told["n_lines"], told["n_open"]) == (6, 0)
    assert "crane" in load(told["model"])


@pytest.fixture
def treebank(tmp_path):
    """A treebank, a corpus of it, and where its layer of grammar goes."""
    path = tmp_path / "treebank.conllu"
    path.write_text(write_treebank("lift see", "see", "lift"))
    corpus = Corpus.from_files(path, tmp_path / "parsed", workers=1)
    return path, corpus.path, tmp_path / "grammar"


def test_annotate_grammar(command, treebank) -> None:
    path, corpus, grammar = treebank
    told = command.line("annotate-grammar", corpus, "-o", grammar, "--conllu", path)
    assert (told["n_described"], told["n_documents_missing"]) == (36, 0)
    (line,) = command.lines(
        "query", corpus, '[pos="ADJ"] "beams" within s', "--grammar", grammar, "--limit", 1
    )
    assert line["match"] == "heavy beams"
    assert run_line("annotate-grammar", corpus, "-o", grammar, "--conllu", path) == 2
    assert run_line("annotate-grammar", corpus, "-o", grammar.with_name("x")) == 2


def test_sketch(command, treebank, topic_corpus, topic_model_folder) -> None:
    path, corpus, grammar = treebank
    command.line("annotate-grammar", corpus, "-o", grammar, "--conllu", path)
    rows = command.lines("sketch", corpus, "crane", "--grammar", grammar, "--fewest", 1)
    assert {(row["relation"], row["word"]) for row in rows} == {
        ("subject of", "lift"), ("object of", "see"), ("modifier", "white"), ("and/or", "heron"),
    }  # fmt: skip
    rows = command.lines("sketch", corpus, "cranes", "--against", "beams", "--fewest", 1)
    assert {row["relation"] for row in rows} >= {"left", "within"}
    senses = ("sketch", topic_corpus.path, "crane", "--model", topic_model_folder)
    assert {row["sense"] for row in command.lines(*senses)} == {1, 2}
    rows = command.lines(*senses, "--sense", 1, "--other-sense", 2)
    assert {row["difference"] > 0 for row in rows} == {True, False}
    assert run_line("sketch", topic_corpus.path, "crane", "--sense", 1) == 2
    assert run_line("sketch", topic_corpus.path, "crane", "--spacy", "no_such_pipeline") == 2


def test_annotation_tokens(command, lines, capsys) -> None:
    told = command.line("annotation", "tokens", lines)
    assert set(told["tokens"]) == {"Ann", "Bo", "(adjudication)"}
    assert command.line("annotation", "tokens", lines) == {"tokens": {}}
    again = command.line("annotation", "tokens", lines, "-a", "Ann")
    assert again["tokens"]["Ann"] != told["tokens"]["Ann"]
