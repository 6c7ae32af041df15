"""What groups of documents differ in, as tables and files; as frames, until 0.3.0."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grassmeans.artifacts import schema
from grassmeans.artifacts.schema import check_arguments
from grassmeans.change.comparing import ChangeSettings, Comparison, compare_groups, compare_uses
from grassmeans.change.grouping import Corpora, group_documents
from grassmeans.change.uses import collect_uses, spell_words
from grassmeans.errors import import_extra
from grassmeans.models.model import SenseModel, open_model
from grassmeans.reading.given import check_words

_RULES = {"settings": schema.optional(schema.instance_of(ChangeSettings))}

REPORT_KIND, REPORT_VERSION = "change report", 1
REPORT = "changes.json"
"""Everything, as `write_json` writes it, in the folder of a report."""


@check_arguments(**_RULES)
def sense_shares(
    model: SenseModel | str | Path,
    corpus: Corpora,
    word: str,
    *,
    by: str | None = None,
    settings: ChangeSettings | None = None,
) -> Any:
    """`Comparison.shares` of a word: a pandas frame where that is installed, else dictionaries."""
    documents = group_documents(corpus, by)
    chosen = settings or ChangeSettings()
    opened = open_model(model)
    names = spell_words(opened, check_words(word, "word"))
    rows: list[dict[str, Any]] = []
    for uses in collect_uses(opened, documents, names, max_contexts=chosen.max_contexts):
        for found in compare_uses(opened, uses, documents, chosen):
            rows += [{"word": found.word} | row for row in found.share_rows()]
    return as_table(rows)


@check_arguments(**_RULES)
def rank_changes(
    model: SenseModel | str | Path,
    corpus: Corpora,
    *,
    by: str | None = None,
    words: str | Iterable[str] | None = None,
    settings: ChangeSettings | None = None,
    show_progress: bool | None = False,
) -> Any:
    """`compare_groups` as a pandas frame where that is installed, else as dictionaries."""
    found = compare_groups(
        model, corpus, words, by=by, settings=settings, show_progress=show_progress
    )
    return as_table(found.rows())


def as_table(rows: list[dict[str, Any]]) -> Any:
    """Rows as a pandas frame where pandas is installed, else as they are."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


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
                "changes": word.change_rows(),
                "shares": word.share_rows(),
                "examples": [asdict(example) for example in word.examples],
            }
            for word in found.words
        ],
    }


def write_json(found: Comparison) -> bytes:
    """Everything as one JSON object."""
    return (json.dumps(to_dict(found), ensure_ascii=False) + "\n").encode()


def write_parquet(rows: list[dict[str, Any]], path: Path) -> None:
    """Rows as a Parquet file."""
    pa = import_extra("pyarrow", "parquet", "writing Parquet")
    import pyarrow.parquet as pq

    kinds = {
        "n_first": pa.int64(),
        "n_second": pa.int64(),
        "changed": pa.bool_(),
        "gained": pa.list_(pa.int16()),
        "lost": pa.list_(pa.int16()),
    }
    kinds |= dict.fromkeys(("jsd", "apd", "prt", "p", "q"), pa.float64())
    names = list(rows[0]) if rows else ["word", "first", "second", *kinds]
    columns = pa.schema([(name, kinds.get(name, pa.string())) for name in names])
    table = pa.Table.from_pylist(rows, schema=columns)
    pq.write_table(table, path, compression="zstd")
