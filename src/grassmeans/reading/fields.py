"""What is known of a document beside its text: a date, a source, any field that was asked for.

Values are texts. Where a format has no such field, or a record leaves it out, two of them are told
by the file itself: ``source`` is the name of the folder that it lies in, and ``date`` the date in
its name, or else in that of the folder (``1857-03-01.txt``, ``fic_1857_12.txt``, ``1857/a.txt``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grassmeans.artifacts.schema import shorten
from grassmeans.errors import InputError

if TYPE_CHECKING:
    from grassmeans.reading.documents import RawDocument, ReadOptions, ReadReport

Fields = tuple[tuple[str, str], ...]
"""Names and values, in the order in which they were asked for."""

DATE, SOURCE = "date", "source"
LONGEST_VALUE = 1_000
_DATED_NAME = re.compile(
    r"(?<!\d)((?:1\d|20)\d\d)(?:[-_.]?(0[1-9]|1[0-2])(?:[-_.]?(0[1-9]|[12]\d|3[01]))?)?(?!\d)"
)
_YEAR = re.compile(r"(?<!\d)([12]\d{3})(?!\d)")
_MONTH = re.compile(r"([12]\d{3})[-/.](0?[1-9]|1[0-2])(?!\d)")
_RESERVED = {"text", "id", "title"}


def check_field_names(names: Any) -> tuple[str, ...]:
    """Names of fields, one or several, each once; `InputError` for those that no field can have."""
    given = [names] if isinstance(names, str) else names
    if isinstance(given, bytes | Mapping) or not isinstance(given, Iterable):
        raise InputError(f"the names of fields must be a list of texts, got {shorten(names)}")
    found = tuple(given)
    for name in found:
        if not isinstance(name, str):
            raise InputError(f"the name of a field must be a text, got {name!r}")
        if not name.strip() or not name.isprintable() or len(name) > 80 or ":" in name:
            raise InputError(f"a field needs a printable name without ':', got {name!r}")
        if name in _RESERVED:
            raise InputError(f"{name!r} is kept anyway: name other fields as meta")
    return tuple(dict.fromkeys(found))


def pick_fields(values: Mapping[str, Any], options: ReadOptions, report: ReadReport) -> Fields:
    """Those fields of a record that were asked for and are there, as texts.

    A number becomes a text. What is neither (a list, a truth value) is counted and left out.
    """
    found = []
    for name in options.meta:
        value = values.get(name)
        if value is None or value == "":
            continue
        is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
        if not is_plain and hasattr(value, "isoformat"):  # dates of Parquet files
            value, is_plain = value.isoformat(), True
        if not is_plain:
            report.skip(f"field {name!r} that is no text or number", str(value))
            continue
        found.append((name, clean_value(str(value))))
    return tuple(found)


def clean_value(value: str) -> str:
    """A value in one line of bounded length."""
    return " ".join(value.split())[:LONGEST_VALUE]


def complete_fields(
    document: RawDocument, path: Path, options: ReadOptions, report: ReadReport
) -> RawDocument:
    """The document with what its file tells; fields that are nowhere are counted."""
    if not options.meta or document.markup == "redirect":
        return document
    known = dict(document.fields)
    for name in options.meta:
        if name in known:
            continue
        value = _read_from_path(name, path)
        if value:
            known[name] = value
        else:
            report.skip(f"document without the field {name!r}", document.title or document.id)
    fields = tuple((name, known[name]) for name in options.meta if name in known)
    return replace(document, fields=fields)


def _read_from_path(name: str, path: Path) -> str:
    if name == SOURCE:
        return clean_value(path.parent.name)
    if name == DATE:
        for part in (path.name, path.parent.name):
            if found := _DATED_NAME.search(part):
                return "-".join(piece for piece in found.groups() if piece)
    return ""


def read_year(value: str) -> int | None:
    """The year of a date, however it is written; None where there is none, or several."""
    years = set(_YEAR.findall(value))
    return int(years.pop()) if len(years) == 1 else None


def read_month(value: str) -> str | None:
    """Year and month of a date that begins with both, "1857-03"; None for others."""
    found = _MONTH.match(value.strip())
    return None if found is None else f"{found[1]}-{int(found[2]):02d}"
