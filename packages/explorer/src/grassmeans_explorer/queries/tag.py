"""The user's own text: every known word with its sense, and what decided.

The answers are those of `SenseModel.tag` on the whole text, or on each line of it. With learned
contexts it takes some twenty times as long to find what decided, so that this is told of one word
at a time, or of all where it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from grassmeans.errors import InputError
from grassmeans.pictures.planes import sense_colour
from grassmeans.senses.decoding import MODEL_THRESHOLD, IdkThreshold
from grassmeans.tagging import explaining
from grassmeans.tagging.marked_text import remove_marks
from grassmeans.tagging.tagging import TaggedWord
from grassmeans_explorer.limits import BoundedCache, Kept, NothingThereError, TooMuchError
from grassmeans_explorer.open_model import Corrected, OpenModel
from grassmeans_explorer.queries.own_lines import are_own_texts, tag_lines
from grassmeans_explorer.queries.words import check_sense, name_missing, require_word
from grassmeans_explorer.work import begin_long_work, checkpoint

MOST_WORDS = 200
LARGEST_SHARPNESS = 1_000.0
N_DECIDING = 6
_MANY = 4096
NAMES: Kept[BoundedCache[tuple[SenseName, ...]]] = Kept(lambda _: BoundedCache(_MANY))
_QUICK_CHARACTERS = 2_000  # to tag more is work that others may have to wait for
_SHARE_OF_ANSWERS = 0.05
_DIGITS = 9
"""Of distances: as many as single precision has, so that a reader's threshold decides as ours."""


@dataclass(frozen=True, slots=True)
class DecidingWord:
    """A context word and its share in the decision for the sense, in [0, 1]."""

    word: str
    weight: float


