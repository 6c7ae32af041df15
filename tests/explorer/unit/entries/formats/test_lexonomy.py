from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from entry_material import EMPTY, HOSTILE, LEXICON, make_hostile
from grassmeans_explorer.entries.formats.lexonomy import write

TEMPLATE = {  # element -> what may be in it, by Lexonomy's monolingual template and our additions
    "dictionary": {"entry"},
    "entry": {"headword", "partOfSpeech", "label", "crossReference", "note", "sense"},
    "sense": {
        "partOfSpeech", "definition", "example", "collocate", "label", "crossReference", "note",
        "sense",
    },
    "example": {"h"},
}  # fmt: skip


@pytest.mark.parametrize("lexicon", [LEXICON, EMPTY, *map(make_hostile, HOSTILE)])
def test_entries_have_one_headword_and_a_sense_at_least(lexicon):
    root = ET.fromstring(write(lexicon))
    for element in root.iter():
        assert {child.tag for child in element} <= TEMPLATE.get(element.tag, set())
    for entry, written in zip(lexicon.entries, root, strict=True):
        assert [one.text for one in written.iterfind("headword")] == [entry.word]
        assert written.find("sense") is not None


def test_an_example_has_its_word_marked():
    example = ET.fromstring(write(LEXICON)).find("entry/sense/example")
    assert example is not None
    assert ET.tostring(example, encoding="unicode").strip() == (
        '<example source="A book">The <h>crane</h> flew north.</example>'
    )
    sense = ET.fromstring(write(LEXICON)).find("entry/sense")
    assert sense is not None
    assert sense.get("key") == "crane.1"
    assert len(sense.findall("example")) == 2
    assert [(one.get("type"), one.get("target")) for one in sense.iterfind("crossReference")] == [
        ("synonym", "bank.1"),
        ("see", "heron"),
    ]
