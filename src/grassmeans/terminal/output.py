"""What commands share: tables for people, JSON lines for programs."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from grassmeans.terminal.streams import is_unicode

if TYPE_CHECKING:
    from grassmeans.evaluation.reports import ResultTable

_SHOWN = 5


def wants_json(asked: bool) -> bool:
    """JSON where it is asked for, and where standard output is no terminal."""
    return asked or not sys.stdout.isatty()


def print_json(value: Any) -> None:
    """One JSON object on one line; where letters are lacking, with JSON's own escapes."""
    sys.stdout.write(json.dumps(value, ensure_ascii=not is_unicode(sys.stdout)) + "\n")


def print_summary(fields: dict[str, Any], text: str, as_json: bool) -> None:
    """What a command has done: fields for programs, a text with markup for people."""
    if wants_json(as_json):
        print_json(fields)
    else:
        terminal().print(text)


def terminal() -> Console:
    """Standard output for people."""
    return Console(highlight=False)


def note(message: str) -> None:
    """A remark on standard error, so that it never mixes with results."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(name_options(message), markup=False)


def note_report(report: Mapping[str, Any]) -> None:
    """What reading texts has passed over and remarked, as a corpus's manifest tells it."""
    from grassmeans.reading.documents import describe_skipped

    for line in describe_skipped(report["skipped"], report["examples"]):
        note(f"passed over: {line}")
    for line in describe_skipped(report["remarks"], report["examples"]):
        note(line)


# The library names its arguments as Python does: overwrite=True, encoding=..., induce='on-corpus'.
_ARGUMENT = re.compile(r"\b([a-z][a-z_]*)=(?:True|(False)|\.\.\.|'([^']*)')")


def name_options(message: str) -> str:
    """A message of the library, with options in place of Python's arguments."""
    return _ARGUMENT.sub(_name_option, message)


def _name_option(match: re.Match[str]) -> str:
    name, off, value = match.groups()
    option = f"--{'no-' if off else ''}{name.replace('_', '-')}"
    return f"{option} {value}" if value else option


def print_result(
    result: dict[str, Any], table: ResultTable, as_json: bool, as_markdown: bool
) -> None:
    """Markdown where it is asked for, else JSON in a pipe and a table on a terminal."""
    if as_markdown and not as_json:
        sys.stdout.write(table.to_markdown())
    elif wants_json(as_json):
        print_json(result)
    else:
        draw_table(table)


def draw_table(table: ResultTable, title: str | None = None) -> None:
    """A table on the terminal."""
    shown = Table(title=title, title_justify="left", caption=table.note or None)
    for number, column in enumerate(table.columns):
        shown.add_column(column, justify="left" if number == 0 else "right")
    for row in table.rows:
        shown.add_row(*row)
    terminal().print(shown)


def name_some(names: list[str]) -> str:
    """The first few of some names."""
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
