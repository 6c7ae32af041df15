"""Which occurrences of a word have other words near them, and orders by what stands there.

A search is one or more terms, which must all stand near, in any order:

- a word; the last one, while it is being typed, may be the beginning of a word;
- alternatives, ``river|stream``; and ``*`` for any letters, ``swim*``, ``*ing``;
- a phrase in quotation marks, ``"west bank"``, whose words follow each other;
- as regular expressions: each term is one, of a whole word.

No text is read: what a term fits is looked for among the words that stand near, each tried once,
and not for long: a pattern cannot keep the server busy.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import regex

from grassmeans.arrays import Booleans, Indices, Integers
from grassmeans.collocations.collocates import OUTSIDE, tokens_around
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.text.tokenizer import normalize_text
from grassmeans_explorer.limits import ConflictError, TooMuchError
from grassmeans_explorer.querying import patterns
from grassmeans_explorer.querying.patterns import (
    PatternError,
    SlowPatternError,
    compile_pattern,
    find_fitting,
)
from grassmeans_explorer.work import checkpoint

REACH = 12
"""Words on each side of an occurrence that a search looks at; about as many as a line shows."""

LONGEST_REACH = 50
_MOST_TERMS = 8

POSITION, DOCUMENT, FIELD = "position", "document", "field:"
BY_SENSE = ("confidence", "unsure", "sense")
"""Orders for which the senses of all lines must be known."""

SORT_PATTERN = (
    "^(position|confidence|unsure|sense|document|left[123]|right[123]|field:[^\\x00-\\x1f]{1,80})$"
)
_WORDS = 3

_TERM = regex.compile(r'"([^"]*)"?|(\S+)')


@dataclass(frozen=True, slots=True)
class Search:
    """What must stand near an occurrence."""

    text: str = ""  # terms, as the module tells them
    is_pattern: bool = False  # whether they are regular expressions
    reach: int = REACH  # within how many words
    side: str = "both"  # or "left", "right"

    def __bool__(self) -> bool:
        return bool(self.text.strip())


def stand_near(
    corpus: Corpus, positions: Indices, search: Search, seconds: float = float("inf")
) -> Booleans:
    """(n,) which occurrences have every term of a search near them, in their document.

    The (n,) positions are in text order. Terms beyond the eighth are not looked at. `ConflictError`
    or `TooMuchError` for a pattern that cannot be read, or takes longer than the seconds on all
    words that are near.
    """
    near = np.ones(len(positions), np.bool_)
    terms = _split_terms(corpus, search)[:_MOST_TERMS]
    if not terms or not len(positions):
        return near
    before = search.reach if search.side != "right" else 0
    after = search.reach if search.side != "left" else 0
    around = tokens_around(corpus, positions, before, after)
    checkpoint(0.3)
    is_near = np.zeros(len(corpus.vocabulary) + 2, np.bool_)
    is_near[around] = True
    ids = np.flatnonzero(is_near[:-2])
    fitting = _Fitting(corpus, ids, search, time.monotonic() + seconds)
    # A phrase may go across the word itself; a single word is another one.
    own = corpus.tokens_at(positions)
    whole = np.insert(around, before, own, axis=1) if max(map(len, terms)) > 1 else around
    for i, term in enumerate(terms):
        checkpoint(0.3 + 0.7 * i / len(terms))
        # The last word may be one that is being typed, unless it is a phrase in marks.
        typed = i == len(terms) - 1 and not search.text.rstrip().endswith('"')
        last = len(term) - 1
        tables = [fitting.find(word, typed and j == last) for j, word in enumerate(term)]
        # In "west bank" the bank is the occurrence itself, not another one in its line.
        across = [i for i, table in enumerate(tables) if table[own].any() and len(term) > 1]
        starts = None if not across else [before - i for i in across]
        near &= _has_term(whole if len(term) > 1 else around, tables, starts)
    return near


def _has_term(
    tokens: Integers, tables: Sequence[Booleans], starts: Sequence[int] | None
) -> Booleans:
    """(n,) whether the words of a term follow each other in a row: anywhere, or from ``starts``."""
    last = tokens.shape[1] - len(tables)
    found = np.zeros(len(tokens), np.bool_)
    for start in range(last + 1) if starts is None else starts:
        if 0 <= start <= last:
            fits = [table[tokens[:, start + i]] for i, table in enumerate(tables)]
            found |= np.logical_and.reduce(fits)
    return found


def _split_terms(corpus: Corpus, search: Search) -> list[list[str]]:
    if search.is_pattern:
        return [[term] for term in search.text.split()]

    def spell(word: str) -> str:
        plain = normalize_text(word)
        return plain.lower() if corpus.tokenizer.lowercase else plain

    terms: list[list[str]] = []
    for phrase, word in _TERM.findall(search.text):
        if phrase:
            terms.append([spell(part) for part in phrase.split()])
        elif "*" in word or "|" in word:
            terms.append([spell(word)])
        else:
            # As the corpus splits it: "state-of-the-art" may be four words.
            terms += [[token] for token in corpus.tokenizer.tokenize(normalize_text(word))]
    return [term for term in terms if term]


@dataclass(frozen=True, slots=True)
class _Fitting:
    """Finds which words fit a word of a term, among those that stand near at all."""

    corpus: Corpus
    ids: Indices  # (n,) of the words that stand near; not more are tried
    search: Search
    end: float  # on the monotonic clock, when patterns have had their time

    def find(self, word: str, begins: bool) -> Booleans:
        """(n_types + 2,) whether a token id fits; the last two are for `OUTSIDE` and unknown."""
        vocabulary = self.corpus.vocabulary
        table = np.zeros(len(vocabulary) + 2, np.bool_)
        if self.search.is_pattern:
            check_pattern(word)
            table[self._match(word)] = True
        elif "*" in word or "|" in word:
            parts = [regex.escape(part).replace(r"\*", ".*") for part in word.split("|") if part]
            table[self._match("|".join(parts))] = True
        elif begins:
            words = vocabulary.words
            table[[i for i in self.ids.tolist() if words[i].startswith(word)]] = True
        elif (word_id := vocabulary.id_of(word)) >= 0:
            table[word_id] = True
        return table

    def _match(self, pattern: str) -> list[int]:
        words = self.corpus.vocabulary.words
        try:
            compiled = compile_pattern(pattern, ignore_case=self.corpus.tokenizer.lowercase)
            return find_fitting(compiled, words, self.ids.tolist(), self.end)
        except PatternError as error:
            raise ConflictError(str(error)) from error
        except SlowPatternError as error:
            raise TooMuchError(str(error)) from error


def check_pattern(pattern: str) -> None:
    """Refuse what a regular expression may not have here, `ConflictError`."""
    try:
        patterns.check_pattern(pattern)
    except PatternError as error:
        raise ConflictError(str(error)) from error


def order_positions(corpus: Corpus, positions: Indices, sort: str) -> Indices:
    """(n,) rows of positions, which are in text order, by what is around them.

    "left2": by the second word before it, then by the third and the first; "right1" and so on;
    "document": by title; "field:date": by what is known of the document, unknown ones last.
    """
    if sort.startswith(("left", "right")):
        return _order_by_words(corpus, positions, sort)
    if sort != DOCUMENT and not sort.startswith(FIELD):
        return np.arange(len(positions))
    documents, places = np.unique(corpus.documents_of(positions), return_inverse=True)
    described = [corpus.describe_document(number) for number in documents.tolist()]
    if sort == DOCUMENT:
        values = [title.casefold() for _, title, _ in described]
    else:
        name = sort.removeprefix(FIELD)
        try:
            corpus.check_field(name)
        except InputError as error:
            raise ConflictError(str(error)) from error
        values = [fields.get(name, "") for _, _, fields in described]
    ranks = _rank([(not value, value) for value in values])
    return np.argsort(ranks[places], kind="stable")


def _order_by_words(corpus: Corpus, positions: Indices, sort: str) -> Indices:
    is_left, first = sort.startswith("left"), int(sort[-1]) - 1
    around = tokens_around(corpus, positions, _WORDS if is_left else 0, 0 if is_left else _WORDS)
    nearest_first = around[:, ::-1] if is_left else around
    # The word that was asked for, then those beyond it, then those before it.
    columns = np.roll(np.arange(_WORDS), -first)
    keys = nearest_first[:, columns]
    ids, places = np.unique(keys, return_inverse=True)
    words = corpus.vocabulary.words
    # Nothing before letters, words that are not known behind them.
    names = [("" if i == OUTSIDE else "\U0010ffff" if i < 0 else words[i]) for i in ids.tolist()]
    ranked = _rank(names)[places].reshape(keys.shape)
    return np.lexsort(ranked.T[::-1])


def _rank(values: Sequence[Any]) -> Indices:
    """(n,) the places that values have in their order; of equal ones, the first comes first."""
    ranks = np.empty(len(values), np.int64)
    ranks[sorted(range(len(values)), key=values.__getitem__)] = np.arange(len(values))
    return ranks
