"""Defining sentences, one for each pattern of each language, and sentences that define nothing."""

from __future__ import annotations

import pytest

from grassmeans.corpus.shard import ConcordanceLine
from grassmeans.senses.examples import Candidate
from grassmeans_explorer.entries.definitions import (
    PATTERNS,
    SIGNALS,
    find_definitions,
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
        ("en", 'The related term "*bank*" refers to the land by a river.', "the land by a river",
         1.0, "noun"),
        ("en", "The *bank* means the slope by a river.", "the slope by a river", 0.9, "noun"),
        ("en", "*Banks* are the edges of a river; see there.", "the edges of a river", 0.8, "noun"),
        ("en", "The *crane* is a large bird.", "a large bird", 0.5, "noun"),
        ("en", "A *court* consists of several judges.", "several judges", 0.6, "noun"),
        ("en", "He saw a *crane*, a kind of bird, there.", "a kind of bird", 0.7, "noun"),
        ("en", "To *bank* is to tilt a plane.", "tilt a plane", 0.8, "verb"),
        ("en", "The *crane*, a large bird, flew.", "a large bird", 0.4, "noun"),
        ("en", "A *bank* is a name, e.g. of a firm.", "a name, e.g. of a firm", 0.8, "noun"),
        ("es", "El *banco* se define como un asiento largo.", "un asiento largo", 1.0, "noun"),
        ("es", "Una *grulla* es un ave grande.", "un ave grande", 0.8, "noun"),
        ("es", "Vimos la *grulla*, una especie de ave, allí.", "una especie de ave", 0.7, "noun"),
        ("es", "*Correr* es ir deprisa por el campo.", "ir deprisa por el campo", 0.6, "verb"),
        ("es", "La *grulla*, un ave muy grande, voló.", "un ave muy grande", 0.4, "noun"),
        ("de", "Unter einer *Bank* versteht man ein Möbel.", "ein Möbel", 1.0, "noun"),
        ("de", "Die *Bank* bezeichnet ein langes Möbel.", "ein langes Möbel", 0.9, "noun"),
        ("de", "Ein *Kranich* ist ein großer Vogel.", "ein großer Vogel", 0.8, "noun"),
        ("de", "Wir sahen Kraniche und *Reiher*, eine Art Vogel, dort.", "eine Art Vogel", 0.7,
         "noun"),
        ("de", "Die *Bank*, also das Möbel, war alt.", "das Möbel", 0.5, "noun"),
        ("de", "Der *Kranich*, ein großer Vogel, flog.", "ein großer Vogel", 0.4, "noun"),
    ],
)  # fmt: skip
def test_every_pattern_finds_its_sentence(language, text, definition, weight, part_of_speech):
    (found,) = find_definitions([read(text)], language)
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
        "A *crane* is a bird; and so on, without an end",  # no whole sentence
    ],
)
def test_other_sentences_define_nothing(text):
    assert find_definitions([read(text)], "en") == ()


def test_the_surest_and_nearest_come_first_and_none_twice():
    candidates = [
        read("A *crane* is a bird of the north.", nearer=0.5),
        read("A *crane* means a bird with a neck.", nearer=1.0),
        read("The *crane* is A BIRD of the north.", nearer=0.6),
        read("The *crane*, a large bird, flew.", document="e"),
    ]
    found = find_definitions(candidates, "en-GB")
    # 0.8 (1 - 0.25), 0.9 (1 - 0.5) and 0.4
    assert [one.score for one in found] == [0.6, 0.45, 0.4]
    assert found[2].document == "e"
    assert len(find_definitions(candidates, "en", limit=1)) == 1


@pytest.mark.parametrize(
    ("text", "title", "score"),
    [
        ("a large bird with a long neck", "d", 1.0),
        ("about 70% metal", "d", 0.6),  # a number
        ("a bird of the Nile", "d", 0.6),  # a name
        ("a gift of their town", "d", 0.6),
        ("a crane with a red crown", "d", 0.6),  # the word itself
        ("birds", "d", 0.6),  # too short
        ("one of 15 birds of the Nile", "d", 0.36),  # two faults
        ("one of 15 birds of the Nile", "Crane (bird)", 0.6),  # but the document is about it
        (" ".join(["bird"] * 26), "d", 0.6),
    ],
)
def test_what_is_said_of_a_single_thing_is_a_worse_definition(text, title, score):
    assert round(rate_definition(text, "Crane", title, nouns_have_capitals=False), 4) == score


def test_nouns_with_capitals_are_no_names():
    rated = rate_definition("ein großer Vogel", "Kranich", "d", nouns_have_capitals=True)
    assert rated == 1.0


def test_poor_definitions_are_not_told():
    # 0.5 for "The ... is a", 0.6 for the name: at least 0.3; with the number, less
    assert find_definitions([read("The *crane* is a bird of Asia.")], "en")[0].score == 0.3
    assert find_definitions([read("The *crane* is a bird of Asia 9.")], "en") == ()


def test_a_language_without_patterns_has_none():
    assert find_definitions([read("A *crane* is a bird.")], "fr") == ()
    assert find_definitions([read("A *crane* is a bird.")], None) == ()


def test_signals_are_of_languages_with_patterns():
    assert SIGNALS.keys() == PATTERNS.keys()
    assert {"is", "are", "means"} <= SIGNALS["en"]
