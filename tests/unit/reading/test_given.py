from __future__ import annotations

from collections import UserDict
from pathlib import Path

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.reading.documents import ReadReport
from grassmeans.reading.given import check_words, iterate_documents, make_document, spell_word
from grassmeans.text.tokenizer import Tokenizer, WhitespaceTokenizer


class Table:
    """A table as pandas and polars have it: iterating over one gives the names of its columns."""

    def __init__(self, **columns: list) -> None:
        self._columns = columns
        self.columns = list(columns)

    def __getitem__(self, name: str) -> list:
        return self._columns[name]

    def __iter__(self):
        return iter(self.columns)


def texts_of(given, **options) -> list[str]:
    return [document.text for document in iterate_documents(given, **options)]


@pytest.mark.parametrize(
    "given",
    [
        ["one two", "three"],
        ("one two", "three"),
        (text for text in ["one two", "three"]),
        np.array(["one two", "three"]),
        np.array([["one two"], ["three"]]),
        Table(text=["one two", "three"], other=[1, 2]),
        Table(words=["one two", "three"]),
        [{"text": "one two"}, UserDict(text="three")],
    ],
    ids=["list", "tuple", "generator", "array", "column array", "table", "narrow table", "records"],
)
def test_whatever_holds_texts_gives_them(given) -> None:
    assert texts_of(given) == ["one two", "three"]


def test_a_column_or_field_is_chosen_by_name() -> None:
    assert texts_of(Table(text=["a"], body=["b"]), column="body") == ["b"]
    assert texts_of([{"body": "b"}], column="body") == ["b"]
    with pytest.raises(InputError, match=r"no column 'nope'.*column=\.\.\., of 'text', 'body'"):
        iterate_documents(Table(text=["a"], body=["b"]), column="nope")
    with pytest.raises(InputError, match=r"several columns.*column=\.\.\., of 'a', 'b'"):
        iterate_documents(Table(a=["x"], b=["y"]))
    with pytest.raises(InputError, match=r"texts\[0\].*without the field 'text'.*of 'body'"):
        texts_of([{"body": "b"}])


def test_files_are_read_and_strings_are_not_characters(tmp_path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("first one\n\nsecond one\n", encoding="utf-8")
    assert texts_of(file) == texts_of(str(file)) == ["first one", "second one"]
    assert texts_of(["a text", file]) == ["a text", "first one", "second one"]
    with pytest.raises(InputError, match=r"got the string 'one string', which names no file: put"):
        iterate_documents("one string")
    with pytest.raises(InputError, match=r"there is no file or folder at"):
        texts_of(Path(tmp_path / "nothing.txt"))


@pytest.mark.parametrize("long", ["word " * 2000, "x" * 300, "a\0b", "two\nlines"])
def test_texts_that_no_file_can_be_called_are_refused_as_well(long) -> None:
    with pytest.raises(InputError, match="put a text into a list"):
        iterate_documents(long)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b"bytes", "got bytes: decode"),
        ({"a": "text"}, "got a dict: pass its values"),
        (7, "got int"),
        (np.zeros((2, 3)), r"array of the shape \(2, 3\)"),
    ],
)
def test_what_holds_no_texts_is_refused_at_once(given, said) -> None:
    with pytest.raises(InputError, match=said):
        iterate_documents(given)


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, np.float64("nan")])
def test_missing_texts_are_passed_over_or_refused_by_place(missing) -> None:
    report = ReadReport()
    found = list(iterate_documents(["a", missing, "b"], skip_missing=True, report=report))
    assert [(document.id, document.text) for document in found] == [("0", "a"), ("2", "b")]
    assert report.skipped == {"missing text": 1}
    with pytest.raises(InputError, match=r'X\[1\] is missing .*put "" in its place'):
        list(iterate_documents(["a", missing], name="X"))


def test_what_is_no_text_is_refused_by_place() -> None:
    with pytest.raises(InputError, match=r"texts\[1\] must be a string or a list of tokens.*int"):
        texts_of(["a", 3])
    with pytest.raises(InputError, match=r"texts\[0\] must be a string"):
        texts_of([["a", 3]])


def test_lists_of_tokens_are_texts_that_come_tokenised() -> None:
    document = make_document(["Port_Ellery", "is", "New York", ""])
    assert document.markup == "tokens"
    assert document.text.split(" ") == ["Port_Ellery", "is", "New\u00a0York", "_"]
    assert [d.markup for d in iterate_documents([("a", "b"), "a b"])] == ["tokens", "plain"]


def test_words_are_one_or_several() -> None:
    assert check_words("crane") == ["crane"]
    assert check_words(("b", "a", "b")) == ["b", "a"]
    assert check_words(np.array(["crane"])) == ["crane"]
    for wrong in (7, {"crane": 1}, Table(word=["crane"]), b"crane"):
        with pytest.raises(InputError, match="words must be a word or a list of words"):
            check_words(wrong)
    with pytest.raises(InputError, match="got nan among them"):
        check_words(["crane", float("nan")])
    with pytest.raises(InputError, match="got ' ' among them"):
        check_words(" ")


def test_words_are_spelled_as_the_tokenizer_does() -> None:
    assert spell_word("Crane", Tokenizer()) == "crane"
    assert spell_word("Crane", Tokenizer(lowercase=False)) == "Crane"
    assert spell_word("Port_Ellery", Tokenizer()) == "port_ellery"
    assert spell_word("Port_Ellery", WhitespaceTokenizer()) == "port_ellery"


def test_tables_and_arrays_of_arrow() -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra parquet")
    table = pyarrow.table({"id": [1, 2], "body": ["one two", None]})
    for given in (table, table["body"], pyarrow.array(["one two", None])):
        assert texts_of(given, column="body", skip_missing=True) == ["one two"]
    with pytest.raises(InputError, match=r"column=\.\.\., of 'id', 'body'"):
        iterate_documents(table)


def test_an_open_file_is_its_lines(tmp_path) -> None:
    (tmp_path / "a.txt").write_text("one two\nthree\n", encoding="utf-8")
    with (tmp_path / "a.txt").open(encoding="utf-8") as file:
        assert texts_of(file) == ["one two\n", "three\n"]
