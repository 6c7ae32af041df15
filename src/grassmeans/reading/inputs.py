"""Files and folders -> documents, each file by the reader of its format.

The format is told from the content; the name of a file decides only where the content does not.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from grassmeans.artifacts import schema
from grassmeans.artifacts.temporaries import temporary_folder
from grassmeans.artifacts.writing import find_manifest
from grassmeans.errors import InputError
from grassmeans.reading import texts
from grassmeans.reading.documents import InputFile, RawDocument, ReadOptions, ReadReport
from grassmeans.reading.lines import find_encoding, has_old_line_ends
from grassmeans.reading.mediawiki import read_mediawiki
from grassmeans.reading.opening import find_archive_kind, read_head, read_members
from grassmeans.reading.records import read_csv, read_json, read_json_lines, read_parquet

_READERS: dict[str, Callable[[InputFile], Iterator[RawDocument]]] = {
    "text": texts.read_plain,
    "jsonl": read_json_lines,
    "json": read_json,
    "csv": read_csv,
    "mediawiki": read_mediawiki,
    "wikiextractor": texts.read_wikiextractor,
    "parquet": read_parquet,
    "tokens": texts.read_tokens,
    "vertical": texts.read_vertical,
    "conllu": texts.read_conllu,
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

    `InputError` at once where an argument is wrong; in the end where files cannot be read as asked
    and nothing could be read. Otherwise such a file is counted and passed over by name.
    """
    options = options or ReadOptions()
    if options.format != "auto" and options.format not in _READERS:
        raise InputError(
            f"unknown format {options.format!r}: expected auto or one of {', '.join(FORMATS)}"
        )
    files = [InputFile(path, report, options) for path in list_inputs(inputs, report)]
    return _read_all(files, read_file, report)


def _read_all(
    files: Iterable[InputFile],
    read: Callable[[InputFile], Iterator[RawDocument]],
    report: ReadReport,
) -> Iterator[RawDocument]:
    """The documents of one file after the other; an error where files are refused and none read."""
    refused: InputError | None = None
    n_before = report.n_documents
    for file in files:
        try:
            yield from read(file)
        except InputError as error:
            refused = refused or error
            report.skip(REFUSED, str(error))
    if refused is not None and report.n_documents == n_before:
        raise refused


def read_file(file: InputFile) -> Iterator[RawDocument]:
    """The documents of a file, or of the files in an archive, or of what a pipe gives."""
    if file.path.is_fifo():
        yield from _read_pipe(file)
        return
    head = read_head(file.path)
    kind = find_archive_kind(head)
    if kind is None:
        yield from _read_plain_file(file, head)
    else:
        yield from _read_all(read_members(file, kind), _read_plain_file, file.report)


def _read_pipe(file: InputFile) -> Iterator[RawDocument]:
    """The documents of what can be read only once: it is copied first."""
    with temporary_folder() as folder:
        copy = replace(file, path=folder / file.path.name, copy_of=file.path)
        try:
            with file.path.open("rb") as source, copy.path.open("wb") as target:
                shutil.copyfileobj(source, target)
        except OSError as error:
            file.report.skip("unreadable file", f"{file}: {error.strerror}")
            return
        yield from read_file(copy)


def _read_plain_file(file: InputFile, head: bytes | None = None) -> Iterator[RawDocument]:
    """The documents of a file, which may be one of an archive, but is none."""
    file.report.n_files += 1
    name = file.options.format
    if name == "auto":
        head = read_head(file.path) if head is None else head
        nested = "archive in an archive (unpack it first)" if find_archive_kind(head) else None
        if foreign := nested or find_foreign_kind(head):
            file.report.skip(foreign, str(file))
            return
        name = detect_format(file.path, head)
    for document in _READERS[name](file):
        yield from file.check(document)


def list_inputs(
    paths: Sequence[Path | str] | Path | str, report: ReadReport | None = None
) -> list[Path]:
    """The files to read: those named, and those in the folders named, sorted, each once.

    In folders, hidden files, folders of ours and indexes of dumps are passed over. Folders that
    cannot be read are counted in the report; without one they are an error.
    """
    found: dict[Path, Path] = {}
    for path in map(Path, check_paths(paths)):
        if not path.exists():
            if path.is_symlink():
                raise InputError(f"{path} is a link that leads nowhere: check where it leads")
            raise InputError(f"there is no file or folder at {path}: check the path")
        files = _walk_folder(path, report) if path.is_dir() else [path]
        if not files:
            raise InputError(f"the folder {path} holds no files to read (hidden ones do not count)")
        for file in files:
            found.setdefault(file.resolve(), file)
    return list(found.values())


