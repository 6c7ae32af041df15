"""Files and folders -> documents, each file by the reader of its format.

The format is told from the content; the name of a file decides only where the content does not.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from grassmeans.artifacts.temporaries import temporary_folder
from grassmeans.errors import InputError
from grassmeans.reading.archives import Unpacked, find_archive_kind, read_members
from grassmeans.reading.documents import RawDocument, ReadOptions, ReadReport, split_document
from grassmeans.reading.fields import complete_fields
from grassmeans.reading.lines import find_encoding, has_old_line_ends
from grassmeans.reading.opening import list_inputs, read_head
from grassmeans.reading.readers.mediawiki import read_mediawiki
from grassmeans.reading.readers.records import read_csv, read_json, read_json_lines, read_parquet
from grassmeans.reading.readers.texts import (
    read_conllu,
    read_plain,
    read_tokens,
    read_vertical,
    read_wikiextractor,
)

Reader = Callable[[Path, ReadReport, ReadOptions], Iterator[RawDocument]]

_READERS: dict[str, Reader] = {
    "text": read_plain,
    "jsonl": read_json_lines,
    "json": read_json,
    "csv": read_csv,
    "mediawiki": read_mediawiki,
    "wikiextractor": read_wikiextractor,
    "parquet": read_parquet,
    "tokens": read_tokens,
    "vertical": read_vertical,
    "conllu": read_conllu,
}
FORMATS = tuple(_READERS)
REFUSED = "file that cannot be read as asked"


def read_documents(
    inputs: Sequence[Path | str] | Path | str,
    options: ReadOptions | None = None,
    *,
    report: ReadReport,
) -> Iterator[RawDocument]:
    """Read files, compressed or not, and folders, document by document.

    What is passed over, and why, is told in the report. `InputError` at once where an argument is
    wrong; in the end where files cannot be read as asked and nothing could be read. Otherwise such
    a file is counted and passed over by name, so that it does not end a long run.
    """
    options = options or ReadOptions()
    if options.format != "auto" and options.format not in _READERS:
        raise InputError(
            f"unknown format {options.format!r}: expected auto or one of {', '.join(FORMATS)}"
        )
    files = list_inputs(inputs, report)
    return _read_all(files, partial(read_file, report=report, options=options), report)


Source = TypeVar("Source")


def _read_all(
    sources: Iterable[Source], read: Callable[[Source], Iterator[RawDocument]], report: ReadReport
) -> Iterator[RawDocument]:
    """The documents of one file after the other; an error where files are refused and none read."""
    refused: InputError | None = None
    n_before = report.n_documents
    for source in sources:
        try:
            yield from read(source)
        except InputError as error:
            refused = refused or error
            report.skip(REFUSED, str(error))
    if refused is not None and report.n_documents == n_before:
        raise refused


def read_file(
    path: Path, report: ReadReport, options: ReadOptions, shown: Path | None = None
) -> Iterator[RawDocument]:
    """The documents of a file, or of the files in an archive, or of what a pipe gives.

    ``shown`` is the name that tells of them, if not the file's own.
    """
    if path.is_fifo():
        yield from _read_pipe(path, report, options)
        return
    head = read_head(path)
    kind = find_archive_kind(head)
    if kind is None:
        yield from _read_as_format(path, head, report, options, shown)
    else:
        members = read_members(path, kind, report)
        yield from _read_all(members, partial(_read_member, options=options), report)


def _read_pipe(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[RawDocument]:
    """The documents of what can be read only once: it is copied first."""
    with temporary_folder() as folder:
        copy = Unpacked(Path(folder, path.name), path, report)
        try:
            with path.open("rb") as source, copy.path.open("wb") as target:
                shutil.copyfileobj(source, target)
        except OSError as error:
            report.skip("unreadable file", f"{path}: {error.strerror}")
            return
        try:
            yield from read_file(copy.path, copy.report, options, copy.shown)
        except InputError as error:
            raise InputError(copy.rename(str(error))) from error
        finally:
            copy.finish()


def _read_member(member: Unpacked, options: ReadOptions) -> Iterator[RawDocument]:
    """The documents of a file in an archive, by its own name."""
    head = read_head(member.path)
    if find_archive_kind(head) is not None and options.format == "auto":
        member.report.n_files += 1
        member.report.skip("archive in an archive (unpack it first)", str(member.path))
        return
    try:
        documents = _read_as_format(member.path, head, member.report, options, member.shown)
        yield from map(member.rename_document, documents)
    except InputError as error:
        raise InputError(member.rename(str(error))) from error


def _read_as_format(
    path: Path, head: bytes, report: ReadReport, options: ReadOptions, shown: Path | None = None
) -> Iterator[RawDocument]:
    """The documents of a file that is no archive."""
    report.n_files += 1
    foreign = find_foreign_kind(head)
    if foreign is not None and options.format == "auto":
        report.skip(foreign, str(path))
        return
    reader = _READERS[detect_format(path) if options.format == "auto" else options.format]
    for document in reader(path, report, options):
        yield from check_document(document, shown or path, report, options)


def check_document(
    document: RawDocument, path: Path, report: ReadReport, options: ReadOptions
) -> Iterator[RawDocument]:
    """Pass over what is empty, split what is too long, and add what the file's name tells."""
    document = complete_fields(document, path, options, report)
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


