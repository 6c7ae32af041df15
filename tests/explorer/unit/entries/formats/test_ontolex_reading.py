"""What OntoLex-Lemon holds comes back, by RDFLib; and what other programs say in it."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from entry_material import HOSTILE, LEXICON, make_hostile
from grassmeans.errors import InputError, MissingExtraError
from grassmeans_explorer.entries.entry import (
    KEEP,
    CrossReference,
    DictionaryEntry,
    EntryExample,
    EntrySense,
    Label,
    Lexicon,
    Numbering,
)
from grassmeans_explorer.entries.formats.ontolex import read, write
from grassmeans_explorer.entries.formats.ontolex_vocabulary import PREFIXES

PATH = Path("lexicon.ttl")


def carried(sense: EntrySense) -> EntrySense:
    """What the format has of a sense; labels in the order of their kinds, references too."""
    return replace(
        sense,
        former="",
        collocates=(),
        labels=tuple(sorted(sense.labels, key=lambda one: ("register", "domain").index(one.kind))),
        references=tuple(sorted(sense.references, key=lambda one: one.kind)),
        examples=tuple(replace(one, decision=KEEP) for one in sense.shown),
        senses=tuple(map(carried, sense.senses)),
    )


def test_what_it_holds_comes_back():
    pytest.importorskip("rdflib", reason="RDFLib reads Turtle, and is not installed")
    crane, bank = (
        replace(
            entry,
            status="draft",
            numbering=Numbering(),
            senses=tuple(map(carried, entry.senses)),
        )
        for entry in LEXICON.entries
    )
    expected = replace(LEXICON, entries=(bank, crane), model="", root="")
    assert read(write(LEXICON), PATH) == expected


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_is_read_again(text):
    pytest.importorskip("rdflib", reason="RDFLib reads Turtle, and is not installed")
    (entry,) = read(write(make_hostile(text)), PATH).entries
    (inner,) = entry.senses[0].senses
    assert (entry.word, inner.key, inner.definition) == (text, f"{text}.1", text)
    assert (entry.part_of_speech, inner.part_of_speech) == (text, text)
    assert (entry.notes, inner.notes) == ((text,), (text,))
    assert inner.examples[0].text == text * 3
    assert CrossReference("synonym", f"{text}.1") in inner.references


def test_many_senses_and_examples_keep_their_order():
    pytest.importorskip("rdflib", reason="RDFLib reads Turtle, and is not installed")
    examples = tuple(EntryExample(f"{n} ", "crane", ".") for n in range(12))
    senses = tuple(EntrySense(name=f"n{n}", examples=examples) for n in range(12))
    lexicon = Lexicon((DictionaryEntry("crane", senses=senses),), "en")
    assert read(write(lexicon), PATH) == lexicon


OTHER = """
@prefix ontolex: <http://www.w3.org/ns/lemon/ontolex#> .
@prefix lexinfo: <http://www.lexinfo.net/ontology/3.0/lexinfo#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://example.com/bank> a ontolex:LexicalEntry ; rdfs:label "bank"@en ;
    lexinfo:partOfSpeech lexinfo:commonNoun ; ontolex:sense <http://example.com/bank#1> ;
    rdfs:seeAlso <http://example.com/shore> .
<http://example.com/bank#1> skos:definition "a slope"@en ; ontolex:usage "dated" .
"""


def test_a_lexicon_of_another_program_is_read_as_far_as_we_have_a_place():
    pytest.importorskip("rdflib", reason="RDFLib reads Turtle, and is not installed")
    (entry,) = read(OTHER, PATH).entries
    assert (entry.word, entry.part_of_speech) == ("bank", "commonNoun")
    assert entry.references == (CrossReference("see", "shore"),)
    (sense,) = entry.senses
    assert (sense.key, sense.definition) == ("", "a slope")
    assert sense.labels == (Label("other", "dated"),)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("@prefix", "is no Turtle"),
        ("", "it has no entries"),
        ("<a> a <http://www.w3.org/ns/lemon/ontolex#Word> .", "has no canonical form"),
    ],
)
def test_what_is_wrong_is_told(content, told):
    pytest.importorskip("rdflib", reason="RDFLib reads Turtle, and is not installed")
    with pytest.raises(InputError, match=told):
        read(content, PATH)


def test_components_that_hold_each_other_are_refused():
    pytest.importorskip("rdflib", reason="RDFLib reads Turtle, and is not installed")
    loop = write(LEXICON).replace("rdf:_1 :e-crane-1-1-part", "rdf:_1 :e-crane-1-part")
    with pytest.raises(InputError, match="inside of each other"):
        read(loop, PATH)


def test_components_that_several_hold_are_read_once():
    """Nine rows of ten components, each of which holds all of the next row: 10^9 ways."""
    pytest.importorskip("rdflib", reason="RDFLib reads Turtle, and is not installed")
    prefixes = "".join(f"@prefix {name}: <{address}> ." for name, address in PREFIXES.items())
    rows = "".join(
        f":c{row}-{own} rdf:_{i + 1} :c{row + 1}-{i} ."
        for row in range(9)
        for own in range(10 if row else 1)
        for i in range(10)
    )
    word = ':w a ontolex:Word ; ontolex:canonicalForm [ ontolex:writtenRep "w" ] .'
    begin = ":c0-0 lexicog:describes :w ."
    with pytest.raises(InputError, match="8 levels are the most"):
        read(f"{prefixes}@prefix : <urn:x#> .{word}{begin}{rows}", PATH)
    flat = rows.replace(":c8-", ":c1-")  # a row that stands in the first one, too
    with pytest.raises(InputError, match="inside of each other"):
        read(f"{prefixes}@prefix : <urn:x#> .{word}{begin}{flat}", PATH)
    few = "".join(row + "." for row in rows.split(".") if row[:3] in (":c0", ":c1", ":c2"))
    senses = "".join(
        f":c1-{i} lexicog:describes :s{i} . :w ontolex:sense :s{i} ." for i in range(10)
    )
    (entry,) = read(f"{prefixes}@prefix : <urn:x#> .{word}{begin}{few}{senses}", PATH).entries
    assert len(entry.senses) == 10


def test_without_rdflib_the_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdflib", None)
    with pytest.raises(
        MissingExtraError, match=r"needs the package 'rdflib': .* pip install rdflib"
    ):
        read("", PATH)
