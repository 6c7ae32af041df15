"""JSON lines: one object a line, its text in one field (also what WikiExtractor --json writes)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grassmeans.corpus.documents import RawDocument, ReadReport
from grassmeans.corpus.lines import read_lines
from grassmeans.corpus.readers.options import ReadOptions

_MAX_LINE_BYTES = 1 << 25


def read_json_lines(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[RawDocument]:
    """Yield the documents of a file; bad lines are counted and passed over."""
    lines = read_lines(
        path, report, encoding=options.encoding, max_line=_MAX_LINE_BYTES, skip_long=True
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
        yield RawDocument(
            id=read_identifier(value) or f"{path.name}:{number}",
            title=_as_text(value.get("title")),
            text=text,
        )


def read_identifier(record: dict[str, Any]) -> str:
    """A record's id, or else its address."""
    return _as_text(record.get("id")) or _as_text(record.get("url"))


def _as_text(value: Any) -> str:
    """A short field as text; what is neither text nor a number counts as absent."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
