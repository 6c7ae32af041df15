"""A table for spreadsheets (CSV): a row for each field of an entry, in its order.

``word`` and ``sense`` say where a row belongs (``2.1``: the first sense of the second one; nothing
for the entry itself), ``field`` what it is, ``kind`` which one (of labels, references, examples)
and ``text`` what it says. An example has the text around its word in ``left`` and ``right``, and
``source``. A row ``sense`` begins each sense; its text is the lexeme key.

A cell that a spreadsheet would take for a formula has an apostrophe before it, which is taken away
when it is read.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from grassmeans.errors import InputError
from grassmeans_explorer.entries.entry import (
    DEEPEST,
    CrossReference,
    DictionaryEntry,
    EntryExample,
    EntrySense,
    Label,
    Lexicon,
    Numbering,
    walk_senses,
)

COLUMNS = ("word", "sense", "field", "kind", "text", "left", "right", "source")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
_PLAIN = ("part_of_speech", "former", "name", "definition")
_LISTS = ("collocates", "notes", "proposed")
Row = dict[str, str]


def write(lexicon: Lexicon) -> str:
    """A lexicon as CSV."""
    file = io.StringIO()
    table = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\r\n")
    table.writeheader()
    for name in ("title", "language"):
        table.writerow(_guard({"field": name, "text": getattr(lexicon, name)}))
    for entry in lexicon.entries:
        table.writerows(map(_guard, _list_rows(entry)))
    return file.getvalue()


def _guard(row: Row) -> Row:
    return {
        name: f"'{value}" if value.startswith(_FORMULA) else value for name, value in row.items()
    }


def _list_rows(entry: DictionaryEntry) -> Iterator[Row]:
    head = {"word": entry.word, "sense": ""}
    yield head | {"field": "status", "text": entry.status}
    yield from _list_fields(entry, head)
    for path, sense in walk_senses(entry.senses):
        head = {"word": entry.word, "sense": ".".join(map(str, path))}
        yield head | {"field": "sense", "text": sense.key}
        yield from _list_fields(sense, head)
        for example in sense.examples:
            about = {"field": "example", "kind": example.decision, "source": example.document}
            around = {"left": example.left, "text": example.word, "right": example.right}
            yield head | about | around


def _list_fields(owner: DictionaryEntry | EntrySense, head: Row) -> Iterator[Row]:
    for name in _PLAIN:
        if value := getattr(owner, name, ""):
            yield head | {"field": name, "text": value}
    for label in owner.labels:
        yield head | {"field": "label", "kind": label.kind, "text": label.text}
    for reference in owner.references:
        yield head | {"field": "reference", "kind": reference.kind, "text": reference.key}
    for name in _LISTS:
        for value in getattr(owner, name, ()):
            yield head | {"field": name, "text": value}


def read(content: str, path: Path) -> Lexicon:
    """The lexicon of a table; `InputError` names the row that cannot be used."""
    csv.field_size_limit(max(csv.field_size_limit(), len(content) + 1))
    table = csv.DictReader(io.StringIO(content, newline=""), strict=True)
    head: dict[str, str] = {}
    entries: dict[str, _Parts] = {}
    number = 1
    try:
        if table.fieldnames is None or set(COLUMNS) - set(table.fieldnames):
            raise InputError(f"expected the columns {', '.join(COLUMNS)}")
        for number, given in enumerate(table, 2):  # noqa: B007 (told below)
            row = {name: (given.get(name) or "").removeprefix("'") for name in COLUMNS}
            if row["word"]:
                entries.setdefault(row["word"], _Parts()).take(row)
            elif row["field"] in ("title", "language"):
                head[row["field"]] = row["text"]
            elif any(row.values()):
                raise InputError("it has no word")
        made = tuple(parts.make_entry(word) for word, parts in entries.items())
        language, title = head.get("language", "und"), head.get("title", "Lexicon")
        return Lexicon(made, language, title)
    except csv.Error as error:
        raise InputError(f"{path} is no table: {error}") from error
    except InputError as error:
        raise InputError(f"{path}, row {number}: {error}") from error


class _Parts:
    """What rows say of an entry, by the place of the sense; () for the entry itself."""

    def __init__(self) -> None:
        self.values: dict[tuple[int, ...], dict[str, Any]] = {(): {}}

    def take(self, row: Row) -> None:
        """One more row."""
        place = _read_place(row["sense"])
        field, text = row["field"], row["text"]
        if field == "sense" and place:
            if place in self.values:
                raise InputError(f"sense {row['sense']} of {row['word'][:80]!r} begins twice")
            if place[:-1] not in self.values:
                raise InputError(f"sense {row['sense']} stands before the one that it is in")
            self.values[place] = {"key": text}
            return
        if place not in self.values:
            raise InputError(f"sense {row['sense']} has no row 'sense' before this one")
        values = self.values[place]
        if field in _PLAIN or (field == "status" and not place):
            values[field] = text
        elif field in _LISTS:
            values[field] = (*values.get(field, ()), text)
        elif field in _MADE:
            name, make = _MADE[field]
            values[name] = (*values.get(name, ()), make(row))
        else:
            raise InputError(f"{field[:80]!r} is no field of {'a sense' if place else 'an entry'}")

    def make_entry(self, word: str) -> DictionaryEntry:
        """The entry of all rows."""
        try:
            return DictionaryEntry(word, senses=self._make_senses(()), **self.values[()])
        except TypeError as error:  # a field that senses alone have
            raise InputError(f"the entry of {word[:80]!r} has a field of senses") from error

    def _make_senses(self, above: tuple[int, ...]) -> tuple[EntrySense, ...]:
        own = sorted(p for p in self.values if len(p) == len(above) + 1 and p[:-1] == above)
        return tuple(EntrySense(**self.values[p], senses=self._make_senses(p)) for p in own)


def _read_place(text: str) -> tuple[int, ...]:
    parts = text.split(".") if text else []
    if len(parts) > DEEPEST or not all(p.isascii() and p.isdigit() and len(p) < 6 for p in parts):
        raise InputError(f"{text[:80]!r} is no place of a sense, such as 2 or 2.1")
    return tuple(map(int, parts))


def _make_example(row: Row) -> EntryExample:
    around = (row["left"], row["text"], row["right"])
    return EntryExample(*around, document=row["source"], decision=row["kind"] or "keep")


_MADE: dict[str, tuple[str, Callable[[Row], Any]]] = {
    "label": ("labels", lambda row: Label(row["kind"], row["text"])),
    "reference": (
        "references",
        lambda row: CrossReference(row["kind"], row["text"], Numbering()),
    ),
    "example": ("examples", _make_example),
}
