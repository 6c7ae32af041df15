"""From what somebody typed to a word: of the model, of its vectors, of the corpus, or of nobody.

Capitals and accents, lexemes (``crane.2``), lemmas and inflected forms lead to the word of the
model. Everything else is told of: what it is near to, which words may have been meant, and its
lines in the corpus.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.clustering.loop import sample_evenly
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.editing.sense_edits import visible_senses
from grassmeans.explorer.limits import Kept, TooMuchError
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.work import UNLIMITED, Checkpoint
from grassmeans.reading.given import spell_word
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.keys import decode_key
from grassmeans.vectors.spelling import LONGEST_WORD, SpellingIndex, WordForms

N_NEIGHBOURS = 12
N_SUGGESTIONS = 5
FREQUENT_WORDS = 10_000
CONTEXTS_LOOKED_AT = 64
_TINY = 1e-9
MODEL, VECTORS, CORPUS, NOBODY = "model", "vectors", "corpus", "nobody"
SPELLING, LEMMA, FORM, LEXEME = "spelling", "lemma", "form", "lexeme"
MEANING, PART = "meaning", "part"


FORMS = Kept(lambda opened: WordForms(opened.base.vectors))
"""Which words are forms of which; it takes a second or so to learn."""


_SPELLING = Kept(lambda opened: SpellingIndex(opened.base.words, count_words(opened)))


@dataclass(frozen=True, slots=True)
class NearWord:
    """A word near another one, or a sense of it; ``n_senses`` is 0 where the model has none."""

    word: str
    sense: int | None
    similarity: float
    n_senses: int


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A word of the model, and why it is named: ``form``, ``part``, ``meaning`` or ``spelling``."""

    word: str
    n_senses: int
    reason: str


@dataclass(frozen=True, slots=True)
class FoundWord:
    """A word that was asked for.

    Attributes
    ----------
    asked, word : str
        As it was typed, and as the model (the vectors, the corpus) spells it.
    known_by : str
        ``model``, where it has senses; ``vectors``, ``corpus`` or ``nobody``.
    led_by : str
        What led from the one to the other: ``spelling``, ``lemma``, ``form``, ``lexeme``; empty
        where nothing had to.
    itself : bool
        Whether vectors or corpus have what was asked for too, where one is led to another word.
    sense : int or None
        That a lexeme names.
    count, in_corpus : int or None
        How often the vectors were trained on it, and its occurrences in the corpus.
    neighbours : tuple of NearWord
        By the model's lexemes, by the word's contexts in the corpus, or by its vector: the first
        of them that there is. Only of words without senses.
    """

    asked: str
    word: str
    known_by: str
    led_by: str
    itself: bool
    sense: int | None
    n_senses: int
    count: int | None
    in_corpus: int | None
    is_function_word: bool
    neighbours: tuple[NearWord, ...]
    suggestions: tuple[Suggestion, ...]


def look_up(
    opened: OpenModel, asked: str, *, exact: bool = False, check: Checkpoint = UNLIMITED
) -> FoundWord:
    """What is known of a word; ``exact`` leads nowhere but to its own spelling."""
    check(0.0)
    check_typed(opened, asked)
    key, sense, led_by = find_word(opened, asked, exact=exact)
    plain = spell_word(asked, opened.base.tokenizer)
    itself = (
        bool(led_by)
        and plain != key
        and (plain in opened.base.vectors or opened.is_in_corpus(plain))
    )
    if _has_senses(opened, key):
        return _tell(opened, asked, key, MODEL, led_by=led_by, itself=itself, sense=sense)
    has_vector = key in opened.base.vectors
    known_by = VECTORS if has_vector else CORPUS if opened.is_in_corpus(key) else NOBODY
    return _tell(opened, asked, key, known_by, neighbours=_find_neighbours(opened, key))


def check_typed(opened: OpenModel, asked: str, what: str = "a word") -> None:
    """Refuse what is too long for a word, or for a search."""
    most = opened.limits.request.query_characters
    if len(asked) > most:
        raise TooMuchError(f"{what} has at most {most} characters here, got {len(asked):,}")