@dataclass(frozen=True, slots=True)
class TaggedWordView:
    """A word of the text; `grassmeans.tagging.tagging.TaggedWord` says what the fields are.

    ``name`` is that of the sense, empty for "I don't know". ``nearest`` is the sense where "I don't
    know" is no answer, 0 where there is none. ``deciding_words`` belong to it.
    """

    start: int
    end: int
    word: str
    key: str
    sense: int
    label: str
    name: str
    nearest: int
    distances: tuple[float, ...]
    probabilities: tuple[float, ...]
    confidence: float | None
    only_sense: bool
    context: tuple[int, int]
    deciding_words: tuple[DecidingWord, ...] | None  # None where it was not asked for


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
    ``n_marks`` says how often something stands in ``<b>`` and ``</b>``; ``remark`` is there where
    the text seems to be in another language than the model's. ``lines`` says whether each line was
    read by itself.
    """

    text: str
    words: tuple[TaggedWordView, ...]
    unknown: tuple[str, ...]
    senses: dict[str, tuple[SenseName, ...]]
    n_marks: int
    remark: str
    lines: bool


def tag_text(
    opened: OpenModel,
    text: str,
    *,
    words: Sequence[str] | None = None,
    idk_threshold: IdkThreshold = MODEL_THRESHOLD,
    sharpness: float | None = None,
    lines: bool | None = False,
    marks: bool = True,
    deciding: bool = False,
) -> TaggedView:
    """Tag every known word of a text, or only those marked ``<b>word</b>``, or only ``words``.

    With ``lines`` each line is a text of its own; None decides by `own_lines.are_own_texts`.
    """
    check_text(opened, text, words, sharpness)
    if deciding or len(text) > _QUICK_CHARACTERS:
        begin_long_work()
    now = opened.now
    model = now.model
    language = model.check_language()
    by_line = are_own_texts(text) if lines is None else lines
    tagged = (partial(tag_lines, model) if by_line else model.tag)(
        text,
        words=None if words is None else [word for word in words if word.strip()],
        idk_threshold=idk_threshold,
        sharpness=sharpness,
        marks=marks,
        on_progress=lambda share: checkpoint(share * (_SHARE_OF_ANSWERS if deciding else 1.0)),
        check=language,
    )
    senses = {key: _name_senses(opened, now, key) for key in dict.fromkeys(w.key for w in tagged)}
    told: list[tuple[DecidingWord, ...] | None] = [None] * len(tagged)
    if deciding:
        rest = 1.0 - _SHARE_OF_ANSWERS
        places = explaining.find_deciding_places(
            model, tagged, on_progress=lambda share: checkpoint(_SHARE_OF_ANSWERS + rest * share)
        )
        told = [_add_weights(of_word) for of_word in places]
    pairs = zip(tagged.words, told, strict=True)
    views = tuple(_view_word(word, senses[word.key], decided) for word, decided in pairs)
    n_marks = len(remove_marks(text)[1])
    told_language = language.describe()
    return TaggedView(tagged.text, views, tagged.unknown, senses, n_marks, told_language, by_line)


def check_text(
    opened: OpenModel, text: str, words: Sequence[str] | None = None, sharpness: float | None = None
) -> None:
    """Refuse what is too long, or has too many words to choose."""
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


def _view_word(
    word: TaggedWord, senses: Sequence[SenseName], decided: tuple[DecidingWord, ...] | None
) -> TaggedWordView:
    # The nearest sense, or the most frequent one where nothing is known around the word.
    nearest = 0
    if word.distances:
        nearest = 1 + min(range(len(word.distances)), key=word.distances.__getitem__)
    elif max(word.probabilities) > 0.0:
        nearest = 1 + max(range(len(word.probabilities)), key=word.probabilities.__getitem__)
    return TaggedWordView(
        *(word.start, word.end, word.word, word.key, word.sense, word.label),
        name=senses[word.sense - 1].name if word.sense else "",
        nearest=nearest,
        distances=tuple(round(d, _DIGITS) for d in word.distances),
        probabilities=tuple(round(p, 4) for p in word.probabilities),
        confidence=word.confidence,
        only_sense=word.only_sense,
        context=word.context,
        deciding_words=decided,
    )


def _name_senses(opened: OpenModel, now: Corrected, key: str) -> tuple[SenseName, ...]:
    def make() -> tuple[SenseName, ...]:
        entry = name_missing(opened, now.model.inventory[key])
        names = {sense.number: sense.name for sense in entry.senses}
        hidden = {sense.number for sense in entry.senses if sense.hidden}
        return tuple(
            SenseName(number, names.get(number, ""), sense_colour(number), number in hidden)
            for number in range(1, entry.n_senses + 1)
        )

    return NAMES.of(opened).get_or_make((key, now.revision(key)), make)


@dataclass(frozen=True, slots=True)
class Decided:
    """The context words that decided for a sense of a word, heaviest first."""

    key: str
    sense: int
    deciding_words: tuple[DecidingWord, ...]


def explain_word(opened: OpenModel, text: str, start: int, word: str, sense: int) -> Decided:
    """What decided for a sense of one word, by its key, that begins at a place of a text.

    The text is the stretch that decided and nothing else: the characters of
    `TaggedWordView.context`; the sense is `TaggedWordView.nearest`.
    """
    check_text(opened, text)
    if len(text) > _QUICK_CHARACTERS:
        begin_long_work()
    model = opened.current
    key = require_word(opened, word)
    check_sense(key, len(model.inventory.directions(key)), sense)
    decision = explaining.Decision(start, key, sense, (0, len(text)))
    try:
        (places,) = explaining.explain_decisions(model, text, [decision], on_progress=checkpoint)
    except InputError as error:  # no word begins there
        raise NothingThereError(str(error)) from error
    return Decided(key, sense, _add_weights(places))


def _add_weights(places: Sequence[explaining.DecidingPlace]) -> tuple[DecidingWord, ...]:
    """The heaviest words, heaviest first; one that stands in the context twice has both weights."""
    totals: dict[str, float] = {}
    for place in places:
        totals[place.word] = totals.get(place.word, 0.0) + place.weight
    heaviest = sorted(totals.items(), key=lambda item: -item[1])[:N_DECIDING]
    return tuple(DecidingWord(word, round(weight, 4)) for word, weight in heaviest)
