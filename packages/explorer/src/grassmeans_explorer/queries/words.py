"""Words of the model and their senses, as they are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.pictures.planes import sense_colour
from grassmeans.senses.describing import name_senses
from grassmeans.senses.entries import CountedIn, ExampleLine, Sense, WordSenses
from grassmeans.senses.keys import decode_key, encode_key
from grassmeans_explorer.editing.edited_words import Edit
from grassmeans_explorer.editing.sense_edits import visible_senses
from grassmeans_explorer.limits import BoundedCache, Kept, NothingThereError, WordNotFoundError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries import lookup

N_LEXEMES = 8
_LONGEST_WORD = 64
_DIGITS = 4

VIEWS: Kept[BoundedCache[WordView]] = Kept(lambda opened: BoundedCache(opened.limits.memory.words))


@dataclass(frozen=True, slots=True)
class WordSummary:
    """A word in a list."""

    word: str
    count: int
    n_senses: int


@dataclass(frozen=True, slots=True)
class WordList:
    """A page of words; ``total`` counts all pages."""

    total: int
    words: tuple[WordSummary, ...]


@dataclass(frozen=True, slots=True)
class NearLexeme:
    """A lexeme and its cosine to a sense; ``sense`` is None for a word without senses."""

    key: str
    similarity: float
    word: str
    sense: int | None


@dataclass(frozen=True, slots=True)
class SenseView:
    """A sense as it is shown; ``crispness`` is 1 less the mean distance."""

    number: int
    name: str
    share: float
    crispness: float
    mean_distance: float
    characteristic_words: tuple[str, ...]
    nearest_words: tuple[str, ...]
    nearest_lexemes: tuple[NearLexeme, ...]
    examples: tuple[ExampleLine, ...]
    hidden: bool
    colour: str


@dataclass(frozen=True, slots=True)
class WordView:
    """A word as it is shown."""

    word: str
    count: int
    n_contexts: int
    n_senses: int  # without hidden ones
    model_senses: bool  # whether the senses are the model's (with corrections), not induced anew
    edited: bool  # whether there are corrections that are not saved yet
    # Of the word's corrections; a correction names the one that it was made for.
    revision: int
    senses: tuple[SenseView, ...]
    # Where counts and shares come from, where that is not the model's own corpus.
    counted_in: CountedIn | None = None
    forms: tuple[tuple[str, int], ...] = ()  # that have one entry, and how often each occurs
    corrections: tuple[Edit, ...] = ()  # of this session, in the order they were made
    undone: tuple[Edit, ...] = ()  # that can be made again, the last one undone first
    saved_as: str = ""  # the version that has these corrections; empty where none has


def list_words(opened: OpenModel, query: str = "", limit: int = 20, offset: int = 0) -> WordList:
    """Words that begin with the query, then words that contain it, frequent ones first."""
    ordered = _find_words(opened, query)
    page = tuple(_summarise(opened, word) for word in ordered[offset : offset + limit])
    return WordList(len(ordered), page)


def iterate_words(opened: OpenModel, query: str = "") -> Iterator[WordSummary]:
    """All of these words; each is looked up when its turn comes."""
    return (_summarise(opened, word) for word in _find_words(opened, query))


def _find_words(opened: OpenModel, query: str) -> Sequence[str]:
    lookup.check_typed(opened, query, "a search")
    ordered = words_by_count(opened)
    wanted = query.strip()
    if getattr(opened.base.tokenizer, "lowercase", False):
        wanted = wanted.lower()
    if not wanted:
        return ordered
    beginning = [word for word in ordered if word.startswith(wanted)]
    return beginning + [word for word in ordered if word.find(wanted) > 0]


def _summarise(opened: OpenModel, word: str) -> WordSummary:
    entry = opened.current.inventory[word]
    return WordSummary(word, entry.count, lookup.count_visible(entry))


def _sort_by_count(opened: OpenModel) -> tuple[str, ...]:
    """The model's words, frequent ones first as its vectors tell; else in its own order."""
    words, counts = opened.base.words, lookup.count_words(opened)
    if counts is None:
        return words
    return tuple(words[i] for i in np.argsort(-counts, kind="stable"))


_BY_COUNT = Kept(_sort_by_count)


def words_by_count(opened: OpenModel) -> tuple[str, ...]:
    """The words there are now: the model's, frequent ones first, and those that were added."""
    edits = opened.now.edits.items()
    added = (w for w, edited in edits if edited.entry.senses and not edited.original.senses)
    return (*_BY_COUNT.of(opened), *added)