def needs_work(opened: OpenModel, asked: str, *, exact: bool = False) -> bool:
    """Whether contexts have to be read from the corpus."""
    if opened.corpus is None or len(asked) > opened.limits.request.query_characters:
        return False
    key = find_word(opened, asked, exact=exact)[0]
    told = _has_senses(opened, key) or (opened.lexemes is not None and key in opened.lexemes)
    return not told and opened.is_in_corpus(key)


def find_word(opened: OpenModel, asked: str, *, exact: bool = False) -> tuple[str, int | None, str]:
    """The key that a word leads to, the sense of a lexeme, and what led there.

    A word that leads nowhere stays what it is, as the tokenizer spells it.
    """
    plain = spell_word(asked, opened.base.tokenizer)
    if _has_senses(opened, asked):
        return asked, None, ""
    if exact:
        return plain, None, ""
    name, sense = decode_key(asked.strip())
    key = opened.key_of(name)
    if sense and _has_senses(opened, key):
        return key, sense, LEXEME
    key = opened.key_of(asked)
    if _has_senses(opened, key):
        led_by = SPELLING if key == plain else LEMMA
        return key, None, "" if asked.strip() == key else led_by
    if alike := _find_same_spelling(opened, asked):
        return alike, None, SPELLING
    if len(plain) <= LONGEST_WORD and not is_function_word(plain, _function_words(opened)):
        base = FORMS.of(opened).find_base(plain, opened.current.inventory)
        if base is not None:
            return base, None, FORM
    return plain, None, ""


def suggest_words(
    opened: OpenModel, word: str, neighbours: Sequence[NearWord] | None = None
) -> tuple[Suggestion, ...]:
    """Words of the model that may have been meant: forms, parts, near ones, those spelt alike.

    The neighbours are those by the word's vector, where they are not known already.
    """
    left_out = _function_words(opened)
    if not word or len(word) > LONGEST_WORD or is_function_word(word, left_out):
        return ()
    inventory = opened.current.inventory
    if neighbours is None:
        neighbours = _find_neighbours(opened, word, contexts=False)
    parts = opened.base.tokenizer.tokenize(word)
    alike = _SPELLING.of(opened).find(word, 2 if neighbours else N_SUGGESTIONS)
    reasons = (
        (FORM, [form.word for form in FORMS.of(opened).find(word, inventory)[:2]]),
        (PART, parts if len(parts) > 1 else []),
        (MEANING, [near.word for near in neighbours if near.n_senses][:N_SUGGESTIONS]),
        (SPELLING, alike),
    )
    found: dict[str, str] = {}
    for reason, names in reasons:
        for name in names:
            if name in inventory:
                found.setdefault(name, reason)
    return tuple(Suggestion(name, _count_senses(opened, name), why) for name, why in found.items())


def _tell(
    opened: OpenModel,
    asked: str,
    key: str,
    known_by: str,
    *,
    led_by: str = "",
    itself: bool = False,
    sense: int | None = None,
    neighbours: Sequence[NearWord] = (),
) -> FoundWord:
    counts, row = opened.base.vectors.counts, opened.base.vectors.id_of(key)
    in_corpus = None
    if opened.corpus is not None:
        in_corpus = opened.corpus.count_of(key) if opened.is_in_corpus(key) else 0
    return FoundWord(
        asked=asked,
        word=key,
        known_by=known_by,
        led_by=led_by,
        itself=itself,
        sense=sense,
        n_senses=_count_senses(opened, key),
        count=None if counts is None or row is None else int(counts[row]),
        in_corpus=in_corpus,
        is_function_word=is_function_word(key, _function_words(opened)),
        neighbours=tuple(neighbours),
        suggestions=() if known_by == MODEL else suggest_words(opened, key, neighbours),
    )


def _find_same_spelling(opened: OpenModel, asked: str) -> str | None:
    found = _SPELLING.of(opened).same_but_for_marks(asked) if len(asked) <= LONGEST_WORD else None
    return found if found is not None and _has_senses(opened, found) else None


