"""Defining sentences, one for each pattern of each language, and sentences that define nothing."""

from __future__ import annotations

import pytest

from grassmeans.corpus.shard import ConcordanceLine
from grassmeans.senses.examples import Candidate
from grassmeans_explorer.entries.definitions import (
    OF_A_KIND,
    OPENERS,
    PATTERNS,
    SIGNALS,
    find_definitions,
    is_called,
    rate_definition,
)


def read(text: str, *, nearer: float = 0.0, document: str = "d") -> Candidate:
    """A candidate whose word is between stars."""
    left, word, right = text.split("*")
    return Candidate.read(ConcordanceLine(left, word, right, 0, document, ""), 0.5, nearer)


@pytest.mark.parametrize(
    ("language", "text", "definition", "weight", "part_of_speech"),
    [
        ("en", "A *bank* is defined as an edge of water.", "an edge of water", 1.0, "noun"),
        ("en", "*Whale* (from Norse) is the common name for mammals of the sea.",
         "mammals of the sea", 1.0, "noun"),
        ("en", 'The related term "*bank*" refers to the land by a river.', "the land by a river",
         1.0, "noun"),
        ("en", "The *bank* means the slope by a river.", "the slope by a river", 0.9, "noun"),
        ("en", "*Banks* are the edges of a river; see there.", "the edges of a river", 0.8, "noun"),
        ("en", "A *glacier* (from French (old)) is a body of ice.", "a body of ice", 0.8, "noun"),
        ("en", "In phonetics, a *vowel* is a sound of the open mouth.", "a sound of the open mouth",
         0.8, "noun"),
        ("en", "The *violin*, also known as a fiddle, is an instrument with strings.",
         "an instrument with strings", 0.5, "noun"),
        ("en", "The *crane* is a bird with a neck.", "a bird with a neck", 0.5, "noun"),
        ("en", "The *cell* is the basic unit of life.", "the basic unit of life", 0.4, "noun"),
        ("en", "*Kidneys* are bean-shaped organs that serve the blood.",
         "bean-shaped organs that serve the blood", 0.6, "noun"),
        ("en", "A *court* consists of several judges with gowns.", "several judges with gowns", 0.6,
         "noun"),
        ("en", "He saw a *crane*, a kind of bird, there.", "a kind of bird", 0.7, "noun"),
        ("en", "To *bank* is to tilt a plane.", "tilt a plane", 0.8, "verb"),
        ("en", "The *crane*, a bird with a neck, flew.", "a bird with a neck", 0.4, "noun"),
        ("en", "A *bank* is a name of, e.g. a firm.", "a name of, e.g. a firm", 0.8, "noun"),
        ("es", "El *banco* se define como un asiento para tres.", "un asiento para tres", 1.0,
         "noun"),
        ("es", "Una *grulla* es un ave con cuello.", "un ave con cuello", 0.8, "noun"),
        ("es", "Vimos la *grulla*, una especie de ave, allí.", "una especie de ave", 0.7, "noun"),
        ("es", "*Correr* es ir deprisa por el campo.", "ir deprisa por el campo", 0.6, "verb"),
        ("es", "La *grulla*, un ave del norte, voló.", "un ave del norte", 0.4, "noun"),
        ("de", "Unter einer *Bank* versteht man ein Möbel zum Sitzen.", "ein Möbel zum Sitzen", 1.0,
         "noun"),
        ("de", "Die *Bank* bezeichnet ein Möbel aus Holz.", "ein Möbel aus Holz", 0.9, "noun"),
        ("de", "Ein *Kranich* ist ein Vogel mit Hals.", "ein Vogel mit Hals", 0.8, "noun"),
        ("de", "Wir sahen Kraniche und *Reiher*, eine Art Vogel mit Hals, dort.",
         "eine Art Vogel mit Hals", 0.7, "noun"),
        ("de", "Die *Bank*, also das Möbel, war alt.", "das Möbel", 0.5, "noun"),
        ("de", "Der *Kranich*, ein Vogel mit Hals, flog.", "ein Vogel mit Hals", 0.4, "noun"),
    ],
)  # fmt: skip
def test_every_pattern_finds_its_sentence(language, text, definition, weight, part_of_speech):
    (found,) = find_definitions([read(text, document=text.split("*")[1])], language)
    assert (found.text, found.score) == (definition, weight)
    assert found.part_of_speech == part_of_speech
    assert found.sentence == text.replace("*", "")
    assert weight in [pattern.weight for pattern in PATTERNS[language]]