_SAMPLE_LINES = 400
_MAJORITY = 0.8
_CONLLU_ID = re.compile(r"\d+(?:[-.]\d+)?")
_TAG_LINE = re.compile(r"</?[A-Za-z][^<>]*>")
_SENTENCE_TAG = re.compile(r"\s*<(?:s|p)[\s>]")
_DOC_LINE = re.compile(r"<doc\s[^<>]*\bid=")
_PACKED_SUFFIXES = {".gz", ".bz2", ".xz", ".zst", ".zstd"}
_VERTICAL_SUFFIXES = {".vert", ".vrt", ".vertical"}
_NAMED_FORMATS = {
    **dict.fromkeys((".csv", ".tsv", ".tab"), "csv"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    ".json": "json",
}
"""By the ends of files' names. What is broken all through is refused by its reader, not prose."""
_OBJECT_START = re.compile(r"""\{\s*(["'])[^"']*\1\s*:""")
_CONVERT = "(convert it to plain text first)"
_FOREIGN_STARTS = {
    b"%PDF-": f"PDF document {_CONVERT}",
    b"{\\rtf": f"RTF document {_CONVERT}",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": f"old Office document {_CONVERT}",
    b"7z\xbc\xaf\x27\x1c": "7z archive (unpack it first)",
    b"Rar!\x1a\x07": "RAR archive (unpack it first)",
    b"SQLite format 3\0": "SQLite database (export its texts first)",
    b"ARROW1": "Arrow or Feather file (write it as Parquet first)",
}
_HTML_BYTES = 1024
_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", re.I
)


def detect_format(path: Path | str) -> str:
    """Name the format of a file: one of `FORMATS`, except ``"tokens"``.

    Tokenised sentences look like any other text, so that format is only ever chosen by hand. What
    is not recognised is ``"text"``.
    """
    path = Path(path)
    head = read_head(path)
    if head.startswith(b"PAR1"):
        return "parquet"
    suffix = _read_suffix(path)
    text = head.decode(find_encoding(head) or "utf-8", errors="replace").lstrip()
    if _is_mediawiki(text):
        return "mediawiki"
    end = "\r" if has_old_line_ends(text.encode()) else "\n"
    lines = [line.rstrip("\r") for line in text.split(end, _SAMPLE_LINES)]
    # The last line is probably cut off, unless it is the only one.
    lines = lines[:-1] or lines
    tests = {
        "jsonl": _is_json_lines(lines),
        "json": _is_json(text),
        "conllu": _is_conllu(lines),
        "vertical": _is_vertical(lines, suffix),
        "wikiextractor": _DOC_LINE.match(lines[0]) is not None,
    }
    named = _NAMED_FORMATS.get(suffix, "text") if text else "text"
    return next((name for name, passed in tests.items() if passed), named)


def find_foreign_kind(head: bytes) -> str | None:
    """What a file is that no reader can read, and what to do about it; None for any other."""
    for start, kind in _FOREIGN_STARTS.items():
        if head.startswith(start):
            return kind
    if _HTML_START.match(head[:_HTML_BYTES]):
        return "HTML page (take its text out first)"
    return None


def _read_suffix(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    return next((suffix for suffix in reversed(suffixes) if suffix not in _PACKED_SUFFIXES), "")


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
    begun = [line for line in filled if _OBJECT_START.match(line)]
    if len(begun) < _MAJORITY * len(filled):
        return any(map(_is_json_object, objects))
    # An object over several lines may stand in one; a line longer than the sample is no whole one.
    return len(filled) > 1 or not filled[0].endswith("}") or _is_json_object(filled[0])


def _is_json(text: str) -> bool:
    """An array of objects or strings, or an object over several lines."""
    if _OBJECT_START.match(text.removeprefix("[").lstrip()):
        return True
    start = re.match(r"\[\s*(?=[{\"])", text)
    if start is None:
        return False
    try:
        _, end = json.JSONDecoder(strict=False).raw_decode(text, start.end())
    except (ValueError, RecursionError):
        return False
    return text[end : end + 100].lstrip().startswith((",", "]"))


def _is_json_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
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
