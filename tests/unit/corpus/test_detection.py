import bz2
import gzip
import json
from pathlib import Path

import pytest

from grassmeans.corpus.detection import detect_format

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
        b"<html>\n<body>\nSome text in here\n",
        bytes(range(256)) * 10,
        gzip.compress(b"text " * 1000, mtime=0)[:30],
        b"1\n2\n3\n",
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "content"), [(name, content) for name, all_ in CASES.items() for content in all_]
)
def test_formats_are_told_by_content(tmp_path: Path, expected: str, content: bytes) -> None:
    path = tmp_path / "file.xml"
    path.write_bytes(content)
    assert detect_format(path) == expected


def test_the_name_decides_about_columns_without_tags(tmp_path: Path) -> None:
    for name, expected in (("a.vert.gz", "vertical"), ("a.tsv.gz", "text")):
        (tmp_path / name).write_bytes(gzip.compress(b"The\tDT\ncat\tNN\n", mtime=0))
        assert detect_format(tmp_path / name) == expected


def test_a_real_json_line_beats_a_misleading_name(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(json.dumps({"text": "<mediawiki> in the text"}))
    assert detect_format(str(path)) == "jsonl"
