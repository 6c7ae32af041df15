"""Tables of the real libraries, each with the same three rows."""

from __future__ import annotations

import pytest

import grassmeans
from grassmeans.errors import InputError
from grassmeans.reading import tables
from grassmeans.reading.given import iterate_documents
from grassmeans.reading.tables import open_table

COLUMNS = {"place": [7, 8, 9], "body": ["one two", None, "three"], "year": [1857, 1858, None]}


def pandas_frame():
    return pytest.importorskip("pandas", reason="pandas is for development").DataFrame(COLUMNS)


def polars_frame():
    return pytest.importorskip("polars", reason="polars is for development").DataFrame(COLUMNS)


def polars_lazy():
    return polars_frame().lazy()


def arrow_table():
    return pytest.importorskip("pyarrow", reason="needs the extra parquet").table(COLUMNS)


def dataset():
    datasets = pytest.importorskip("datasets", reason="datasets is for development")
    return datasets.Dataset.from_dict(COLUMNS)


def stream():
    return dataset().to_iterable_dataset()


def untold_stream():
    """A stream that does not know its columns before its first row."""
    given = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
    return type(stream()).from_generator(lambda: iter(given))


def only_split():
    rows = dataset()
    return pytest.importorskip("datasets").DatasetDict(train=rows)


def formatted():
    return dataset().with_format("numpy")


KINDS = [
    pandas_frame, polars_frame, polars_lazy, arrow_table, dataset, stream, untold_stream,
    only_split, formatted,
]  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", KINDS)
def test_every_door_reads_every_table(kind) -> None:
    found = list(iterate_documents(kind(), column="body", skip_missing=True))
    assert [(document.id, document.text) for document in found] == [
        ("0", "one two"),
        ("2", "three"),
    ]
    rows = list(open_table(kind()).rows())
    assert [row["place"] for row in rows] == [7, 8, 9]
    assert [type(row["place"]) for row in rows] == [int] * 3
    assert rows[2]["body"] == "three"
    with pytest.raises(InputError, match=r"texts\[1\] is missing"):
        list(iterate_documents(kind(), column="body"))
    with pytest.raises(InputError, match=r"no column 'nope'.*of 'place', 'body', 'year'"):
        iterate_documents(kind(), column="nope")
    with pytest.raises(InputError, match="has several columns"):
        iterate_documents(kind())


@pytest.mark.parametrize("kind", KINDS)
def test_other_columns_become_fields_of_documents(kind) -> None:
    corpus = grassmeans.Corpus.from_texts(kind(), column="body", meta=["place", "year"])
    assert corpus.field_values("place") == ["7", "9"]
    assert corpus.field_values("year")[0].startswith("1857")
    assert corpus.field_values("year")[1] == ""
    with pytest.raises(InputError, match="no column 'nope'"):
        grassmeans.Corpus.from_texts(kind(), column="body", meta=["nope"])


def test_a_data_set_with_several_splits_asks_for_one() -> None:
    rows = dataset()
    splits = pytest.importorskip("datasets").DatasetDict(train=rows, test=rows)
    with pytest.raises(InputError, match="has the splits 'train', 'test': pass one of them"):
        iterate_documents(splits, column="body")
    assert open_table({"a": "text"}) is None
    assert open_table({}) is None


@pytest.mark.parametrize("kind", [dataset, stream])
def test_a_data_set_is_read_in_batches(kind, monkeypatch) -> None:
    asked = []
    rows = kind()
    read = type(rows).iter

    def iterate(self, batch_size, *rest):
        asked.append((self.column_names, batch_size))
        return read(self, batch_size, *rest)

    monkeypatch.setattr(type(rows), "iter", iterate)
    monkeypatch.setattr(tables, "_ROWS_AT_ONCE", 2)
    for given in (rows, rows["body"]):
        found = iterate_documents(given, column="body", skip_missing=True)
        assert [document.text for document in found] == ["one two", "three"]
    assert asked == [(["body"], 2)] * 2


def test_of_a_lazy_frame_only_what_is_needed_is_computed() -> None:
    polars = pytest.importorskip("polars", reason="polars is for development")

    def refuse(_):
        raise AssertionError("nobody asked for this column")

    dear = polars.col("place").map_batches(refuse, return_dtype=polars.Int64).alias("dear")
    found = open_table(polars_lazy().with_columns(dear)).values("body")
    assert list(found) == COLUMNS["body"]


def test_columns_of_one_name_are_refused() -> None:
    frame = pandas_frame()
    frame.columns = ["body", "body", "year"]
    with pytest.raises(InputError, match="several columns 'body': rename all but one"):
        iterate_documents(frame, column="body")
    assert list(open_table(frame).values("year"))[:2] == [1857.0, 1858.0]
