"""Which format a file has, from its content; the name decides only where the content does not."""

from __future__ import annotations

import json
import re
from pathlib import Path

from grassmeans.corpus.lines import find_wide_encoding
from grassmeans.corpus.opening import read_head

_SAMPLE_LINES = 400
_MAJORITY = 0.8
_CONLLU_ID = re.compile(r"\d+(?:[-.]\d+)?")
_TAG_LINE = re.compile(r"</?[A-Za-z][^<>]*>")
_SENTENCE_TAG = re.compile(r"\s*<(?:s|p)[\s>]")
_DOC_LINE = re.compile(r"<doc\s[^<>]*\bid=")
_PACKED_SUFFIXES = {".gz", ".bz2", ".xz", ".zst", ".zstd"}
_VERTICAL_SUFFIXES = {".vert", ".vrt", ".vertical"}


def detect_format(path: Path | str) -> str:
    """Name the format of a file: one of ``readers.FORMATS``, except ``"tokens"``.

    Tokenised sentences look like any other text, so that format is only ever chosen by hand. What
    is not recognised is ``"text"``.
    """
    path = Path(path)
    head = read_head(path)
    if head.startswith(b"PAR1"):
        return "parquet"
    text = head.decode(find_wide_encoding(head) or "utf-8-sig", errors="replace").lstrip()
    if _is_mediawiki(text):
        return "mediawiki"
    lines = [line.rstrip("\r") for line in text.split("\n", _SAMPLE_LINES)]
    # The last line is probably cut off, unless it is the only one.
    lines = lines[:-1] or lines
    tests = {
        "jsonl": _is_json_lines(lines),
        "conllu": _is_conllu(lines),
        "vertical": _is_vertical(lines, _read_suffix(path)),
        "wikiextractor": _DOC_LINE.match(lines[0]) is not None,
    }
    return next((name for name, passed in tests.items() if passed), "text")


def _read_suffix(path: Path) -> str:
    suffixes = [suffix for suffix in path.suffixes if suffix not in _PACKED_SUFFIXES]
    return suffixes[-1] if suffixes else ""


def _is_mediawiki(text: str) -> bool:
    start = text[:4096]
    # A part of a multistream dump that was cut out begins with a page.
    return start.startswith(("<mediawiki", "<page>")) or (
        start.startswith(("<?xml", "<!DOCTYPE")) and "<mediawiki" in start
    )


def _is_json_lines(lines: list[str]) -> bool:
    filled = [line.strip() for line in lines if line.strip()][:20]
    objects = [line for line in filled if line.startswith("{")]
    if not objects or len(objects) < len(filled) / 2:
        return False
    return any(map(_is_json_object, objects)) or bool(
        # A first line longer than the sample cannot be parsed.
        len(lines) == 1 and re.match(r'\{\s*"[^"]*"\s*:', lines[0]) and not lines[0].endswith("}")
    )


def _is_json_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _is_conllu(lines: list[str]) -> bool:
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    good = sum(len(row) == 10 and _CONLLU_ID.fullmatch(row[0]) is not None for row in rows)
    return bool(rows) and good >= _MAJORITY * len(rows)


def _is_vertical(lines: list[str], suffix: str) -> bool:
    """One token a line: columns between structural tags, or as the file's name says."""
    filled = [line for line in lines if line.strip()]
    tags = [line for line in filled if _TAG_LINE.fullmatch(line.strip())]
    tokens = [line for line in filled if not _TAG_LINE.fullmatch(line.strip())]
    narrow = [line for line in tokens if line.strip() and " " not in line.split("\t")[0]]
    if not tokens or len(narrow) < _MAJORITY * len(tokens):
        return False
    if suffix in _VERTICAL_SUFFIXES:
        return True
    if any(_SENTENCE_TAG.match(tag) for tag in tags):
        return True
    columned = sum("\t" in line for line in tokens)
    return bool(tags) and columned >= _MAJORITY * len(tokens)
