"""Formats of running text: plain text, JSON lines, Parquet, WikiExtractor's output."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grassmeans.corpus.documents import DocumentBuilder, RawDocument, ReadOptions, ReadReport
from grassmeans.corpus.opening import MAX_LINE_BYTES, read_lines
from grassmeans.errors import InputError, MissingExtraError

_MAX_JSON_BYTES = 1 << 25
_BATCH_ROWS = 256
_OPENING = re.compile(r"<doc\s+[^<>]*\bid=[^<>]*>\s*$")
_ATTRIBUTE = re.compile(r"""([\w-]+)=(?:"([^"]*)"|'([^']*)')""")
# With WikiExtractor's --links anchors are kept, and some versions leave style tags behind.
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


def read_plain(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[RawDocument]:
    """Yield the documents of a text file, which end at blank lines.

    The id is the file's name and the first line's number.
    """
    document = DocumentBuilder(report, options.max_document_chars)
    for number, line in enumerate(_read_short_lines(path, report, options), start=1):
        if not line.strip():
            yield from document.take()
            document.start("")
            continue
        if document.is_new:
            document.start(f"{path.name}:{number}")
        yield from document.make_room(len(line))
        document.add(line)
    yield from document.take()


def _read_short_lines(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[str]:
    """Lines, or pieces of them, that fit into a part of a long document."""
    max_line = min(MAX_LINE_BYTES, options.max_document_chars)
    return read_lines(path, report, encoding=options.encoding, max_line=max_line)


def read_json_lines(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[RawDocument]:
    """Yield the documents of a file of JSON objects, one a line with its text in one field.

    Bad lines are counted and passed over. This is also what WikiExtractor --json writes.
    """
    lines = read_lines(
        path, report, encoding=options.encoding, max_line=_MAX_JSON_BYTES, skip_long=True
    )
    for number, line in enumerate(lines, start=1):
        if not line or line.isspace():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            report.skip("broken JSON line", f"{path}, line {number}: {error}")
            continue
        if not isinstance(value, dict):
            report.skip("broken JSON line", f"{path}, line {number}: not an object")
            continue
        text = value.get(options.text_field)
        if not isinstance(text, str):
            fields = ", ".join(list(value)[:20]) or "none"
            report.skip("no text field", f"{path}, line {number}: the fields are {fields}")
            continue
        yield _make_document(value, text, f"{path.name}:{number}")


def read_parquet(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[RawDocument]:
    """Yield the documents of a Parquet file, one a row with its text in one column.

    A few hundred rows are in memory at a time.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet", "reading Parquet files") from error

    number = 0
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            columns = _choose_columns(path, file.schema_arrow, options.text_field)
            for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=columns):
                for record in batch.to_pylist():
                    number += 1
                    text = record[options.text_field] or ""
                    yield _make_document(record, text, f"{path.name}:{number}")
    except (pyarrow.ArrowException, OSError) as error:
        report.skip("damaged Parquet file", f"{path}, after row {number}: {error}")
    report.n_bytes += path.stat().st_size


def _choose_columns(path: Path, schema: Any, text_field: str) -> list[str]:
    names = list(schema.names)
    if text_field not in names:
        raise InputError(
            f"{path} has no column {text_field!r}: its columns are {', '.join(names) or 'none'}; "
            "choose the one with the text as text_field=..."
        )
    kind = str(schema.field(text_field).type)
    if "string" not in kind:
        raise InputError(f"the column {text_field!r} of {path} holds {kind}, not text")
    return [text_field, *({"id", "title", "url"} & set(names) - {text_field})]


def _make_document(record: dict[str, Any], text: str, fallback: str) -> RawDocument:
    """The document of a record; its id, or else its address, or else the fallback is the id."""
    identifier, url, title = (_as_text(record.get(name)) for name in ("id", "url", "title"))
    return RawDocument(identifier or url or fallback, title, text)


def _as_text(value: Any) -> str:
    """A short field as text; what is neither text nor a number counts as absent."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def read_wikiextractor(
    path: Path, report: ReadReport, options: ReadOptions
) -> Iterator[RawDocument]:
    """Yield the documents of WikiExtractor's text output: ``<doc id= url= title=>`` ... ``</doc>``.

    Text outside of documents is counted and passed over.
    """
    document = DocumentBuilder(report, options.max_document_chars)
    is_open = False
    for line in _read_short_lines(path, report, options):
        if line.startswith("<doc ") and _OPENING.match(line):
            if is_open:
                report.skip("unclosed document", f"{path}: {document.id}")
                yield from document.take(even_empty=True)
            values = {name: html.unescape(a or b) for name, a, b in _ATTRIBUTE.findall(line)}
            document.start(values.get("id", ""), values.get("title", ""))
            is_open = True
        elif not is_open:
            if line.strip():
                report.skip("text outside of a document", f"{path}: {line}")
        elif line.rstrip() == "</doc>":
            yield from document.take(even_empty=True)
            is_open = False
        else:
            yield from document.make_room(len(line))
            # Newer versions escape the text, too.
            if "&" in line or "<" in line:
                line = _TAG.sub("", html.unescape(line)).strip()  # noqa: PLW2901
            # The first line repeats the title, which is no running text.
            if line and not (document.is_new and line == document.title):
                document.add(line)
    if is_open:
        report.skip("unclosed document", f"{path}: {document.id}")
        yield from document.take(even_empty=True)
