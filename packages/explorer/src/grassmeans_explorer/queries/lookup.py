"""From what somebody typed to a word: of the model, of its vectors, of the corpus, or of nobody.

Capitals and accents, lexemes (``crane.2``), lemmas and inflected forms lead to the word of the
model. Everything else is told of: what it is near to, which words may have been meant, and its
lines in the corpus.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grassmeans.arrays import Floats, Indices
from grassmeans.clustering.loop import sample_evenly
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.reading.given import spell_word
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.keys import decode_key
from grassmeans_explorer.editing.sense_edits import visible_senses
from grassmeans_explorer.limits import Kept, TooMuchError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.asking.typed import understand_typed
from grassmeans_explorer.queries.spelling import LONGEST_WORD, SpellingIndex, WordForms
from grassmeans_explorer.querying.headwords import PHRASE, POSSESSIVE, WORD, Headword, find_owner
from grassmeans_explorer.work import begin_long_work

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
        ``model``, where it has senses; ``vectors``, ``corpus`` or ``nobody``; ``phrase`` for words
        in a row that the corpus has.
    led_by : str
        What led from the one to the other: ``spelling``, ``lemma``, ``form``, ``possessive``,
        ``lexeme``; empty where nothing had to.
    itself : bool
        Whether vectors or corpus have what was asked for too, where one is led to another word.
    sense : int or None
        That a lexeme names.
    count, in_corpus : int or None
        How often the vectors were trained on it, and its occurrences in the corpus.
    neighbours : tuple of NearWord
        By the model's lexemes, by the word's contexts in the corpus, or by its vector: the first
        of them that there is. Only of words without senses.
    reason : str
        Why the corpus has no lines of it, where it has none.
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
    reason: str = ""


def look_up(opened: OpenModel, asked: str, *, exact: bool = False) -> FoundWord:
    """What is known of a word; ``exact`` leads nowhere but to its own spelling.

    It is long where contexts have to be read from the corpus, or a phrase looked for.
    """
    check_typed(opened, asked)
    key, sense, led_by = find_word(opened, asked, exact=exact)
    reason = ""
    if opened.corpus is not None and not _has_senses(opened, key) and not opened.is_in_corpus(key):
        typed = understand_typed(opened, asked)
        if typed.kind == PHRASE:
            return _tell_phrase(opened, typed)
        if typed.count:  # a possessive, or other capitals, of a word that only the corpus has
            key, led_by = typed.word, SPELLING if typed.kind == WORD else typed.kind
        reason = typed.reason
    vectors, corpus = opened.base.vectors, opened.corpus
    plain = spell_word(asked, opened.base.tokenizer)
    is_other = bool(led_by) and plain != key
    in_model = _has_senses(opened, key)
    in_corpus = opened.is_in_corpus(key)
    known_by = VECTORS if key in vectors else CORPUS if in_corpus else NOBODY
    neighbours = [] if in_model else _find_neighbours(opened, key)
    row = vectors.id_of(key)
    return FoundWord(
        asked=asked,
        word=key,
        known_by=MODEL if in_model else known_by,
        led_by=led_by,
        itself=is_other and (plain in vectors or opened.is_in_corpus(plain)),
        sense=sense,
        n_senses=_count_senses(opened, key),
        count=None if vectors.counts is None or row is None else int(vectors.counts[row]),
        in_corpus=None if corpus is None else corpus.count_of(key) if in_corpus else 0,
        is_function_word=is_function_word(key, opened.base.encoder.function_words),
        neighbours=tuple(neighbours),
        suggestions=() if in_model else suggest_words(opened, key, neighbours),
        reason=reason,
    )


def _tell_phrase(opened: OpenModel, phrase: Headword) -> FoundWord:
    """A phrase of the corpus; its words are suggested."""
    return FoundWord(
        asked=phrase.asked,
        word=phrase.word,
        known_by=PHRASE,
        led_by="",
        itself=False,
        sense=None,
        n_senses=0,
        count=None,
        in_corpus=phrase.count,
        is_function_word=False,
        neighbours=(),
        suggestions=tuple(
            Suggestion(word, _count_senses(opened, word), PART)
            for word in dict.fromkeys(phrase.tokens)
            if _has_senses(opened, word)
        ),
    )


def check_typed(opened: OpenModel, asked: str, what: str = "a word") -> None:
    """Refuse what is too long for a word, or for a search."""
    most = opened.limits.request.query_characters
    if len(asked) > most:
        raise TooMuchError(f"{what} has at most {most} characters here, got {len(asked):,}")


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
    owner = find_owner(asked, opened.base.language)
    if owner is not None and plain not in opened.base.vectors and not opened.is_in_corpus(plain):
        # "crane's" is no other spelling of "cranes".
        own = spell_word(owner, opened.base.tokenizer)
        if is_function_word(own, opened.base.encoder.function_words):
            return plain, None, ""
        key, sense, _ = find_word(opened, owner)
        return (key, sense, POSSESSIVE) if _is_known(opened, key) else (plain, None, "")
    alike = _SPELLING.of(opened).same_but_for_marks(asked) if len(asked) <= LONGEST_WORD else None
    if alike is not None and _has_senses(opened, alike):
        return alike, None, SPELLING
    function_words = opened.base.encoder.function_words
    if len(plain) <= LONGEST_WORD and not is_function_word(plain, function_words):
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
    function_words = opened.base.encoder.function_words
    if not word or len(word) > LONGEST_WORD or is_function_word(word, function_words):
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


def _find_neighbours(opened: OpenModel, key: str, *, contexts: bool = True) -> list[NearWord]:
    """The words nearest to one without senses, by the best that there is."""
    if opened.lexemes is not None and key in opened.lexemes:
        found = opened.lexemes.nearest_lexemes(key, None, 4 * N_NEIGHBOURS)
        return _tell_near(opened, key, [(*decode_key(n.word), n.similarity) for n in found])
    if contexts and opened.is_in_corpus(key):
        # The vector of a rare word says less than where it stands.
        direction = _sum_contexts(opened, key)
        return _find_near(opened, direction, key) if direction.any() else []
    vectors = opened.base.vectors
    return _find_near(opened, vectors[key], key) if key in vectors else []


def _find_near(opened: OpenModel, vector: Floats, key: str) -> list[NearWord]:
    """The words nearest to a vector, among frequent ones: rare words are near by accident."""
    vectors = opened.base.vectors
    first = max(FREQUENT_WORDS, len(vectors) // 2)
    found = vectors.nearest(vector[None], 4 * N_NEIGHBOURS, first=first)
    words = (vectors.words[row] for row in found.ids[0])
    near = zip(words, found.similarities[0].tolist(), strict=True)
    return _tell_near(opened, key, [(word, None, value) for word, value in near if word != key])


def _tell_near(
    opened: OpenModel, key: str, near: Sequence[tuple[str, int | None, float]]
) -> list[NearWord]:
    """The first of words, senses and similarities; without function words, but of one."""
    left_out = opened.base.encoder.function_words
    if is_function_word(key, left_out):
        left_out = frozenset()
    told = [found for found in near if not is_function_word(found[0], left_out)][:N_NEIGHBOURS]
    return [
        NearWord(word, sense or None, round(value, 4), _count_senses(opened, word))
        for word, sense, value in told
    ]


def _sum_contexts(opened: OpenModel, key: str) -> Floats:
    """(dim,) where words could stand for a word of the corpus, which may have no vector itself."""
    begin_long_work()
    corpus, encoder = opened.require_corpus("looking at contexts"), opened.base.encoder
    positions = corpus.positions(corpus.vocabulary.id_of(key))
    chosen = sample_evenly(positions, CONTEXTS_LOOKED_AT)
    if encoder.lines_have_ends:
        around = encoder.encode_at(corpus, chosen)[:, 0]
    else:  # a line has no end to go to: the words that stand there have
        rows = encoder.describe_at(corpus, chosen)
        around = encoder.vectors.vectors[rows[rows >= 0]]
        around = around / np.maximum(np.linalg.norm(around, axis=1), _TINY)[:, None]
    return np.asarray(around.sum(axis=0), np.float32)


def _has_senses(opened: OpenModel, key: str) -> bool:
    """Whether the model has it; a word that was added and taken back has its corrections."""
    return key in opened.current.inventory or key in opened.now.edits


def _is_known(opened: OpenModel, key: str) -> bool:
    return _has_senses(opened, key) or key in opened.base.vectors or opened.is_in_corpus(key)


def count_words(opened: OpenModel) -> Indices | None:
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
