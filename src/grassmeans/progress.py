"""Progress on standard error for everything that takes longer than a second."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

Advance = Callable[..., None]


@contextlib.contextmanager
def progress_bar(
    description: str, total: float | None, *, unit: str = "", show: bool | None = None
) -> Iterator[Advance]:
    """Show a bar; the block receives ``advance(amount, note="")``.

    Parameters
    ----------
    total : float or None
        None where the amount of work is not known: a spinner and a count are shown.
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
        MofNCompleteColumn()
        if total is not None and total < 1e6
        else TextColumn(
            "{task.percentage:>3.0f}%" if total is not None else "{task.completed:,.0f}"
        ),
        TextColumn(unit),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(description, total=total, note="")

        def advance(amount: float = 1, note: str | None = None) -> None:
            fields: dict[str, Any] = {} if note is None else {"note": note}
            progress.update(task, advance=amount, **fields)

        yield advance
