import csv
import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from grassmeans.errors import InputError, MissingExtraError
from grassmeans.reading import records
from grassmeans.reading.documents import RawDocument, ReadOptions, ReadReport
from grassmeans.reading.inputs import read_documents


def read(path: Path, **options: object) -> tuple[list[RawDocument], ReadReport]:
    report = ReadReport()
    return list(read_documents([path], ReadOptions(**options), report=report)), report  # type: ignore[arg-type]


def write(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_json_lines(tmp_path: Path) -> None:
    lines = [
        json.dumps({"id": 12, "title": "T", "text": "Año\nnuevo"}),
        '{"text": "broken',
        "garbage",
        "[1, 2]",
        json.dumps({"body": "x", "lang": "en"}),
        json.dumps({"text": None}),
        "",
        json.dumps({"text": " "}),
        json.dumps({"url": "http://a", "text": "two"}),
        json.dumps({"text": "three"}),
        "[" * 100_000,
    ]
    documents, report = read(write(tmp_path, "a.jsonl", "\r\n".join(lines)), format="jsonl")
    assert documents == [
        RawDocument("12", "T", "Año\nnuevo"),
        RawDocument("http://a", "", "two"),
        RawDocument("a.jsonl:10", "", "three"),
    ]
    assert report.skipped == {"broken JSON line": 4, "no text field": 2, "empty document": 1}
    assert "the fields are body, lang" in report.examples["no text field"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json", "a", "a.txt"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_lines_that_end_in_a_carriage_return(tmp_path: Path, name: str, encoding: str) -> None:
    content = '{"text": "One."}\r{"text": "broken}\r{"text": "Three."}\r'.encode(encoding)
    documents, report = read(write(tmp_path, name, content))
    assert [d.text for d in documents] == ["One.", "Three."]
    assert documents[1].id == f"{name}:3"
    assert report.skipped == {"broken JSON line": 1}


def test_tables_and_texts_whose_lines_end_in_a_carriage_return(tmp_path: Path) -> None:
    documents, _ = read(write(tmp_path, "a.csv", "text,n\rOne.,1\rTwo.,2\r"))
    assert [d.text for d in documents] == ["One.", "Two."]
    documents, _ = read(write(tmp_path, "a.txt", "One.\r\rTwo.\r"))
    assert [d.text for d in documents] == ["One.", "Two."]


def test_lines_that_are_strings_are_texts(tmp_path: Path) -> None:
    documents, _ = read(write(tmp_path, "a.jsonl", '"One.\\n"\n"Two."\n'))
    assert [d.text for d in documents] == ["One.\n", "Two."]


BROKEN = {
    "cut": ('{"text": "One\n{"text": "Two\n', "line 1: Unterminated string"),
    "python": ("{'text': 'One.'}\n{'text': 'Two.'}\n", "line 1: Expecting property name"),
    "one": ("{'text': 'One.'}", "line 1: Expecting property name"),
    "several lines": ('{\n "title": "T",\n "text": One.\n}\n', "line 3: Expecting value"),
    "array": ('[\n{"text": "One." "title": "T"},\n{"text": 2}]', "line 2: Expecting ','"),
}


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.txt", "a"])
@pytest.mark.parametrize("kind", BROKEN)
def test_json_that_is_broken_all_through_is_no_prose(tmp_path: Path, name: str, kind: str) -> None:
    content, told = BROKEN[kind]
    path = write(tmp_path, name, content)
    with pytest.raises(InputError) as refused:
        read(path)
    assert str(refused.value).startswith(f"{path} holds nothing that can be read: broken JSON")
    assert told in str(refused.value)


def test_names_of_json_and_tables_with_prose_in_them(tmp_path: Path) -> None:
    for name in ("a.jsonl", "a.ndjson", "a.json"):
        with pytest.raises(InputError, match="line 1: Expecting value"):
            read(write(tmp_path, name, "The title of the text.\nMore of it.\n"))
    for name in ("a.csv", "a.tsv"):
        with pytest.raises(InputError, match="its fields are The title of the text"):
            read(write(tmp_path, name, "The title of the text.\nMore of it.\n"))
    with pytest.raises(InputError, match=r"broken CSV row \(row 1: the file ends inside"):
        read(write(tmp_path, "b.csv", 'text\n"One.\nTwo.\n'))


def test_a_large_file_without_any_record_is_not_read_to_its_end(tmp_path: Path) -> None:
    report = ReadReport()
    with pytest.raises(InputError, match="line 1: Expecting value"):
        list(read_documents([write(tmp_path, "a.jsonl", "prose\n" * 5000)], report=report))
    assert report.skipped["broken JSON line"] == 1000


def test_json_text_field_and_long_documents(tmp_path: Path) -> None:
    path = write(tmp_path, "a", json.dumps({"id": "x", "body": "one two three"}) + "\n")
    documents, report = read(path, text_field="body", max_document_chars=8)
    assert [(d.id, d.text) for d in documents] == [("x", "one two"), ("x#2", "three")]
    assert report.skipped == {"long document split": 1}
    assert report.n_documents == 2


def test_latin1_json_with_its_encoding_named(tmp_path: Path) -> None:
    content = json.dumps({"text": "señor " * 3}, ensure_ascii=False).encode("latin-1")
    path = write(tmp_path, "a.jsonl", content + b"\n")
    assert read(path, encoding="latin-1")[0][0].text == "señor señor señor "


def test_a_wrong_field_of_json_names_the_fields(tmp_path: Path) -> None:
    content = json.dumps({"body": "x", "lang": "en"}) + "\n"
    with pytest.raises(InputError, match=r"'text': its fields are body, lang; .*text_field"):
        read(write(tmp_path, "a.jsonl", content))
    # A large file is not read to its end for it.
    path = write(tmp_path, "large.jsonl", content * 100_000)
    report = ReadReport()
    with pytest.raises(InputError, match="its fields are body, lang"):
        list(read_documents([path], report=report))
    assert report.skipped["no text field"] == 1000


ARRAYS = {
    "compact": json.dumps([{"id": 1, "text": "One, [two]"}, {"text": "Año"}, {"x": 1}, "Four", 5]),
    "indented": json.dumps(
        [{"id": 1, "text": "One, [two]"}, {"text": "Año"}, {"x": 1}, "Four", 5], indent=2
    ),
}


@pytest.mark.parametrize("style", ARRAYS)
def test_json_arrays(tmp_path: Path, style: str) -> None:
    documents, report = read(write(tmp_path, "a.json", ARRAYS[style]))
    assert documents == [
        RawDocument("1", "", "One, [two]"),
        RawDocument("a.json:2", "", "Año"),
        RawDocument("a.json:4", "", "Four"),
    ]
    assert report.skipped == {"no text field": 1, "JSON value that is no object": 1}


def test_an_object_over_several_lines_is_a_document(tmp_path: Path) -> None:
    path = write(tmp_path, "a.json", json.dumps({"title": "T", "text": "One\ntwo"}, indent=1))
    assert read(path)[0] == [RawDocument("a.json:1", "T", "One\ntwo")]


def test_a_long_json_array_in_one_line_is_read_whole(tmp_path: Path) -> None:
    texts = [f"{i} " + "word " * 2000 for i in range(1500)]  # 15 MB, more than a line may have
    documents, report = read(write(tmp_path, "a.json", json.dumps(texts)))
    assert [d.text.split() for d in documents] == [text.split() for text in texts]
    assert report.skipped == {}


def test_a_broken_json_array_keeps_what_came_before(tmp_path: Path) -> None:
    documents, report = read(write(tmp_path, "a.json", '[{"text": "one"}, {"text": "two"}, {"te'))
    assert [d.text for d in documents] == ["one", "two"]
    assert report.skipped == {"broken JSON file": 1}


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.json", '[{"text": "one"},', "broken JSON file"),
        ("a.json", '[{"text": "one"}', "broken JSON file"),
        ("a.json", '[{"text": "one"}], [', "broken JSON file"),
        ("a.csv", 'text,n\none,1\n"two,2\nthree,3\n', "broken CSV row"),
    ],
)
def test_a_file_that_ends_too_early_is_told(tmp_path, name, content, reason) -> None:
    documents, report = read(write(tmp_path, name, content))
    assert [d.text for d in documents] == ["one"]
    assert report.skipped == {reason: 1}
    assert "the file ends inside" in report.examples[reason]


