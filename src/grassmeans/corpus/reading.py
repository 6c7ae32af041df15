"""Files -> documents: which format a file has, and the reader for it.

The format is told from a file's content; its name decides only where the content does not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from grassmeans.corpus.documents import RawDocument, ReadOptions, ReadReport, split_document
from grassmeans.corpus.opening import find_wide_encoding, list_inputs, read_head
from grassmeans.corpus.readers.mediawiki import read_mediawiki
from grassmeans.corpus.readers.texts import (
    read_json_lines,
    read_parquet,
    read_plain,
    read_wikiextractor,
)
from grassmeans.corpus.readers.tokenised import read_conllu, read_tokens, read_vertical
from grassmeans.errors import InputError

Reader = Callable[[Path, ReadReport, ReadOptions], Iterator[RawDocument]]

_READERS: dict[str, Reader] = {
    "text": read_plain,
    "jsonl": read_json_lines,
    "mediawiki": read_mediawiki,
    "wikiextractor": read_wikiextractor,
    "parquet": read_parquet,
    "tokens": read_tokens,
    "vertical": read_vertical,
    "conllu": read_conllu,
}
FORMATS = tuple(_READERS)

_SAMPLE_LINES = 400
_MAJORITY = 0.8
_CONLLU_ID = re.compile(r"\d+(?:[-.]\d+)?")
_TAG_LINE = re.compile(r"</?[A-Za-z][^<>]*>")
_SENTENCE_TAG = re.compile(r"\s*<(?:s|p)[\s>]")
_DOC_LINE = re.compile(r"<doc\s[^<>]*\bid=")
_PACKED_SUFFIXES = {".gz", ".bz2", ".xz", ".zst", ".zstd"}
_VERTICAL_SUFFIXES = {".vert", ".vrt", ".vertical"}


def read_documents(
    inputs: Sequence[Path | str] | Path | str,
    options: ReadOptions | None = None,
    *,
    report: ReadReport,
) -> Iterator[RawDocument]:
    """Read files and folders, document by document.

    Parameters
    ----------
    inputs : paths
        Files, compressed or not, and folders.
    report : ReadReport
        Filled while reading: what was passed over, and why.

    Raises
    ------
    InputError
        At once where an argument is wrong; while reading where a file cannot be read as asked and
        nothing has been read before it. Later on such a file is counted and passed over, so that
        it does not end a long run.
    """
    options = options or ReadOptions()
    if options.format != "auto" and options.format not in _READERS:
        raise InputError(
            f"unknown format {options.format!r}: expected auto or one of {', '.join(FORMATS)}"
        )
    return _read_files(list_inputs(inputs), report, options)


def _read_files(
    files: list[Path], report: ReadReport, options: ReadOptions
) -> Iterator[RawDocument]:
    for path in files:
        report.n_files += 1
        reader = _READERS[detect_format(path) if options.format == "auto" else options.format]
        try:
            for document in reader(path, report, options):
                yield from _check_document(document, report, options)
        except InputError as error:
            if not report.n_documents:
                raise
            report.skip("file that cannot be read as asked", str(error))


def _check_document(
    document: RawDocument, report: ReadReport, options: ReadOptions
) -> Iterator[RawDocument]:
    """Pass over what is empty and split what is too long."""
    if document.markup == "redirect":
        yield document
    elif not document.text or document.text.isspace():
        report.skip("empty document", document.title or document.id)
    elif len(document.text) <= options.max_document_chars:
        report.n_documents += 1
        yield document
    else:
        report.skip("long document split", document.title or document.id)
        for part in split_document(document, options.max_document_chars):
            report.n_documents += 1
            yield part


def detect_format(path: Path | str) -> str:
    """Name the format of a file: one of `FORMATS`, except ``"tokens"``.

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
