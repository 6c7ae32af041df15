"""TEI Lex-0: the dialect of the Text Encoding Initiative for dictionaries.

An example's word is marked by ``hi``; the key of a sense is its ``n``. What the format has no place
for is in notes of a type: names, the status, keys of senses that are no longer there. Examples that
are never to be shown are left out, and so is for which numbers keys are.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from grassmeans.errors import InputError
from grassmeans_explorer.entries.entry import (
    DEEPEST,
    KEEP,
    PROPOSED,
    STATUSES,
    UNIVERSAL_TAGS,
    CrossReference,
    DictionaryEntry,
    EntryExample,
    EntrySense,
    Label,
    Lexicon,
    SensePath,
)
from grassmeans_explorer.entries.formats.identifiers import Targets, name_entry, name_sense
from grassmeans_explorer.entries.formats.xml_text import (
    add,
    add_marked,
    clean,
    parse,
    read_marked,
    serialise,
)

NAMESPACE = "http://www.tei-c.org/ns/1.0"
_LABELS = {
    "register": "socioCultural",
    "domain": "domain",
    "region": "geographic",
    "time": "temporal",
    "attitude": "attitude",
    "frequency": "frequency",
    "other": "hint",
}
_REFERENCES = {
    "see": "related",
    "synonym": "synonymy",
    "antonym": "antonymy",
    "broader": "hypernymy",
    "narrower": "hyponymy",
    "part": "meronymy",
}
_FLOWING = ("quote", "orth", "def", "note", "usg", "gram", "ref", "bibl", "title", "p", "language")


def write(lexicon: Lexicon) -> str:
    """A lexicon as TEI Lex-0."""
    root = ET.Element("TEI", {"xmlns": NAMESPACE, "type": "lex-0"})
    _add_header(root, lexicon)
    body = add(add(root, "text"), "body")
    targets = Targets(lexicon)
    for entry in lexicon.entries:
        _add_entry(body, entry, lexicon.language, targets)
    if not lexicon.entries:
        add(body, "p")
    return serialise(root, _FLOWING)


def _add_header(root: ET.Element, lexicon: Lexicon) -> None:
    header = add(root, "teiHeader")
    file = add(header, "fileDesc")
    add(add(file, "titleStmt"), "title", lexicon.title, type="full")
    publication = add(file, "publicationStmt")
    add(publication, "publisher", "unpublished")
    availability = add(publication, "availability")
    add(availability, "p", "A draft: ask its authors.")
    usage = add(add(header, "profileDesc"), "langUsage")
    add(usage, "language", lexicon.language, ident=lexicon.language, role="objectLanguage")


def _add_entry(body: ET.Element, entry: DictionaryEntry, language: str, targets: Targets) -> None:
    name = name_entry(entry.word)
    element = add(body, "entry", xml_id=name, xml_lang=language, type="mainEntry")
    add(add(element, "form", type="lemma"), "orth", entry.word)
    _add_grammar(element, entry.part_of_speech, ())
    _add_shared(element, entry, targets)
    add(element, "note", entry.status, type="status")
    for number, sense in enumerate(entry.senses, 1):
        _add_sense(element, sense, entry.word, (number,), targets)


def _add_grammar(parent: ET.Element, part_of_speech: str, collocates: tuple[str, ...]) -> None:
    if not part_of_speech and not collocates:
        return
    group = add(parent, "gramGrp")
    if part_of_speech:
        tag = UNIVERSAL_TAGS.get(part_of_speech)
        add(group, "gram", part_of_speech, type="pos", **({"norm": tag} if tag else {}))
    for word in collocates:
        add(group, "gram", word, type="collocate")


def _add_shared(parent: ET.Element, owner: DictionaryEntry | EntrySense, targets: Targets) -> None:
    """Labels, references and notes."""
    for label in owner.labels:
        add(parent, "usg", label.text, type=_LABELS[label.kind])
    for reference in owner.references:
        group = add(parent, "xr", type=_REFERENCES[reference.kind])
        kind = "sense" if reference.sense else "entry"
        ref = add(group, "ref", reference.word, type=kind, n=reference.key)
        target = targets.find(reference)
        if target is not None:
            ref.set("target", f"#{target}")
    for note in owner.notes:
        add(parent, "note", note)


def _add_sense(
    parent: ET.Element, sense: EntrySense, word: str, path: SensePath, targets: Targets
) -> None:
    element = add(parent, "sense", xml_id=name_sense(word, path))
    if sense.key:
        element.set("n", clean(sense.key))
    _add_grammar(element, sense.part_of_speech, sense.collocates)
    if sense.definition:
        add(element, "def", sense.definition)
    for example in sense.shown:
        cited = add(element, "cit", type="example")
        if example.decision == PROPOSED:
            cited.set("subtype", PROPOSED)
        add_marked(add(cited, "quote"), "hi", example.left, example.word, example.right)
        if example.document:
            add(cited, "bibl", example.document)
    _add_shared(element, sense, targets)
    for kind in ("name", "former"):
        if getattr(sense, kind):
            add(element, "note", getattr(sense, kind), type=kind)
    for number, inner in enumerate(sense.senses, 1):
        _add_sense(element, inner, word, (*path, number), targets)


def read(content: str, path: Path) -> Lexicon:
    """The lexicon of a TEI file that `write` has made; other elements are passed over."""
    root = parse(content, path)
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.removeprefix(f"{{{NAMESPACE}}}")
    if root.tag != "TEI":
        raise InputError(f"{path} is no TEI: its root is {root.tag[:80]!r}")
    try:
        entries = tuple(_read_entry(element) for element in root.iterfind("text/body/entry"))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    title = root.findtext("teiHeader/fileDesc/titleStmt/title")
    language = root.find("teiHeader/profileDesc/langUsage/language")
    code = "und" if language is None else language.get("ident", "und")
    return Lexicon(entries, language=code, title=title or "Lexicon")


def _read_entry(element: ET.Element) -> DictionaryEntry:
    word = element.findtext("form/orth") or ""
    values = _read_shared(element)
    values.pop("collocates")
    found = {note.get("type"): _all_text(note) for note in element.iterfind("note")}
    values["status"] = found.get("status", STATUSES[0])
    senses = tuple(_read_sense(inner, 1) for inner in element.iterfind("sense"))
    return DictionaryEntry(word, senses=senses, **values)


def _read_shared(element: ET.Element) -> dict[str, Any]:
    labels = {tag: kind for kind, tag in _LABELS.items()}
    references = {tag: kind for kind, tag in _REFERENCES.items()}
    grammar: dict[str, list[str]] = {"pos": [], "collocate": []}
    for gram in element.iterfind("gramGrp/gram"):
        grammar.setdefault(gram.get("type", ""), []).append(_all_text(gram))
    return {
        "part_of_speech": "".join(grammar["pos"][:1]),
        "collocates": tuple(grammar["collocate"]),
        "labels": tuple(
            Label(labels.get(usage.get("type", ""), "other"), _all_text(usage))
            for usage in element.iterfind("usg")
        ),
        "references": tuple(
            CrossReference(
                references.get(group.get("type", ""), "see"), ref.get("n") or _all_text(ref)
            )
            for group in element.iterfind("xr")
            for ref in group.iterfind("ref")
        ),
        "notes": tuple(
            _all_text(note) for note in element.iterfind("note") if note.get("type") is None
        ),
    }


def _read_sense(element: ET.Element, depth: int) -> EntrySense:
    if depth > DEEPEST:
        raise InputError(f"senses are too deep: {DEEPEST} levels are the most")
    notes = {note.get("type"): _all_text(note) for note in element.iterfind("note")}
    return EntrySense(
        key=element.get("n", ""),
        former=notes.get("former", ""),
        name=notes.get("name", ""),
        definition=" ".join(map(_all_text, element.iterfind("def"))),
        examples=tuple(map(_read_example, element.iterfind("cit[@type='example']"))),
        senses=tuple(_read_sense(inner, depth + 1) for inner in element.iterfind("sense")),
        **_read_shared(element),
    )


def _read_example(cited: ET.Element) -> EntryExample:
    quote = cited.find("quote")
    text = ("", "", "") if quote is None else read_marked(quote, "hi")
    decision = PROPOSED if cited.get("subtype") == PROPOSED else KEEP
    return EntryExample(*text, document=cited.findtext("bibl") or "", decision=decision)


def _all_text(element: ET.Element) -> str:
    return "".join(element.itertext())
