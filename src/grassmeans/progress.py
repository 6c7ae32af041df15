"""Progress on standard error for everything that takes longer than a second.

A bar on a terminal, and in a notebook that has ipywidgets; elsewhere (a log, a job of a cluster) a
line every ten seconds, so that work of hours can be looked at and work of seconds leaves no trace.
Lines go to the logger "grassmeans" where a program has set up logging of such (INFO).
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)

Advance = Callable[..., None]

_LOG = logging.getLogger("grassmeans")
_SECONDS_PER_LINE = 10.0
_TAKEN_OVER_SECONDS = 1.0


class _Meter:
    """How much is done and how fast it goes.

    What is done within the first second was most likely done before, by a run that was stopped: it
    counts for the share but not for the speed.
    """

    def __init__(self, total: float | None, unit: str) -> None:
        self._total = total
        self._unit = unit
        self._began = time.monotonic()
        self._taken_over = self._speed = 0.0
        self.done = 0.0

    def add(self, amount: float) -> float:
        """Count a part; returns the seconds since the beginning."""
        elapsed = time.monotonic() - self._began
        self.done += amount
        if elapsed < _TAKEN_OVER_SECONDS:
            self._taken_over = self.done
        self._speed = (self.done - self._taken_over) / max(elapsed, _TAKEN_OVER_SECONDS)
        return elapsed

    def describe(self) -> list[str]:
        """The speed and the time that is left, as far as they are known."""
        if self._speed <= 0:
            return []
        speed = f"{self._speed:,.0f}" if self._speed >= 10 else f"{self._speed:.2g}"
        told = [f"{speed} {self._unit}/s"] if self._unit else []
        if self._total is not None:
            left = max(self._total - self.done, 0.0) / self._speed
            told.append(f"{format_duration(left)} left")
        return told

    def describe_share(self) -> str:
        """The part that is done: a share of the whole, or an amount where that is not known."""
        if self._total:
            return f"{min(self.done / self._total, 1.0):.1%}"
        return f"{self.done:,.0f} {self._unit}".rstrip()


@contextlib.contextmanager
def progress_bar(
    description: str, total: float | None, *, unit: str = "", show: bool | None = None
) -> Iterator[Advance]:
    """Show how far it is; the block receives ``advance(amount, note="")``.

    Without a total no share and no time left are shown, and no speed without a unit. By default a
    bar is shown where standard error is a terminal, and elsewhere a line every ten seconds;
    ``show`` is a bar in any case, or nothing.
    """
    meter = _Meter(total, unit)
    if show is False:
        yield lambda amount=1, note="": None
    elif show or sys.stderr.isatty() or _is_notebook():
        with _draw_bar(description, total, meter) as advance:
            yield advance
    else:
        yield _line_writer(description, meter)


def _is_notebook() -> bool:
    """Whether Rich can draw into a notebook here, which it does by ipywidgets."""
    if "ipykernel" not in sys.modules or importlib.util.find_spec("ipywidgets") is None:
        return False
    return Console().is_jupyter


@contextlib.contextmanager
def _draw_bar(description: str, total: float | None, meter: _Meter) -> Iterator[Advance]:
    columns = [
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[speed]}", style="cyan"),
        TextColumn("{task.fields[note]}", markup=False),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(description, total=total, speed="", note="")

        def advance(amount: float = 1, note: str | None = None) -> None:
            meter.add(amount)
            fields: dict[str, Any] = {"speed": ", ".join(meter.describe())}
            if note is not None:
                fields["note"] = note
            progress.update(task, completed=meter.done, **fields)

        yield advance


def _line_writer(description: str, meter: _Meter) -> Advance:
    shown = 0.0

    def advance(amount: float = 1, note: str | None = None) -> None:
        nonlocal shown
        elapsed = meter.add(amount)
        if elapsed - shown >= _SECONDS_PER_LINE:
            shown = elapsed
            told = [meter.describe_share(), *meter.describe(), *([note] if note else [])]
            tell(f"{description}: {', '.join(told)}")

    return advance


def tell(message: str, show: bool | None = None) -> None:
    """A line for who waits, in the log or on standard error; nothing where ``show`` is False."""
    if show is False:
        return
    if _LOG.isEnabledFor(logging.INFO) and _LOG.hasHandlers():
        _LOG.info(message)
    else:
        print(message, file=sys.stderr, flush=True)


def format_duration(seconds: float) -> str:
    """Hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
