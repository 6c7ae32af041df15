"""Forms of the same word, in any language: learnt from which words are spelt and meant alike.

A vocabulary is full of pairs that differ in their endings alone: "crane" and "cranes", "walked" and
"walking". Of every such alternation of endings (nothing and "s", "ed" and "ing") the vectors tell
whether its pairs mean the same: whether most of them are as near as hardly any two words are that
were drawn at random. Those that do are inflections. Beginnings are looked at in the same way, for
languages that inflect there. (Soricut and Och 2015 find morphology by a like idea.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from grassmeans.arrays import Floats, Indices
from grassmeans.vectors.word_vectors import WordVectors

LONGEST_ENDING = 4
SHORTEST_STEM = 3
MOST_WORDS = 100_000  # the first of the vocabulary: usually the most frequent
MOST_OF_A_STEM = 40  # what more words share is no stem
NEAR, NOT_FAR = 0.99, 0.9
"""Pairs are near, or at least not far, where so large a part of random pairs is farther."""
LEAST_SHARE = 0.6
"""Of an inflection's pairs that are near."""
FEWEST_PAIRS, WORDS_FOR_A_PAIR = 10, 400
"""An inflection has so many pairs, and one for so many words: what is rarer makes other words."""
_RANDOM_PAIRS = 20_000

Ending = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Form:
    """Another form of a word.

    Attributes
    ----------
    word : str
    share : float
        What part of the pairs with the same two endings means the same, in [0, 1].
    similarity : float or None
        Cosine of the two words, where both have vectors.
    """

    word: str
    share: float
    similarity: float | None


class WordForms:
    """The inflections of a vocabulary, learnt when they are first asked for.

    Attributes
    ----------
    vectors : WordVectors
    near, not_far : float
        The cosines from which on two words are so.
    endings, beginnings : dict
        Of every inflection, in both directions, the share of its pairs that are near: from what a
        word ends (begins) with, to what others have in its place.
    """

    def __init__(self, vectors: WordVectors) -> None:
        self.vectors = vectors
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
        pairs: defaultdict[Ending, list[tuple[int, int]]] = defaultdict(list)
        for found in stems.values():
            if 1 < len(found) <= MOST_OF_A_STEM:
                for endings, pair in _pair_words(found):
                    pairs[endings].append(pair)
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


def _pair_words(found: Sequence[tuple[str, int]]) -> Iterator[tuple[Ending, tuple[int, int]]]:
    """The words of a stem two by two, where they do not share more than it."""
    for i, (first, row) in enumerate(found):
        for second, other in found[i + 1 :]:
            if first[:1] != second[:1]:
                ordered = first < second
                endings = (first, second) if ordered else (second, first)
                yield endings, (row, other) if ordered else (other, row)


def _cosines(vectors: WordVectors, rows: Indices) -> Floats:
    """(n,) of pairs (n, 2) of rows."""
    first, second = (vectors.vectors[rows[:, side]] for side in (0, 1))
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    found = np.einsum("ij,ij->i", first, second) / np.where(lengths > 0.0, lengths, 1.0)
    return np.asarray(found, np.float32)


def _find_limits(vectors: WordVectors) -> tuple[float, float]:
    """The cosines that hardly any random pair has, and that few have."""
    n_words = min(len(vectors), MOST_WORDS)
    if n_words < 2:
        return 1.0, 1.0
    rows = np.random.default_rng(0).integers(0, n_words, (_RANDOM_PAIRS, 2))
    cosines = _cosines(vectors, rows[rows[:, 0] != rows[:, 1]])
    near, not_far = np.quantile(cosines, (NEAR, NOT_FAR)).tolist()
    return near, not_far
