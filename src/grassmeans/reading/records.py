"""Records with their text in one field: JSON lines, JSON files, CSV and TSV, Parquet.

Where not one record of a file has the field, the error names the fields that there are. A record
without it among others that have it is counted and passed over.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from grassmeans.errors import InputError, import_extra
from grassmeans.reading.documents import InputFile, RawDocument
from grassmeans.reading.lines import LineSplitter, read_lines

_MAX_RECORD = 1 << 25
_TEXT_TYPES = {"string", "large_string", "string_view"}
_BATCH_ROWS = 256
_SHOWN_FIELDS, _SHOWN_CHARS = 20, 40
_ENOUGH_RECORDS = 1000
"""If none of so many has the field, the others are not waited for."""
_DELIMITERS = ",;\t|"
_SEPARATORS = re.compile(r"[\s\[\],]*")  # the array of JSON values and its commas say nothing
# Noncharacters, which no text has, around the number of a line that counts from a part's beginning.
_OPEN, _CLOSE = "\ufdd3", "\ufdd4"
_LOCAL_NUMBER = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_TAB_SUFFIXES = {".tsv", ".tab"}


class _Records:
    """Turns the records of one file into documents, and knows which fields they have."""

    def __init__(self, file: InputFile) -> None:
        self._file = file
        self._fields: dict[str, None] = {}
        self._n_texts = 0
        self._broken = ""

    def reject(self, reason: str, place: str, number: int) -> None:
        """Count a record that is not one."""
        self._file.report.skip(reason, f"{self._file}, {place}")
        self._broken = self._broken or f"{reason} ({place})"
        if number >= _ENOUGH_RECORDS:
            self.end()

    def read(self, record: dict[str, Any] | str, number: int, unit: str) -> Iterator[RawDocument]:
        """Yield the document of a record, if it has a text, or is one."""
        text_field = self._file.options.text_field
        if isinstance(record, str):
            record = {text_field: record}
        text = record.get(text_field)
        if isinstance(text, str):
            self._n_texts += 1
            yield _make_document(self._file, record, text, number)
            return
        names = list(record)[:_SHOWN_FIELDS]
        self._fields |= dict.fromkeys(names) if len(self._fields) < _SHOWN_FIELDS else {}
        shown = ", ".join(names) or "none"
        example = f"{self._file}, {unit} {number}: the fields are {shown}"
        self._file.report.skip("no text field", example)
        if number >= _ENOUGH_RECORDS:
            self.end()

    def end(self) -> None:
        """Refuse the file where no record had the field, or none is one."""
        if not self._n_texts and self._fields:
            raise _missing_field(self._file, self._fields)
        if not self._n_texts and self._broken:
            raise InputError(f"{self._file} holds nothing that can be read: {self._broken}")


def _missing_field(file: InputFile, fields: Iterable[str]) -> InputError:
    shown = ", ".join(name[:_SHOWN_CHARS] for name in fields) or "none"
    return InputError(
        f"{file} has no text in a field {file.options.text_field!r}: its fields are {shown}; "
        "choose the one with the text as text_field=..."
    )


def _make_document(file: InputFile, record: dict[str, Any], text: str, number: int) -> RawDocument:
    """The document of a record; its id, or else its address, or else its number is the id."""
    identifier, url, title = (_as_text(record.get(name)) for name in ("id", "url", "title"))
    fallback = f"{file.shown.name}:{number}"
    return RawDocument(identifier or url or fallback, title, text, fields=file.pick_fields(record))


def _as_text(value: Any) -> str:
    """A short field as text; what is neither text nor a number counts as absent."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def read_json_lines(file: InputFile) -> Iterator[RawDocument]:
    """Yield the documents of JSON objects, one a line; bad ones are counted and passed over."""
    lines = read_lines(file, _MAX_RECORD, skip_long=True)
    yield from _parse_lines(enumerate(lines, start=1), file)


