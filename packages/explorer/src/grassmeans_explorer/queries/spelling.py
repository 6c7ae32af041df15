"""Words that somebody may have meant: those spelt alike, and forms of the same word.

Forms are learnt, in any language, from which words are spelt and meant alike. A vocabulary is full
of pairs that differ in their endings alone: "crane" and "cranes", "walked" and "walking". Of every
such alternation of endings (nothing and "s", "ed" and "ing") the vectors tell whether its pairs
mean the same: whether most of them are as near as hardly any two words are that were drawn at
random. Those that do are inflections. Beginnings are looked at in the same way, for languages that
inflect there. (Soricut and Och 2015 find morphology by a like idea.)
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grassmeans.arrays import Floats, Indices
from grassmeans.vectors.similarity import iterate_row_blocks
from grassmeans.vectors.word_vectors import WordVectors

LONGEST_WORD = 64
_BINS = 64
_MOST_COMPARED = 2_000
_FIRST_LETTER = 0.5
_TENFOLD = 0.15  # by how many edits less a word ten times as frequent is

LONGEST_ENDING = 4
SHORTEST_STEM = 3
MOST_WORDS = 100_000  # the first of the vocabulary: usually the most frequent
MOST_OF_A_STEM = 40  # what more words share is no stem
NEAR, NOT_FAR = 0.99, 0.9
"""Pairs are near, or at least not far, where so large a part of random pairs is farther."""
LEAST_SHARE = 0.6  # of an inflection's pairs that are near
FEWEST_PAIRS, WORDS_FOR_A_PAIR = 10, 400
"""An inflection has so many pairs, and one for so many words: what is rarer makes other words."""
_RANDOM_PAIRS = 20_000
_PAIRS_AT_ONCE = 1_000  # of whose vectors there are copies


def fold_word(word: str) -> str:
    """A word without what people leave out: case, accents, and marks between its parts."""
    parts = unicodedata.normalize("NFKD", word.casefold())
    letters = (c for c in parts if not unicodedata.combining(c) and c not in "-_'’ ·")
    return "".join(letters)


def count_edits(first: str, second: str, most: int) -> int:
    """Letters to put in, to leave out, to change or to swap with the next; beyond ``most``, more.

    The optimal string alignment distance, by rows of its table. (`rapidfuzz` has it, three times as
    fast over a whole vocabulary; tens of milliseconds for a mistyped word need no dependency.)
    """
    if abs(len(first) - len(second)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        row = [i]
        for j, b in enumerate(second, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == second[j - 2] and first[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]


class SpellingIndex:
    """Finds the words of a list that are spelt like another one.

    Of two that are equally alike, the frequent one is meant, by their counts (n,).
    """

    def __init__(self, words: Sequence[str], counts: ArrayLike | None = None) -> None:
        self.words = words
        self._counts = np.ones(len(words)) if counts is None else np.asarray(counts, np.float64)

    def same_but_for_marks(self, word: str) -> str | None:
        """The most frequent word that differs in case, accents or hyphens alone."""
        rows = self._by_fold.get(fold_word(word), ())
        return self.words[max(rows, key=lambda row: self._counts[row])] if rows else None

    def find(self, word: str, n: int = 5) -> list[str]:
        """Words that are spelt alike, best first: by few edits, then the frequent ones."""
        wanted = fold_word(word)
        if not 1 < len(wanted) <= LONGEST_WORD:
            return []
        most = 1 if len(wanted) < 5 else 2 if len(wanted) < 9 else 3
        rows = self._count_differences(wanted, 2 * most)
        ranked: list[tuple[float, int]] = []
        for row in rows.tolist():
            other = self._folded[row]
            edits = count_edits(wanted, other, most)
            if edits <= most and self.words[row] != word:
                first = _FIRST_LETTER if wanted[:1] != other[:1] else 0.0
                rarity = _TENFOLD * float(np.log10(max(self._counts[row], 1.0)))
                ranked.append((edits + first - rarity, row))
        return [self.words[row] for _, row in sorted(ranked)[:n]]

    def _count_differences(self, wanted: str, most: int) -> Indices:
        """Rows of words that have the same letters but for ``most``, the most alike first.

        An edit changes at most two letters of the bag, so that no word is missed.
        """
        codes = np.frombuffer(wanted.encode("utf-32-le", "replace"), np.uint32)
        bag = np.bincount(codes % _BINS, minlength=_BINS).astype(np.int16)
        differences = np.abs(self._bags - bag).sum(axis=1)
        rows = np.flatnonzero(differences <= most)
        order = np.lexsort((-self._counts[rows], differences[rows]))
        return rows[order[:_MOST_COMPARED]]

    @cached_property
    def _folded(self) -> list[str]:
        return [fold_word(word) for word in self.words]

    @cached_property
    def _by_fold(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for row, folded in enumerate(self._folded):
            found.setdefault(folded, []).append(row)
        return found

    @cached_property
    def _bags(self) -> NDArray[np.int16]:
        """(n, bins) how often each word has letters."""
        bags = np.zeros((len(self.words), _BINS), np.int16)
        lengths = [len(word) for word in self._folded]
        codes = np.frombuffer("".join(self._folded).encode("utf-32-le", "replace"), np.uint32)
        np.add.at(bags, (np.repeat(np.arange(len(lengths)), lengths), codes % _BINS), 1)
        return bags


@dataclass(frozen=True, slots=True)
class Form:
    """Another form of a word."""

    word: str
    share: float  # what part of the pairs with the same two endings means the same, in [0, 1]
    similarity: float | None  # cosine of the two words, where both have vectors


class WordForms:
    """The inflections of a vocabulary.

    Endings and beginnings have of every inflection, in both directions, the share of its pairs that
    are near: from what a word ends (begins) with, to what others have in its place.
    """

    def __init__(self, vectors: WordVectors) -> None:
        self.vectors = vectors
        # The cosines from which on two words are so.
        self.near, self.not_far = _find_limits(vectors)
        words = vectors.words[:MOST_WORDS]
        self.endings = self._learn(words)
        self.beginnings = self._learn([word[::-1] for word in words])

    def find(self, word: str, known: Collection[str]) -> list[Form]:
        """Known words that are spelt as forms of the word, the shortest first."""
        found: dict[str, float] = {}
        for rules, turn in ((self.endings, 1), (self.beginnings, -1)):
            for stem, ending in _split(word[::turn]):
                for other, share in rules.get(ending, {}).items():
                    base = (stem + other)[::turn]
                    if base != word and base in known:
                        found[base] = max(share, found.get(base, 0.0))
        forms = [Form(base, share, self._similarity(word, base)) for base, share in found.items()]
        return sorted(forms, key=lambda form: (len(form.word), -form.share))

    def find_base(self, word: str, known: Collection[str]) -> str | None:
        """The shortest known form, where it does not mean something else than the word.

        Where it does (both have vectors, and these are far from each other), no other form stands
        in for it.
        """
        forms = self.find(word, known)
        if not forms or (forms[0].similarity or 1.0) < self.not_far:
            return None
        return forms[0].word

    def _similarity(self, word: str, other: str) -> float | None:
        if word not in self.vectors or other not in self.vectors:
            return None
        return self.vectors.similarity(word, other)

    def _learn(self, words: Sequence[str]) -> dict[str, dict[str, float]]:
        """The alternations of endings whose pairs are near."""
        stems: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for row, word in enumerate(words):
            for stem, ending in _split(word):
                stems[stem].append((ending, row))
        pairs: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        for found in stems.values():
            if 1 < len(found) <= MOST_OF_A_STEM:
                for one, other in combinations(found, 2):
                    if one[0][:1] != other[0][:1]:  # they share no more than the stem
                        (first, row), (second, other_row) = sorted((one, other))
                        pairs[first, second].append((row, other_row))
        fewest = max(FEWEST_PAIRS, len(words) // WORDS_FOR_A_PAIR)
        learnt: dict[str, dict[str, float]] = {}
        for (first, second), rows in pairs.items():
            if len(rows) < fewest:
                continue
            share = float((_cosines(self.vectors, np.array(rows)) >= self.near).mean())
            if share >= LEAST_SHARE:
                learnt.setdefault(first, {})[second] = share
                learnt.setdefault(second, {})[first] = share
        return learnt


def _split(word: str) -> Iterator[tuple[str, str]]:
    """Every stem of a word that is long enough, with its ending."""
    for length in range(min(LONGEST_ENDING, len(word) // 2) + 1):
        if len(word) - length >= SHORTEST_STEM:
            yield word[: len(word) - length], word[len(word) - length :]


def _cosines(vectors: WordVectors, rows: Indices) -> Floats:
    """(n,) of pairs (n, 2) of rows."""
    found = np.empty(len(rows), np.float32)
    for part in iterate_row_blocks(len(rows), _PAIRS_AT_ONCE):
        first, second = (vectors.vectors[rows[part, side]] for side in (0, 1))
        lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
        products = np.einsum("ij,ij->i", first, second)
        found[part] = products / np.where(lengths > 0.0, lengths, 1.0)
    return found


def _find_limits(vectors: WordVectors) -> tuple[float, float]:
    """The cosines that hardly any random pair has, and that few have."""
    n_words = min(len(vectors), MOST_WORDS)
    if n_words < 2:
        return 1.0, 1.0
    rows = np.random.default_rng(0).integers(0, n_words, (_RANDOM_PAIRS, 2))
    cosines = _cosines(vectors, rows[rows[:, 0] != rows[:, 1]])
    near, not_far = np.quantile(cosines, (NEAR, NOT_FAR)).tolist()
    return near, not_far
