"""Answers as tables to download: CSV, tab-separated, or lines of JSON.

In CSV and tab-separated tables no cell of text, and no name of a column, is a formula of a
spreadsheet: see `grassmeans.change.tables.protect_cell`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from grassmeans.change.tables import protect_cell
from grassmeans.explorer.queries.compare import CollocatesView, SideBySide
from grassmeans.explorer.queries.concordance import Lines
from grassmeans.explorer.queries.documents import Frequencies
from grassmeans.explorer.queries.words import WordList, WordSummary, WordView

KINDS = ("csv", "tsv", "jsonl")


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns, and rows of plain values."""

    columns: tuple[str, ...]
    rows: tuple[Sequence[object], ...]

    @classmethod
    def collect(cls, columns: Iterable[str], rows: Iterable[Sequence[object]]) -> Table:
        """From anything that gives the rows."""
        return cls(tuple(columns), tuple(rows))


def write_table(table: Table, kind: str = "csv") -> str:
    """A table as text, in one of `KINDS`."""
    return "".join(write_rows(table.columns, table.rows, kind))


ROWS_AT_ONCE = 500


def write_rows(
    columns: Sequence[str], rows: Iterable[Sequence[object]], kind: str = "csv"
) -> Iterator[str]:
    """The text of a table piece by piece: its head, then `ROWS_AT_ONCE` rows at a time."""
    rest = iter(rows)
    if kind == "csv":
        yield _write_csv([columns])
    elif kind == "tsv":
        yield _write_tsv([columns])
    while some := list(islice(rest, ROWS_AT_ONCE)):
        if kind == "jsonl":
            records = (dict(zip(columns, row, strict=True)) for row in some)
            yield "".join(f"{json.dumps(record)}\n" for record in records)
        elif kind == "tsv":
            yield _write_tsv(some)
        else:
            yield _write_csv(some)


def _write_csv(rows: Iterable[Sequence[object]]) -> str:
    file = io.StringIO()
    protected = ([protect_cell(cell) for cell in row] for row in rows)
    csv.writer(file, lineterminator="\r\n").writerows(protected)
    return file.getvalue()


def _write_tsv(rows: Iterable[Sequence[object]]) -> str:
    lines = ("\t".join(_flatten(protect_cell(cell)) for cell in row) for row in rows)
    return "".join(f"{line}\n" for line in lines)


WORD_COLUMNS = ("word", "count", "senses")


def rows_of_words(found: Iterable[WordSummary]) -> Iterator[Sequence[object]]:
    """Words with their counts and numbers of senses."""
    return ((entry.word, entry.count, entry.n_senses) for entry in found)


def table_of_words(found: WordList) -> Table:
    """A page of words."""
    return Table.collect(WORD_COLUMNS, rows_of_words(found.words))


def table_of_senses(view: WordView) -> Table:
    """The senses of a word, one a row."""
    columns = ("word", "sense", "name", "share", "crispness", "mean_distance", "hidden")
    more = ("characteristic_words", "nearest_words", "example")
    rows = (
        (
            view.word,
            sense.number,
            sense.name,
            sense.share,
            sense.crispness,
            sense.mean_distance,
            int(sense.hidden),
            ", ".join(sense.characteristic_words),
            ", ".join(sense.nearest_words),
            f"{sense.examples[0].left}{sense.examples[0].word}{sense.examples[0].right}"
            if sense.examples
            else "",
        )
        for sense in view.senses
    )
    return Table.collect((*columns, *more), rows)


def table_of_lines(found: Lines) -> Table:
    """Concordance lines, with a column for each field of their documents."""
    columns = ("position", "document", "left", "word", "right", "sense", "confidence")
    fields = tuple(dict.fromkeys(name for line in found.lines for name in line.fields))
    rows = (
        (
            *(x.position, x.document, x.left, x.word, x.right, x.sense, x.confidence),
            *(x.fields.get(name, "") for name in fields),
        )
        for x in found.lines
    )
    # A field may be called as a column is.
    return Table.collect(
        (*columns, *(f"document_{name}" if name in columns else name for name in fields)), rows
    )


def table_of_frequencies(found: Frequencies) -> Table:
    """Groups of documents with their lines."""
    rows = ((row.group, row.count, row.n_words, row.per_million) for row in found.groups)
    return Table.collect((found.by, "lines", "words", "per_million"), rows)


def table_of_collocates(found: CollocatesView) -> Table:
    """Words near a word or a sense."""
    columns = ("collocate", "count", "total", "expected", "log_dice", "log_likelihood")
    rows = (
        (row.word, row.count, row.total, row.expected, row.log_dice, row.log_likelihood)
        for row in found.collocates
    )
    return Table.collect(columns, rows)


def table_of_comparison(found: SideBySide) -> Table:
    """Neighbours and collocates of two words or senses, and which of them they are near."""
    columns = ("kind", "near", "word", "first", "second", "first_log_dice", "second_log_dice")
    rows: list[tuple[object, ...]] = []
    for near in ("shared", "first", "second"):
        rows += (
            ("neighbour", near, row.word, row.first, row.second, None, None, None)
            for row in getattr(found.neighbours, near)
        )
    for near in ("shared", "first", "second") if found.collocates else ():
        rows += (
            (
                *("collocate", near, row.word, row.first, row.second),
                *(row.first_log_dice, row.second_log_dice, row.log_likelihood),
            )
            for row in getattr(found.collocates, near)
        )
    return Table.collect((*columns, "log_likelihood"), rows)


def _flatten(cell: object) -> str:
    return "" if cell is None else " ".join(str(cell).splitlines()).replace("\t", " ")
