"""OntoLex-Lemon: a lexicon as linked data, in Turtle.

A word is an ``ontolex:LexicalEntry`` with its senses; a definition belongs to the concept that a
sense lexicalises. The module ``lexicog`` has the order of senses, senses inside of senses, and the
examples; ``ontolex:usage`` the labels. Synonyms and antonyms are relations of LexInfo, broader and
narrower ones those of SKOS; every other way is ``rdfs:seeAlso``. Collocates, the status and which
examples are only proposed have no place there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from grassmeans_explorer.entries.entry import (
    CrossReference,
    DictionaryEntry,
    EntrySense,
    Label,
    Lexicon,
    SensePath,
    walk_senses,
)
from grassmeans_explorer.entries.formats.identifiers import Targets, name_entry, name_sense
from grassmeans_explorer.entries.formats.ontolex_reading import read_graph
from grassmeans_explorer.entries.formats.ontolex_vocabulary import (
    OF_CONCEPTS,
    OF_SENSES,
    PARTS_OF_SPEECH,
    PREFIXES,
)
from grassmeans_explorer.entries.formats.xml_text import clean

_NOT_IN_NAMES = re.compile("[^0-9A-Za-z]")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}

Facts = list[tuple[str, str]]


def write(lexicon: Lexicon) -> str:
    """A lexicon as Turtle; its names are under one of the model's digest."""
    digest = _NOT_IN_NAMES.sub("", lexicon.root)[:12]  # of a file that was read it may be anything
    base = f"urn:grassmeans:{digest or 'lexicon'}#"
    head = [f"@prefix {name}: <{address}> ." for name, address in PREFIXES.items()]
    blocks = ["\n".join([*head, f"@prefix : <{base}> ."])]
    blocks += [_write_block(subject, facts) for subject, facts in _Writer(lexicon).describe()]
    return "\n\n".join(blocks) + "\n"


def _write_block(subject: str, facts: Facts) -> str:
    lines = " ;\n".join(f"    {predicate} {value}" for predicate, value in facts)
    return f"{subject}\n{lines} ."


def quote(text: str, language: str | None = None) -> str:
    """A text as a literal of Turtle, perhaps in a language."""
    escaped = "".join(_ESCAPES.get(c, c) for c in clean(text))
    return f'"{escaped}"' + (f"@{language}" if language and language != "und" else "")


class _Writer:
    """What is said of a lexicon, subject by subject."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.targets = Targets(lexicon)

    def quote(self, text: str) -> str:
        return quote(text, self.lexicon.language)

    def describe(self) -> Iterator[tuple[str, Facts]]:
        entries = self.lexicon.entries
        facts = [("a", "lime:Lexicon"), ("lime:language", quote(self.lexicon.language))]
        facts += [("dct:title", self.quote(self.lexicon.title))]
        facts += [("lime:entry", f":{name_entry(entry.word)}") for entry in entries]
        yield ":lexicon", facts
        articles = [("lexicog:entry", f":{name_entry(entry.word)}-article") for entry in entries]
        yield ":resource", [("a", "lexicog:LexicographicResource"), *articles]
        for entry in entries:
            yield from self._describe_entry(entry)

    def _describe_entry(self, entry: DictionaryEntry) -> Iterator[tuple[str, Facts]]:
        name = f":{name_entry(entry.word)}"
        kind = "ontolex:MultiwordExpression" if len(entry.word.split()) > 1 else "ontolex:Word"
        facts = [("a", kind), ("ontolex:canonicalForm", f"{name}-form")]
        facts += _say_part_of_speech(entry.part_of_speech)
        paths = [path for path, _ in walk_senses(entry.senses)]
        facts += [("ontolex:sense", f":{name_sense(entry.word, path)}") for path in paths]
        facts += self._say_labels(entry.labels)
        facts += [("rdfs:seeAlso", f":{name_entry(one.word)}") for one in entry.references]
        facts += [("skos:note", self.quote(note)) for note in entry.notes]
        yield name, facts
        yield (
            f"{name}-form",
            [
                ("a", "ontolex:Form"),
                ("ontolex:writtenRep", self.quote(entry.word)),
            ],
        )
        article = [("a", "lexicog:Entry"), ("lexicog:describes", name)]
        yield f"{name}-article", article + _list_parts(entry.word, (), len(entry.senses))
        for path, sense in walk_senses(entry.senses):
            yield from self._describe_sense(entry.word, path, sense)

    def _describe_sense(
        self, word: str, path: SensePath, sense: EntrySense
    ) -> Iterator[tuple[str, Facts]]:
        name = f":{name_sense(word, path)}"
        concept = f"{name}-concept"
        facts = [("a", "ontolex:LexicalSense"), ("ontolex:isLexicalizedSenseOf", concept)]
        if sense.key:
            facts.append(("dct:identifier", quote(sense.key)))
        facts += _say_part_of_speech(sense.part_of_speech)
        facts += self._say_labels(sense.labels)
        facts += [
            ("lexicog:usageExample", f"{name}-example-{number}")
            for number in range(1, len(sense.shown) + 1)
        ]
        about: Facts = [("a", "ontolex:LexicalConcept")]
        if sense.name:
            about.append(("skos:prefLabel", self.quote(sense.name)))
        if sense.definition:
            about.append(("skos:definition", self.quote(sense.definition)))
        for reference in sense.references:
            relation, of_concepts = self._relate(reference)
            (about if of_concepts else facts).append(relation)
        facts += [("skos:note", self.quote(note)) for note in sense.notes]
        yield name, facts
        yield concept, about
        parts = _list_parts(word, path, len(sense.senses))
        component = [("a", "lexicog:LexicographicComponent"), ("lexicog:describes", name)]
        yield f"{name}-part", component + parts
        for number, example in enumerate(sense.shown, 1):
            said = [("a", "lexicog:UsageExample"), ("rdf:value", self.quote(example.text))]
            if example.document:
                said.append(("dct:source", quote(example.document)))
            yield f"{name}-example-{number}", said

    def _say_labels(self, labels: tuple[Label, ...]) -> Facts:
        return [
            (
                "ontolex:usage",
                f"[ rdf:value {self.quote(label.text)} ; dct:type {quote(label.kind)} ]",
            )
            for label in labels
        ]

    def _relate(self, reference: CrossReference) -> tuple[tuple[str, str], bool]:
        """What a reference of a sense says, and whether it is said of the sense's concept."""
        sense = self.targets.find_sense(reference)
        if sense is not None and reference.kind in OF_SENSES:
            return (OF_SENSES[reference.kind], f":{sense}"), False
        if sense is not None and reference.kind in OF_CONCEPTS:
            return (OF_CONCEPTS[reference.kind], f":{sense}-concept"), True
        return ("rdfs:seeAlso", f":{sense or name_entry(reference.word)}"), False


def _list_parts(word: str, path: SensePath, n_senses: int) -> Facts:
    """The parts of an article in their order."""
    numbers = range(1, n_senses + 1)
    return [(f"rdf:_{n}", f":{name_sense(word, (*path, n))}-part") for n in numbers]


def _say_part_of_speech(name: str) -> Facts:
    if not name:
        return []
    known = PARTS_OF_SPEECH.get(name)
    # LexInfo has individuals; a name of one's own is the label of another one.
    value = f"lexinfo:{known}" if known else f"[ rdfs:label {quote(name)} ]"
    return [("lexinfo:partOfSpeech", value)]


def read(content: str, path: Path) -> Lexicon:
    """The lexicon of a text in Turtle; it needs RDFLib."""
    return read_graph(content, path)
