"""What a command reads and what it writes, declared with its parameters and checked at its door.

A parameter that names a file or folder carries `READ`, `WRITTEN` or `WRITTEN_INTO` beside its
help: ``Annotated[Path, READ, typer.Argument(help=...)]``. Before a command begins, none of what it
writes may be what it reads, or hold it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints


class Place(Enum):
    """What a command does with the files and folders that a parameter names."""

    READ = "read"
    WRITTEN = "written"  # takes its place, as a whole
    WRITTEN_INTO = "written into"  # files come to those that it has


READ, WRITTEN, WRITTEN_INTO = Place.READ, Place.WRITTEN, Place.WRITTEN_INTO


def find_places(command: Callable[..., Any]) -> dict[str, Place]:
    """The parameters of a command that name files or folders, as they are declared."""
    hints = get_type_hints(command, include_extras=True)
    return {
        name: mark
        for name, hint in hints.items()
        if get_origin(hint) is Annotated
        for mark in get_args(hint)[1:]
        if isinstance(mark, Place)
    }


def check_places(command: Callable[..., Any], values: Mapping[str, Any]) -> None:
    """Refuse values by which a command would write over what it reads, or over another result.

    `InputError` names the place.
    """
    from grassmeans.errors import InputError
    from grassmeans.outputs.ownership import check_inputs

    given: dict[Place, list[Path]] = {place: [] for place in Place}
    for name, place in find_places(command).items():
        found = _list_read if place is READ else _list_written
        given[place] += found(values.get(name))
    for path in given[WRITTEN]:
        check_inputs(path, given[READ])
    for path in given[WRITTEN_INTO]:
        check_inputs(path, given[READ], into=True)
    for number, path in enumerate(given[WRITTEN]):
        for other in (*given[WRITTEN][:number], *given[WRITTEN_INTO]):
            one, two = (Path(os.path.realpath(place)) for place in (path, other))
            holds_one = two in one.parents and other not in given[WRITTEN_INTO]
            if one == two or one in two.parents or holds_one:
                raise InputError(f"{path} and {other} are both written: choose two places apart")


def _list_written(value: Any) -> list[Path]:
    return [] if value is None else [Path(value)]


def _list_read(value: Any) -> list[Path]:
    """The files and folders that a value names: a path, several, NAME=PATH or MODEL:LEXEMES."""
    texts = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return [path for text in texts for path in _find_paths(str(text))]


def _find_paths(text: str) -> Iterator[Path]:
    from grassmeans.models.places import resolve_name

    parts = {text, text.partition("=")[2], *text.partition(":")[::2], *text.rpartition(":")[::2]}
    for part in filter(None, parts):
        with contextlib.suppress(OSError, ValueError):  # no name that a file can have
            path = resolve_name(part)
            if path.exists():
                yield path
