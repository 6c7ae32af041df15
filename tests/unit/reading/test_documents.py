"""Documents, and what is known of them beside their text."""

from __future__ import annotations

import json

import pytest

from damage import make_old
from grassmeans import Corpus
from grassmeans.corpus.batches import read_block, write_block
from grassmeans.errors import ArtifactError, InputError
from grassmeans.labelling.export import export_corpus
from grassmeans.reading.documents import (
    RawDocument,
    ReadOptions,
    ReadReport,
    check_field_names,
    read_month,
    read_year,
    split_document,
)
from grassmeans.reading.inputs import read_documents


def test_wrong_options_are_refused() -> None:
    with pytest.raises(InputError, match="unknown encoding 'latin-99'"):
        ReadOptions(encoding="latin-99")
    with pytest.raises(InputError, match="a whole number, 1 or more, not 0"):
        ReadOptions(max_document_chars=0)


def test_splitting_shares_out_text_and_keys() -> None:
    whole = RawDocument("7", "T", "aa bb cc dd ee", "tokens", ("a", "b", "c", "d", "e"))
    assert list(split_document(whole, 6)) == [
        RawDocument("7", "T", "aa bb", "tokens", ("a", "b")),
        RawDocument("7#2", "T", "cc dd", "tokens", ("c", "d")),
        RawDocument("7#3", "T", "ee", "tokens", ("e",)),
    ]
    solid = RawDocument("8", "", "x" * 10)
    assert [part.text for part in split_document(solid, 4)] == ["xxxx", "xxxx", "xx"]
    lines = RawDocument("9", "", "one two\nthree four")
    assert [part.text for part in split_document(lines, 13)] == ["one two", "three four"]


META = ("date", "source", "genre")
FULL = (("date", "1857-03"), ("source", "times"), ("genre", "news"))
PAGE = (
    "<mediawiki><page><title>Crane</title><ns>0</ns><id>7</id><revision><timestamp>"
    "2004-05-01T00:00:00Z</timestamp><text>Cranes fly.</text></revision></page></mediawiki>"
)


def read(folder, name, content, meta=META, report=None, **options):
    place = folder / "times" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(content)
    chosen = ReadOptions(meta=meta, **options)
    return list(read_documents(place, chosen, report=report or ReadReport()))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", '{"text": "A b.", "date": "1857-03", "source": "times", "genre": "news"}\n'),
        ("a.json", '[{"text": "A b.", "date": "1857-03", "genre": "news"}]'),
        ("a.csv", "text,date,source,genre\nA b.,1857-03,times,news\n"),
        ("a.txt", '<doc id="1" title="T" date="1857-03" genre="news">\nT\n\nA b.\n</doc>\n'),
        ("a.vert", '<doc id="1" date="1857-03" genre="news">\nA\tx\nb\ty\n</doc>\n'),
        (
            "a.conllu",
            "# newdoc id = 1\n# date = 1857-03\n# meta::genre = news\n"
            + "".join(f"{n}\tA\ta" + "\t_" * 7 + "\n" for n in (1, 2, 3)),
        ),
    ],
)
def test_every_reader_keeps_the_fields_that_are_asked_for(tmp_path, name, content):
    (document,) = read(tmp_path, name, content)
    assert document.fields == FULL  # the folder tells the source where the file does not


def test_parquet_has_dates_and_numbers(tmp_path):
    import datetime

    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = {"text": ["A b."], "date": [datetime.date(1857, 3, 1)], "genre": [4], "x": [1]}
    (tmp_path / "times").mkdir()
    pq.write_table(pa.table(table), tmp_path / "times" / "a.parquet")
    inputs = tmp_path / "times" / "a.parquet"
    (document,) = read_documents(inputs, ReadOptions(meta=META), report=ReadReport())
    assert document.fields == (("date", "1857-03-01"), ("source", "times"), ("genre", "4"))


def test_a_dump_has_the_dates_of_its_revisions(tmp_path):
    (document,) = read(tmp_path, "dump.xml", PAGE, meta=("date",))
    assert document.fields == (("date", "2004-05-01T00:00:00Z"),)


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("1857.txt", "1857"),
        ("fic_1857_2965.txt", "1857"),
        ("1857-03-01 letter.txt", "1857-03-01"),
        ("18570301.txt", "1857-03-01"),
        ("number 123456.txt", None),
        ("page 3021.txt", None),
    ],
)
def test_names_of_text_files_tell_the_date(tmp_path, name, date):
    report = ReadReport()
    (document,) = read(tmp_path, name, "A b.\n", ("date",), report)
    assert dict(document.fields).get("date") == date
    assert report.skipped["document without the field 'date'"] == (date is None)


