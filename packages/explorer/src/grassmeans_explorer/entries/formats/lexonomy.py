"""XML for Lexonomy: its monolingual template, with elements of our own beside it.

``entry``, ``headword``, ``partOfSpeech``, ``sense``, ``definition``, ``example`` with ``h`` around
the word are the template's; ``label``, ``note``, ``crossReference``, ``collocate`` and
senses inside of senses are to be added to a dictionary's structure there.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from grassmeans_explorer.entries.entry import DictionaryEntry, EntrySense, Lexicon
from grassmeans_explorer.entries.formats.xml_text import add, add_marked, clean, serialise

_FLOWING = ("headword", "partOfSpeech", "definition", "example", "label", "note", "collocate")


def write(lexicon: Lexicon) -> str:
    """A lexicon as a list of Lexonomy's entries."""
    root = ET.Element("dictionary")
    for entry in lexicon.entries:
        element = add(root, "entry")
        add(element, "headword", entry.word)
        if entry.part_of_speech:
            add(element, "partOfSpeech", entry.part_of_speech)
        _add_shared(element, entry)
        for sense in entry.senses:
            _add_sense(element, sense)
        if not entry.senses:
            add(element, "sense")  # which the template wants
    return serialise(root, _FLOWING)


def _add_sense(parent: ET.Element, sense: EntrySense) -> None:
    element = add(parent, "sense")
    if sense.key:
        element.set("key", clean(sense.key))
    if sense.part_of_speech:
        add(element, "partOfSpeech", sense.part_of_speech)
    if sense.definition:
        add(element, "definition", sense.definition)
    for example in sense.shown:
        text = add(element, "example")
        add_marked(text, "h", example.left, example.word, example.right)
        if example.document:
            text.set("source", clean(example.document))
    for word in sense.collocates:
        add(element, "collocate", word)
    _add_shared(element, sense)
    for inner in sense.senses:
        _add_sense(element, inner)


def _add_shared(element: ET.Element, owner: DictionaryEntry | EntrySense) -> None:
    for label in owner.labels:
        add(element, "label", label.text, type=label.kind)
    for reference in owner.references:
        add(element, "crossReference", type=reference.kind, target=reference.key)
    for note in owner.notes:
        add(element, "note", note)
