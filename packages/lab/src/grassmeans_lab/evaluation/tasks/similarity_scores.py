"""Pairs of words that people rated, with and without contexts, and how well similarities agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from grassmeans.errors import InputError
from grassmeans.evaluation.instances import Instance, known_form, read_numbered_lines
from grassmeans.evaluation.reports import Interval, bootstrap_words
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.evaluation.tasks.coarse_senses import split_marked_text

_SCWS_COLUMNS = 8  # id, two words with part of speech, two contexts, mean; ratings follow


@dataclass(frozen=True, slots=True)
class WordPair:
    """Two words and how similar people find them."""

    first: str
    second: str
    rating: float


@dataclass(frozen=True, slots=True)
class ContextPair:
    """Two words in context; ``rating`` is the mean of ``ratings``, from 0 to 10."""

    id: str
    first: Instance
    second: Instance
    rating: float
    ratings: tuple[float, ...]

    @property
    def has_same_form(self) -> bool:
        """Whether both sides show the same word: these pairs make up SCWS-lite."""
        return self.first.target.casefold() == self.second.target.casefold()

    @property
    def word_pair(self) -> WordPair:
        """The pair without its contexts."""
        return WordPair(self.first.target, self.second.target, self.rating)


@dataclass(frozen=True, slots=True)
class SimilarityScore:
    """Agreement of vectors with ratings.

    Attributes
    ----------
    spearman : float
        Spearman's rank correlation times 100; NaN where fewer than two pairs, or only equal
        values, can be compared.
    n_used, n_missing : int
        Pairs that count, and pairs with a word that has no vector.
    missing_words : tuple of str
        The words without a vector, each once, in the order of the pairs.
    spearman_interval : Interval or None
        95% interval over samples of the pairs; None where the correlation is not defined.
    """

    spearman: float
    n_used: int
    n_missing: int
    missing_words: tuple[str, ...]
    spearman_interval: Interval | None = None


def read_word_pairs(path: str | Path) -> list[WordPair]:
    """Read ``word1 word2 score`` lines, separated by tabs or spaces.

    Lines that begin with ``#`` are comments; a first line without a number is taken for a header.
    """
    path = Path(path)
    pairs = []
    lines = [entry for entry in read_numbered_lines(path) if not entry[1].startswith("#")]
    for position, (number, line) in enumerate(lines):
        columns = line.split("\t") if "\t" in line else line.split()
        columns = [column.strip() for column in columns]
        try:
            first, second, rating = columns[0], columns[1], float(columns[2])
        except (IndexError, ValueError) as error:
            if position == 0 and len(columns) >= 3:
                continue
            raise InputError(
                f"{path}, line {number}: expected 'word1 word2 score', found {line[:80]!r}"
            ) from error
        pairs.append(WordPair(first, second, rating))
    if not pairs:
        raise InputError(f"{path} holds no word pairs: expected lines of 'word1 word2 score'")
    return pairs


def read_scws(path: str | Path) -> list[ContextPair]:
    """Read ``ratings.txt``: tab-separated columns, targets marked by ``<b> </b>``.

    The instances are called ``1.first``, ``1.second`` and so on.

    `InputError` with the line, where columns are missing, a rating is no number or a target is not
    marked.
    """
    return [
        _parse_context_pair(line, f"{path}, line {number}")
        for number, line in read_numbered_lines(Path(path))
    ]


def score_word_pairs(vectors: WordVectors, pairs: Iterable[WordPair]) -> SimilarityScore:
    """Correlate the cosine of word vectors with ratings.

    A word without a vector is looked up in lower case as well, because corpora are often
    lower-cased and test sets are not; pairs still without one are left out and counted.
    """
    ratings, similarities = [], []
    missing: dict[str, None] = {}
    n_missing = 0
    for pair in pairs:
        first, second = known_form(vectors, pair.first), known_form(vectors, pair.second)
        if first is None or second is None:
            n_missing += 1
            for word, form in ((pair.first, first), (pair.second, second)):
                if form is None:
                    missing[word] = None
            continue
        ratings.append(pair.rating)
        similarities.append(vectors.similarity(first, second))
    return SimilarityScore(
        spearman=correlate_ranks(ratings, similarities),
        n_used=len(ratings),
        n_missing=n_missing,
        missing_words=tuple(missing),
        spearman_interval=bootstrap_correlation(ratings, similarities),
    )


def correlate_ranks(first: Sequence[float], second: Sequence[float]) -> float:
    """Spearman's rank correlation times 100, equal values given their mean rank.

    NaN where it is not defined: fewer than two values, or all of one side equal.
    """
    if len(first) != len(second):
        raise InputError(f"expected as many values on both sides, got {len(first)}, {len(second)}")
    if len(first) < 2 or len(set(first)) < 2 or len(set(second)) < 2:
        return float("nan")
    return float(_correlate_rows(np.array([first]), np.array([second]))[0])


def _correlate_rows(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float64]:
    """`correlate_ranks` of each row; without rows in which all of one side are equal."""
    first_ranks, second_ranks = rankdata(first, axis=1), rankdata(second, axis=1)
    first_ranks -= first_ranks.mean(axis=1, keepdims=True)
    second_ranks -= second_ranks.mean(axis=1, keepdims=True)
    norms = np.square(first_ranks).sum(axis=1) * np.square(second_ranks).sum(axis=1)
    products = (first_ranks * second_ranks).sum(axis=1)
    scores: NDArray[np.float64] = 100 * products[norms > 0] / np.sqrt(norms[norms > 0])
    return scores


def bootstrap_correlation(first: Sequence[float], second: Sequence[float]) -> Interval | None:
    """Interval of `correlate_ranks` over samples of the pairs, drawn with replacement.

    Samples in which all of one side are equal are left out; None where that is so of all pairs.
    """
    if len(first) < 2 or len(set(first)) < 2 or len(set(second)) < 2:
        return None
    left, right = np.asarray(first), np.asarray(second)
    return bootstrap_words(len(left), lambda rows: _correlate_rows(left[rows], right[rows]))


def _parse_context_pair(line: str, place: str) -> ContextPair:
    columns = line.split("\t")
    if len(columns) < _SCWS_COLUMNS:
        raise InputError(
            f"{place}: expected at least {_SCWS_COLUMNS} columns separated by tabs (id, word1, "
            f"pos1, word2, pos2, context1, context2, mean rating), found {len(columns)}"
        )
    name, word1, pos1, word2, pos2, context1, context2, *numbers = columns
    try:
        rating, *ratings = (float(number) for number in numbers if number.strip())
    except ValueError as error:
        raise InputError(f"{place}: a rating is missing or not a number: {numbers}") from error
    return ContextPair(
        id=name,
        first=_make_instance(f"{name}.first", word1, pos1, context1, place),
        second=_make_instance(f"{name}.second", word2, pos2, context2, place),
        rating=rating,
        ratings=tuple(ratings),
    )


def _make_instance(name: str, target: str, pos: str, context: str, place: str) -> Instance:
    parts = split_marked_text(context)
    if parts is None:
        raise InputError(f"{place}: the target {target!r} is not marked by <b> </b> in its context")
    left, word, right = parts
    return Instance(name, target, pos, left, word, right)
