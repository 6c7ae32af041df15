"""XML for Lexonomy: its monolingual template, with elements of our own beside it.

``entry``, ``headword``, ``partOfSpeech``, ``sense``, ``definition``, ``example`` with ``h`` around
the word are the template's; ``name``, ``label``, ``note``, ``crossReference``, ``collocate`` and
senses inside of senses are to be added to a dictionary's structure there. Attributes of ours are
the status of an entry, the key of a sense and the one that it had, what an example is taken from
and whether it is only proposed.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from grassmeans.errors import InputError
from grassmeans_explorer.entries.entry import (
    DEEPEST,
    KEEP,
    LABEL_KINDS,
    PROPOSED,
    REFERENCE_KINDS,
    STATUSES,
    CrossReference,
    DictionaryEntry,
    EntryExample,
    EntrySense,
    Label,
    Lexicon,
)
from grassmeans_explorer.entries.formats.joining import join_homographs, mark_word
from grassmeans_explorer.entries.formats.xml_text import (
    add,
    add_marked,
    clean,
    parse,
    read_marked,
    serialise,
)

_FLOWING = (
    *("headword", "partOfSpeech", "name", "definition", "example"),
    *("label", "note", "collocate"),
)


def write(lexicon: Lexicon) -> str:
    """A lexicon as a list of Lexonomy's entries."""
    about = {"title": clean(lexicon.title), "xml:lang": clean(lexicon.language)}
    root = ET.Element("dictionary", about)
    for entry in lexicon.entries:
        element = add(root, "entry", status=entry.status)
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
    for name in ("key", "former"):
        if getattr(sense, name):
            element.set(name, clean(getattr(sense, name)))
    if sense.part_of_speech:
        add(element, "partOfSpeech", sense.part_of_speech)
    for name in ("name", "definition"):
        if getattr(sense, name):
            add(element, name, getattr(sense, name))
    for example in sense.shown:
        text = add(element, "example")
        add_marked(text, "h", example.left, example.word, example.right)
        if example.document:
            text.set("source", clean(example.document))
        if example.decision == PROPOSED:
            text.set("status", PROPOSED)
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


def read(content: str, path: Path) -> Lexicon:
    """The lexicon of a file for Lexonomy, or of its export; other elements are passed over."""
    root = parse(content, path)
    elements = [root] if root.tag == "entry" else root.findall("entry")
    if not elements:
        raise InputError(
            f"{path} has no entries of Lexonomy: expected <entry> in its root, which is "
            f"<{root.tag[:80]}>"
        )
    try:
        entries = join_homographs(map(_read_entry, elements))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    language = root.get("{http://www.w3.org/XML/1998/namespace}lang", "und")
    return Lexicon(entries, language=language, title=root.get("title", "Lexicon"))


def _read_entry(element: ET.Element) -> DictionaryEntry:
    word = _all_text(element.find("headword"))
    status = element.get("status", STATUSES[0])
    senses = tuple(_read_sense(inner, word, 1) for inner in element.iterfind("sense"))
    if senses == (EntrySense(),):  # which the template wants
        senses = ()
    status = status if status in STATUSES else STATUSES[0]
    return DictionaryEntry(word, status=status, senses=senses, **_read_shared(element))


def _read_sense(element: ET.Element, word: str, depth: int) -> EntrySense:
    if depth > DEEPEST:
        raise InputError(f"senses of {word[:80]!r} are too deep: {DEEPEST} levels are the most")
    return EntrySense(
        key=element.get("key", ""),
        former=element.get("former", ""),
        name=_all_text(element.find("name")),
        definition="; ".join(map(_all_text, element.iterfind("definition"))),
        collocates=tuple(map(_all_text, element.iterfind("collocate"))),
        examples=tuple(_read_example(one, word) for one in element.iterfind("example")),
        senses=tuple(_read_sense(inner, word, depth + 1) for inner in element.iterfind("sense")),
        **_read_shared(element),
    )


def _read_example(element: ET.Element, word: str) -> EntryExample:
    decision = PROPOSED if element.get("status") == PROPOSED else KEEP
    about = element.get("source", ""), decision
    if element.find("h") is None:
        return mark_word(_all_text(element), word, *about)
    return EntryExample(*read_marked(element, "h"), *about)


def _read_shared(element: ET.Element) -> dict[str, Any]:
    return {
        "part_of_speech": _all_text(element.find("partOfSpeech")),
        "labels": tuple(
            Label(_choose(one.get("type", ""), LABEL_KINDS, "other"), _all_text(one))
            for one in element.iterfind("label")
        ),
        "references": tuple(
            CrossReference(
                _choose(one.get("type", ""), REFERENCE_KINDS, "see"),
                one.get("target") or _all_text(one),
            )
            for one in element.iterfind("crossReference")
        ),
        "notes": tuple(map(_all_text, element.iterfind("note"))),
    }


def _choose(given: str, known: tuple[str, ...], usual: str) -> str:
    return given if given in known else usual


def _all_text(element: ET.Element | None) -> str:
    return "" if element is None else "".join(element.itertext())
