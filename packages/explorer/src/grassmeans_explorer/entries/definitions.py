"""Sentences of a corpus that say what a word means, by patterns of a language.

A pattern looks at what stands in the sentence before the word and after it: "A crane | is a large
bird". What it finds is a proposal: the part that defines, with the sentence that it is from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grassmeans.senses.examples import Candidate

_STOP = r"\s*(?:[.!?…]+[\"'”’»)]*$|[;:])"  # where the sentence ends, or its first part
_PAUSE = r"\s*(?:[.!?…]+[\"'”’»)]*$|[,;:)–—])"
_END = rf"(?P<definition>[^;:]+?){_STOP}"
_COMMA = rf"(?P<definition>[^,;:]+?){_PAUSE}"
# What is the first, the only or the largest is told of a single thing.
_SINGLE = r"(?:\S*\d\S*|[a-z-]{2,}est|first|second|third|only|main|same|most|last)"
_ONE_OF_ITS_KIND = rf"(?!the\s+(?:\S+\s+)?{_SINGLE}\b)"


@dataclass(frozen=True, slots=True)
class DefiningPattern:
    """How a sentence may define a word: what stands before it, and after it."""

    before: str
    """Of the sentence up to the word, as a whole; small letters and capitals are alike."""
    after: str
    """What follows the word; its group ``definition`` is the part that defines."""
    weight: float
    """How surely that is a definition, from 0 to 1."""
    part_of_speech: str = "noun"
    """Of the word, in such a sentence."""


PATTERNS: dict[str, tuple[DefiningPattern, ...]] = {
    "en": (
        DefiningPattern(
            r"(?:.*\s)?(?:term|word)\s+[\"'“‘]?",
            rf"[\"'”’]?\s+(?:means|denotes|describes|(?:is\s+used\s+to\s+)?refers?\s+to)\s+{_END}",
            1.0,
        ),
        DefiningPattern(
            r"(?:an?|the)?\s*", rf"\s+(?:is|are)\s+(?:defined\s+as|a\s+term\s+for)\s+{_END}", 1.0
        ),
        DefiningPattern(r"(?:an?|the)?\s*", rf"\s+(?:means|denotes|refers\s+to)\s+{_END}", 0.9),
        DefiningPattern(r"(?:an?)?\s*", rf"\s+consists\s+of\s+{_END}", 0.6),
        DefiningPattern(
            r"(?:an?)?\s*",
            rf"\s+(?:is|are)\s+(?P<definition>{_ONE_OF_ITS_KIND}(?:an?|any|one\s+of|the)\s[^;:]+?)"
            rf"{_STOP}",
            0.8,
        ),
        # "The bank is the largest in town" speaks of one bank, "The crane is a bird" of all.
        DefiningPattern(
            r"the\s+", rf"\s+is\s+(?P<definition>(?:an?|any|one\s+of)\s[^;:]+?){_STOP}", 0.5
        ),
        DefiningPattern(
            r".*",
            r",\s+(?P<definition>(?:an?|the|any)\s+(?:kind|type|sort|form|species|piece|part)\s+of"
            rf"\s[^,;:]+?){_PAUSE}",
            0.7,
        ),
        DefiningPattern(r"to\s+", rf"\s+is\s+to\s+(?P<definition>[^;:]+?){_STOP}", 0.8, "verb"),
        DefiningPattern(r"(?:an?|the)\s+", r",\s+(?P<definition>an?\s[^,;:]{8,}?)\s*[,;:)]", 0.4),
    ),
    "es": (
        DefiningPattern(
            r"(?:un|una|el|la|los|las)?\s*",
            rf"\s+(?:se\s+define[n]?\s+como|significa[n]?|se\s+refiere[n]?\s+a|designa[n]?)\s+{_END}",
            1.0,
        ),
        DefiningPattern(
            r"(?:un|una|el|la|los|las)?\s*",
            r"\s+(?:es|son)\s+(?P<definition>(?:un|una|unos|unas|cualquier|el|la|los|las)\s[^;:]+?)"
            rf"{_STOP}",
            0.8,
        ),
        DefiningPattern(
            r".*",
            r",\s+(?P<definition>(?:un|una)\s+(?:tipo|clase|especie|forma|parte)\s+de\s[^,;:]+?)"
            rf"{_PAUSE}",
            0.7,
        ),
        DefiningPattern(r"", rf"\s+es\s+(?P<definition>\w*[aeií]r\s[^;:]+?){_STOP}", 0.6, "verb"),
        DefiningPattern(
            r"(?:un|una|el|la)\s+", r",\s+(?P<definition>(?:un|una)\s[^,;:]{8,}?)\s*[,;:)]", 0.4
        ),
    ),
    "de": (
        DefiningPattern(
            r"unter\s+(?:einem|einer|dem|der)?\s*", rf"\s+versteht\s+man\s+{_END}", 1.0
        ),
        DefiningPattern(
            r"(?:ein|eine|der|die|das)?\s*",
            rf"\s+(?:bezeichnet|bedeutet|heißt|meint)\s+{_END}",
            0.9,
        ),
        DefiningPattern(
            r"(?:ein|eine|der|die|das)?\s*",
            r"\s+(?:ist|sind)\s+(?P<definition>(?:ein|eine|einer|eines|der|die|das|jeder|jede|jedes)"
            rf"\s[^;:]+?){_STOP}",
            0.8,
        ),
        DefiningPattern(
            r".*",
            rf",\s+(?P<definition>eine?\s+(?:Art|Form|Sorte|Gattung|Teil)\s[^,;:]+?){_PAUSE}",
            0.7,
        ),
        DefiningPattern(
            r"(?:ein|eine|der|die|das)\s+", rf",\s+(?:also|das\s+heißt|d\.\s?h\.)\s+{_COMMA}", 0.5
        ),
        DefiningPattern(
            r"(?:ein|eine|der|die|das)\s+", r",\s+(?P<definition>eine?\s[^,;:]{8,}?)\s*[,;:)]", 0.4
        ),
    ),
}
"""By language, the surest first."""


@dataclass(frozen=True, slots=True)
class FoundDefinition:
    """A defining sentence of a corpus."""

    text: str
    """The part that defines."""
    sentence: str
    """All of it."""
    document: str
    """Where it is from."""
    part_of_speech: str
    """Of the word in it."""
    score: float
    """How good it is, from 0 to 1."""


_SIGNALS = {
    "en": "is are means denotes refers consists",
    "es": "es son se significa significan designa designan",
    "de": "ist sind bezeichnet bedeutet heißt meint versteht",
}
SIGNALS = {language: frozenset(words.split()) for language, words in _SIGNALS.items()}
"""Words of which one follows the word in most defining sentences, by language."""

_FEWEST_WORDS, _MOST_WORDS = 2, 25
_POINTS = re.compile(
    r"\b(?:his|her|hers|its|their|our|my|your|this|these|that time|here)\b", re.IGNORECASE
)
_NOUNS_HAVE_CAPITALS = ("de",)
_TOO_SPECIAL = 0.6  # of the score, for each thing that is said of a single one
FEWEST_POINTS = 0.3
"""The score below which a sentence is no definition that anybody would take."""


def rate_definition(text: str, word: str, title: str, *, nouns_have_capitals: bool) -> float:
    """How much a definition looks like one, from 0 to 1: a factor of its score.

    Numbers, names, words that point elsewhere and the word itself speak of a single thing or of
    nothing new; a few words or very many define badly. A document that is called as the word is
    has its definition in it.
    """
    words = text.split()
    stem = word.casefold()
    faults = [
        any(character.isdigit() for character in text),
        not nouns_have_capitals and any(one[0].isupper() for one in words[1:]),
        _POINTS.search(text) is not None,
        any(one.strip(".,()\"'").casefold().startswith(stem) for one in words),
        not _FEWEST_WORDS <= len(words) <= _MOST_WORDS,
    ]
    is_about = stem in re.findall(r"\w+", title.casefold())
    return float(_TOO_SPECIAL ** max(sum(faults) - is_about, 0))


def find_definitions(
    candidates: Iterable[Candidate], language: str | None, limit: int = 5
) -> tuple[FoundDefinition, ...]:
    """The sentences that define a word, among occurrences of a sense; the best first.

    A surer pattern, and an occurrence nearer to the sense, are better; what begins far from the
    sense counts half, and so does what is said of a single thing (`rate_definition`). None for a
    language without patterns, and none below `FEWEST_POINTS`.
    """
    short = (language or "").partition("-")[0]
    patterns = PATTERNS.get(short, ())
    found: dict[str, FoundDefinition] = {}
    for candidate in candidates if patterns else ():
        if candidate.is_whole and (one := match_patterns(candidate, patterns, short)):
            found.setdefault(one.text.casefold(), one)
    good = (one for one in found.values() if one.score >= FEWEST_POINTS)
    best = sorted(good, key=lambda one: -one.score)
    return tuple(best[:limit])


def match_patterns(
    candidate: Candidate, patterns: Sequence[DefiningPattern], language: str
) -> FoundDefinition | None:
    """What the first pattern that fits finds in a sentence."""
    capitals = language in _NOUNS_HAVE_CAPITALS
    line = candidate.make_example()
    for pattern in patterns:
        if re.fullmatch(pattern.before, line.left.lstrip("\"'“«„ "), re.IGNORECASE) is None:
            continue
        match = re.match(pattern.after, line.right, re.IGNORECASE)
        if match is not None:
            text = match["definition"]
            rated = rate_definition(
                text, line.word, candidate.document, nouns_have_capitals=capitals
            )
            return FoundDefinition(
                text,
                f"{line.left}{line.word}{line.right}",
                candidate.document,
                pattern.part_of_speech,
                round(pattern.weight * rated * (1.0 - candidate.nearer / 2.0), 4),
            )
    return None
