"""Contexts of a sense -> the fixed phrase that it lives in, if it does: "Cold War", "in charge".

A phrase is the word with its neighbours, two to four words in all. It names a sense where

- it holds a large part of the sense's contexts;
- by Dunning's log-likelihood ratio it stands there more often than in the other senses, and each
  of its neighbours stands beside the word more often than its frequency would have it;
- it neither begins nor ends with a function word. The word itself may be at either end, and
  function words inside: "free of charge". Function words alone make a phrase with it where most
  contexts of the sense have them and hardly any of the other senses do ("in charge"): where there
  are no others, nothing tells them from grammar ("the senate").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from grassmeans.arrays import Indices, Integers
from grassmeans.corpus.association import measure_log_likelihood
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.senses.samples import WordSample

_MOST_NEIGHBOURS = 3
_SHAPES = tuple(  # neighbours to the left and to the right
    (left, n - left) for n in range(1, _MOST_NEIGHBOURS + 1) for left in range(n, -1, -1)
)
_COVERED = 0.4
"""Of a sense's contexts have the phrase. With fewer, a name would be wrong more often than right
for who meets the sense: the rest has no phrase in common, or there would be a second one."""

_COVERED_BY_FUNCTION_WORD = 0.6
_ELSEWHERE = 0.1  # of the other senses' contexts at most, for phrases with such an edge
_LIFT = 20.0  # times as often as anywhere stands each word of them there; no article does
_KEPT = 0.8  # of a phrase's contexts that a longer one must hold to stand in its place
_FEWEST = 5  # contexts with the phrase
_SURE = 10.83  # the log-likelihood ratio that chance gives once in a thousand times
_GAP = r"[\s\-'’]+"


@dataclass(frozen=True, slots=True)
class FixedPhrase:
    """A word with its neighbours, in so many contexts of a sense."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    count: int
    score: float  # how surely it belongs to the sense

    def contains(self, other: FixedPhrase) -> bool:
        """Whether it is the other one, or goes on from it."""
        start = len(self.before) - len(other.before)
        return (
            start >= 0
            and self.before[start:] == other.before
            and self.after[: len(other.after)] == other.after
        )

    def write(self, texts: Iterable[tuple[str, str, str]]) -> str | None:
        """As it most often stands in texts, given as left, word and right; None for nowhere.

        It does not go across punctuation.
        """
        before = "".join(_match_key(word) + _GAP for word in self.before)
        after = "".join(_GAP + _match_key(word) for word in self.after)
        left = re.compile(rf"(?<!\w){before}$" if before else "$", re.IGNORECASE)
        right = re.compile(rf"{after}(?!\w)", re.IGNORECASE)
        forms: Counter[str] = Counter()
        for text in texts:
            first, last = left.search(text[0]), right.match(text[2])
            if first and last:
                forms[" ".join(f"{first.group()}{text[1]}{last.group()}".split())] += 1
        return forms.most_common(1)[0][0] if forms else None


def _match_key(key: str) -> str:
    """What finds a key in a text, also one that was joined of several words."""
    return _GAP.join(map(re.escape, key.split("_"))) if key.strip("_") else re.escape(key)


def find_phrases(sample: WordSample, labels: Indices, n_senses: int) -> list[list[FixedPhrase]]:
    """For each sense the phrases that may be its name, best first, of (n_contexts,) its labels."""
    neighbours, words = _gather_neighbours(sample)
    sizes = np.bincount(labels, minlength=n_senses)
    found = []
    for sense in range(n_senses):
        mine = labels == sense
        fewest = max(_FEWEST, int(np.ceil(_COVERED * sizes[sense])))
        phrases: list[FixedPhrase] = []
        for left, right in _SHAPES:
            columns = slice(_MOST_NEIGHBOURS - left, _MOST_NEIGHBOURS + right)
            for row, count in _find_frequent(neighbours[mine, columns], fewest):
                inside = int((neighbours[~mine, columns] == row).all(axis=1).sum())
                keys = tuple(words[i] for i in row.tolist())
                table = (count, int(sizes[sense]), count + inside, len(labels))
                score = _score(keys, left, table, sample)
                if score >= _SURE:
                    phrases.append(FixedPhrase(keys[:left], keys[left:], count, score))
        phrases.sort(key=lambda phrase: -phrase.score)
        found.append(list(dict.fromkeys(_extend(phrase, phrases) for phrase in phrases)))
    return found


def _gather_neighbours(sample: WordSample) -> tuple[Integers, Sequence[str]]:
    """(n_contexts, 6) numbers of the words beside each occurrence, -1 for none or an unknown one.

    Also what the numbers mean.
    """
    positions = sample.contexts.positions
    steps = np.array([*range(-_MOST_NEIGHBOURS, 0), *range(1, _MOST_NEIGHBOURS + 1)])
    found = np.full((len(positions), len(steps)), -1, np.int32)
    words: Sequence[str] = ()
    for part, occurrences in sample.source.occurrences(positions):
        if len(occurrences):
            words = occurrences.words
            first, end = occurrences.document_bounds
            places = occurrences.positions[:, None] + steps
            inside = (places >= first[:, None]) & (places < end[:, None])
            found[part] = np.where(inside, occurrences.tokens[np.where(inside, places, 0)], -1)
    return found, words


def _find_frequent(rows: Integers, fewest: int) -> list[tuple[Integers, int]]:
    """The rows that occur so often, of known words alone, with their counts."""
    rows = rows[(rows >= 0).all(axis=1)]
    for column in rows.T:  # most words have no phrase, and this is soon told
        if len(rows) < fewest or np.unique(column, return_counts=True)[1].max() < fewest:
            return []
    found, counts = np.unique(rows, axis=0, return_counts=True)
    return [(found[i], int(counts[i])) for i in np.flatnonzero(counts >= fewest)]


def _score(
    keys: tuple[str, ...], left: int, table: tuple[int, int, int, int], sample: WordSample
) -> float:
    """How surely a phrase belongs to a sense: by the weaker of two log-likelihood ratios.

    The table has its contexts in the sense, those of the sense, its contexts in all, and all. 0 for
    what can be no phrase.
    """
    count, size, n_phrase, n_all = table
    if any(not any(map(str.isalpha, key)) for key in keys):
        return 0.0
    content = [key for key in keys if not is_function_word(key, sample.function_words)]
    near = np.array([sample.source.vocabulary.count_of(key) for key in content or keys])
    n_tokens = sample.source.n_tokens
    edges = [*keys[:left][:1], *keys[left:][-1:]]
    if any(is_function_word(key, sample.function_words) for key in edges):
        n_others, elsewhere = n_all - size, n_phrase - count
        is_grammar = not n_others or elsewhere > _ELSEWHERE * n_others
        is_grammar |= count < _COVERED_BY_FUNCTION_WORD * size
        if content or is_grammar or (count * n_tokens < _LIFT * size * near).any():
            return 0.0
    weakest = float(measure_log_likelihood(count, size, near, n_tokens).min())
    if size < n_all:
        weakest = min(weakest, float(measure_log_likelihood(count, size, n_phrase, n_all)))
    return weakest


def _extend(phrase: FixedPhrase, phrases: Collection[FixedPhrase]) -> FixedPhrase:
    """The longest phrase that goes on from one and holds most of its contexts, or itself."""
    longer = [p for p in phrases if p.contains(phrase) and p.count >= _KEPT * phrase.count]
    return max(longer, key=lambda p: (len(p.before) + len(p.after), p.count))
