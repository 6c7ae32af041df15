"""Answers to sentences against the senses that they were written for.

No score depends on how senses are numbered.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from grassmeans.evaluation.clustering_scores import match_labels
from grassmeans.evaluation.reports import Interval, bootstrap_weighted_mean


@dataclass(frozen=True, slots=True)
class WordAnswers:
    """The answers to the sentences of one word: numbers of senses, None where there is none."""

    kind: str
    senses: tuple[str, ...]  # the gold sense of each sentence
    nearest: tuple[int | None, ...]  # the nearest sense of each sentence alone, however far it is
    answers: tuple[int | None, ...]  # the same, None where it is too far for an answer
    pairs: tuple[tuple[str, str], ...] = ()  # the gold senses of two sentences in one text
    pair_answers: tuple[tuple[int | None, int | None], ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """Scores over a group of words, in percent; NaN where there is nothing to score."""

    n_words: int
    n_sentences: int
    n_pairs: int
    answered: float  # share of the sentences; all other scores look at these only
    # Under the best matching of induced senses to gold ones, one to one for each word: an answer
    # that is matched to no sense is wrong. The matching is made by the nearest senses of all
    # sentences, so that a word with a single answer is not right for that alone.
    accuracy: float
    # Of two sentences of a word: share with one answer for one sense, two answers for two.
    pairwise: float
    # The same for sentences in one sense, and in two.
    same: float
    other: float
    # Share of the words of one gold sense (with two answers or more) that get different answers.
    split: float
    # Of the occurrences in texts of two sentences, by the same matching.
    answered_in_pairs: float
    accuracy_in_pairs: float
    # Share of those texts, with both occurrences answered, whose two answers differ.
    told_apart: float
    # 95% of bootstrap samples of the words; None for fewer than two words.
    accuracy_interval: Interval | None
    pairwise_interval: Interval | None


def score_words(words: Sequence[WordAnswers]) -> SentenceScores:
    """Score the answers to the sentences of some words; every sentence weighs the same."""
    accuracy = _Shares([_count_right(word) for word in words])
    comparisons = [_compare_sentences(word) for word in words]
    pairwise = _Shares([_count(comparison) for comparison in comparisons])
    joint = [_match_pairs(word) for word in words]
    several = [
        {answer for answer in word.answers if answer is not None}
        for word in words
        if len(set(word.senses)) == 1 and _n_answered(word.answers) > 1
    ]
    n_sentences = sum(len(word.answers) for word in words)
    n_pairs = sum(len(word.pairs) for word in words)
    return SentenceScores(
        n_words=len(words),
        n_sentences=n_sentences,
        n_pairs=n_pairs,
        answered=_percent(sum(_n_answered(word.answers) for word in words), n_sentences),
        accuracy=accuracy.mean,
        pairwise=pairwise.mean,
        same=_Shares([_count(c, lambda pair: pair.is_same) for c in comparisons]).mean,
        other=_Shares([_count(c, lambda pair: not pair.is_same) for c in comparisons]).mean,
        split=_percent(sum(len(answers) > 1 for answers in several), len(several)),
        answered_in_pairs=_percent(sum(len(right) for right in joint), 2 * n_pairs),
        accuracy_in_pairs=_Shares([(sum(right), len(right)) for right in joint]).mean,
        told_apart=_Shares([_count_apart(word) for word in words]).mean,
        accuracy_interval=accuracy.interval,
        pairwise_interval=pairwise.interval,
    )


def match_senses(word: WordAnswers) -> dict[int, str]:
    """The gold sense that each induced one stands for, by the nearest senses of all sentences."""
    given = zip(word.nearest, word.senses, strict=True)
    known = [(answer, sense) for answer, sense in given if answer is not None]
    return match_labels(*zip(*known, strict=True)) if known else {}


def _count_right(word: WordAnswers) -> tuple[int, int]:
    matched = match_senses(word)
    given = zip(word.answers, word.senses, strict=True)
    right = [matched.get(answer) == sense for answer, sense in given if answer is not None]
    return sum(right), len(right)


def _match_pairs(word: WordAnswers) -> list[bool]:
    """Whether each answer inside a pair is right."""
    matched = match_senses(word)
    return [
        matched.get(answer) == sense
        for senses, answers in zip(word.pairs, word.pair_answers, strict=True)
        for sense, answer in zip(senses, answers, strict=True)
        if answer is not None
    ]


def _count_apart(word: WordAnswers) -> tuple[int, int]:
    both = [answers for answers in word.pair_answers if None not in answers]
    return sum(first != second for first, second in both), len(both)


class _Comparison(NamedTuple):
    """Two answered sentences of a word: whether gold senses are the same, and answers agree."""

    is_same: bool
    is_right: bool


def _compare_sentences(word: WordAnswers) -> list[_Comparison]:
    given = zip(word.senses, word.answers, strict=True)
    known = [(sense, answer) for sense, answer in given if answer is not None]
    return [
        _Comparison(sense == other, (sense == other) == (answer == another))
        for (sense, answer), (other, another) in combinations(known, 2)
    ]


def _count(
    comparisons: Iterable[_Comparison], wanted: Callable[[_Comparison], bool] = lambda _: True
) -> tuple[int, int]:
    right = [comparison.is_right for comparison in comparisons if wanted(comparison)]
    return sum(right), len(right)


def _n_answered(answers: Iterable[int | None]) -> int:
    return sum(answer is not None for answer in answers)


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else math.nan


class _Shares:
    """Right and all of each word, as a mean over all that there are, in percent."""

    def __init__(self, counts: Iterable[tuple[int, int]]) -> None:
        self._counts = [(right, total) for right, total in counts if total]

    @property
    def mean(self) -> float:
        rights, totals = (sum(count[side] for count in self._counts) for side in (0, 1))
        return _percent(rights, totals)

    @property
    def interval(self) -> Interval | None:
        counts = np.array(self._counts, np.float64).reshape(-1, 2)
        return bootstrap_weighted_mean(100 * counts[:, 0] / counts[:, 1], counts[:, 1])
