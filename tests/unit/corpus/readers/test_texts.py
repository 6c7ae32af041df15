import json
import sys
from pathlib import Path

import pytest

from grassmeans.corpus.documents import RawDocument, ReadOptions, ReadReport
from grassmeans.corpus.reading import read_documents
from grassmeans.errors import InputError, MissingExtraError


def read(path: Path, **options: object) -> tuple[list[RawDocument], ReadReport]:
    report = ReadReport()
    return list(read_documents([path], ReadOptions(**options), report=report)), report  # type: ignore[arg-type]


def write(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_plain_text_documents_end_at_blank_lines(tmp_path: Path) -> None:
    content = "\ufeffOne\r\ntwo\r\n\r\n \t\r\nThree\r\n"
    documents, report = read(write(tmp_path, "a.txt", content))
    assert documents == [
        RawDocument("a.txt:1", "", "One\ntwo"),
        RawDocument("a.txt:5", "", "Three"),
    ]
    assert report.skipped == {}


def test_long_plain_documents_are_split(tmp_path: Path) -> None:
    content = "word " * 2_000_000 + "\n" + "line\n" * 10 + "\nshort\n"
    documents, report = read(write(tmp_path, "a.txt", content), max_document_chars=1_000_000)
    assert max(len(d.text) for d in documents) <= 1_000_000
    assert sum(d.text.count("word") for d in documents) == 2_000_000
    assert sum(d.text.count("line") for d in documents) == 10
    assert [d.id for d in documents[:2]] == ["a.txt:1", "a.txt:1#2"]
    assert documents[-1].text == "short"
    assert report.skipped["long document split"] == len(documents) - 2


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


def test_json_text_field_and_long_documents(tmp_path: Path) -> None:
    path = write(tmp_path, "a", json.dumps({"id": "x", "body": "one two three"}) + "\n")
    documents, report = read(path, text_field="body", max_document_chars=8)
    assert [(d.id, d.text) for d in documents] == [("x", "one two"), ("x#2", "three")]
    assert report.skipped == {"long document split": 1}
    assert report.n_documents == 2


def test_latin1_json_needs_its_encoding(tmp_path: Path) -> None:
    content = json.dumps({"text": "señor " * 3}, ensure_ascii=False).encode("latin-1")
    path = write(tmp_path, "a.jsonl", content + b"\n")
    assert read(path, encoding="latin-1")[0][0].text == "señor señor señor "


WIKIEXTRACTOR = """\
<doc id="12" url="https://x?curid=12" title="AT&amp;T &quot;Bell&quot;">
AT&T "Bell"

A &lt;b&gt;company&lt;/b&gt; of <a href="x">America</a>.
It is old.

</doc>
stray
<doc id="13" url="u" title="Empty">
Empty

</doc>
<doc id="14" url="u" title="Open">
Never closed.
<doc id="15" url="u" title="Last">
At the end
"""


def test_wikiextractor(tmp_path: Path) -> None:
    documents, report = read(write(tmp_path, "wiki_00", WIKIEXTRACTOR))
    assert documents == [
        RawDocument("12", 'AT&T "Bell"', "A company of America.\nIt is old."),
        RawDocument("14", "Open", "Never closed."),
        RawDocument("15", "Last", "At the end"),
    ]
    assert report.skipped == {
        "text outside of a document": 1,
        "empty document": 1,
        "unclosed document": 2,
    }


def test_wikiextractor_splits_long_documents(tmp_path: Path) -> None:
    content = '<doc id="1" url="u" title="T">\n' + "some words\n" * 9 + "</doc>\n"
    documents, report = read(write(tmp_path, "wiki", content), max_document_chars=50)
    assert [(d.id, d.text.count("some")) for d in documents] == [("1", 4), ("1#2", 4), ("1#3", 1)]
    assert report.skipped == {"long document split": 2}


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
    with pytest.raises(InputError, match=r"no column 'body'.*title, id, text, other"):
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
