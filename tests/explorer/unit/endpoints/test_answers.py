"""Answers as tables to download."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, dataclass

import pytest

from crane_model import save_crane_model
from grassmeans import Corpus, load
from grassmeans_explorer.endpoints import answers
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.compare import (
    Lexeme,
    NearSettings,
    compare_lexemes,
    find_collocates,
)
from grassmeans_explorer.queries.concordance import LineFilter, find_lines
from grassmeans_explorer.queries.documents import count_lines

RECORDS = [
    {"text": "a nest wing crane\n\nnest Yard", "date": "1901-05-01", "source": "times"},
    {"text": "big steel crane beam yard", "date": "1902", "source": "post"},
    {"text": "old wing nest crane wing zoo", "date": "1955", "source": "times"},
    {"text": "crane", "source": "post"},
    {"text": "the steel beam crane beam steel crane", "date": "1905", "source": "post"},
]


@pytest.fixture
def opened(tmp_path) -> OpenModel:
    corpus = Corpus.from_texts(RECORDS, tmp_path / "corpus", meta=["date", "source"])
    return OpenModel(load(save_crane_model(tmp_path / "model")), corpus)


def write(table: answers.Table, kind: str) -> str:
    return "".join(answers.write_table(table, kind))


def test_tables_of_lines_have_fields(opened):
    found = find_lines(opened, "crane", LineFilter(), limit=2)
    text = write(answers.table_of_lines(found), "tsv")
    header, first, second = text.splitlines()
    assert header.split("\t")[-2:] == ["date", "source"]
    assert first.split("\t")[-2:] == ["1901-05-01", "times"]
    records = write(answers.table_of_lines(found), "jsonl").splitlines()
    assert json.loads(records[1])["source"] == second.split("\t")[-1] == "post"
    row = ("a",), [("=x\ty\nz",), (None,)]
    assert write(row, "tsv") == "a\n'=x y z\n\n"
    _, counted = answers.table_of_frequencies(count_lines(opened, "crane", LineFilter(), "source"))
    assert next(iter(counted))[:3] == ("post", 4, 13)
    settings = NearSettings(before=1, after=1, fewest=1)
    _, near = answers.table_of_collocates(find_collocates(opened, Lexeme("crane", 1), settings))
    assert next(iter(near))[0] in ("nest", "wing")
    pair = compare_lexemes(opened, Lexeme("crane", 1), Lexeme("crane", 2), settings)
    _, rows = answers.table_of_comparison(pair)
    kinds = {(row[0], row[1]) for row in rows}
    assert kinds == {("neighbour", "shared"), ("collocate", "first"), ("collocate", "second")}
    assert {len(row) for row in rows} == {9}
    assert {row[2] for row in rows} == {"", "crane.1", "crane.2"}


def test_tables_name_the_senses(topic_model, topic_corpus):
    opened = OpenModel(topic_model, topic_corpus)
    names = opened.current.inventory.names_of("crane")
    assert names[1]
    assert names[1] != names[2]
    found = find_lines(opened, "crane", LineFilter(), limit=200)
    columns, rows = answers.table_of_lines(found)
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    assert {(row["sense"], row["sense_name"]) for row in records} == {(1, names[1]), (2, names[2])}
    settings = NearSettings(before=1, after=1, fewest=1)
    columns, rows = answers.table_of_collocates(
        find_collocates(opened, Lexeme("crane", 2), settings)
    )
    assert columns[-2:] == ("sense", "sense_name")
    assert {row[-2:] for row in rows} == {(2, names[2])}
    pair = compare_lexemes(opened, Lexeme("crane", 1), Lexeme("bank"), settings)
    named = {row[1]: row[2] for row in answers.table_of_comparison(pair)[1]}
    assert (named["first"], named["second"]) == (f"crane.1 {names[1]}", "bank")


def test_tables_disarm_formulas():
    rows = [("=1+1", -1), ("@x", 2.5), ("plain, text", 0)]
    table = write((("a", "b"), rows), "csv")
    rows = list(csv.reader(io.StringIO(table)))
    assert rows == [["a", "b"], ["'=1+1", "-1"], ["'@x", "2.5"], ["plain, text", "0"]]


@dataclass(frozen=True, slots=True)
class Inner:
    number: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outer:
    first: Inner
    by_word: dict[str, tuple[Inner, ...]]
    nothing: None = None


def test_dataclasses_in_dataclasses_are_json_as_they_would_be_copied() -> None:
    inner = Inner(1, ("a", "\u00e9\ud800"))
    outer = Outer(inner, {"b": (inner, inner), "c": ()})
    expected = json.dumps(asdict(outer), separators=(",", ":")).encode()
    assert bytes(answers.json_answer(outer).body) == expected
    listed = json.loads(bytes(answers.json_answer({"all": [inner]}).body))
    assert listed == {"all": [{"number": 1, "names": ["a", "\u00e9\ud800"]}]}


@pytest.mark.parametrize(("value", "error"), [(object(), TypeError), (Inner, TypeError)])
def test_what_is_not_plain_has_no_json(value, error) -> None:
    with pytest.raises(error, match="no JSON"):
        answers.json_answer({"value": value})


def test_no_answer_holds_what_is_no_number() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        answers.json_answer(Outer(Inner(float("nan"), ()), {}))  # type: ignore[arg-type]
