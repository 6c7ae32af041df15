from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from entry_material import CRANE, EMPTY, HOSTILE, LEXICON, make_hostile
from grassmeans.errors import InputError
from grassmeans_explorer.entries.entry import Numbering
from grassmeans_explorer.entries.formats.table import COLUMNS, read, write

HERE = Path("lexicon.csv")
HEAD = ",".join(COLUMNS) + "\n"


def as_read(lexicon):
    entries = tuple(replace(entry, numbering=Numbering()) for entry in lexicon.entries)
    return replace(lexicon, entries=entries, model="", root="")


def test_a_row_for_each_field():
    rows = list(csv.DictReader(io.StringIO(write(replace(LEXICON, entries=(CRANE,))))))
    assert [row["field"] for row in rows][:4] == ["title", "language", "status", "part_of_speech"]
    example = next(row for row in rows if row["field"] == "example")
    assert example == {
        "word": "crane", "sense": "1", "field": "example", "kind": "keep", "text": "crane",
        "left": "The ", "right": " flew north.", "source": "A book",
    }  # fmt: skip
    assert [row["sense"] for row in rows if row["field"] == "sense"] == ["1", "1.1", "2"]


@pytest.mark.parametrize("lexicon", [LEXICON, EMPTY, *map(make_hostile, HOSTILE)])
def test_a_lexicon_comes_back(lexicon):
    assert read(write(lexicon), HERE) == as_read(lexicon)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "'=1", "''"])
def test_no_cell_is_a_formula(text):
    written = write(make_hostile(text))
    cells = [cell for row in csv.reader(io.StringIO(written)) for cell in row]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)
    assert read(written, HERE) == as_read(make_hostile(text))


def test_large_cells_are_read():
    lexicon = make_hostile("x" * 200_000)
    assert read(write(lexicon), HERE) == as_read(lexicon)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("word,field\n", "row 1: expected the columns word, sense"),
        ("", "expected the columns"),
        (HEAD + "x,,colour,,red,,,\n", "row 2: 'colour' is no field of an entry"),
        (HEAD + "x,1,definition,,red,,,\n", "row 2: sense 1 has no row 'sense' before"),
        (HEAD + "x,1,sense,,,,,\nx,1,sense,,,,,\n", "row 3: sense 1 of 'x' begins twice"),
        (HEAD + "x,1.1,sense,,,,,\n", "sense 1.1 stands before the one that it is in"),
        (HEAD + "x,one,sense,,,,,\n", "'one' is no place of a sense"),
        (HEAD + "x,1,sense,,y.1,,,\n", "'y.1' is no sense of 'x'"),
        (HEAD + "x,,label,odd,red,,,\n", "the kind of a label must be one of"),
        (HEAD + ",,note,,red,,,\n", "row 2: it has no word"),
        (HEAD + "x,,status,,ready,,,\n", "the status of an entry"),
        (HEAD + "x,,collocates,,ready,,,\n", "has a field of senses"),
        (HEAD + ",,language,,Klingon language,,,\n", "is no code of a language"),
        (HEAD + '"x,,status', "is no table"),
    ],
)
def test_what_cannot_be_used_is_told_with_its_row(rows, told):
    with pytest.raises(InputError, match=r"lexicon\.csv") as error:
        read(rows, HERE)
    assert told in str(error.value)


def test_a_table_of_a_spreadsheet_may_lack_what_is_empty():
    found = read(HEAD + "x,,notes,,a,,,\n\nx,2,sense,,,,,\nx,1,sense,,x.1,,,\n,,,,,,,\n", HERE)
    assert [sense.key for sense in found.entries[0].senses] == ["x.1", ""]
