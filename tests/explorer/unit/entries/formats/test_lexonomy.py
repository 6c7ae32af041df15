from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from entry_material import EMPTY, HOSTILE, LEXICON, make_hostile
from grassmeans.errors import InputError
from grassmeans_explorer.entries.entry import CrossReference, EntryExample, Label
from grassmeans_explorer.entries.formats.lexonomy import read, write

PATH = Path("lexicon.lexonomy.xml")
TEMPLATE = {  # element -> what may be in it, by Lexonomy's monolingual template and our additions
    "dictionary": {"entry"},
    "entry": {"headword", "partOfSpeech", "label", "crossReference", "note", "sense"},
    "sense": {
        "partOfSpeech", "name", "definition", "example", "collocate", "label", "crossReference",
        "note", "sense",
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


def test_a_file_of_another_dictionary_is_read_as_far_as_we_have_a_place():
    content = """<dict><entry id="1"><headword>bank</headword><partOfSpeech>noun</partOfSpeech>
      <pron>b</pron><sense><definition>a slope</definition><definition>of a river</definition>
      <example>Two Banks of it.</example><label>dated</label>
      <crossReference type="syn">shore</crossReference></sense></entry>
      <entry><headword>bank</headword><sense/></entry></dict>"""
    (entry,) = read(content, PATH).entries
    (sense,) = entry.senses
    assert (entry.word, entry.part_of_speech, entry.status) == ("bank", "noun", "draft")
    assert sense.definition == "a slope; of a river"
    assert sense.examples == (EntryExample("Two ", "Banks", " of it."),)
    assert sense.labels == (Label("other", "dated"),)
    assert sense.references == (CrossReference("see", "shore"),)
    (alone,) = read("<entry><headword>x</headword></entry>", PATH).entries
    assert alone.word == "x"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("<entry", "is no XML"),
        ("<TEI/>", "no entries of Lexonomy.*<TEI>"),
        ("<d><entry/></d>", "an entry needs a word"),
        ("<d><entry><headword>x</headword><sense key='y.1'/></entry></d>", "no sense of 'x'"),
        ("<d><entry><headword>x</headword>" + "<sense>" * 9 + "</sense>" * 9 + "</entry></d>",
         "8 levels are the most"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(content, told):
    with pytest.raises(InputError, match=told):
        read(content, PATH)