def show_word(opened: OpenModel, word: str) -> WordView:
    """The senses of a word of the model, with corrections."""
    now = opened.now
    key = opened.key_of(word)
    edits = now.edits.get(key)
    if edits is not None and not edits.entry.senses:  # a word that was added, and taken back
        view = view_entry(edits.entry, model_senses=False)
    else:
        key = require_word(opened, word)

        def make() -> WordView:
            entry = name_missing(opened, now.model.senses(key))
            own = None if now.revision(key) else opened.lexemes
            return view_entry(entry, lexemes=own, revision=now.revision(key))

        view = VIEWS.of(opened).get_or_make((key, now.revision(key)), make)
    if edits is None:
        return view
    undone = tuple(word.edits[-1] for word in edits.undone)
    saved, name = opened.saved.get(key, (0, ""))
    saved_as = name if edits.edits and saved == now.revision(key) else ""
    return replace(view, corrections=edits.edits, undone=undone, saved_as=saved_as)


def view_entry(
    entry: WordSenses,
    *,
    lexemes: LexemeVectors | None = None,
    revision: int = 0,
    model_senses: bool = True,
) -> WordView:
    """An entry as it is shown; lexemes are told only for the model's own senses."""
    return WordView(
        word=entry.word,
        count=entry.count,
        n_contexts=entry.n_contexts,
        n_senses=len(visible_senses(entry)),
        model_senses=model_senses,
        edited=model_senses and revision > 0,
        revision=revision,
        senses=tuple(_view_sense(entry.word, sense, lexemes) for sense in entry.senses),
        counted_in=entry.counted_in,
        forms=entry.forms,
    )


def name_missing(opened: OpenModel, entry: WordSenses) -> WordSenses:
    """The entry with a name for every sense; models of older versions have none."""
    if all(sense.name for sense in entry.senses):
        return entry
    vectors = opened.base.vectors
    candidates = [[w for w in s.characteristic_words if w in vectors] for s in entry.senses]
    names = name_senses(entry.word, candidates, np.asarray(entry.directions), vectors)
    pairs = zip(entry.senses, names, strict=True)
    return replace(entry, senses=tuple(replace(s, name=s.name or name) for s, name in pairs))


def require_word(opened: OpenModel, word: str) -> str:
    """The key of a word that the model has; `WordNotFoundError` with suggestions otherwise."""
    key = opened.key_of(word)
    if key in opened.current.inventory:
        return key
    shown = key if len(key) <= _LONGEST_WORD else key[:_LONGEST_WORD] + "…"
    message = f"{shown!r} is not among the {len(opened.base.words):,} words of this model"
    if opened.is_in_corpus(key):
        message += "; it occurs in the corpus, so its senses can be induced"
    suggestions = tuple(found.word for found in lookup.suggest_words(opened, key))
    if suggestions:
        message += f"; did you mean {', '.join(map(repr, suggestions))}?"
    raise WordNotFoundError(message, suggestions)


def check_sense(key: str, n_senses: int, number: int) -> None:
    """`NothingThereError` for the number of a sense that a word does not have."""
    if not 1 <= number <= n_senses:
        raise NothingThereError(f"{key!r} has the senses 1 to {n_senses}, not {number}")


def _view_sense(word: str, sense: Sense, lexemes: LexemeVectors | None) -> SenseView:
    near: tuple[NearLexeme, ...] = ()
    if lexemes is not None and sense.number in lexemes.senses(word):
        # Its own other senses stand beside it on the page.
        own = {encode_key(word, number) for number in (None, 0, *lexemes.senses(word))}
        found = lexemes.nearest_lexemes(word, sense.number, N_LEXEMES, exclude=own)
        near = tuple(
            NearLexeme(n.word, round(n.similarity, _DIGITS), *decode_key(n.word)) for n in found
        )
    return SenseView(
        number=sense.number,
        name=sense.name,
        share=round(sense.share, _DIGITS),
        crispness=round(1.0 - sense.mean_distance, _DIGITS),
        mean_distance=round(sense.mean_distance, _DIGITS),
        characteristic_words=sense.characteristic_words,
        nearest_words=sense.nearest_words,
        nearest_lexemes=near,
        examples=sense.examples,
        hidden=sense.hidden,
        colour=sense_colour(sense.number),
    )
