"""Frames in, frames out, with the real libraries."""

from __future__ import annotations

import pytest

from crane_model import save_crane_model
from grassmeans.errors import InputError
from grassmeans.models.model import SenseModel, load

BIRD, MACHINE = "A crane on the nest.", "Steel crane."
# A letter in two characters stands before the word, and marks that mark nothing.
ODD = "e\u0301 <b>steel</b> Crane, beam crane"
ROWS = {"code": ["a", "b", "c", "d"], "body": [BIRD, None, "nothing", ODD]}
COLUMNS = ["label", "word", "key", "sense", "name", "confidence", "start", "end"]
FOUND = [("crane.1", 2), ("crane.2", 16), ("crane.2", 28)]


@pytest.fixture(scope="module")
def cranes(tmp_path_factory) -> SenseModel:
    return load(save_crane_model(tmp_path_factory.mktemp("frames") / "cranes"))


@pytest.fixture
def pandas():
    return pytest.importorskip("pandas", reason="pandas is for development")


@pytest.fixture
def polars():
    return pytest.importorskip("polars", reason="polars is for development")


@pytest.fixture
def pyarrow():
    return pytest.importorskip("pyarrow", reason="needs the extra parquet")


@pytest.fixture
def datasets():
    return pytest.importorskip("datasets", reason="datasets is for development")


def found_in(rows: list[dict]) -> list[tuple[str, int]]:
    texts = dict(zip(range(4), ROWS["body"], strict=True))
    for row in rows:
        text = texts[row["row"]] if "row" in row else ROWS["body"][ROWS["code"].index(row["code"])]
        assert text[row["start"] : row["end"]] == row["word"]
        assert (row["key"], row["label"]) == ("crane", f"crane.{row['sense']}")
    return [(row["label"], row["start"]) for row in rows]


def test_a_pandas_frame_has_the_index_of_its_rows_and_is_joined(cranes, pandas) -> None:
    index = pandas.date_range("1857-03-01", periods=4, name="day")
    frame = pandas.DataFrame(ROWS, index)
    found = cranes.tag_frame(frame, "body")
    assert list(found.columns) == COLUMNS
    assert found.index.equals(index[[0, 3, 3]])
    assert found.index.name == "day"
    assert list(zip(found["label"], found["start"], strict=True)) == FOUND
    assert found["sense"].dtype == found["start"].dtype == "int64"
    assert found["confidence"].isna().all()
    joined = frame.join(found)
    assert list(joined["code"]) == ["a", "b", "c", "d", "d"]
    told = joined[joined["label"].notna()]
    cut = [text[int(a) : int(b)] for text, a, b in told[["body", "start", "end"]].to_numpy()]
    assert cut == ["crane", "Crane", "crane"]


def test_an_id_stands_before_all_else(cranes, pandas) -> None:
    frame = pandas.DataFrame(ROWS | {"code": pandas.Categorical(ROWS["code"])})
    found = cranes.tag_frame(frame, column="body", id="code")
    assert list(found.columns) == ["code", *COLUMNS]
    assert found["code"].dtype == frame["code"].dtype
    assert list(found.index) == [0, 1, 2]
    assert found_in(found.to_dict("records")) == FOUND
    assert len(frame.merge(found, on="code", how="left")) == 5


def test_a_frame_without_any_word_can_be_joined_as_well(cranes, pandas, polars) -> None:
    for words in ("façade", ["façade"]):
        found = cranes.tag_frame(pandas.DataFrame(ROWS), "body", words, id="code")
        assert len(found) == 0
        full = cranes.tag_frame(pandas.DataFrame(ROWS), "body", id="code")
        assert found.dtypes.equals(full.dtypes)
        assert len(pandas.DataFrame(ROWS).merge(found, on="code", how="left")) == 4
        empty = cranes.tag_frame(polars.DataFrame(ROWS), "body", words)
        assert empty.schema == cranes.tag_frame(polars.DataFrame(ROWS), "body").schema
        assert empty.height == 0
        assert polars.DataFrame(ROWS).with_row_index("row").join(empty, on="row").height == 0


@pytest.mark.filterwarnings("error")
def test_a_polars_frame_is_joined_by_its_row_or_id(cranes, polars) -> None:
    frame = polars.DataFrame(ROWS)
    found = cranes.tag_frame(frame, "body")
    assert found.columns == ["row", *COLUMNS]
    assert found_in(found.to_dicts()) == FOUND
    assert found["row"].to_list() == [0, 3, 3]
    assert found.schema["row"] == frame.with_row_index("row").schema["row"]
    assert found["confidence"].dtype == polars.Float64
    assert frame.with_row_index("row").join(found, on="row")["code"].to_list() == ["a", "d", "d"]
    by_id = cranes.tag_frame(frame.cast({"code": polars.Categorical}), "body", id="code")
    assert by_id["code"].dtype == polars.Categorical
    assert by_id["code"].to_list() == ["a", "d", "d"]
    lazy = cranes.tag_frame(frame.lazy(), "body", id="code")
    assert isinstance(lazy, polars.LazyFrame)
    assert frame.lazy().join(lazy, on="code").collect().height == 3


