import bz2
import gzip
import json
import os
import threading
from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans.reading.documents import RawDocument, ReadOptions, ReadReport
from grassmeans.reading.inputs import FORMATS, detect_format, list_inputs, read_documents

CONLLU_ROW = "{}\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n"
CASES = {
    "mediawiki": [
        b'<mediawiki xmlns="x">\n<page>',
        b'\xef\xbb\xbf<?xml version="1.0"?>\n<mediawiki>',
        b"  <page>\n    <title>A</title>",
        gzip.compress(b"<mediawiki>", mtime=0),
        # Multistream: the first stream holds the head of the export only.
        bz2.compress(b"<mediawiki>\n<siteinfo/>\n") + bz2.compress(b"<page></page>"),
        "<mediawiki>\n".encode("utf-16"),
    ],
    "wikiextractor": [
        b'<doc id="12" url="u" title="Anarchism">\nAnarchism\n\nIt is a thing.\n</doc>\n',
    ],
    "jsonl": [
        b'{"text": "a"}\n{"text": "b"}\n',
        b'\n{"id": 1}',
        b'broken\n{"text": "b"}\n{"text": "c"}\n',
        b'{"text": "' + b"long " * 40_000 + b'"}\n',
    ],
    "json": [
        b'[{"text": "a"}, {"text": "b"}]',
        b'\n [\n  {\n    "text": "a"\n  }\n]\n',
        b'["one text", "another"]\n',
    ],
    "conllu": [
        b"# newdoc\n# sent_id = 1\n" + CONLLU_ROW.format(1).encode() + b"\n",
        (CONLLU_ROW.format("1-2") + CONLLU_ROW.format(1) * 9 + "bad line\n").encode(),
    ],
    "vertical": [
        b'<doc id="1">\n<s>\nThe\tDT\tthe\ncat\tNN\tcat\n</s>\n</doc>\n',
        b"<text>\nThe\tDT\ncat\tNN\n</text>\n",
        b"<s>\nThe\ncat\n</s>\n",
    ],
    "parquet": [b"PAR1\x15\x04"],
    "text": [
        b"",
        b"\n\n",
        b"A sentence.\nAnother.\n",
        b"{curly} text\nthat is no JSON\n",
        b"word\tdefinition of it\nother\tdefinition\n",
        bytes(range(256)) * 10,
        gzip.compress(b"text " * 1000, mtime=0)[:30],
        b"1\n2\n3\n",
        b'["Yes" he said]\n',
        b"[1] A footnote.\n",
    ],
}  # fmt: skip


def read(path: Path, **options: object) -> tuple[list[RawDocument], ReadReport]:
    report = ReadReport()
    return list(read_documents([path], ReadOptions(**options), report=report)), report  # type: ignore[arg-type]


def write(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("expected", "content"), [(name, content) for name, all_ in CASES.items() for content in all_]
)
def test_formats_are_told_by_content(tmp_path: Path, expected: str, content: bytes) -> None:
    path = tmp_path / "file.xml"
    path.write_bytes(content)
    assert detect_format(path) == expected


def test_the_name_decides_about_columns_without_tags(tmp_path: Path) -> None:
    for name, expected in (("a.vert.gz", "vertical"), ("a.TSV.gz", "csv"), ("a.csv", "csv")):
        (tmp_path / name).write_bytes(gzip.compress(b"The\tDT\ncat\tNN\n", mtime=0))
        assert detect_format(tmp_path / name) == expected


