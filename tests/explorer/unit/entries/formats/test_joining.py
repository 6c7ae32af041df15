from __future__ import annotations

import pytest

from grassmeans_explorer.entries.entry import DictionaryEntry, EntryExample, EntrySense, Label
from grassmeans_explorer.entries.formats.joining import join_homographs, mark_word

LABEL = Label("region", "Britain")


def test_homographs_become_one_entry():
    first = DictionaryEntry("bank", "noun", "done", (LABEL,), senses=(EntrySense(name="a"),))
    other = DictionaryEntry(
        "bank", "verb", labels=(LABEL,), notes=("x",),
        senses=(EntrySense(name="b"), EntrySense(name="c", part_of_speech="noun")),
    )  # fmt: skip
    found = join_homographs([first, DictionaryEntry("x"), other])
    assert [entry.word for entry in found] == ["bank", "x"]
    bank = found[0]
    assert (bank.part_of_speech, bank.status) == ("noun", "done")
    assert (bank.labels, bank.notes) == ((LABEL,), ("x",))
    assert [(one.name, one.part_of_speech) for one in bank.senses] == [
        ("a", ""),
        ("b", "verb"),
        ("c", "noun"),
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("The cranes and a crane.", ("The cranes and a ", "crane", ".")),
        ("Cranes fly.", ("", "Cranes", " fly.")),
        ("A bird.", ("A bird.", "", "")),
    ],
)
def test_the_word_of_an_example_is_found(text, parts):
    assert mark_word(text, "crane", "A book") == EntryExample(*parts, "A book")
