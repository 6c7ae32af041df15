"""Progress on standard error for everything that takes longer than a second."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

Advance = Callable[..., None]

_SECONDS_PER_LINE = 10.0


class _RateColumn(ProgressColumn):
    """How fast it goes: words/s, bytes/s, ..."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        """Show the speed of a task, once it is known."""
        speed = task.finished_speed or task.speed
        is_known = speed is not None and self._unit
        return Text(f"{speed:,.0f} {self._unit}/s" if is_known else "", style="cyan")


@contextlib.contextmanager
def progress_bar(
    description: str,
    total: float | None,
    *,
    unit: str = "",
    show: bool | None = None,
    in_lines: bool = False,
) -> Iterator[Advance]:
    """Show a bar; the block receives ``advance(amount, note="")``.

    Parameters
    ----------
    total : float or None
        None where the amount of work is not known: no share and no time left are shown.
    unit : str
        What is counted, for the speed; without it none is shown.
    show : bool, optional
        Whether to show it; by default only where standard error is a terminal.
    in_lines : bool
        Where it is no terminal, write a line every ten seconds: for work of hours, whose log is
        looked at. ``total`` must be known.
    """
    if in_lines and show is None and total is not None and not sys.stderr.isatty():
        yield _line_writer(description, total)
        return
    visible = sys.stderr.isatty() if show is None else show
    if not visible:
        yield lambda amount=1, note="": None
        return
    columns = [
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        _RateColumn(unit),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(description, total=total, note="")

        def advance(amount: float = 1, note: str | None = None) -> None:
            fields: dict[str, Any] = {} if note is None else {"note": note}
            progress.update(task, advance=amount, **fields)

        yield advance


def _line_writer(description: str, total: float) -> Advance:
    began = shown = time.monotonic()
    done, first = 0.0, None

    def advance(amount: float = 1, note: str | None = None) -> None:
        nonlocal done, first, shown
        done += amount
        # What a resumed work has done already comes at once and says nothing of the speed.
        first = done if first is None else first
        now = time.monotonic()
        if now - shown >= _SECONDS_PER_LINE:
            shown = now
            left = (total - done) * (now - began) / max(done - first, 1e-9)
            text = f"{description}: {done / total:.1%}, {_duration(left)} left"
            print(f"{text}, {note}" if note else text, file=sys.stderr, flush=True)

    return advance


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
