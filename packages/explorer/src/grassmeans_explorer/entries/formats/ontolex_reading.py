"""OntoLex-Lemon in Turtle -> a lexicon, by RDFLib.

What `grassmeans_explorer.entries.formats.ontolex` writes comes back but for what the format cannot
hold; of other lexicons, what is said in the same vocabularies. A graph has no order: words, labels,
notes and references are sorted; senses and examples have theirs from ``lexicog`` and their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grassmeans.errors import InputError, import_extra
from grassmeans.senses.keys import decode_key, encode_key
from grassmeans_explorer.entries.entry import (
    DEEPEST,
    LABEL_KINDS,
    REFERENCE_KINDS,
    CrossReference,
    DictionaryEntry,
    EntryExample,
    EntrySense,
    Label,
    Lexicon,
)
from grassmeans_explorer.entries.formats.identifiers import find_word
from grassmeans_explorer.entries.formats.joining import join_homographs, mark_word
from grassmeans_explorer.entries.formats.ontolex_vocabulary import (
    OF_CONCEPTS,
    OF_SENSES,
    PARTS_OF_SPEECH,
    PREFIXES,
)

_MEMBER = re.compile(r"_([1-9][0-9]*)\Z")
_NUMBERS = re.compile(r"(\d+)")
Node = Any
"""A thing of the graph, or a text."""


def read_graph(content: str, path: Path) -> Lexicon:
    """The lexicon of a text in Turtle."""
    rdflib = import_extra("rdflib", None, "reading OntoLex (extra rdf of grassmeans-explorer)")
    try:
        graph = rdflib.Graph().parse(data=content, format="turtle")
    except Exception as error:  # RDFLib's parsers raise whatever they meet
        told = " ".join(str(error).split())[:200]
        raise InputError(f"{path} is no Turtle: {told or type(error).__name__}") from error
    try:
        return _Reader(graph, rdflib.URIRef).read()
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


class _Reader:
    """What a graph says of entries."""

    def __init__(self, graph: Any, make_name: Any) -> None:
        self.graph = graph
        self._make_name = make_name
        lexinfo = PREFIXES["lexinfo"]
        self._parts = {lexinfo + name: part for part, name in PARTS_OF_SPEECH.items()}
        self.words = {entry: self._find_headword(entry) for entry in self._find_entries()}
        self.keys: dict[Node, str] = {}  # of senses, concepts and entries: where a way leads
        for entry, word in self.words.items():
            self.keys[entry] = encode_key(word)
            for sense in self._all(entry, "ontolex:sense"):
                self.keys[sense] = self._find_key(sense, word) or encode_key(word)
                for concept in self._find_concepts(sense):
                    self.keys.setdefault(concept, self.keys[sense])

    def read(self) -> Lexicon:
        if not self.words:
            raise InputError("it has no entries: expected ontolex:LexicalEntry, or ontolex:Word")
        order = sorted(self.words, key=lambda node: (self.words[node], str(node)))
        entries = join_homographs(map(self._read_entry, order))
        lexicon = next(self._with_type("lime:Lexicon"), None)
        language = self._text(lexicon, "lime:language") or "und"
        title = self._text(lexicon, "dct:title") or "Lexicon"
        return Lexicon(entries, language, title)

    def _name(self, short: str) -> Node:
        prefix, _, name = short.partition(":")
        return self._make_name(PREFIXES[prefix] + name)

    def _all(self, node: Node, relation: str) -> list[Node]:
        """What a relation leads to, in the order of names and of the numbers in them."""
        if node is None:
            return []
        return sorted(self.graph.objects(node, self._name(relation)), key=_order)

    def _texts(self, node: Node, relation: str) -> list[str]:
        return [str(one) for one in self._all(node, relation)]

    def _text(self, node: Node, relation: str) -> str:
        return "".join(self._texts(node, relation)[:1])

    def _with_type(self, kind: str) -> Iterator[Node]:
        found: Iterator[Node] = self.graph.subjects(self._name("rdf:type"), self._name(kind))
        return found

    def _find_entries(self) -> list[Node]:
        kinds = ("LexicalEntry", "Word", "MultiwordExpression", "Affix")
        found = {node for kind in kinds for node in self._with_type(f"ontolex:{kind}")}
        return sorted(found, key=_order)

    def _find_headword(self, entry: Node) -> str:
        forms = self._all(entry, "ontolex:canonicalForm")
        written = [self._text(form, "ontolex:writtenRep") for form in forms]
        found = next(filter(None, written), "") or self._text(entry, "rdfs:label")
        if not found:
            raise InputError(f"{str(entry)[:80]} has no canonical form with a written one")
        return found

    def _find_concepts(self, sense: Node) -> list[Node]:
        inverse = self.graph.subjects(self._name("ontolex:lexicalizedSense"), sense)
        return [*self._all(sense, "ontolex:isLexicalizedSenseOf"), *sorted(inverse, key=_order)]

    def _find_key(self, sense: Node, word: str) -> str:
        """The key of the model's sense, where it is one of the word."""
        key = self._text(sense, "dct:identifier")
        return key if decode_key(key) == (word, decode_key(key)[1]) and decode_key(key)[1] else ""

    def _read_entry(self, entry: Node) -> DictionaryEntry:
        word = self.words[entry]
        senses, seen = self._read_order(entry, word)
        rest = [s for s in self._all(entry, "ontolex:sense") if s not in seen]
        return DictionaryEntry(
            word,
            part_of_speech=self._find_part_of_speech(entry),
            labels=self._find_labels(entry),
            references=self._find_references(entry, []),
            notes=tuple(sorted(self._texts(entry, "skos:note"))),
            senses=(*senses, *(self._read_sense(sense, word, ()) for sense in rest)),
        )

    def _read_order(self, entry: Node, word: str) -> tuple[tuple[EntrySense, ...], set[Node]]:
        """The senses as the components of the entry's article have them, and which these are."""
        seen: set[Node] = set()
        told: set[Node] = set()  # components: one that several hold is read in the first

        def read(component: Node, above: tuple[Node, ...] = ()) -> tuple[EntrySense, ...]:
            above = (*above, component)
            if len(above) > DEEPEST + 1:
                raise InputError(
                    f"senses of {word[:80]!r} are too deep: {DEEPEST} levels are the most"
                )
            found = []
            for part in self._list_members(component):
                if part in above:
                    raise InputError(f"senses of {word[:80]!r} are inside of each other")
                if part in told:
                    continue
                told.add(part)
                inner = read(part, above)
                for sense in self._all(part, "lexicog:describes"):
                    if sense not in seen:
                        seen.add(sense)
                        found.append(self._read_sense(sense, word, inner))
            return tuple(found)

        articles = sorted(self.graph.subjects(self._name("lexicog:describes"), entry), key=_order)
        return tuple(one for article in articles for one in read(article)), seen

    def _list_members(self, component: Node) -> list[Node]:
        members = []
        for relation, node in self.graph.predicate_objects(component):
            place = str(relation).removeprefix(PREFIXES["rdf"])
            if (found := _MEMBER.fullmatch(place)) is not None:
                members.append((int(found[1]), node))
        return [node for _, node in sorted(members, key=lambda pair: (pair[0], _order(pair[1])))]

    def _read_sense(self, sense: Node, word: str, inner: tuple[EntrySense, ...]) -> EntrySense:
        concepts = self._find_concepts(sense)
        definitions = [
            text for node in (sense, *concepts) for text in self._texts(node, "skos:definition")
        ]
        names = [text for node in concepts for text in self._texts(node, "skos:prefLabel")]
        return EntrySense(
            key=self._find_key(sense, word),
            name="".join(names[:1]),
            definition="; ".join(definitions),
            part_of_speech=self._find_part_of_speech(sense),
            labels=self._find_labels(sense),
            examples=tuple(
                self._read_example(one, word) for one in self._all(sense, "lexicog:usageExample")
            ),
            references=self._find_references(sense, concepts),
            notes=tuple(sorted(self._texts(sense, "skos:note"))),
            senses=inner,
        )

    def _read_example(self, example: Node, word: str) -> EntryExample:
        return mark_word(self._text(example, "rdf:value"), word, self._text(example, "dct:source"))

    def _find_part_of_speech(self, node: Node) -> str:
        for one in self._all(node, "lexinfo:partOfSpeech"):
            name = str(one)
            return self._parts.get(name) or self._text(one, "rdfs:label") or _last_part(name)
        return ""

    def _find_labels(self, node: Node) -> tuple[Label, ...]:
        found = []
        for usage in self._all(node, "ontolex:usage"):
            kind = self._text(usage, "dct:type")
            is_text = hasattr(usage, "language")  # which others put in the place of a thing
            text = str(usage) if is_text else self._text(usage, "rdf:value")
            found.append(Label(kind if kind in LABEL_KINDS else "other", text))
        return tuple(sorted(found, key=lambda one: (LABEL_KINDS.index(one.kind), one.text)))

    def _find_references(self, node: Node, concepts: list[Node]) -> tuple[CrossReference, ...]:
        ways = [("see", node, "rdfs:seeAlso")]
        ways += [(kind, node, name) for kind, name in OF_SENSES.items()]
        ways += [(kind, one, name) for kind, name in OF_CONCEPTS.items() for one in concepts]
        found = {
            CrossReference(kind, self.keys.get(target) or encode_key(find_word(str(target))))
            for kind, start, name in ways
            for target in self._all(start, name)
        }
        return tuple(sorted(found, key=lambda one: (REFERENCE_KINDS.index(one.kind), one.key)))


def _order(node: Node) -> tuple[list[str | int], ...]:
    """Names in the order in which people count: example-2 before example-10."""
    parts = _NUMBERS.split(str(node))
    return ([part if i % 2 == 0 else int(part) for i, part in enumerate(parts)],)


def _last_part(address: str) -> str:
    return re.split("[#/]", address)[-1]
