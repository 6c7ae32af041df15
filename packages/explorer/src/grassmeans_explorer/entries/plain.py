"""Dictionary entries as plain values for JSON, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from grassmeans.artifacts.schema import (
    Rule,
    check_values,
    each,
    one_of,
    record,
    text,
    whole,
)
from grassmeans.errors import InputError
from grassmeans.senses.entries import MOST_SENSES
from grassmeans_explorer.entries.entry import (
    DECISIONS,
    LABEL_KINDS,
    REFERENCE_KINDS,
    STATUSES,
    CrossReference,
    DictionaryEntry,
    EntryExample,
    EntrySense,
    Label,
    Numbering,
    Renumbering,
)

_ACTIONS = ("merge", "split", "add", "adopt")
_STEP = record({"action": one_of(*_ACTIONS)}, {"senses": each(whole(1, MOST_SENSES))})
_NUMBERING = record({}, {"steps": each(_STEP), "n_senses": whole(0, MOST_SENSES)})
_LABEL = record({"kind": one_of(*LABEL_KINDS), "text": text})
_REFERENCE = record({"kind": one_of(*REFERENCE_KINDS), "key": text}, {"numbering": _NUMBERING})
_EXAMPLE = record(
    dict.fromkeys(("left", "word", "right"), text),
    {"document": text, "decision": one_of(*DECISIONS)},
)
_SHARED: dict[str, Rule] = {
    "part_of_speech": text,
    "labels": each(_LABEL),
    "references": each(_REFERENCE),
    "notes": each(text),
}


def _is_sense(value: Any) -> str | None:
    """A rule of its own: senses hold senses."""
    return _SENSE(value)


_SENSE = record(
    {},
    _SHARED
    | dict.fromkeys(("key", "former", "name", "definition"), text)
    | dict.fromkeys(("collocates", "proposed"), each(text))
    | {"examples": each(_EXAMPLE), "senses": each(_is_sense)},
)
_ENTRY_OPTIONS: Mapping[str, Rule] = _SHARED | {
    "status": one_of(*STATUSES),
    "senses": each(_SENSE),
    "numbering": _NUMBERING,
}


def entry_to_values(entry: DictionaryEntry) -> dict[str, Any]:
    """An entry as plain values; what is empty is left out."""
    found: dict[str, Any] = _drop_empty(asdict(entry))
    return {"word": entry.word} | found


def _drop_empty(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {name: _drop_empty(inner) for name, inner in value.items()}
        return {n: v for n, v in kept.items() if v not in _EMPTY or n in _ALWAYS}
    return [*map(_drop_empty, value)] if isinstance(value, list | tuple) else value


_EMPTY: tuple[Any, ...] = ("", 0, [], {})
_ALWAYS = ("left", "word", "right", "text", "kind")


def entry_from_values(values: Any, path: Path) -> DictionaryEntry:
    """The opposite of `entry_to_values`; the path is for the error where values are not sound."""
    check_values(path, values, {"word": text}, _ENTRY_OPTIONS)
    try:
        found = _pick(DictionaryEntry, values, _ENTRY_PARTS)
        return DictionaryEntry(**found)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _pick(
    kind: Any, values: Mapping[str, Any], parts: Mapping[str, Callable[[Any], Any]]
) -> dict[str, Any]:
    """The fields of a class that are there, made of plain values."""
    given = {field.name: values[field.name] for field in fields(kind) if field.name in values}
    return {name: parts[name](value) if name in parts else value for name, value in given.items()}


def _read_numbering(values: Mapping[str, Any]) -> Numbering:
    return Numbering(**_pick(Numbering, values, {"steps": _tuple_of(_read_step)}))


def _read_step(values: Mapping[str, Any]) -> Renumbering:
    return Renumbering(**_pick(Renumbering, values, {"senses": tuple}))


def _read_sense(values: Mapping[str, Any]) -> EntrySense:
    return EntrySense(**_pick(EntrySense, values, _SENSE_PARTS))


def _tuple_of(make: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    return lambda values: tuple(map(make, values))


_SHARED_PARTS: dict[str, Callable[[Any], Any]] = {
    "labels": _tuple_of(lambda values: Label(**_pick(Label, values, {}))),
    "references": _tuple_of(
        lambda values: CrossReference(
            **_pick(CrossReference, values, {"numbering": _read_numbering})
        )
    ),
    "notes": tuple,
}
_SENSE_PARTS = _SHARED_PARTS | {
    "collocates": tuple,
    "proposed": tuple,
    "examples": _tuple_of(lambda values: EntryExample(**_pick(EntryExample, values, {}))),
    "senses": _tuple_of(_read_sense),
}
_ENTRY_PARTS = _SHARED_PARTS | {"senses": _tuple_of(_read_sense), "numbering": _read_numbering}
