"""Scores of decoded contexts: groups against gold classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.cluster import contingency_matrix

from grassmeans.evaluation.intervals import bootstrap_weighted_mean
from grassmeans.evaluation.table_scores import mapped_accuracy, paired_f_score, v_measure
from grassmeans.laboratory.experiments.ablation_words import DecodedWord
from grassmeans.senses.decoding import decode_hard

SCORES = ("V", "F", "accuracy")


@dataclass(frozen=True, slots=True)
class Change:
    """Mean difference over words, and the ends of its 95% interval; for one word, all the same.

    Words differ much more than settings do: on the same words a difference has less noise than the
    scores themselves.
    """

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class WordScores:
    """Scores of every word, in percent.

    Attributes
    ----------
    values : (n_words, 3) float64
        In the order of `SCORES`.
    weights : (n_words,) float64
        Tested contexts of each word.
    """

    values: NDArray[np.float64]
    weights: NDArray[np.float64]

    def mean(self, score: str) -> float:
        """Over words, weighted as by the official scorers."""
        return float(np.average(self.values[:, SCORES.index(score)], weights=self.weights))

    def compare(self, other: WordScores, score: str) -> Change:
        """How a score differs from that of the same words under another setting."""
        column = SCORES.index(score)
        differences = self.values[:, column] - other.values[:, column]
        mean = float(np.average(differences, weights=self.weights))
        found = bootstrap_weighted_mean(differences, self.weights)
        return Change(mean, *((mean, mean) if found is None else (found.low, found.high)))


def score_words(decoded: Sequence[DecodedWord]) -> WordScores:
    """Group every word's contexts by the nearest sense, poor ones by the largest, and score."""
    rows = []
    for word in decoded:
        labels = np.maximum(decode_hard(word.distances, None), 0)
        table = contingency_matrix(labels, word.gold)
        rows.append([v_measure(table), paired_f_score(table), mapped_accuracy(table)])
    weights = np.array([len(word.gold) for word in decoded], np.float64)
    return WordScores(100 * np.array(rows), weights)