def check_paths(paths: Any) -> list[Path | str]:
    """One path or several as a list; `InputError` where something else is among them, or none."""
    given = [paths] if isinstance(paths, str | Path) else paths
    if isinstance(given, bytes | Mapping) or not isinstance(given, Iterable):
        raise InputError(f"the input must be a path or several, got {schema.shorten(paths)}")
    named = list(given)
    if not named:
        raise InputError("no input was given: name at least one file or folder of text")
    for path in named:
        if schema.path(path) is not None:
            raise InputError(f"an input must be the path of a file or folder, got {path!r}")
    return named


def _walk_folder(folder: Path, report: ReadReport | None) -> list[Path]:
    def tell(error: OSError) -> None:
        # What cannot be read is named, not left out: half a corpus looks like a whole one.
        if report is None or Path(error.filename) == folder:
            raise InputError(f"cannot read the folder {error.filename}: {error.strerror}")
        report.skip("unreadable folder", f"{error.filename}: {error.strerror}")

    files: list[Path] = []
    for place, subfolders, names in os.walk(folder, onerror=tell):
        if find_manifest(Path(place)) is not None:
            subfolders.clear()
            continue
        subfolders[:] = [name for name in subfolders if not name.startswith(".")]
        found = [Path(place, name) for name in names]
        found = [p for p in found if p.name[0] != "." and "multistream-index" not in p.name]
        files += [path for path in found if path.is_file()]
        for path in [*(Path(place, name) for name in subfolders), *found]:
            if report is None or not path.is_symlink():
                continue
            if path.is_dir():
                report.skip("link to a folder (name the folder itself)", str(path))
            elif not path.exists():
                report.skip("link that leads nowhere", str(path))
    return sorted(files)


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


def detect_format(path: Path | str, head: bytes | None = None) -> str:
    """The format of a file, one of `FORMATS`; ``"text"`` if not recognised, never ``"tokens"``."""
    path = Path(path)
    head = read_head(path) if head is None else head
    if head.startswith(b"PAR1"):
        return "parquet"
    suffixes = [suffix.lower() for suffix in reversed(path.suffixes)]
    suffix = next((suffix for suffix in suffixes if suffix not in _PACKED_SUFFIXES), "")
    text = head.decode(find_encoding(head) or "utf-8", errors="replace").lstrip()
    # A part of a multistream dump that was cut out begins with a page.
    is_dump = text.startswith(("<?xml", "<!DOCTYPE")) and "<mediawiki" in text[:4096]
    if is_dump or text.startswith(("<mediawiki", "<page>")):
        return "mediawiki"
    end = "\r" if has_old_line_ends(text.encode()) else "\n"
    lines = [line.rstrip("\r") for line in text.split(end, _SAMPLE_LINES)]
    # The last line is probably cut off, unless it is the only one.
    lines = lines[:-1] or lines
    if _is_json_lines(lines):
        return "jsonl"
    if _is_json(text):
        return "json"
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    n_good = sum(len(row) == 10 and _CONLLU_ID.fullmatch(row[0]) is not None for row in rows)
    if rows and n_good >= _MAJORITY * len(rows):
        return "conllu"
    if _is_vertical(lines, suffix):
        return "vertical"
    if _DOC_LINE.match(lines[0]):
        return "wikiextractor"
    return _NAMED_FORMATS.get(suffix, "text") if text else "text"


def find_foreign_kind(head: bytes) -> str | None:
    """What a file is that no reader can read, and what to do about it; None for any other."""
    if _HTML_START.match(head[:_HTML_BYTES]):
        return "HTML page (take its text out first)"
    starts = _FOREIGN_STARTS.items()
    return next((kind for start, kind in starts if head.startswith(start)), None)


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


def _is_vertical(lines: list[str], suffix: str) -> bool:
    """One token a line: columns between structural tags, or as the file's name says."""
    filled = [line for line in lines if line.strip()]
    tags = [line for line in filled if _TAG_LINE.fullmatch(line.strip())]
    tokens = [line for line in filled if not _TAG_LINE.fullmatch(line.strip())]
    n_narrow = sum(" " not in line.split("\t")[0] for line in tokens)
    if not tokens or n_narrow < _MAJORITY * len(tokens):
        return False
    if suffix in _VERTICAL_SUFFIXES or any(map(_SENTENCE_TAG.match, tags)):
        return True
    n_columned = sum("\t" in line for line in tokens)
    return bool(tags) and n_columned >= _MAJORITY * len(tokens)
