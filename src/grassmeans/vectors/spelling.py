"""Words that are spelt alike: what somebody who mistyped a word may have meant."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grassmeans.arrays import Indices

LONGEST_WORD = 64
_BINS = 64
_MOST_COMPARED = 2_000
_FIRST_LETTER = 0.5
_TENFOLD = 0.15
"""By how many edits less a word ten times as frequent is."""


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

    Parameters
    ----------
    words : sequence of str
    counts : (n,), optional
        How frequent they are: of two that are equally alike, the frequent one is meant.
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
        differences = np.abs(self._bags - _bag_of(wanted)).sum(axis=1)
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


def _bag_of(word: str) -> NDArray[np.int16]:
    codes = np.frombuffer(word.encode("utf-32-le", "replace"), np.uint32)
    return np.bincount(codes % _BINS, minlength=_BINS).astype(np.int16)
