"""Answers as tables to download.

A cell of text that begins like a formula (``=``, ``+``, ``-``, ``@``, a tab or a carriage return)
gets an apostrophe before it: spreadsheets would calculate it, and text from a corpus may say
anything. Numbers are left alone.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from grassmeans.explorer.queries.concordance import Lines
from grassmeans.explorer.queries.words import WordList, WordView

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """CSV with a header."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_protect(cell) for cell in row] for row in rows)
    return file.getvalue()


def table_of_words(found: WordList) -> str:
    """Words with their counts and numbers of senses."""
    rows = ((entry.word, entry.count, entry.n_senses) for entry in found.words)
    return write_table(("word", "count", "senses"), rows)


def table_of_senses(view: WordView) -> str:
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
    return write_table((*columns, *more), rows)


def table_of_lines(found: Lines) -> str:
    """Concordance lines."""
    columns = ("position", "document", "left", "word", "right", "sense", "confidence")
    rows = (
        (x.position, x.document, x.left, x.word, x.right, x.sense, x.confidence)
        for x in found.lines
    )
    return write_table(columns, rows)


def _protect(cell: object) -> object:
    if isinstance(cell, str) and cell.startswith(_FORMULA):
        return f"'{cell}"
    return cell
