"""What commands share: tables for people, JSON lines for programs, and where both go.

A stream that was closed before the command began, a device that is full and a locale that lacks
letters must not end in a traceback, nor in a result that is lost without a word.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from grassmeans.evaluation.reports import ResultTable

_SHOWN = 5


def wants_json(asked: bool) -> bool:
    """JSON where it is asked for, and where standard output is no terminal."""
    return asked or not sys.stdout.isatty()


def print_json(value: Any) -> None:
    """One JSON object on one line; where letters are lacking, with JSON's own escapes."""
    sys.stdout.write(json.dumps(value, ensure_ascii=not is_unicode(sys.stdout)) + "\n")


def print_summary(
    fields: dict[str, Any], told: str, as_json: bool, then: Sequence[str] = ()
) -> None:
    """What a command has done: fields for programs; a text, and commands to go on with."""
    if wants_json(as_json):
        print_json(fields)
        return
    shown = Text(told)
    if number := re.search(r"\d[\d,]*", told):
        shown.stylize("bold", *number.span())
    for i, command in enumerate(then):
        shown.append(", " if i else "\nnext: ").append(command, "bold")
    terminal().print(shown)


def terminal(*, stderr: bool = False, soft_wrap: bool = False) -> Console:
    """A stream for people, where words and names of files are never taken for markup or emoji."""
    return Console(stderr=stderr, soft_wrap=soft_wrap, highlight=False, markup=False, emoji=False)


def note(message: str, style: str | None = None) -> None:
    """A remark on standard error, so that it never mixes with results."""
    terminal(stderr=True, soft_wrap=True).print(name_options(message), style=style)


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

    def name(match: re.Match[str]) -> str:
        name, off, value = match.groups()
        option = f"--{'no-' if off else ''}{name.replace('_', '-')}"
        return f"{option} {value}" if value else option

    return _ARGUMENT.sub(name, message)


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


def draw_table(table: ResultTable, title: str | Text | None = None) -> None:
    """A table on the terminal."""
    style = "" if isinstance(title, Text) else None  # a text has its own
    note_below = table.note or None
    shown = Table(title=title, title_justify="left", title_style=style, caption=note_below)
    for number, column in enumerate(table.columns):
        shown.add_column(column, justify="left" if number == 0 else "right")
    for row in table.rows:
        shown.add_row(*row)
    terminal().print(shown)


def name_some(names: list[str]) -> str:
    """The first few of some names."""
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


_WRITE_FAILED = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}


def open_streams() -> None:
    """Have three standard streams, closed ones empty; letters that a locale lacks are escaped."""
    if sys.stdin is None:
        sys.stdin = _reopen(0, "r", os.O_RDONLY)
    if sys.stdout is None:
        # Open for reading alone, so that a result cannot be lost there: writing is an error.
        sys.stdout = _reopen(1, "w", os.O_RDONLY)
    if sys.stderr is None:
        sys.stderr = _reopen(2, "w", os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _reopen(number: int, mode: Literal["r", "w"], flags: int) -> TextIO:
    """The null device as the stream of a number, so that no other file comes to have it."""
    opened = os.open(os.devnull, flags)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    return open(number, mode, encoding="utf-8", closefd=False)


def give_up_output() -> None:
    """Write nothing more: Python must not try again at its end what has failed."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_unicode(stream: TextIO) -> bool:
    """Whether a stream can hold every letter."""
    return (stream.encoding or "").lower().replace("-", "").startswith("utf")


def describe_os_error(error: OSError) -> str:
    """One line about a file, or about the output where no file is named."""
    reason = error.strerror or str(error)
    if error.filename is not None:
        return f"{error.filename}: {reason}"
    if error.errno == errno.EBADF:
        return "standard output is closed: send it to a file, or to /dev/null"
    if error.errno in _WRITE_FAILED:
        return f"the output cannot be written: {reason}"
    return reason