def test_a_table_of_arrow(cranes, pyarrow) -> None:
    kinds = pyarrow.schema({"code": pyarrow.large_string(), "body": pyarrow.string()})
    table = pyarrow.table(ROWS, schema=kinds)
    for given in (table, table.to_batches()[0]):
        found = cranes.tag_frame(given, "body", id="code")
        assert found.column_names == ["code", *COLUMNS]
        assert found.schema.field("code").type == pyarrow.large_string()
        assert found.schema.field("confidence").type == pyarrow.float64()
        assert found_in(found.to_pylist()) == FOUND
        assert table.join(found, "code").num_rows == 5
        assert cranes.tag_frame(given, "body")["row"].to_pylist() == [0, 3, 3]


def test_a_data_set_streamed_or_not(cranes, datasets) -> None:
    rows = datasets.Dataset.from_dict(ROWS)
    untold = datasets.IterableDataset.from_generator(lambda: iter(rows.to_list()))
    given = [rows, rows.to_iterable_dataset(), untold, datasets.DatasetDict(train=rows)]
    for one in given:
        found = cranes.tag_frame(one, "body", id="code")
        assert isinstance(found, datasets.Dataset)
        assert found.column_names == ["code", *COLUMNS]
        assert found_in(list(found)) == FOUND
        assert cranes.tag_frame(one, "body")["row"] == [0, 3, 3]


def test_options_and_tokens(cranes, pandas) -> None:
    frame = pandas.DataFrame({"text": [["steel", "crane"], ["mix", "crane"]]})
    assert list(cranes.tag_frame(frame)["start"]) == [6, 4]
    for far, label in [(0.5, "crane.0"), (0.7, "crane.2")]:
        found = cranes.tag_frame(frame, idk_threshold=far, batch_size=1)
        assert list(found["label"]) == ["crane.2", label]


def test_mistakes_are_explained(cranes, pandas) -> None:
    frame = pandas.DataFrame(ROWS)
    with pytest.raises(InputError, match=r"frame must be of pandas.*got list: see tag_many"):
        cranes.tag_frame([BIRD])
    with pytest.raises(InputError, match=r"has no column 'text2'.*column=\.\.\., of 'code'"):
        cranes.tag_frame(frame, "text2")
    with pytest.raises(InputError, match=r"no column 'key2': name one as id=\.\.\., of 'code'"):
        cranes.tag_frame(frame, "body", id="key2")
    with pytest.raises(InputError, match="called as a column of the answer is, got 'name'"):
        cranes.tag_frame(frame.rename(columns={"code": "name"}), "body", id="name")
    with pytest.raises(InputError, match=r"texts\[1\] must be a string or a list of tokens.*int"):
        cranes.tag_frame(pandas.DataFrame({"body": [None, 3]}, dtype=object))


def test_a_column_of_a_frame_is_a_frame_of_one(cranes, pandas, polars) -> None:
    column = pandas.Series(ROWS["body"], index=list("abcd"))
    found = cranes.tag_frame(column)
    assert (found.index.tolist(), found["start"].tolist()) == (["a", "d", "d"], [2, 16, 28])
    assert found_in(cranes.tag_frame(polars.Series(ROWS["body"])).to_dicts()) == FOUND


def test_a_stream_of_arrow_is_read_batch_by_batch(cranes, pyarrow) -> None:
    batches = pyarrow.table(ROWS).to_reader(max_chunksize=2)
    found = cranes.tag_frame(batches, "body", id="code").to_pylist()
    assert [row["code"] for row in found] == ["a", "d", "d"]
    assert found_in(found) == FOUND


def test_a_relation_of_duckdb(cranes, pyarrow) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is for development")
    rows = pyarrow.table(ROWS)  # noqa: F841 (DuckDB reads it by name)
    relation = duckdb.sql("SELECT code, body FROM rows WHERE code > 'a' ORDER BY code")
    found = cranes.tag_frame(relation, "body", id="code").to_pylist()
    assert [(row["code"], row["start"]) for row in found] == [("d", 16), ("d", 28)]


@pytest.mark.filterwarnings("ignore:the model has no senses of 'zzz'")
def test_a_frame_of_dask_is_tagged_part_by_part(cranes, pandas) -> None:
    dask = pytest.importorskip("dask.dataframe", reason="dask is for development")
    frame = dask.from_pandas(pandas.DataFrame(ROWS), npartitions=2)
    for given, column in ((frame, "body"), (frame["body"], None)):
        found = cranes.tag_frame(given, column).compute(scheduler="synchronous")
        assert (found.index.tolist(), found["start"].tolist()) == ([0, 3, 3], [2, 16, 28])
    later = cranes.tag_frame(frame, "body", words="zzz", id="code")
    nothing = later.compute(scheduler="synchronous")
    assert nothing.empty
    assert nothing.dtypes.to_dict() == later.dtypes.to_dict()
    assert next(iter(nothing.columns)) == "code"


def test_a_frame_of_another_library_is_told_by_its_name(cranes) -> None:
    other = type("DataFrame", (), {"__module__": "elsewhere.frames"})()
    with pytest.raises(InputError, match=r"pandas, polars or Dask, .* got DataFrame of elsewhere"):
        cranes.tag_frame(other, "body")