def _find_neighbours(opened: OpenModel, key: str, *, contexts: bool = True) -> list[NearWord]:
    """The words nearest to one without senses, by the best that there is."""
    if opened.lexemes is not None and key in opened.lexemes:
        found = opened.lexemes.nearest_lexemes(key, None, 4 * N_NEIGHBOURS)
        keys = [(*decode_key(near.word), near.similarity) for near in found]
        left_out = _told_of(opened, key)
        told = [n for n in keys if not is_function_word(n[0], left_out)][:N_NEIGHBOURS]
        return [
            NearWord(word, sense or None, round(value, 4), _count_senses(opened, word))
            for word, sense, value in told
        ]
    if contexts and opened.is_in_corpus(key):
        # The vector of a rare word says less than where it stands.
        return _find_near_contexts(opened, key)
    vectors = opened.base.vectors
    return _find_near(opened, vectors[key], key) if key in vectors else []


def _find_near(opened: OpenModel, vector: NDArray[np.float32], key: str) -> list[NearWord]:
    """The words nearest to a vector, among frequent ones: rare words are near by accident."""
    vectors, left_out = opened.base.vectors, _told_of(opened, key)
    first = max(FREQUENT_WORDS, len(vectors) // 2)
    found = vectors.nearest(vector[None], 4 * N_NEIGHBOURS, first=first)
    near = (
        (vectors.words[row], value)
        for row, value in zip(found.ids[0], found.similarities[0].tolist(), strict=True)
    )
    told = [n for n in near if n[0] != key and not is_function_word(n[0], left_out)][:N_NEIGHBOURS]
    return [NearWord(n, None, round(value, 4), _count_senses(opened, n)) for n, value in told]


def _find_near_contexts(opened: OpenModel, key: str) -> list[NearWord]:
    """The words that could stand where a word of the corpus does, which has no vector itself."""
    corpus, encoder = opened.require_corpus("looking at contexts"), opened.base.encoder
    positions = corpus.positions(corpus.vocabulary.id_of(key))
    chosen = sample_evenly(positions, CONTEXTS_LOOKED_AT)
    if encoder.lines_have_ends:
        direction = encoder.encode_at(corpus, chosen)[:, 0].sum(axis=0)
    else:  # a line has no end to go to: the words that stand there have
        rows = encoder.describe_at(corpus, chosen)
        around = encoder.vectors.vectors[rows[rows >= 0]]
        direction = (around / np.maximum(np.linalg.norm(around, axis=1), _TINY)[:, None]).sum(
            axis=0
        )
    if not direction.any():
        return []
    return _find_near(opened, np.asarray(direction, np.float32), key)


def _told_of(opened: OpenModel, key: str) -> frozenset[str]:
    """Words that are no neighbours to tell: function words, but of function words."""
    words = _function_words(opened)
    return frozenset() if is_function_word(key, words) else words


def _has_senses(opened: OpenModel, key: str) -> bool:
    """Whether the model has it; a word that was added and taken back has its corrections."""
    return key in opened.current.inventory or key in opened.now.edits


def count_words(opened: OpenModel) -> NDArray[np.int64] | None:
    """(n_words,) how often the vectors were trained on the model's words, where they tell."""
    vectors = opened.base.vectors
    if vectors.counts is None:
        return None
    rows = vectors.ids_of(opened.base.words)
    return np.where(rows >= 0, np.asarray(vectors.counts, np.int64)[rows], 0)


def count_visible(entry: WordSenses) -> int:
    """How many senses of an entry are not hidden; it may have senses that nobody described."""
    return len(visible_senses(entry)) if entry.senses else entry.n_senses


def _count_senses(opened: OpenModel, key: str) -> int:
    inventory = opened.current.inventory
    return count_visible(inventory[key]) if key in inventory else 0


def _function_words(opened: OpenModel) -> frozenset[str]:
    return opened.base.encoder.function_words
