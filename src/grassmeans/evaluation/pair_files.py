"""Files of pairs: a word in two texts, and whether it means the same in both.

JSON lines, or CSV or TSV whose first line names the columns:

``{"word": "crane", "text1": "A crane flew.", "text2": "The crane lifts steel.", "label": false}``

``label`` is true or false, 1 or 0, T or F. The occurrences are the characters ``start1:end1`` of
``text1`` and ``start2:end2`` of ``text2`` where these fields are given, else what is marked
``<b>cranes</b>``, else the first place of the word itself, in any case.

The JSON of MCL-WiC (SemEval-2021 task 2) is a list of objects with ``id``, ``lemma``,
``sentence1`` and ``sentence2`` in place of word and texts. Its labels, objects with ``id`` and
``tag``, lie in a file of the same name that ends in ``.gold``.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grassmeans.errors import InputError
from grassmeans.evaluation.instances import Instance, number_lines, parse_object, read_whole_text
from grassmeans.tagging.marked_text import remove_marks

GOLD_SUFFIX = ".gold"
EXPECTED = "word, text1, text2, label (and start1, end1, start2, end2 where there are any)"

_NAMES = {"lemma": "word", "sentence1": "text1", "sentence2": "text2", "tag": "label"}
_LABELS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}
_SHOWN = 80

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class WordPair:
    """Two occurrences of a word, and whether it means the same in both."""

    first: Instance
    second: Instance
    same: bool

    @property
    def word(self) -> str:
        """The word."""
        return self.first.target


def read_word_pairs(path: str | Path, gold: str | Path | None = None) -> tuple[WordPair, ...]:
    """Read a file of pairs.

    Parameters
    ----------
    gold : path, optional
        The labels of an MCL-WiC file, where they do not lie beside it.

    `InputError` with the place, where a record is broken, lacks a field or a label, or has no
    occurrence of its word where one should be.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file of pairs, or a test set as of=...")
    text = read_whole_text(path)
    beside = path.with_suffix(GOLD_SUFFIX)
    labels: Mapping[str, Any] = {}
    if gold is not None:
        labels = _read_gold(Path(gold))
    elif _is_list(text) and beside != path and beside.is_file():
        labels = _read_gold(beside)
    pairs = [
        _make_pair(_rename(fields), str(number), labels, place)
        for number, (place, fields) in enumerate(_read_records(text, path), start=1)
    ]
    if not pairs:
        raise InputError(f"{path} has no pairs")
    return tuple(pairs)


def _is_list(text: str) -> bool:
    return text.lstrip().startswith("[")


def _read_records(text: str, path: Path) -> Iterator[tuple[str, Record]]:
    """The place and the fields of each record, whatever the format."""
    if _is_list(text):
        yield from _read_list(text, path)
    elif text.lstrip().startswith("{"):
        for number, line in number_lines(text):
            place = f"{path}, line {number}"
            yield place, parse_object(line, place, EXPECTED)
    else:
        yield from _read_table(text, path)


def _read_list(text: str, path: Path) -> Iterator[tuple[str, Record]]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    for number, fields in enumerate(found, start=1):
        place = f"{path}, record {number}"
        if not isinstance(fields, dict):
            raise InputError(f"{place}: expected an object, found {str(fields)[:_SHOWN]!r}")
        yield place, fields


def _read_table(text: str, path: Path) -> Iterator[tuple[str, Record]]:
    delimiter = "\t" if "\t" in text.lstrip().partition("\n")[0] else ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    columns: list[str] = []
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            raise InputError(f"{path}, line {rows.line_num}: broken row ({error})") from error
        if row is None:
            return
        place = f"{path}, line {rows.line_num}"
        if not any(cell.strip() for cell in row):
            continue
        if not columns:
            columns = [name.strip() for name in row]
            _check_columns(columns, place)
        elif len(row) != len(columns):
            raise InputError(
                f"{place}: expected {len(columns)} cells ({', '.join(columns)}), found {len(row)}"
            )
        else:
            yield place, {name: cell for name, cell in zip(columns, row, strict=True) if cell}


def _check_columns(columns: list[str], place: str) -> None:
    known = _rename(dict.fromkeys(columns))
    missing = [name for name in ("word", "text1", "text2", "label") if name not in known]
    if missing:
        found = ", ".join(columns)[:_SHOWN]
        raise InputError(f"{place}: no column {missing[0]!r}; expected {EXPECTED}; found {found}")


def _rename(fields: Record) -> Record:
    """The fields of MCL-WiC by the names of ours."""
    return {_NAMES.get(name, name): value for name, value in fields.items()}


def _read_gold(path: Path) -> dict[str, Any]:
    """Id -> label."""
    text = read_whole_text(path)
    if not _is_list(text):
        raise InputError(f"{path}: expected a JSON list of objects with id and tag")
    labels: dict[str, Any] = {}
    for place, fields in _read_list(text, path):
        if not {"id", "tag"} <= fields.keys():
            raise InputError(f"{place}: expected id and tag, found {str(fields)[:_SHOWN]!r}")
        labels[str(fields["id"])] = fields["tag"]
    return labels


def _make_pair(fields: Record, number: str, labels: Mapping[str, Any], place: str) -> WordPair:
    if "target" in fields and "text1" not in fields:
        raise InputError(f"{place}: this is an instance, no pair of texts: give of='jsonl'")
    for name in ("word", "text1", "text2"):
        if not isinstance(fields.get(name), str) or not fields[name].strip():
            raise InputError(f"{place}: expected {EXPECTED}; {name!r} is {fields.get(name)!r}")
    name = str(fields.get("id", number))
    first, second = (_make_instance(fields, side, f"{name}.{side}", place) for side in "12")
    label = fields.get("label", labels.get(name))
    return WordPair(first, second, _find_label(label, name, place))


def _find_label(label: Any, name: str, place: str) -> bool:
    found = _LABELS.get(str(label).strip().lower())
    if found is None:
        given = f"no label of {name!r}" if label is None else repr(label)
        raise InputError(f"{place}: expected true or false, 1 or 0, T or F as label, found {given}")
    return found


def _make_instance(fields: Record, side: str, name: str, place: str) -> Instance:
    word, text = fields["word"], fields[f"text{side}"]
    given = [fields.get(f"{edge}{side}") for edge in ("start", "end")]
    if any(edge is not None for edge in given):
        start, end = _check_span(given, text, side, place)
        return Instance(name, word, "", text[:start], text[start:end], text[end:])
    plain, marked = remove_marks(text)
    if marked:
        start, end = marked[0]
        return Instance(name, word, "", plain[:start], plain[start:end], plain[end:])
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, flags=re.IGNORECASE)
    if found is None:
        raise InputError(
            f"{place}: {word!r} is not in text{side}: mark the form that it has there as "
            f"<b>form</b>, or give start{side} and end{side}"
        )
    start, end = found.span()
    return Instance(name, word, "", text[:start], text[start:end], text[end:], "exact")


def _check_span(given: list[Any], text: str, side: str, place: str) -> tuple[int, int]:
    """Offsets as whole numbers, which some files have as text."""
    spelled = [str(edge).strip() for edge in given]
    if all(edge.isdecimal() for edge in spelled):
        start, end = map(int, spelled)
        if start < end <= len(text) and text[start:end].strip():
            return start, end
    raise InputError(
        f"{place}: expected start{side} and end{side} of a word among the {len(text)} characters "
        f"of text{side}, found {given[0]!r} and {given[1]!r}"
    )
