"""Sentences of a corpus that say what a word means, by patterns of a language.

A pattern looks at what stands in the sentence before the word and after it: "A crane | is a large
bird". What it finds is a proposal: the part that defines, with the sentence that it is from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grassmeans.senses.examples import Candidate
from grassmeans.text.sentences import is_complete

_STOP = r"\s*(?:[.!?…]+[\"'”’»)]*$|[;:])"  # where the sentence ends, or its first part
_PAUSE = r"\s*(?:[.!?…]+[\"'”’»)]*$|[,;:)–—])"
_END = rf"(?P<definition>[^;:]+?){_STOP}"
_COMMA = rf"(?P<definition>[^,;:]+?){_PAUSE}"
# What is the first, the only or the largest is told of a single thing.
_SINGLE = r"(?:\S*\d\S*|[a-z-]{2,}est|first|second|third|only|main|same|most|last)"
_ONE_OF_ITS_KIND = rf"(?!(?:one\s+of\s+)?the\s+(?:\S+\s+)?{_SINGLE}\b)"
# "A glacier (from French) is ...", "The violin, also known as a fiddle, is ..."
_ASIDE = r"(?:\s*\([^()]*(?:\([^()]*\)[^()]*)*\)|,\s[^,;:()]{2,60},){0,2}"
_FIELD = r"(?:in\s[^,;:]{3,40},\s+)?"  # "In phonetics, a vowel is ..."
_NO_KIND = (
    r"(?!(?:the|some|many|other|such|\w+ed|\w+ly|also|often|very|more|most|less|as|no|not|in|on|at|from|to|of|all|both|now|"
    r"still|usually|sometimes)\s)"
)
_GENUS = r"(?:[\w-]+\s+){0,3}[\w-]+s"  # "bean-shaped organs"


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
            rf"{_FIELD}(?:an?|the)?\s*",
            rf"{_ASIDE}\s+(?:is|are)\s+(?:defined\s+as|(?:a|the)\s+(?:common\s+)?(?:term|name)\s+for)"
            rf"\s+{_END}",
            1.0,
        ),
        DefiningPattern(
            rf"{_FIELD}(?:an?|the)?\s*", rf"{_ASIDE}\s+(?:means|denotes|refers\s+to)\s+{_END}", 0.9
        ),
        DefiningPattern(r"(?:an?)?\s*", rf"\s+consists\s+of\s+{_END}", 0.6),
        DefiningPattern(
            rf"{_FIELD}(?:an?)?\s*",
            rf"{_ASIDE}\s+(?:is|are)\s+"
            rf"(?P<definition>{_ONE_OF_ITS_KIND}(?:an?|any|one\s+of|the)\s[^;:]+?){_STOP}",
            0.8,
        ),
        # "The bank is the largest in town" speaks of one bank, "The crane is a bird" of all.
        DefiningPattern(
            rf"{_FIELD}the\s+",
            rf"{_ASIDE}\s+is\s+(?P<definition>{_ONE_OF_ITS_KIND}(?:an?|any|one\s+of)\s[^;:]+?){_STOP}",
            0.5,
        ),
        DefiningPattern(
            rf"{_FIELD}the\s+",
            rf"{_ASIDE}\s+is\s+(?P<definition>{_ONE_OF_ITS_KIND}the\s[^;:]+?){_STOP}",
            0.4,
        ),
        DefiningPattern(
            rf"{_FIELD}(?:the\s+)?",
            rf"{_ASIDE}\s+are\s+(?P<definition>{_NO_KIND}{_GENUS}\s+(?:that|which|of|used|for|in|who|whose|"
            rf"made|with)\s[^;:]+?){_STOP}",
            0.6,
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
_OPENERS = {
    "en": "a an any one the defined",
    "es": "un una unos unas cualquier el la los las",
    "de": "ein eine einer eines jeder jede jedes der die das",
}
OPENERS = {language: frozenset(words.split()) for language, words in _OPENERS.items()}
"""Words with which what defines begins after most signals, by language."""
_OF_A_KIND = {
    "en": (
        "that which who whom whose where when for of to with without used made by consisting "
        "containing designed classified found living in from into between as"
    ),
    "es": "que quien cuyo cuya donde de del para con sin por en entre como",
    "de": (
        "der die das den dem dessen deren wo für von vom mit ohne zu zum zur aus in im zwischen "
        "als an am"
    ),
}
_MOSTLY = ("usually", "often", "mostly", "typically", "generally", "normalmente", "meist")
OF_A_KIND = {language: frozenset(words.split()) for language, words in _OF_A_KIND.items()}
"""Words that tell what is defined from others of its kind ("a bird *with* a long neck")."""

_FEWEST_WORDS, _MOST_WORDS = 2, 25
_POINTS = re.compile(
    r"\b(?:his|her|hers|its|their|our|my|your|this|these|that time|here)\b", re.IGNORECASE
)
_OF_A_WORK = re.compile(r"\([^()]*\b(?:album|band|film|game|novel|series|single|song)\)$")
_SAYS_LITTLE = re.compile(r"\b(?:example|important|importante|ejemplo|wichtige[rs]?|Beispiel)\b")
# What else a sentence says of it: "a bird with a long neck, and is protected"
_GOES_ON = {
    "en": re.compile(
        r",?\s+(?:and|but)\s+(?:(?:is|are|was|were|has|have|had|can|may|will|it|they)\b|its\s).*$"
    )
}
_NOUNS_HAVE_CAPITALS = ("de",)
_TOO_SPECIAL = 0.6  # of the score, for each thing that is said of a single one
_ELSEWHERE = 0.75  # of the score, outside of a document about the word
_ENDING = 2  # letters of a plural
FEWEST_POINTS = 0.3
"""The score below which a sentence is no definition that anybody would take."""


def rate_definition(
    text: str, word: str, title: str, language: str, part_of_speech: str = "noun"
) -> float:
    """How much a definition looks like one, from 0 to 1: a factor of its score.

    Numbers, names, words that point elsewhere and the word itself speak of a single thing or of
    nothing new; a few words or very many define badly, and so does what names a kind alone ("a
    listed structure"). A document that is called as the word has its definition in it; elsewhere a
    sentence says more often what one thing of that kind is.
    """
    words = text.split()
    stem = word.casefold()
    capitals = language in _NOUNS_HAVE_CAPITALS
    faults = [
        any(character.isdigit() for character in text),
        not capitals and any(one[0].isupper() for one in words[1:]),
        _POINTS.search(text) is not None,
        any(one.strip(".,()\"'").casefold().startswith(stem) for one in words),
        not _FEWEST_WORDS <= len(words) <= _MOST_WORDS,
    ]
    is_about = is_called(title, stem, nouns_have_capitals=capitals)
    n_faults = max(sum(faults) - is_about, 0)
    if part_of_speech == "noun":
        n_faults += not tells_apart(text, language)
    return float((1.0 if is_about else _ELSEWHERE) * _TOO_SPECIAL**n_faults)


def tells_apart(text: str, language: str) -> bool:
    """Whether a definition tells a thing from others of its kind, in what it says first.

    Clauses that follow count where they begin with it: "a string instrument, usually with four
    strings". So does every text in a language whose words for that we do not know.
    """
    known = OF_A_KIND.get(language)
    if _SAYS_LITTLE.search(text) is not None:
        return False
    first, *others = (re.findall(r"\w+", part) for part in re.split(r"[,(–—]", text.casefold()))
    if known is None or not known.isdisjoint(first):
        return True
    begins = (own[1:] if own[0] in _MOSTLY else own for own in others if own)
    return any(own[:1] and own[0] in known for own in begins)


def is_called(title: str, word: str, *, nouns_have_capitals: bool) -> bool:
    """Whether a document is about a word: "Crane (bird)", "Cranes", "Electric charge".

    The last of several words in a title is what it is about; with a capital it is in a name.
    """
    plain = re.sub(r"\s*\(.*", "", title).split()
    if not plain or _OF_A_WORK.search(title) is not None:
        return False
    last, word = plain[-1], word.casefold()
    if len(plain) > 1 and not nouns_have_capitals and not last.islower():
        return False
    short, long = sorted((last.casefold(), word), key=len)
    return long.startswith(short) and len(long) - len(short) <= _ENDING


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
        if one := match_patterns(candidate, patterns, short):
            found.setdefault(one.text.casefold(), one)
    good = (one for one in found.values() if one.score >= FEWEST_POINTS)
    best = sorted(good, key=lambda one: -one.score)
    return tuple(best[:limit])


def match_patterns(
    candidate: Candidate, patterns: Sequence[DefiningPattern], language: str
) -> FoundDefinition | None:
    """What the first pattern that fits finds in a sentence, be it longer than an example."""
    split = _split_sentence(candidate)
    if split is None:
        return None
    left, word, right = split
    for pattern in patterns:
        if re.fullmatch(pattern.before, left.lstrip("\"'“«„ "), re.IGNORECASE) is None:
            continue
        match = re.match(pattern.after, right, re.IGNORECASE)
        if match is not None:
            text = match["definition"]
            if language in _GOES_ON:
                text = _GOES_ON[language].sub("", text)
            if text.count('"') % 2 or text.count("(") != text.count(")"):
                return None  # a sentence that was cut inside
            rated = rate_definition(
                text, word, candidate.document, language, pattern.part_of_speech
            )
            return FoundDefinition(
                text,
                f"{left}{word}{right}",
                candidate.document,
                pattern.part_of_speech,
                round(pattern.weight * rated * (1.0 - candidate.nearer / 2.0), 4),
            )
    return None


def _split_sentence(candidate: Candidate) -> tuple[str, str, str] | None:
    """The sentence of a candidate around its word; None where it is not whole."""
    if not candidate.is_whole and not is_complete(candidate.sentence):
        return None
    line = candidate.line
    left = line.left[candidate.begin :]
    right = line.right[: candidate.end - len(line.left) - len(line.word)]
    left, right = (" ".join(f"<{side}>".split())[1:-1] for side in (left, right))
    return left.lstrip(), line.word, right.rstrip()
