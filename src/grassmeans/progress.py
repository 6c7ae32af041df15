"""Progress on standard error for everything that takes longer than a second."""

from __future__ import annotations

import contextlib
import sys
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


class _RateColumn(ProgressColumn):
    """How fast it goes: words/s, bytes/s, ..."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        """Show the speed of a task, once it is known."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f} {self._unit}/s", style="cyan")


@contextlib.contextmanager
def progress_bar(
    description: str, total: float | None, *, unit: str = "", show: bool | None = None
) -> Iterator[Advance]:
    """Show a bar; the block receives ``advance(amount, note="")``.

    Parameters
    ----------
    total : float or None
        None where the amount of work is not known: no share and no time left are shown.
    unit : str
        What is counted, for the speed.
    show : bool, optional
        Whether to show it; by default only where standard error is a terminal.
    """
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