def test_a_real_json_line_beats_a_misleading_name(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(json.dumps({"text": "<mediawiki> in the text"}))
    assert detect_format(str(path)) == "jsonl"


def test_wrong_arguments_are_refused_before_reading(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "x")
    with pytest.raises(InputError, match=r"unknown format 'docx'.*text, jsonl, json, csv,"):
        read_documents([path], ReadOptions(format="docx"), report=ReadReport())
    with pytest.raises(InputError, match="there is no file"):
        read_documents([tmp_path / "missing"], report=ReadReport())


def test_a_folder_of_several_formats_is_read_through_its_damage(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    write(tmp_path, "1.txt", "First.\n\nSecond.\n")
    write(tmp_path, "2.jsonl.gz", gzip.compress(b'{"text": "Third."}\n') + b"garbage")
    write(tmp_path, "3.bin", b"\x00\x01\x02" * 100)
    write(tmp_path, "4.parquet", b"PAR1 but not really")
    write(tmp_path, "5.txt", "")
    write(tmp_path, "6.txt", "Last.\n")
    documents, report = read(tmp_path)
    assert [d.text for d in documents] == ["First.", "Second.", "Third.", "Last."]
    assert (report.n_files, report.n_documents) == (6, 4)
    assert report.skipped == {
        "damaged compressed data": 1,
        "binary file": 1,
        "damaged Parquet file": 1,
    }


@pytest.mark.parametrize("format_name", [f for f in FORMATS if f not in ("parquet", "csv")])
@pytest.mark.parametrize("content", [b"", b"\n\n\n", b"\xff\xfe\xfd\x00\x01" * 999, b"\x00" * 99])
def test_every_reader_survives_empty_and_binary_files(
    tmp_path: Path, format_name: str, content: bytes
) -> None:
    path = write(tmp_path, "bad", content)
    try:
        documents, _ = read(path, format=format_name)
    except InputError as refused:
        assert "holds nothing that can be read" in str(refused)  # noqa: PT017
        return
    # UTF-16's byte order mark makes text of some garbage; there are still no words in it.
    assert all(not any(c.isascii() and c.isalpha() for c in d.text) for d in documents)


def test_a_file_that_does_not_fit_ends_no_run_that_has_begun(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    for name, column in (("1", "text"), ("2", "body"), ("3", "text")):
        pq.write_table(pa.table({column: [f"in {name}"]}), tmp_path / f"{name}.parquet")
    documents, report = read(tmp_path)
    assert [d.text for d in documents] == ["in 1", "in 3"]
    assert report.skipped == {"file that cannot be read as asked": 1}


def test_a_first_file_that_does_not_fit_ends_no_run_either(tmp_path: Path) -> None:
    write(tmp_path, "1.csv", "body,author\na text,me\n")
    write(tmp_path, "2.txt", "Read.\n")
    documents, report = read(tmp_path)
    assert [d.text for d in documents] == ["Read."]
    assert "its fields are body, author" in report.examples["file that cannot be read as asked"]
    (tmp_path / "2.txt").unlink()
    with pytest.raises(InputError, match=r"its fields are body, author; choose .* text_field"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"%PDF-1.7\nplain enough", "PDF document"),
        (b"{\\rtf1 text}", "RTF document"),
        (b"<!DOCTYPE html>\n<p>text", "HTML page"),
        (b'\xef\xbb\xbf <?xml version="1.0"?>\n<HTML lang="en">', "HTML page"),
        (b"Rar!\x1a\x07\x00", "RAR archive"),
    ],
)
def test_what_no_reader_reads_is_passed_over_by_name(
    tmp_path: Path, content: bytes, kind: str
) -> None:
    path = write(tmp_path, "strange", content)
    documents, report = read(path)
    assert documents == []
    [(reason, count)] = report.skipped.items()
    assert reason.startswith(kind)
    assert count == 1
    assert report.examples[reason] == str(path)


def test_a_pipe_is_read_as_a_file_is(tmp_path: Path) -> None:
    (tmp_path / "times").mkdir()
    pipe = tmp_path / "times" / "1857.jsonl.gz"
    os.mkfifo(pipe)
    content = gzip.compress(b'{"text": "One."}\n{"text": "broken\n{"text": "Three."}\n')
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    documents, report = read(pipe, meta=("date", "source"))
    writer.join()
    assert [(d.id, d.text) for d in documents] == [
        ("1857.jsonl.gz:1", "One."),
        ("1857.jsonl.gz:3", "Three."),
    ]
    assert documents[0].fields == (("date", "1857"), ("source", "times"))
    assert (report.n_files, report.n_documents) == (1, 2)
    assert report.examples["broken JSON line"].startswith(f"{pipe}, line 2: ")


def test_links_that_lead_in_circles(tmp_path: Path) -> None:
    (tmp_path / "self").symlink_to("self")
    with pytest.raises(InputError, match="self is a link that leads nowhere"):
        read(tmp_path / "self")
    (tmp_path / "folder").symlink_to(tmp_path)
    write(tmp_path, "t.txt", "Read.")
    documents, report = read(tmp_path)
    assert [d.text for d in documents] == ["Read."]
    assert report.skipped == {
        "link that leads nowhere": 1,
        "link to a folder (name the folder itself)": 1,
    }


def test_inputs_are_files_of_folders_sorted_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("b/2.txt", "b/1.txt", "a.txt", ".hidden", ".git/config"):
        write(tmp_path, name, b"x")
    names = [str(path.relative_to(tmp_path)) for path in list_inputs([tmp_path])]
    assert names == ["a.txt", "b/1.txt", "b/2.txt"]


def test_inputs_pass_over_our_own_folders_and_dump_indexes(tmp_path: Path) -> None:
    manifest = json.dumps({"kind": "corpus", "format_version": 1, "grassmeans": "0.1.0"}).encode()
    write(tmp_path, "stored/manifest.json", manifest)
    write(tmp_path, "stored/shards/words.txt", b"x")
    write(tmp_path, ".running.building/new/words.txt", b"x")
    write(tmp_path, "enwiki-multistream-index.txt.bz2", b"x")
    write(tmp_path, "foreign/manifest.json", b"[1]")
    kept = write(tmp_path, "a.txt", b"x")
    assert list_inputs([tmp_path]) == [kept, tmp_path / "foreign/manifest.json"]


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", b"x")
    assert list_inputs([str(path), tmp_path, path]) == [path]


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ([], "no input was given"),
        (["missing.txt"], "there is no file or folder"),
        (["empty"], "holds no files"),
    ],
)
def test_wrong_inputs_are_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paths: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=message):
        list_inputs(paths)
