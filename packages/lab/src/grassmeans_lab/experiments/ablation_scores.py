"""Scores of decoded contexts: groups against gold classes, and what decoding adds.

What soft decoding and "I don't know" add to the nearest sense is measured on pseudo-words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.cluster import contingency_matrix

from grassmeans.clustering.merging import pair_all
from grassmeans.errors import InputError
from grassmeans.evaluation.clustering_scores import mapped_accuracy, paired_f_score, v_measure
from grassmeans.evaluation.reports import bootstrap_weighted_mean
from grassmeans.pictures.planes import SENSE_COLOURS
from grassmeans.senses.decoding import IDK, decode_hard, decode_soft
from grassmeans_lab.experiments.ablation_words import DecodedWord
from grassmeans_lab.experiments.drawing import finish, new_canvas
from grassmeans_lab.experiments.experiment import Cell, ComparedValue, DataTable, Figure

SCORES = ("V", "F", "accuracy")
_BINS = 10
_LISTED = (0.6, 0.7, 0.8, 1.0)


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


@dataclass(frozen=True, slots=True)
class SoftPoint:
    """Probabilities at one sharpness."""

    sharpness: float
    log_likelihood: float  # mean logarithm of the probability that the true member got
    # How far the largest probability is from the share that is right, on average over ten bins.
    calibration_error: float


@dataclass(frozen=True, slots=True)
class IdkPoint:
    """Share of "I don't know" at one threshold, and accuracy of the others; None without any."""

    threshold: float
    unknown: float
    accuracy: float | None


@dataclass(frozen=True, slots=True)
class DecodingMeasures:
    """Both kinds of decoding over all their settings, and how they are shown."""

    soft: tuple[SoftPoint, ...]
    idk: tuple[IdkPoint, ...]

    @property
    def likeliest(self) -> SoftPoint:
        """Where the true member got the highest probability on average."""
        return max(self.soft, key=lambda point: point.log_likelihood)

    @property
    def best_calibrated(self) -> SoftPoint:
        """Where probabilities are nearest to the share that is right."""
        return min(self.soft, key=lambda point: point.calibration_error)

    def list_values(self) -> tuple[ComparedValue, ...]:
        """The best sharpness, and some thresholds."""
        values = [
            ComparedValue(
                "sharpness of the highest likelihood", "10", f"{self.likeliest.sharpness:g}"
            )
        ]
        values += [
            ComparedValue(
                f"theta {point.threshold:g}: don't know, accuracy of the others",
                "",
                f"{point.unknown:.1%}, {point.accuracy:.3f}",
            )
            for point in self.idk
            if point.accuracy is not None and point.threshold in _LISTED
        ]
        return tuple(values)

    def tabulate(self) -> tuple[DataTable, DataTable]:
        """A table for each kind."""
        soft: tuple[tuple[Cell, ...], ...] = tuple(
            (point.sharpness, round(point.log_likelihood, 4), round(point.calibration_error, 4))
            for point in self.soft
        )
        idk: tuple[tuple[Cell, ...], ...] = tuple(
            (
                point.threshold,
                round(point.unknown, 4),
                None if point.accuracy is None else round(point.accuracy, 4),
            )
            for point in self.idk
        )
        return (
            DataTable(
                "ablations-sharpness",
                ("sharpness", "mean log-likelihood", "calibration error"),
                soft,
                "Soft decoding of pseudo-words",
                True,
            ),
            DataTable(
                "ablations-theta",
                ("theta", "share of don't know", "accuracy of the answered"),
                idk,
                "Hard decoding of pseudo-words",
                True,
            ),
        )

    def draw(self) -> Figure:
        """Likelihood and calibration against sharpness, accuracy and unknown against theta."""
        canvas, (left, middle, right) = new_canvas((9.6, 3.0), ncols=3)
        sharpnesses = [point.sharpness for point in self.soft]
        likelihoods = [point.log_likelihood for point in self.soft]
        left.plot(sharpnesses, likelihoods, "o-", ms=4, color=SENSE_COLOURS[0])
        left.set_ylabel("mean log-likelihood")
        errors = [point.calibration_error for point in self.soft]
        middle.plot(sharpnesses, errors, "o-", ms=4, color=SENSE_COLOURS[4])
        middle.set_ylabel("calibration error")
        for panel in (left, middle):
            panel.set_xscale("log")
            panel.set_xticks(sharpnesses, [f"{value:g}" for value in sharpnesses])
            panel.minorticks_off()
            panel.set_xlabel("sharpness")
        thresholds = [point.threshold for point in self.idk]
        for label, colour, shares in (
            ("accuracy of the answered", SENSE_COLOURS[1], [point.accuracy for point in self.idk]),
            ("share of don't know", SENSE_COLOURS[3], [point.unknown for point in self.idk]),
        ):
            # None, where nothing is answered, leaves a gap.
            heights = np.array(shares, np.float64)
            right.plot(thresholds, heights, "o-", ms=4, color=colour, label=label)
        right.set_xlabel("theta")
        right.set_ylim(-0.03, 1.03)
        right.legend(frameon=False, fontsize=8)
        caption = 'Soft decoding and "I don\'t know" of pseudo-words of two members'
        return finish(canvas, "ablations-decoding", caption)

    def explain(self) -> str:
        """What is seen, in words."""
        return (
            "Of pseudo-words, the true member is likeliest at a sharpness of "
            f"{self.likeliest.sharpness:g}, and probabilities are nearest to the share that is "
            f"right at {self.best_calibrated.sharpness:g}; the paper takes 10. The scores of the "
            "other settings do not depend on sharpness or theta: they take the nearest sense."
        )


def measure_decoding(
    decoded: Sequence[DecodedWord], sharpnesses: Sequence[float], thresholds: Sequence[float]
) -> DecodingMeasures:
    """Compare decoded words, which have as many senses as gold classes, with the truth."""
    distances, gold = pool_words(decoded)
    return DecodingMeasures(
        soft=tuple(_measure_soft(distances, gold, sharpness) for sharpness in sharpnesses),
        idk=tuple(_measure_idk(distances, gold, threshold) for threshold in thresholds),
    )


def _measure_soft(
    distances: NDArray[np.float64], gold: NDArray[np.int64], sharpness: float
) -> SoftPoint:
    shares = decode_soft(distances, sharpness)
    true = shares[np.arange(len(gold)), gold]
    right = shares.argmax(axis=1) == gold
    return SoftPoint(sharpness, float(np.log(true).mean()), _calibrate(shares.max(axis=1), right))


def _measure_idk(
    distances: NDArray[np.float64], gold: NDArray[np.int64], threshold: float
) -> IdkPoint:
    labels = decode_hard(distances, threshold)
    known = labels != IDK
    accuracy = float((labels == gold)[known].mean()) if known.any() else None
    return IdkPoint(threshold, float(1 - known.mean()), accuracy)


def pool_words(decoded: Sequence[DecodedWord]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """All contexts together: distances (n, n_classes), one column a class, and gold (n,).

    The senses of a word are mapped one to one to its classes so that most contexts agree. Words
    with fewer senses than classes are left out.

    `InputError` where no word is left.
    """
    kept = [word for word in decoded if word.distances.shape[1] == word.gold.max() + 1]
    if not kept:
        raise InputError("no word has as many senses as classes: give more contexts")
    columns = [word.distances[:, _map_senses(word)].astype(np.float64) for word in kept]
    return np.concatenate(columns), np.concatenate([word.gold for word in kept])


def _map_senses(word: DecodedWord) -> NDArray[np.int64]:
    """(n_classes,) the sense that stands for each class."""
    n_classes = word.distances.shape[1]
    labels = decode_hard(word.distances, None)
    table = np.zeros((n_classes, n_classes), np.int64)
    known = labels != IDK
    np.add.at(table, (word.gold[known], labels[known]), 1)
    return pair_all(table)[1]


def _calibrate(confidences: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    bins = np.minimum((confidences * _BINS).astype(np.int64), _BINS - 1)
    sums = np.bincount(bins, confidences - right, minlength=_BINS)
    return float(np.abs(sums).sum() / len(right))
