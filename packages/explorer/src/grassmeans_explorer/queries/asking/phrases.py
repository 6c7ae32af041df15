"""A phrase of the corpus: what it is, what stands near it, and its senses, found when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grassmeans.clustering.settings import AUTO
from grassmeans.collocations.collocates import count_near_words
from grassmeans.pictures.planes import sense_colour
from grassmeans_explorer import limits
from grassmeans_explorer.limits import BoundedCache, Kept
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.asking.typed import told_to_people, understand_typed
from grassmeans_explorer.queries.compare import CollocatesView, NearSettings
from grassmeans_explorer.queries.lookup import check_typed, find_word
from grassmeans_explorer.querying.headwords import Headword
from grassmeans_explorer.querying.phrase_senses import (
    PhraseSenses,
    choose_phrase_lines,
    find_phrase_senses,
)
from grassmeans_explorer.work import begin_long_work, checkpoint

_FEW = 8
_SENSES: Kept[BoundedCache[PhraseSenses]] = Kept(lambda _: BoundedCache(_FEW))
_EXAMPLES = 3
_ENOUGH = 40  # lines, of which a sense that is not rare has some
_OF_A_SENSE = 10
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class HeadwordView:
    """What somebody typed, and how often it stands in the corpus.

    Attributes
    ----------
    kind : str
        ``word``, ``form``, ``possessive``, ``phrase``; ``absent``, which does not occur;
        ``untold``, of which the corpus cannot tell.
    word : str
        What it leads to; the words of a phrase with spaces.
    is_complete : bool
        Whether all of its places were looked at.
    reason : str
        Why there are none, for people.
    """

    asked: str
    kind: str
    word: str
    tokens: tuple[str, ...]
    count: int
    is_complete: bool
    reason: str


def show_headword(opened: OpenModel, asked: str) -> HeadwordView:
    """What something typed is: of the corpus, and where forms lead to, of the model."""
    check_typed(opened, asked)
    found = understand_typed(opened, asked)
    kind, word, count = found.kind, found.word, found.count
    key, _, led_by = find_word(opened, asked)
    if kind != "phrase" and key != word and opened.is_in_corpus(key):
        corpus = opened.require_corpus("looking at lines")
        kind = "possessive" if led_by == "possessive" else "form"
        word, count = key, corpus.count_of(key)
    reason = "" if count else found.reason
    tokens = found.tokens if word == found.word else (word,)
    return HeadwordView(asked, kind, word, tokens, count, found.is_complete, reason)


def require_phrase(opened: OpenModel, asked: str) -> Headword:
    """A word or phrase that has lines; `WordNotFoundError` that says why it has none."""
    check_typed(opened, asked)
    found = understand_typed(opened, asked)
    if not found.count:
        raise limits.WordNotFoundError(found.reason)
    return found


def check_number(opened: OpenModel, n_senses: int | None) -> None:
    """Refuse more senses than are looked for here."""
    most = opened.limits.work.senses
    if n_senses is not None and n_senses > most:
        raise limits.TooMuchError(f"there are at most {most} senses here, got {n_senses}")


def find_senses(opened: OpenModel, asked: str, n_senses: int | None) -> PhraseSenses:
    """The senses of a phrase, so many, or as many as the data say; long, but the first time."""
    check_number(opened, n_senses)
    phrase = require_phrase(opened, asked)
    if phrase.length < 2:
        raise limits.ConflictError(
            f"{phrase.word!r} is a word, not a phrase: look at the word itself"
        )

    def make() -> PhraseSenses:
        begin_long_work()
        checkpoint(0.1)
        with told_to_people():
            return find_phrase_senses(
                opened.require_corpus("looking for senses"),
                phrase,
                opened.base,
                n_senses=AUTO if n_senses is None else n_senses,
                max_contexts=min(opened.limits.work.encoded_lines, opened.limits.work.contexts),
            )

    return _SENSES.of(opened).get_or_make((asked, n_senses), make)


@dataclass(frozen=True, slots=True)
class PhraseLine:
    """A line that shows a sense."""

    left: str
    word: str
    right: str
    document: str


@dataclass(frozen=True, slots=True)
class PhraseSense:
    """A sense of a phrase."""

    number: int
    name: str
    colour: str
    share: float
    n_lines: int  # of those that were looked at
    characteristic_words: tuple[str, ...]
    nearest_words: tuple[str, ...]
    examples: tuple[PhraseLine, ...]


@dataclass(frozen=True, slots=True)
class PhraseSensesView:
    """The senses of a phrase."""

    phrase: str
    count: int
    looked_at: int  # of its occurrences, a random part of many
    unknown: int  # of those, "I don't know"
    verdict: str  # how far these senses can be trusted, for people
    senses: tuple[PhraseSense, ...]


def show_senses(opened: OpenModel, asked: str, n_senses: int | None = None) -> PhraseSensesView:
    """The senses of a phrase as they are shown, with lines of each."""
    found = find_senses(opened, asked, n_senses)
    phrase = require_phrase(opened, asked)
    corpus = opened.require_corpus("looking for senses")
    shown = []
    for sense in found.entry.senses:
        lines = choose_phrase_lines(corpus, found, sense.number, phrase.length, _EXAMPLES)
        shown.append(
            PhraseSense(
                sense.number,
                sense.name,
                sense_colour(sense.number),
                round(float(sense.share), _DIGITS),
                int((found.senses == sense.number).sum()),
                tuple(sense.characteristic_words),
                tuple(sense.nearest_words),
                tuple(PhraseLine(x.left, x.word, x.right, x.document) for x in lines),
            )
        )
    unknown = int((found.senses == 0).sum())
    verdict = judge_senses([one.n_lines for one in shown], len(found.positions), n_senses)
    return PhraseSensesView(
        phrase.word, phrase.count, len(found.positions), unknown, verdict, tuple(shown)
    )


def judge_senses(sizes: Sequence[int], looked_at: int, wished: int | None) -> str:
    """How far senses of so many lines each can be trusted, in a sentence; empty for no doubts."""
    if looked_at < _ENOUGH:
        found = "They show one sense" if len(sizes) == 1 else "These senses are a guess"
        return (
            f"Lines: {looked_at}, which is few. {found}; others may be missing here. From about "
            f"{_ENOUGH} lines on senses can be told apart."
        )
    if len(sizes) == 1:
        return "" if wished else "All lines seem to have one sense: nothing tells two apart."
    small = [str(k) for k, size in enumerate(sizes, 1) if size < _OF_A_SENSE]
    if not small:
        return ""
    return f"Unsure, with fewer than {_OF_A_SENSE} lines: sense {', '.join(small)}."


def find_near_phrase(
    opened: OpenModel,
    asked: str,
    settings: NearSettings,
    sense: int | None = None,
    n_senses: int | None = None,
) -> CollocatesView:
    """The words that stand near a phrase, or near one of its senses."""
    begin_long_work()
    check_number(opened, n_senses)
    phrase = require_phrase(opened, asked)
    positions, share, name = phrase.positions, 1.0, ""
    if sense is not None:
        found = find_senses(opened, asked, n_senses)
        share = len(found.positions) / phrase.count
        name = next((one.name for one in found.entry.senses if one.number == sense), "")
        positions = found.positions[found.senses == sense]
    checkpoint(0.5)
    near = count_near_words(
        opened.require_corpus("looking for collocates"),
        [positions],
        before=settings.before,
        after=settings.after,
        shares=[share],
        length=phrase.length,
    )
    ranked = near.rank(0, by=settings.by, **settings.told)
    sampled = None if share == 1.0 else round(share * phrase.count)
    return CollocatesView(phrase.word, sense, len(positions), sampled, phrase.count, ranked, name)
