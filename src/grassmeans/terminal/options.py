"""What the parameters of commands are: types of their own, and options that several commands have.

A command is a function. Its parameters are its arguments (those without a default) and its options;
its docstring is its help, at whose end each parameter that has no help of its own has a line::

    Options
    -------
    fewest: Occurrences that a group needs to be compared.

Options that go together are the fields of a dataclass, whose options they have in its place
(`spread_groups`).

A parameter that names a file or folder is `READ`, `WRITTEN` or `WRITTEN_INTO`. Before a command
begins, none of what it writes may be what it reads, or hold it.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, cast, get_args, get_origin, get_type_hints

import typer


class Place(Enum):
    """What a command does with the files and folders that a parameter names."""

    READ = "read"
    WRITTEN = "written"  # takes its place, as a whole
    WRITTEN_INTO = "written into"  # files come to those that it has


READ, WRITTEN, WRITTEN_INTO = Place.READ, Place.WRITTEN, Place.WRITTEN_INTO

ReadPath = Annotated[Path, READ]
NewPath = Annotated[Path, WRITTEN]
FilledFolder = Annotated[Path, WRITTEN_INTO]
Output = Annotated[Path, WRITTEN, typer.Option("--output", "-o")]
Count = Annotated[int, typer.Option(min=1)]
Whole = Annotated[int, typer.Option(min=0)]
Share = Annotated[float, typer.Option(min=0.0, max=1.0)]

Corpus = Annotated[Path, READ, typer.Argument(help="A corpus folder.")]
Model = Annotated[Path, READ, typer.Argument(help="A model folder, or a name: en.")]

Json = Annotated[
    bool,
    typer.Option("--json", help="Print JSON lines, also on a terminal (the default in a pipe)."),
]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print a table in Markdown.")]
Workers = Annotated[
    int | None,
    typer.Option("--workers", "-j", min=1, max=1_000, help="Workers; all cores by default."),
]
Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="local|dask|dask://HOST:PORT|tls://HOST:PORT",
        help="Where workers run: on this machine, in a Dask cluster of this machine or of others "
        "(extra cluster); tls:// is encrypted. All must see the same folders.",
    ),
]
Device = Annotated[
    str,
    typer.Option(
        "--device",
        metavar="cpu|cuda|onnx",
        help="Where to compute: on the CPU, or on a GPU (extra gpu), which pays for large inputs. "
        "It is used from one process, whatever the workers and the engine; results differ by "
        "rounding only. With a transformer also onnx: the CPU in 8 bits (extra onnx).",
    ),
]
Cache = Annotated[
    Path | None,
    WRITTEN_INTO,
    typer.Option(
        "--cache", help="With a transformer: keep the contexts' lines here for the next run."
    ),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace a finished result of the same kind.")
]
OverwriteFile = Annotated[bool, typer.Option("--overwrite", help="Replace the file.")]
Seed = Annotated[int, typer.Option(min=0, help="Of the random numbers.")]


@dataclass(frozen=True)
class Work:
    """Who does the work of a command, and what becomes of the result."""

    workers: Workers = None
    engine: Engine = None
    overwrite: Overwrite = False
    as_json: Json = False

    @property
    def passed(self) -> dict[str, Any]:
        """What functions with long work take by these names."""
        return {name: getattr(self, name) for name in ("workers", "engine", "overwrite")}


@dataclass(frozen=True)
class Scoring(Work):
    """The same of a command that gives scores, and perhaps writes a file."""

    overwrite: OverwriteFile = False
    as_markdown: Markdown = False


# How text files are read
TextField = Annotated[
    str, typer.Option(help="Field or column of the text (jsonl, json, csv, parquet).")
]
Encoding = Annotated[str | None, typer.Option(help="Of the text files that are no UTF-8.")]

# Which words
Words = Annotated[
    list[str] | None, typer.Option("--word", "-w", help="A word to take; repeat for more.")
]
WordsFile = Annotated[
    Path | None, READ, typer.Option("--words", "--words-file", help="File with one word a line.")
]
MaxContexts = Annotated[
    int, typer.Option("--max-contexts", min=1, help="Occurrences of a word that are looked at.")
]

# Decoding
Idk = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        max=1.0,
        help="Hard: 'don't know' from this distance on (the paper's is 0.6), not the model's rule.",
    ),
]
Confidence = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        max=1.0,
        help="Hard: 'don't know' where an answer is less likely to be right than this.",
    ),
]
Sharpness = Annotated[
    float | None,
    typer.Option(
        min=0.0, help="Soft: of the probabilities exp(-sharpness d); the model's own by default."
    ),
]
Granularity = Annotated[
    str | None,
    typer.Option(help="text: senses are one where running text would gain nothing by their split."),
]

_HELP_OF_ONE = re.compile(r"^(\w+): (.*(?:\n {4}.*)*)", re.MULTILINE)
_MARKUP = re.compile(r"\[(?!(?:bold|dim|/)\])")


def spread_groups(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for each field of its groups of options."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    flat: dict[str, inspect.Parameter] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        if name not in groups:
            flat[name] = parameter
            continue
        hints |= get_type_hints(groups[name], include_extras=True)
        for field in fields(groups[name]):
            kind = inspect.Parameter.KEYWORD_ONLY
            flat[field.name] = inspect.Parameter(field.name, kind, default=field.default)

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            own = {field.name: given.pop(field.name) for field in fields(group)}
            given[name] = cast("Callable[..., Any]", group)(**own)
        command(**given)

    del run.__wrapped__  # what follows is what it takes
    run.__signature__ = inspect.Signature(list(flat.values()))  # type: ignore[attr-defined]
    run.__annotations__ = {name: hints[name] for name in flat}
    return run


def complete_commands(app: typer.Typer) -> None:
    """Give all commands their help, and their options what Typer needs to know of them.

    Options refuse what no machine counts with: whole numbers beyond 64 bits, and numbers that are
    not finite. Those that say more of themselves are let be.
    """
    for group in app.registered_groups:
        if group.typer_instance is not None:
            complete_commands(group.typer_instance)
    for command in app.registered_commands:
        function: Any = inspect.unwrap(cast("Callable[..., Any]", command.callback))
        about, _, listed = (inspect.getdoc(function) or "").partition("\nOptions\n-------\n")
        command.help = _keep_brackets(about)
        helps = {name: " ".join(told.split()) for name, told in _HELP_OF_ONE.findall(listed)}
        plain, hints = get_type_hints(function), get_type_hints(function, include_extras=True)
        signature = inspect.signature(function)
        for name, parameter in signature.parameters.items():
            marks = list(_list_marks(hints[name]))
            found = next((mark for mark in marks if hasattr(mark, "param_decls")), None)
            option = copy(found) or _make_option(parameter)
            option.help = _keep_brackets(option.help or helps.get(name, ""))
            kinds = get_args(plain[name]) or (plain[name],)
            if int in kinds and option.max is None and option.callback is None:
                option.callback = _require_word_size  # a range of the type would be shown
            if float in kinds and option.callback is None:
                option.callback = _require_finite
            places = [mark for mark in marks if isinstance(mark, Place)]
            hints[name] = Annotated[plain[name], option, *places]
        # Annotations that are texts would be read anew, without what is added here.
        function.__annotations__ |= hints
        known = [p.replace(annotation=hints[p.name]) for p in signature.parameters.values()]
        callback: Any = command.callback
        callback.__signature__ = signature.replace(parameters=known)


def _list_marks(hint: Any) -> Iterator[Any]:
    """What stands beside a type, wherever it is in it: `Count | None` is a `Count` as well."""
    parts = get_args(hint)
    if get_origin(hint) is Annotated:
        yield from parts[1:]
        parts = parts[:1]
    for part in parts:
        yield from _list_marks(part)


def _make_option(parameter: inspect.Parameter) -> Any:
    """An argument, an option, or a flag: what has no value is not there to be turned off."""
    if parameter.default is inspect.Parameter.empty:
        return typer.Argument()
    is_flag = parameter.default is False
    return typer.Option(f"--{parameter.name.replace('_', '-')}") if is_flag else typer.Option()


def _keep_brackets(told: str) -> str:
    """A help text in which [bold], [dim] and their end are markup, and nothing else in brackets."""
    return _MARKUP.sub(r"\\[", told)


def _require_word_size(value: int | None) -> int | None:
    if value is not None and not -(2**63) <= value < 2**63:
        raise typer.BadParameter(f"{value} is no number to count with.")
    return value


def _require_finite(value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is no number to count with.")
    return value


def choose_words(words: list[str] | None, file: Path | None) -> list[str] | None:
    """The words named one by one and those of a file; None where there are none."""
    from grassmeans.evaluation.instances import read_numbered_lines

    chosen = list(words or [])
    if file is not None:
        chosen += [line.strip() for _, line in read_numbered_lines(file)]
    return chosen or None


def find_places(command: Callable[..., Any]) -> dict[str, Place]:
    """The parameters of a command that name files or folders, as they are declared."""
    hints = get_type_hints(command, include_extras=True)
    marks = ((name, mark) for name, hint in hints.items() for mark in _list_marks(hint))
    return {name: mark for name, mark in marks if isinstance(mark, Place)}


def check_places(command: Callable[..., Any], values: Mapping[str, Any]) -> None:
    """`InputError` for values by which a command would write over what it reads or writes."""
    from grassmeans.errors import InputError
    from grassmeans.outputs.ownership import check_inputs

    given: dict[Place, list[Path]] = {place: [] for place in Place}
    for name, place in find_places(command).items():
        value = values.get(name)
        for text in value if isinstance(value, list | tuple) else [value]:
            if text is not None:
                given[place] += _find_paths(str(text)) if place is READ else [Path(text)]
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


def _find_paths(text: str) -> Iterator[Path]:
    """The files and folders that a text names: a path, NAME=PATH or MODEL:LEXEMES."""
    from grassmeans.models.places import resolve_name

    parts = {text, text.partition("=")[2], *text.partition(":")[::2], *text.rpartition(":")[::2]}
    for part in filter(None, parts):
        with contextlib.suppress(OSError, ValueError):  # no name that a file can have
            path = resolve_name(part)
            if path.exists():
                yield path
