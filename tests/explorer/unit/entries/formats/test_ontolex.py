"""OntoLex-Lemon: read with RDFLib where it is installed; what is said of each kind of thing."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from entry_material import EMPTY, HOSTILE, LEXICON, make_hostile
from grassmeans_explorer.entries.formats.ontolex import (
    PARTS_OF_SPEECH,
    PREFIXES,
    quote,
    write,
)

BASE = "urn:grassmeans:abababababab#"


def test_texts_are_literals():
    assert quote('a"\\\n\r\t') == '"a\\"\\\\\\n\\r\\t"'
    assert quote("crane", "en") == '"crane"@en'
    assert quote("crane", "und") == '"crane"'
    assert quote("\x00") == '"\ufffd"'


def test_vocabularies_are_named_by_their_addresses():
    used = set(
        re.findall(r"\b([a-z]+):[A-Za-z_]", re.sub(r'"(?:\\.|[^"\\])*"', "", write(LEXICON)))
    )
    assert used - {"urn", "http"} <= set(PREFIXES)
    assert set(PARTS_OF_SPEECH.values()) >= {"noun", "properNoun", "verb"}


@pytest.fixture
def graph():
    rdflib = pytest.importorskip("rdflib", reason="RDFLib reads Turtle, and is not installed")
    return rdflib.Graph().parse(data=write(LEXICON), format="turtle")


def ask(graph, question: str) -> set[tuple[str, ...]]:
    """The answers, the variables in the order of the alphabet."""
    head = "".join(f"PREFIX {name}: <{place}>\n" for name, place in PREFIXES.items())
    found = graph.query(f"{head}PREFIX : <{BASE}>\nSELECT * WHERE {{ {question} }}")
    return {
        tuple(str(row[name]).removeprefix(BASE) for name in sorted(found.vars)) for row in found
    }


def test_a_lexicon_has_entries_with_forms_and_senses(graph):
    assert ask(graph, ":lexicon a lime:Lexicon ; lime:language ?a ; lime:entry ?b") == {
        ("en", "e-crane"),
        ("en", "e-bank"),
    }
    assert ask(graph, "?a a ontolex:Word ; ontolex:canonicalForm/ontolex:writtenRep ?b") == {
        ("e-crane", "crane"),
        ("e-bank", "bank"),
    }
    assert ask(graph, ":e-crane ontolex:sense ?a . ?a a ontolex:LexicalSense") == {
        ("e-crane-1",),
        ("e-crane-1-1",),
        ("e-crane-2",),
    }
    assert ask(graph, ":e-crane lexinfo:partOfSpeech ?a") == {(PREFIXES["lexinfo"] + "noun",)}


def test_definitions_belong_to_concepts_and_examples_to_senses(graph):
    assert ask(graph, ":e-crane-1 ontolex:isLexicalizedSenseOf/skos:definition ?a") == {
        ("a large bird with a long neck",)
    }
    assert ask(graph, ":e-crane-1 lexicog:usageExample/rdf:value ?a") == {
        ("The crane flew north.",),
        ("A crane rested.",),
    }
    assert ask(graph, ":e-crane-1 ontolex:usage [ rdf:value ?a ; dct:type ?b ]") == {
        ("zoology", "domain"),
        ("neutral", "register"),
    }


def test_the_order_of_senses_and_their_ways_are_told(graph):
    assert ask(graph, ":e-crane-article rdf:_2/lexicog:describes ?a") == {("e-crane-2",)}
    assert ask(graph, ":e-crane-1-part rdf:_1/lexicog:describes ?a") == {("e-crane-1-1",)}
    assert ask(graph, "?a lexinfo:synonym ?b") == {("e-crane-1", "e-bank-1")}
    assert ask(graph, "?a skos:broader ?b") == {("e-crane-1-1-concept", "e-crane-1-concept")}
    assert ask(graph, ":e-crane rdfs:seeAlso ?a") == {("e-bank",)}


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_comes_back(text):
    rdflib = pytest.importorskip("rdflib", reason="RDFLib reads Turtle, and is not installed")
    found = rdflib.Graph().parse(data=write(make_hostile(text)), format="turtle")
    written = rdflib.URIRef(PREFIXES["ontolex"] + "writtenRep")
    assert [str(value) for value in found.objects(None, written)] == [text]
    definition = rdflib.URIRef(PREFIXES["skos"] + "definition")
    assert [str(value) for value in found.objects(None, definition)] == [text]


def test_an_empty_lexicon_is_one():
    assert ":e-x-article\n    a lexicog:Entry ;\n    lexicog:describes :e-x ." in write(EMPTY)


def test_a_root_of_another_hand_is_no_part_of_an_address():
    written = write(replace(LEXICON, root='> . "a b'))
    assert "@prefix : <urn:grassmeans:ab#> ." in written
    assert "@prefix : <urn:grassmeans:lexicon#> ." in write(replace(LEXICON, root="<>"))
