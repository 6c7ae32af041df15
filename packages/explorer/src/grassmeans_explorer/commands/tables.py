"""What the commands of lexicographers share: rows as JSON lines, as CSV or as a table."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from grassmeans.terminal.output import print_json, terminal, wants_json

_BEFORE = "left"

Csv = Annotated[bool, typer.Option("--csv", help="Print CSV, for spreadsheets.")]


def print_rows(
    rows: Iterable[Mapping[str, Any]],
    columns: Sequence[str],
    *,
    as_json: bool,
    as_csv: bool,
    title: str = "",
) -> None:
    """Rows as CSV where it is asked for, as JSON lines in a pipe, or as a table with columns."""
    found = [dict(row) for row in rows]
    if as_csv:
        from grassmeans.change.tables import write_csv  # SciPy: half of the time that help takes

        sys.stdout.write(write_csv(fill_rows(found)).decode())
        return
    if wants_json(as_json):
        for row in found:
            print_json(row)
        return
    table = Table(title=Text(title) if title else None, title_justify="left", title_style="")
    for column in columns:
        is_number = any(isinstance(row.get(column), int | float) for row in found)
        # What stands before a word ends at it, so that words stand below each other.
        justify: Literal["left", "right"] = "left"
        if is_number or column == _BEFORE:
            justify = "right"
        table.add_column(column.replace("_", " "), justify=justify)
    for row in found:
        table.add_row(*(Text(show_cell(row.get(column))) for column in columns))
    terminal().print(table)


def fill_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows that all have the same columns: fields of documents may be missing in some."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [{name: row.get(name) for name in names} for row in rows]


def show_cell(value: Any) -> str:
    """A value as people read it."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
