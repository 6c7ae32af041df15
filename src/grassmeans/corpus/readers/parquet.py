"""Parquet files: one document a row, its text in one column."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grassmeans.corpus.documents import RawDocument, ReadReport
from grassmeans.corpus.readers.jsonlines import read_identifier
from grassmeans.corpus.readers.options import ReadOptions
from grassmeans.errors import InputError, MissingExtraError

_BATCH_ROWS = 256


def read_parquet(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[RawDocument]:
    """Yield the documents of a file, a few hundred rows in memory at a time."""
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
                    yield _make_document(record, options.text_field, f"{path.name}:{number}")
    except (pyarrow.ArrowException, OSError) as error:
        report.skip("damaged Parquet file", f"{path}, after row {number}: {error}")
    report.n_bytes += path.stat().st_size


def _choose_columns(path: Path, schema: Any, text_field: str) -> list[str]:
    names = list(schema.names)
    if text_field not in names:
        raise InputError(
            f"{path} has no column {text_field!r}: its columns are {', '.join(names) or 'none'}; "
            "choose the one with the text (--text-field)"
        )
    kind = str(schema.field(text_field).type)
    if "string" not in kind:
        raise InputError(f"the column {text_field!r} of {path} holds {kind}, not text")
    return [text_field, *({"id", "title", "url"} & set(names) - {text_field})]


def _make_document(record: dict[str, Any], text_field: str, fallback: str) -> RawDocument:
    title = record.get("title")
    return RawDocument(
        id=read_identifier(record) or fallback,
        title=title if isinstance(title, str) else "",
        text=record[text_field] or "",
    )