@pytest.mark.parametrize(
    "text",
    [
        "The *crane* flew over the river.",
        "We saw that the *crane* is a bird.",  # what somebody saw, and no definition
        "The *crane* was a gift of the town.",
        "The *bank* is the 15th-largest custodian of gold.",  # of a single one
        "*Plant* is the largest building ever built.",
        "*Bank* is the second oldest of the town.",
        "The *court* consists of thirteen judges.",
        "*Crane* Smith is here.",
        "The *crane* is one of the largest birds of the north.",
        "*Lions* are the only members of the family.",
        "*Cranes* are often birds of the north.",  # what they often are
        "*Cranes* are protected in parts of Asia.",
        'A *vowel* is a sound such as "oh.',  # cut inside of a quotation
        "The *crane* is a listed structure.",  # one of which kind?
        "A *crane* is a bird; and so on, without an end",  # no whole sentence
    ],
)
def test_other_sentences_define_nothing(text):
    assert find_definitions([read(text)], "en") == ()


def test_the_surest_and_nearest_come_first_and_none_twice():
    about = "Crane (bird)"
    candidates = [
        read("A *crane* is a bird of the north.", nearer=0.5, document=about),
        read("A *crane* means a bird with a neck.", nearer=1.0, document=about),
        read("The *crane* is A BIRD of the north.", nearer=0.6, document=about),
        read("The *crane*, a bird of the sea, flew.", document=about),
    ]
    found = find_definitions(candidates, "en-GB")
    # 0.8 (1 - 0.25), 0.9 (1 - 0.5) and 0.4
    assert [one.score for one in found] == [0.6, 0.45, 0.4]
    assert found[2].document == about
    assert len(find_definitions(candidates, "en", limit=1)) == 1


@pytest.mark.parametrize(
    ("text", "title", "score"),
    [
        ("a large bird with a long neck", "d", 0.75),
        ("a large bird with a long neck", "Crane (bird)", 1.0),
        ("about 70% of it", "d", 0.45),  # a number
        ("a bird of the Nile", "d", 0.45),  # a name
        ("a gift of their town", "d", 0.45),
        ("a crane with a red crown", "d", 0.45),  # the word itself
        ("of birds and the sea", "d", 0.75),
        ("birds", "d", 0.27),  # too short, and of no kind
        ("a listed structure", "Crane", 0.6),  # of no kind, which no title makes good
        ("one of 15 birds of the Nile", "d", 0.27),  # two faults
        ("one of 15 birds of the Nile", "Crane (bird)", 0.6),  # but the document is about it
        ("an important part of nature", "Crane", 0.6),
        ("a bird, usually with a neck", "d", 0.75),
        ("a bird, meaning that it flies", "d", 0.45),
        (" ".join(["bird", "of"] * 13), "d", 0.45),
    ],
)
def test_what_is_said_of_a_single_thing_is_a_worse_definition(text, title, score):
    assert round(rate_definition(text, "Crane", title, "en"), 4) == score


@pytest.mark.parametrize(
    ("title", "is_it"),
    [
        ("Crane", True),
        ("Cranes (birds)", True),
        ("Tower crane", True),
        ("Hart Crane", False),  # a name
        ("Crane fly", False),
        ("Cranes (2001 film)", False),
        ("Cranesbill", False),
        ("", False),
        ("(untitled)", False),
    ],
)
def test_what_a_document_is_about(title, is_it):
    assert is_called(title, "crane", nouns_have_capitals=False) == is_it


def test_what_a_sentence_says_besides_is_no_part_of_the_definition():
    text = "A *seal* is a device for making prints, and is also the print."
    (found,) = find_definitions([read(text, document="Seal")], "en")
    assert found.text == "a device for making prints"
    assert found.sentence.endswith("the print.")


def test_definitions_may_be_longer_than_examples():
    text = "A *crane* is a bird of the north; " + "and so on " * 20 + "for ever."
    candidate = read(text, document="Crane")
    assert not candidate.is_whole
    (found,) = find_definitions([candidate], "en")
    assert found.text == "a bird of the north"


def test_nouns_with_capitals_are_no_names():
    assert rate_definition("ein großer Vogel mit Hals", "Kranich", "Kranich", "de") == 1.0


def test_poor_definitions_are_not_told():
    # 0.8 for "A ... is a", 0.75 elsewhere, 0.6 for the name: at least 0.3; with the number, less
    assert find_definitions([read("A *crane* is a bird of Asia.")], "en")[0].score == 0.36
    assert find_definitions([read("A *crane* is a bird of Asia 9.")], "en") == ()


def test_a_language_without_patterns_has_none():
    assert find_definitions([read("A *crane* is a bird.")], "fr") == ()
    assert find_definitions([read("A *crane* is a bird.")], None) == ()


def test_signals_are_of_languages_with_patterns():
    assert SIGNALS.keys() == PATTERNS.keys()
    assert SIGNALS.keys() == OPENERS.keys() == OF_A_KIND.keys()
    assert {"is", "are", "means"} <= SIGNALS["en"]