def _parse_lines(lines: Iterable[tuple[int, str]], file: InputFile) -> Iterator[RawDocument]:
    records = _Records(file)
    for number, line in lines:
        if not line or line.isspace():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            records.reject("broken JSON line", f"line {number}: {error}", number)
            continue
        if isinstance(value, dict | str):
            yield from records.read(value, number, "line")
        else:
            records.reject("broken JSON line", f"line {number}: not an object", number)
    records.end()


class LocalNumber(int):
    """The number of a line in a part of a file; `count_from` makes it that of the file."""

    def __format__(self, spec: str) -> str:
        return f"{_OPEN}{int(self)}{_CLOSE}"


def count_from(text: str, first: int) -> str:
    """A text with the numbers of lines in the file, of which so many come before the part."""
    if _OPEN not in text:
        return text
    return _LOCAL_NUMBER.sub(lambda found: str(int(found[1]) + first), text)


def read_json_part(
    file: InputFile, blocks: Iterable[tuple[bytes, bool]], is_first: bool
) -> Iterator[RawDocument]:
    """Yield the documents of the lines that begin in a part of a file, which has to be UTF-8."""
    content = _cut_lines(blocks, is_first)
    if is_first:
        content = chain([next(content, b"").removeprefix(codecs.BOM_UTF8)], content)
    splitter = LineSplitter(_MAX_RECORD, skip_long=True)

    def read_numbered() -> Iterator[tuple[int, str]]:
        for number, line in enumerate(splitter.split(content), start=1):
            file.report.n_lines = number
            yield LocalNumber(number), line.decode().removesuffix("\r")

    yield from _parse_lines(read_numbered(), file)
    splitter.report_skipped(file)


def _cut_lines(blocks: Iterable[tuple[bytes, bool]], is_first: bool) -> Iterator[bytes]:
    """From behind the first newline of the part to the first one that follows it."""
    is_before = not is_first
    for block, is_own in blocks:
        if not is_own:
            end = block.find(b"\n") + 1
            if not is_before:
                yield block[:end] if end else block
            if end or is_before:
                return
            continue
        start = block.find(b"\n") + 1 if is_before else 0
        if is_before and not start:
            continue
        is_before = False
        yield block[start:]


def read_json(file: InputFile) -> Iterator[RawDocument]:
    """Yield the documents of a JSON file: an array of objects or of strings, or objects in a row.

    One is in memory at a time. What follows a broken one cannot be told apart and is lost.
    """
    records = _Records(file)
    number = 0
    try:
        for number, value in enumerate(_read_json_values(file), start=1):
            if isinstance(value, dict | str):
                yield from records.read(value, number, "value")
            else:
                records.reject("JSON value that is no object", f"value {number}", number)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        records.reject("broken JSON file", f"after value {number}: {error}", number)
    records.end()


def _read_json_values(file: InputFile) -> Iterator[Any]:
    # Very long lines come in parts, so that a break may lie inside of a string.
    decoder = json.JSONDecoder(strict=False)
    lines = read_lines(file)
    held = ""
    depth = 0  # of arrays that are open
    n_lines = 0  # that are behind
    enough = 0  # a value that was cut off is tried again when twice as much of it is there
    for line in chain(lines, [None]):
        held += "" if line is None else f"{line}\n"
        if line is not None and len(held) < enough:
            continue
        start = 0
        while True:
            first = start
            start = _SEPARATORS.match(held, first).end()  # type: ignore[union-attr]
            depth += held.count("[", first, start) - held.count("]", first, start)
            if start == len(held):
                break
            try:
                value, start = decoder.raw_decode(held, start)
            except json.JSONDecodeError as error:
                if line is None or len(held) - start > _MAX_RECORD:
                    raise ValueError(f"line {n_lines + error.lineno}: {error.msg}") from error
                break
            yield value
        n_lines += held.count("\n", 0, start)
        held = held[start:]
        enough = 2 * len(held)
    if depth > 0:
        raise ValueError("the file ends inside an array")


