"""A comparison as files: CSV, JSON and Parquet, and as a table for the terminal."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grassmeans.change.comparing import Comparison, change_rows, share_rows
from grassmeans.errors import MissingExtraError


def list_changes(found: Comparison) -> list[dict[str, Any]]:
    """A row for each word and pair of groups, those that changed most first."""
    return [row for word in found.words for row in change_rows(word)]


def list_shares(found: Comparison) -> list[dict[str, Any]]:
    """A row for each word, group and sense."""
    return [row for word in found.words for row in share_rows(word)]


def to_dict(found: Comparison) -> dict[str, Any]:
    """Everything as plain values."""
    return {
        "by": found.by,
        "groups": [
            {"name": name, "n_documents": n}
            for name, n in zip(found.groups, found.n_documents, strict=True)
        ],
        "n_documents_left_out": found.n_left_out,
        "n_tested": found.n_tested,
        "absent": list(found.absent),
        "settings": asdict(found.settings),
        "words": [
            {
                "word": word.word,
                "changes": [_without_word(row) for row in change_rows(word)],
                "shares": [_without_word(row) for row in share_rows(word)],
                "examples": [asdict(example) for example in word.examples],
            }
            for word in found.words
        ],
    }


def _without_word(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "word"}


def write_csv(rows: Iterable[dict[str, Any]]) -> bytes:
    """Rows as CSV, with lists of senses as ``1 3``; a missing value is empty."""
    stream = io.StringIO(newline="")
    writer: csv.DictWriter[str] | None = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(stream, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow({name: _as_cell(value) for name, value in row.items()})
    return stream.getvalue().encode()


def _as_cell(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, list) else value


def write_json(found: Comparison) -> bytes:
    """Everything as one JSON object."""
    return (json.dumps(to_dict(found), ensure_ascii=False) + "\n").encode()


def write_parquet(rows: list[dict[str, Any]], path: Path) -> None:
    """Rows as a Parquet file."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet", "writing Parquet") from error
    kinds = {
        "n_first": pa.int64(),
        "n_second": pa.int64(),
        "changed": pa.bool_(),
        "gained": pa.list_(pa.int16()),
        "lost": pa.list_(pa.int16()),
    }
    kinds |= dict.fromkeys(("jsd", "apd", "prt", "p", "q"), pa.float64())
    names = list(rows[0]) if rows else ["word", "first", "second", *kinds]
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in names])
    columns = {name: [row[name] for row in rows] for name in names}
    pq.write_table(pa.table(columns, schema=schema), path, compression="zstd")
