"""Words that often stand in a row: n-grams of a corpus, inside of documents.

Longer ones are counted from shorter ones: what is frequent has frequent parts only, so that few are
kept of every length. No list of all n-grams is ever held.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Indices
from grassmeans.artifacts.schema import check_arguments
from grassmeans.corpus.corpus import Corpus, open_corpus
from grassmeans.corpus.shard import Shard
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.errors import InputError
from grassmeans.results import ColumnTypes, Tabular

LONGEST = 8
_MILLION = 1e6
_MOST_WORDS = 2**31


@dataclass(frozen=True, slots=True)
class Ngram:
    """Words in a row."""

    words: tuple[str, ...]
    """As the corpus spells them."""
    count: int
    per_million: float
    """Times in a million tokens."""


@dataclass(frozen=True, slots=True)
class Ngrams(Tabular):
    """The n-grams of a corpus, frequent ones first."""

    n: int
    total: int
    """How many different ones are so frequent, shown or not."""
    ngrams: tuple[Ngram, ...]

    def __repr__(self) -> str:
        return f"Ngrams(n={self.n}: {len(self.ngrams):,} of {self.total:,})"

    def rows(self) -> list[dict[str, Any]]:
        """``ngram``, ``count``, ``per_million``."""
        return [
            {"ngram": " ".join(one.words)} | {k: v for k, v in asdict(one).items() if k != "words"}
            for one in self.ngrams
        ]

    def column_types(self) -> ColumnTypes:
        """The columns of such rows."""
        return {"ngram": str, "count": int, "per_million": float}


@check_arguments(checkpoint=None)
def count_ngrams(
    corpus: Corpus | str | Path,
    n: int = 2,
    *,
    containing: str | None = None,
    min_count: int = 2,
    function_words: bool = True,
    limit: int | None = 1_000,
    checkpoint: Callable[[], None] | None = None,
) -> Ngrams:
    """Count what stands in a row.

    Parameters
    ----------
    corpus : Corpus or path
    n : int
        Words in a row, 1 to 8.
    containing : str, optional
        Only those with this word.
    min_count : int
        Rarer ones are left out.
    function_words : bool
        Whether an n-gram may begin or end with one.
    limit : int or None
        How many are told, the most frequent.
    checkpoint : callable, optional
        Called while it goes on: an error that it raises ends the counting.
    """
    opened = open_corpus(corpus)
    if not 1 <= n <= LONGEST:
        raise InputError(f"n must be 1 to {LONGEST}, got {n}")
    fewest = max(min_count, 1)
    wanted = None if containing is None else opened.word_id(containing)
    keys, counts, levels = _count(opened, n, fewest, checkpoint or (lambda: None))
    rows = np.argsort(-counts, kind="stable")
    ids = _spell_out(keys[rows], levels, len(opened.vocabulary))
    keep = np.ones(len(ids), np.bool_)
    if wanted is not None:
        keep &= (ids == wanted).any(axis=1)
    words = opened.vocabulary.words
    if not function_words:
        own = np.array([is_function_word(word, opened.function_words) for word in words], np.bool_)
        keep &= ~(own[ids[:, 0]] | own[ids[:, -1]])
    ids, found = ids[keep], counts[rows][keep]
    told = zip(ids[:limit].tolist(), found[:limit].tolist(), strict=True)
    ngrams = tuple(
        Ngram(tuple(words[i] for i in own), count, round(_MILLION * count / opened.n_tokens, 3))
        for own, count in told
    )
    return Ngrams(n, len(ids), ngrams)


def _count(
    corpus: Corpus, n: int, fewest: int, check: Callable[[], None]
) -> tuple[Indices, Indices, list[Indices]]:
    """The keys of frequent n-grams with their counts, and those of all shorter lengths.

    The key of a longer one is that of all its words but the last, by its number among the frequent
    ones, times the size of the vocabulary, plus the last word.
    """
    if len(corpus.vocabulary) >= _MOST_WORDS:
        raise InputError("the vocabulary of the corpus is too large for n-grams")
    size = corpus.vocabulary.size_at(fewest)
    keys = np.arange(size, dtype=np.int64)
    counts = np.asarray(corpus.vocabulary.counts[:size], np.int64)
    levels: list[Indices] = []
    for _ in range(n - 1):
        levels.append(keys)
        totals, sums = np.empty(0, np.int64), np.empty(0, np.int64)
        for shard in corpus.shards:
            check()
            found = _longer_keys(shard, levels, len(corpus.vocabulary))
            own, times = np.unique(found, return_counts=True)
            totals, places = np.unique(np.concatenate([totals, own]), return_inverse=True)
            sums = np.bincount(places, np.concatenate([sums, times])).astype(np.int64)
        is_frequent = sums >= fewest
        keys, counts = totals[is_frequent], sums[is_frequent]
    return keys, counts, levels


def _longer_keys(shard: Shard, levels: list[Indices], n_words: int) -> Indices:
    """The keys of all n-grams of a shard that go on from a frequent shorter one."""
    tokens = np.asarray(shard.tokens).astype(np.int64)
    ends = np.asarray(shard.document_offsets)[1:]
    room = ends[np.searchsorted(ends, np.arange(len(tokens)), side="right")] - np.arange(
        len(tokens)
    )
    numbers = np.where(tokens < len(levels[0]), tokens, -1)
    for length, known in enumerate(levels[1:], start=2):
        places, keys = _extend(tokens, numbers, room, length, n_words)
        slots = np.minimum(np.searchsorted(known, keys), max(len(known) - 1, 0))
        is_known = known[slots] == keys if len(known) else np.zeros(len(keys), np.bool_)
        numbers = np.full(len(tokens), -1, np.int64)
        numbers[places[is_known]] = slots[is_known]
    return _extend(tokens, numbers, room, len(levels) + 1, n_words)[1]


def _extend(
    tokens: Indices, numbers: Indices, room: Indices, length: int, n_words: int
) -> tuple[Indices, Indices]:
    """Where n-grams of a length begin, and their keys, from the numbers of those one shorter."""
    places = np.flatnonzero((numbers >= 0) & (room >= length))
    last = tokens[places + length - 1]
    places, last = places[last >= 0], last[last >= 0]
    return places, numbers[places] * n_words + last


def _spell_out(keys: Indices, levels: list[Indices], n_words: int) -> Indices:
    """(n_ngrams, n) the words of n-grams."""
    columns = []
    for known in reversed(levels):
        columns.append(keys % n_words)
        keys = known[keys // n_words]
    return np.stack([keys, *reversed(columns)], axis=1)