def test_values_of_the_wrong_type_are_counted_and_left_out(tmp_path):
    report = ReadReport()
    lines = [{"text": "A b.", "date": [1857]}, {"text": "C d.", "date": 1857}, {"text": "E."}]
    content = "".join(json.dumps(line) + "\n" for line in lines)
    found = read(tmp_path, "a.jsonl", content, ("date",), report)
    assert [dict(document.fields).get("date") for document in found] == [None, "1857", None]
    assert report.skipped["field 'date' that is no text or number"] == 1
    assert report.skipped["document without the field 'date'"] == 2


def test_long_documents_are_split_with_their_fields(tmp_path):
    text = json.dumps({"text": "one two three four", "date": "1857"})
    found = read(tmp_path, "a.jsonl", text, ("date",), max_document_chars=9)
    assert [document.fields for document in found] == [(("date", "1857"),)] * 3


def test_fields_go_to_workers_of_other_machines(tmp_path):
    documents = read(tmp_path, "1857.txt", "A b.\n", ("date",))
    write_block(tmp_path / "block", documents)
    assert read_block(tmp_path / "block") == documents


@pytest.fixture
def corpus(tmp_path):
    records = [
        {"body": "the crane flew", "date": "1850", "source": "times"},
        {"body": "a crane of steel", "date": 1990, "source": "post"},
        {"body": "no date here, crane", "source": "post"},
    ]
    return Corpus.from_texts(records, tmp_path / "c", column="body", meta=("date", "source"))


def test_the_corpus_stores_fields_and_filters_by_them(corpus):
    assert corpus.fields == ("date", "source")
    assert corpus.field_values("date") == ["1850", "1990", ""]
    assert corpus.concordance("crane")[0].fields == {
        "date": "1850",
        "source": "times",
    }
    found = corpus.concordance("crane", where={"source": "post", "date": "1990"})
    assert [line.right for line in found] == [" of steel"]
    assert corpus.document(1).fields == (("date", "1990"), ("source", "post"))


def test_a_field_that_was_not_kept_is_named(corpus):
    with pytest.raises(InputError, match=r"no field 'genre' \(they have date, source\): ingest"):
        corpus.field_values("genre")


class Table:
    """As much of a data frame as is asked for."""

    columns = ("text", "year")

    def __getitem__(self, name):
        return {"text": ["a b", "c d"], "year": [1850, float("nan")]}[name]


def test_columns_of_a_table_are_fields():
    assert Corpus.from_texts(Table(), meta=["year"]).field_values("year") == ["1850", ""]
    with pytest.raises(InputError, match="no column 'month'"):
        Corpus.from_texts(Table(), meta=["month"])


def test_exports_have_the_fields(corpus, tmp_path):
    for format in ("jsonl", "vertical", "conllu"):
        export_corpus(corpus, tmp_path / format, format)
    first = json.loads((tmp_path / "jsonl").read_text().splitlines()[0])
    assert first["fields"] == {"date": "1850", "source": "times"}
    assert ' date="1850" source="times">' in (tmp_path / "vertical").read_text()
    assert "# date = 1850\n# source = times\n" in (tmp_path / "conllu").read_text()


def test_an_export_to_parquet_has_the_fields(corpus, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    export_corpus(corpus, tmp_path / "parquet", "parquet")
    table = pq.read_table(tmp_path / "parquet").to_pydict()
    assert table["field_date"][0] == "1850"
    assert table["field_date"][-1] is None


def test_exports_can_be_read_again(corpus, tmp_path):
    for format in ("vertical", "conllu"):
        export_corpus(corpus, tmp_path / format, format)
        again = ReadOptions(format=format, meta=("date",))
        found = list(read_documents(tmp_path / format, again, report=ReadReport()))
        assert [dict(document.fields).get("date") for document in found] == ["1850", "1990", None]


def test_damaged_fields_are_an_error_of_one_line(corpus):
    place = corpus.path / "shards" / "00000" / "metadata.jsonl"
    place.write_text(place.read_text().replace('"1850"', "1850"))
    make_old(corpus.path)
    with pytest.raises(ArtifactError, match="id, title and fields"):
        Corpus.open(corpus.path).field_values("date")


@pytest.mark.parametrize("name", ["", "a:b", "text", "a\nb"])
def test_names_that_no_field_can_have(name):
    with pytest.raises(InputError, match=r"field|kept anyway"):
        check_field_names([name])


@pytest.mark.parametrize(
    ("value", "year"),
    [
        ("1857", 1857),
        ("1857-03-01T12:00:00Z", 1857),
        ("March 1, 1857", 1857),
        ("01.03.1857", 1857),
        ("1850s", None),
        ("1857-1860", None),
        ("yesterday", None),
        ("1583020800", None),
    ],
)
def test_years_however_they_are_written(value, year):
    assert read_year(value) == (1850 if value == "1850s" else year)


def test_months_need_year_and_month():
    assert read_month("1857-3-01") == "1857-03"
    assert read_month("1857") is None
