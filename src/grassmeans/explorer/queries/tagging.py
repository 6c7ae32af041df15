"""The user's own text: every known word with its sense, and what decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grassmeans.errors import InputError
from grassmeans.explorer.limits import TooMuchError
from grassmeans.explorer.open_model import Corrected, OpenModel
from grassmeans.explorer.queries.words import name_missing
from grassmeans.pictures.planes import sense_colour
from grassmeans.senses.deciding import find_deciding_places
from grassmeans.senses.decoding import MODEL_THRESHOLD, IdkThreshold
from grassmeans.senses.model import SenseModel
from grassmeans.senses.tagging import TaggedText

MOST_WORDS = 200
LARGEST_SHARPNESS = 1_000.0


@dataclass(frozen=True, slots=True)
class TaggedWordView:
    """A word of the text; `grassmeans.senses.tagging.TaggedWord` says what the fields are.

    ``name`` is that of the sense, empty for "I don't know". ``deciding_words`` belong to the
    nearest sense.
    """

    start: int
    end: int
    word: str
    key: str
    sense: int
    label: str
    name: str
    distances: tuple[float, ...]
    probabilities: tuple[float, ...]
    confidence: float | None
    deciding_words: tuple[DecidingWord, ...]


@dataclass(frozen=True, slots=True)
class SenseName:
    """What a sense is called and how it is coloured."""

    number: int
    name: str
    colour: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class TaggedView:
    """A tagged text; ``start`` and ``end`` of the words count characters of ``text``.

    ``senses`` has the senses of every key that occurs, so that another threshold needs no request.
    """

    text: str
    words: tuple[TaggedWordView, ...]
    unknown: tuple[str, ...]
    senses: dict[str, tuple[SenseName, ...]]


def tag_text(
    opened: OpenModel,
    text: str,
    *,
    words: Sequence[str] | None = None,
    idk_threshold: IdkThreshold = MODEL_THRESHOLD,
    sharpness: float | None = None,
) -> TaggedView:
    """Tag every known word of a text, or only those marked ``<b>word</b>``, or only ``words``."""
    most = opened.limits.request.text_characters
    if len(text) > most:
        raise TooMuchError(
            f"a text has at most {most:,} characters here, got {len(text):,}: "
            "cut it, or use `grassmeans tag`"
        )
    if words is not None and len(words) > MOST_WORDS:
        raise TooMuchError(f"at most {MOST_WORDS} words can be chosen, got {len(words):,}")
    if sharpness is not None and sharpness > LARGEST_SHARPNESS:
        raise InputError(f"sharpness is at most {LARGEST_SHARPNESS:g} here, got {sharpness:g}")
    now = opened.now
    model = now.model
    chosen = None if words is None else [word for word in words if word.strip()]
    tagged = model.tag(text, words=chosen, idk_threshold=idk_threshold, sharpness=sharpness)
    deciding = find_deciding_words(model, tagged)
    senses = {key: _name_senses(opened, now, key) for key in {word.key for word in tagged}}
    views = tuple(
        TaggedWordView(
            *(word.start, word.end, word.word, word.key, word.sense, word.label),
            name=senses[word.key][word.sense - 1].name if word.sense else "",
            distances=tuple(round(d, 4) for d in word.distances),
            probabilities=tuple(round(p, 4) for p in word.probabilities),
            confidence=None if word.confidence is None else round(word.confidence, 4),
            deciding_words=deciding[i],
        )
        for i, word in enumerate(tagged)
    )
    return TaggedView(tagged.text, views, tagged.unknown, senses)


def _name_senses(opened: OpenModel, now: Corrected, key: str) -> tuple[SenseName, ...]:
    def make() -> tuple[SenseName, ...]:
        entry = name_missing(opened, now.model.inventory[key])
        names = {sense.number: sense.name for sense in entry.senses}
        hidden = {sense.number for sense in entry.senses if sense.hidden}
        return tuple(
            SenseName(number, names.get(number, ""), sense_colour(number), number in hidden)
            for number in range(1, entry.n_senses + 1)
        )

    return opened.names.get_or_make((key, now.revision(key)), make)


N_DECIDING = 6


@dataclass(frozen=True, slots=True)
class DecidingWord:
    """A context word and its share in the decision for the sense, in [0, 1]."""

    word: str
    weight: float


def find_deciding_words(model: SenseModel, tagged: TaggedText) -> list[tuple[DecidingWord, ...]]:
    """For every tagged word the context words that decided for its nearest sense, heaviest first.

    A word that stands in the context twice has both weights.
    """
    found: list[tuple[DecidingWord, ...]] = []
    for places in find_deciding_places(model, tagged):
        totals: dict[str, float] = {}
        for place in places:
            totals[place.word] = totals.get(place.word, 0.0) + place.weight
        heaviest = sorted(totals.items(), key=lambda item: -item[1])[:N_DECIDING]
        found.append(tuple(DecidingWord(word, round(weight, 4)) for word, weight in heaviest))
    return found
