"""What commands share: tables for people, JSON lines for programs."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer
from rich.console import Console

JsonFlag = Annotated[
    bool,
    typer.Option("--json", help="Print JSON lines, also on a terminal (the default in a pipe)."),
]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", "-j", min=1, help="Workers; all cores by default.")
]
OverwriteFlag = Annotated[
    bool, typer.Option("--overwrite", help="Replace a finished result of the same kind.")
]


def wants_json(asked: bool) -> bool:
    """JSON where it is asked for, and where standard output is no terminal."""
    return asked or not sys.stdout.isatty()


def print_json(value: Any) -> None:
    """One JSON object on one line."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")


def terminal() -> Console:
    """Standard output for people."""
    return Console(highlight=False)


def note(message: str) -> None:
    """A remark on standard error, so that it never mixes with results."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(message, markup=False)