@pytest.mark.parametrize(
    ("name", "delimiter"), [("a.csv", ","), ("b.csv", ";"), ("c.tsv", "\t"), ("d.csv.gz", ",")]
)
def test_csv(tmp_path: Path, name: str, delimiter: str) -> None:
    rows = [
        ["id", "text", "stars"],
        ["7", 'He said "no",\n\nand left; twice.', "5"],
        ["8", "", "1"],
        ["9"],
        [],
        ["10", "Año nuevo", "3", "more"],
    ]
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)
    content = text.getvalue().encode("utf-8-sig")
    documents, report = read(
        write(tmp_path, name, gzip.compress(content) if name.endswith("gz") else content)
    )
    assert [(d.id, d.text) for d in documents] == [
        ("7", 'He said "no",\n\nand left; twice.'),
        ("10", "Año nuevo"),
    ]
    assert report.skipped == {"empty document": 1, "no text field": 1}


def test_csv_takes_another_column_or_names_them(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "title,body\nT,a text\n")
    assert read(path, text_field="body")[0] == [RawDocument("a.csv:1", "T", "a text")]
    with pytest.raises(InputError, match=r"'text': its fields are title, body; .*text_field"):
        read(path)


def test_a_quote_that_is_not_closed_is_bounded(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(records, "_MAX_RECORD", 10_000)
    content = 'text\n"open\n' + "line\n" * 3000 + "last\n"
    documents, report = read(write(tmp_path, "a.csv", content))
    assert report.skipped == {"broken CSV row": 1}
    assert documents[-1].text == "last"


def test_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = pa.table(
        {
            "title": [f"T{i}" for i in range(600)],
            "id": list(range(600)),
            "text": ["text", None, *["more"] * 598],
            "other": [0.5] * 600,
        }
    )
    path = tmp_path / "a.parquet"
    pq.write_table(table, path, row_group_size=100)
    documents, report = read(path)
    assert documents[:2] == [RawDocument("0", "T0", "text"), RawDocument("2", "T2", "more")]
    assert len(documents) == 599
    assert report.skipped == {"empty document": 1}
    assert report.n_bytes == path.stat().st_size
    with pytest.raises(InputError, match=r"in a field 'body'.*title, id, text, other"):
        read(path, text_field="body")
    with pytest.raises(InputError, match=r"'other' of .* holds double, not text"):
        read(path, text_field="other")


def test_a_truncated_parquet_file_is_counted(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["x" * 100] * 1000}), path)
    path.write_bytes(path.read_bytes()[:-20])
    documents, report = read(path)
    assert documents == []
    assert report.skipped == {"damaged Parquet file": 1}