def read_csv(file: InputFile) -> Iterator[RawDocument]:
    """Yield the documents of a CSV or TSV file, one a row; the first row names the columns."""
    lines = read_lines(file)
    header = next((line for line in lines if line.strip()), None)
    if header is None:
        return
    records = _Records(file)
    csv.field_size_limit(_MAX_RECORD)
    is_tabbed = not _TAB_SUFFIXES.isdisjoint(file.path.suffixes)
    delimiter = "\t" if is_tabbed else max(_DELIMITERS, key=header.count)
    ended: list[bool] = []

    def read_until_end() -> Iterator[str]:
        for line in chain([header], lines):
            yield f"{line}\n"
        ended.append(True)

    rows = csv.reader(read_until_end(), delimiter=delimiter)
    columns = [name.strip() for name in next(rows, [])]
    if file.options.text_field not in columns:
        raise _missing_field(file, columns[:_SHOWN_FIELDS])
    number = 0
    while True:
        number += 1
        try:
            row = next(rows, None)
        except csv.Error as error:
            records.reject("broken CSV row", f"row {number}: {error}", number)
            continue
        if row is None:
            break
        if ended:  # while the row was being read: all of it may be one field
            place = f"row {number}: the file ends inside a quotation"
            records.reject("broken CSV row", place, number)
        elif row:  # which may lack its last cells, or have some too many
            yield from records.read(dict(zip(columns, row, strict=False)), number, "row")
    records.end()


def read_parquet(file: InputFile) -> Iterator[RawDocument]:
    """Yield the documents of a Parquet file, one a row; a few hundred are in memory at a time."""
    pyarrow = import_extra("pyarrow", "parquet", "reading Parquet files")
    from pyarrow import parquet

    number = 0
    try:
        with parquet.ParquetFile(file.path) as content:
            columns = _choose_columns(file, content.schema_arrow)
            for batch in content.iter_batches(batch_size=_BATCH_ROWS, columns=columns):

                def tell(problem: str, first: int = number) -> None:
                    rows = f"rows {first + 1} to {first + _BATCH_ROWS}"
                    file.report.remark(problem, f"{file}, {rows}")

                cells = [read_cells(column, tell) for column in batch.columns]
                for row in zip(*cells, strict=True):
                    number += 1
                    record = dict(zip(batch.schema.names, row, strict=True))
                    text = record[file.options.text_field] or ""
                    yield _make_document(file, record, text, number)
    except (pyarrow.ArrowException, OSError) as error:
        file.report.skip("damaged Parquet file", f"{file}, after row {number}: {error}")
    file.count_bytes(file.path.stat().st_size)


def read_cells(column: Any, tell: Callable[[str], None]) -> list[Any]:
    """The values of a column of Arrow's; None for those that Python has no value for.

    ``tell`` is called with each thing that is not read as it is. Nanoseconds are left out of times.
    """
    import pyarrow

    if pyarrow.types.is_timestamp(column.type):
        unit, zone = column.type.unit, column.type.tz
        try:
            pyarrow.scalar(0, column.type).as_py()
        except (ValueError, LookupError):
            tell(f"time in the zone {zone!r}, which is not known here, read as UTC")
            zone = "UTC"
        unit = "us" if unit == "ns" else unit
        column = column.cast(pyarrow.timestamp(unit, zone), safe=False)
    values = []
    for cell in column:
        try:
            values.append(cell.as_py())
        except (ValueError, ArithmeticError, LookupError):
            tell(f"{cell.type} that Python has no value for, left out")
            values.append(None)
    return values


def _choose_columns(file: InputFile, schema: Any) -> list[str]:
    names, text_field = list(schema.names), file.options.text_field
    if text_field not in names:
        raise _missing_field(file, names)
    others = {"id", "title", "url", *file.options.meta} & set(names) - {text_field}
    wanted = [text_field, *others]
    for name in wanted:
        if names.count(name) > 1:
            raise InputError(f"{file} has {names.count(name)} columns {name!r}: rename all but one")
    kind = str(schema.field(text_field).type)
    # Not "list<item: string>"; categories are "dictionary<values=string, ...>".
    if kind.removeprefix("dictionary<values=").split(",")[0] not in _TEXT_TYPES:
        raise InputError(f"the column {text_field!r} of {file} holds {kind}, not text")
    return wanted
