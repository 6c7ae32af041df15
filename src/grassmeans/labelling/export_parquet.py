"""One row of a Parquet file for every labelled word."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from grassmeans.errors import MissingExtraError
from grassmeans.labelling.documents import KeyedDocument, KeyedWord

_ROWS_PER_GROUP = 200_000


def write_parquet(documents: Iterable[KeyedDocument], path: Path) -> int:
    """Write the words that have a sense (in a corpus without labels all words), in groups of rows.

    Columns: ``document`` (its number), ``document_id``, ``title``, ``position`` (of the word in the
    corpus), ``start`` and ``end`` (characters), ``form``, ``key``, ``word``, ``sense``,
    ``probabilities``.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet", "writing Parquet") from error
    schema = pa.schema(
        [
            ("document", pa.int64()),
            ("document_id", pa.string()),
            ("title", pa.string()),
            ("position", pa.int64()),
            ("start", pa.int64()),
            ("end", pa.int64()),
            ("form", pa.string()),
            ("key", pa.string()),
            ("word", pa.string()),
            ("sense", pa.int16()),
            ("probabilities", pa.list_(pa.float32())),
        ]
    )
    columns: dict[str, list[Any]] = {name: [] for name in schema.names}
    n_documents = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for document in documents:
            n_documents += 1
            _add_rows(document, columns)
            if len(columns["key"]) >= _ROWS_PER_GROUP:
                writer.write_table(pa.table(columns, schema=schema))
                columns = {name: [] for name in schema.names}
        writer.write_table(pa.table(columns, schema=schema))
    return n_documents


def _add_rows(document: KeyedDocument, columns: dict[str, list[Any]]) -> None:
    for i, word in enumerate(document.words):
        if not document.is_listed(word):
            continue
        columns["document"].append(document.number)
        columns["document_id"].append(document.id)
        columns["title"].append(document.title)
        columns["position"].append(document.first_position + i)
        for name in KeyedWord._fields:
            columns[name].append(getattr(word, name))