def test_parquet_names_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"grassmeans\[parquet\]"):
        read(write(tmp_path, "a.parquet", b"PAR1"))


def test_times_of_parquet_that_python_does_not_have(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    second = 10**9
    table = {
        "text": ["One.", "Two."],
        "fine": pa.array([1_500_000_000 * second + 123_456_789, None], pa.timestamp("ns")),
        "far": pa.array([1_500_000_000_000_000, 2**60], pa.timestamp("us")),
        "day": pa.array([2**30, 0], pa.date32()),
        "zone": pa.array([0, 1], pa.timestamp("s", tz="Mars/Base")),
        "known": pa.array([0, 1], pa.timestamp("s", tz="UTC")),
    }
    pq.write_table(pa.table(table), tmp_path / "a.parquet")
    documents, report = read(tmp_path / "a.parquet", meta=("fine", "far", "day", "zone", "known"))
    first, last = (dict(document.fields) for document in documents)
    assert first == {
        "fine": "2017-07-14T02:40:00.123456",
        "far": "2017-07-14T02:40:00",
        "zone": "1970-01-01T00:00:00+00:00",
        "known": "1970-01-01T00:00:00+00:00",
    }
    assert last == {
        "day": "1970-01-01",
        "zone": "1970-01-01T00:00:01+00:00",
        "known": "1970-01-01T00:00:01+00:00",
    }
    assert sum(report.remarks.values()) == 3
    assert all(str(tmp_path / "a.parquet") in report.examples[told] for told in report.remarks)


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    column = pa.array(["One."])
    path = tmp_path / "a.parquet"
    for names, twice in ((["text", "text"], "text"), (["text", "date", "date"], "date")):
        pq.write_table(pa.Table.from_arrays([column] * len(names), names=names), path)
        with pytest.raises(InputError, match=f"has 2 columns '{twice}': rename all but one"):
            read(path, meta=("date",))
    assert [d.text for d in read(path)[0]] == ["One."]  # what is not asked for does not matter
