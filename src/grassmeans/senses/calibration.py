"""How sure an answer is: distances -> the probability to be right, learnt without labels.

A distance means nothing to a user, and what a good one is differs between kinds of context and
corpora. So a model finds it out on pseudo-words (`grassmeans.senses.pseudowords`), of which it is
known whether an answer is right. What tells right from wrong is the margin, how much more of the
nearest sense lies inside the context than of the next one: the odds to be right grow with a power
of it.

An only sense has no next one, and an occurrence may have a sense that the model lacks. So it is
compared with strangers: how near contexts of other words come to the line of a word. That is much
the same for all words, and most of a word's own contexts are far nearer. By Bayes' rule, with both
taken as normal, the odds of the only sense are

    A / (1 - A) * N(c; own, w own) / N(c; s, t)

with c = sqrt(1 - d^2), how much of the line lies inside the context; own, the c of the word's usual
distance; w, how much a word's contexts differ among themselves; s and t, mean and spread of
strangers; and A, how often a word has one of its known senses at all, which no text without labels
tells: it is assumed.

How likely a word means the same in two contexts is a logistic curve over how alike they are. A
model whose lines have ends, and that has not stored such a curve, expects one from the lines of its
own senses: how near those of one word lie, and how much of a context is its line. So it does with
strangers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grassmeans.arrays import Booleans, Doubles, Floats
from grassmeans.contexts.interface import DEFAULT_CONFIDENCE
from grassmeans.errors import ArtifactError, InputError

CALIBRATION = "answer_curve"  # where a model's manifest has its `Calibration`
MOST_CERTAIN = 0.9999  # no answer that chooses between senses is more certain
SMALLEST_MARGIN = 0.01  # added to margins: far below it, two senses are equally near
ASSUMED = 0.9  # how often an occurrence has the only sense that is known of its word
OWN_SPREAD = 0.3
"""Of the c of a word's contexts, as a part of its usual c. At least so much: tagging reads
sentences, which say less than the passages that usual distances are from."""

FEWEST_LINES = 32  # with fewer it is chance how near they are
FEWEST_PAIRS = 100
_NOTHING = 1e-3  # weight of each made-up answer
_RIDGE = 1e-4
_STEPS = 50


def logistic(scores: ArrayLike) -> Doubles:
    """1 / (1 + exp(-s)); SciPy's `expit` would cost each start a quarter of a second."""
    with np.errstate(over="ignore"):  # 1 / inf is the 0 that it should be
        return np.asarray(1.0 / (1.0 + np.exp(-np.asarray(scores, np.float64))))


def fit_logistic(
    values: Doubles, right: Booleans | Doubles, weights: Doubles
) -> tuple[float, float]:
    """Intercept and slope of what is to be told from values (n,): 1 / (1 + exp(-(i + s x))).

    By Newton's method with a small ridge; weights are about 1 in all.
    """
    inputs = np.column_stack([np.ones(len(values)), values])
    found = np.zeros(2)
    for _ in range(_STEPS):
        chances = logistic(inputs @ found)
        gradient = inputs.T @ (weights * (right - chances)) - _RIDGE * found
        curvature = (inputs * (weights * chances * (1.0 - chances))[:, None]).T @ inputs
        step = np.linalg.solve(curvature + _RIDGE * np.eye(2), gradient)
        found += step
        if np.abs(step).max() < 1e-8:
            break
    return float(found[0]), float(found[1])


def measure_inside(distances: ArrayLike) -> Doubles:
    """How much of a line lies inside a context at a distance: sqrt(1 - d^2)."""
    squares = np.square(np.asarray(distances, np.float64))
    return np.asarray(np.sqrt(np.maximum(1.0 - squares, 0.0)))


@dataclass(frozen=True, slots=True)
class Strangers:
    """How near the contexts of other words are to the line of a word, by mean and spread of c."""

    mean: float
    """Of c, how much of the line lies inside the context."""
    spread: float
    """Of the same."""
    own_spread: float = OWN_SPREAD
    """Of a word's own contexts, as a part of its usual c."""

    def __post_init__(self) -> None:
        values = [self.mean, self.spread, self.own_spread]
        if not (np.isfinite(values).all() and min(values[1:]) > 0.0):
            raise InputError(f"strangers need a finite mean and spreads above 0, got {self}")

    def confidence(self, distances: Doubles, usual: Doubles) -> Doubles:
        """(n,) probabilities that occurrences have the only sense of their words.

        Of the distances to that sense, and the mean ones of the words' own contexts. NaN, where
        nothing is known around a word or of it, gives what is assumed of any word.
        """
        own = np.maximum(measure_inside(usual), self.mean)
        # Nearer than usual is no less likely, and farther than strangers no less of a stranger.
        inside = np.clip(measure_inside(distances), self.mean, own)
        # Where own contexts are known to lie close together, strangers tell nothing of that.
        least = self.spread if self.own_spread >= OWN_SPREAD else 0.0
        own_spread = np.maximum(self.own_spread * own, least)
        own_score = np.square((inside - own) / own_spread) / 2 + np.log(own_spread)
        score = np.square((inside - self.mean) / self.spread) / 2 + np.log(self.spread) - own_score
        odds = ASSUMED / (1.0 - ASSUMED) * np.exp(score)
        return np.where(np.isnan(odds), ASSUMED, odds / (1.0 + odds))


def expect_strangers(lines: NDArray[np.floating], usual: Sequence[float]) -> Strangers | None:
    """Strangers as they are to be expected from lines that have ends; None for too few lines.

    A context is its word's line, as far as that lies inside it, and else a direction of its own,
    evenly spread over all dimensions. Lines (n, dim) are of different words; usual distances are of
    some words.
    """
    if len(lines) < FEWEST_LINES:
        return None
    cosines = (lines @ lines.T)[~np.eye(len(lines), dtype=np.bool_)].astype(np.float64)
    inside = measure_inside(usual)
    square = float(np.mean(inside**2))
    mean = float(inside.mean() * cosines.mean())
    variance = square * float(np.mean(cosines**2)) - mean**2 + (1.0 - square) / lines.shape[1]
    return Strangers(mean, float(np.sqrt(variance))) if variance > 0.0 else None


def fit_strangers(
    strangers: Doubles, own: Doubles, nearness: float = 0.0, own_spread: float | None = None
) -> Strangers | None:
    """Strangers as they were measured; None where there are too few, or all are alike.

    Of the c of contexts of other words, (n,), and of the words themselves, (m,), as parts of their
    usual c. Contexts in which a word has a sense that is lacking may be nearer than those of other
    words by so many spreads, and the spread of own ones may be known.
    """
    if len(strangers) < 2 or not len(own) or not strangers.std() > 0.0:
        return None
    mean, spread = float(strangers.mean()), float(strangers.std())
    measured = max(float(np.sqrt(np.mean(np.square(own - 1.0)))), OWN_SPREAD)
    return Strangers(mean + nearness * spread, spread, own_spread or measured)


@dataclass(frozen=True, slots=True)
class SamenessCurve:
    """The probability that two contexts have one sense, where that is as likely as two.

    A logistic curve over similarities (`grassmeans.geometry.distances.compare_rows`).
    """

    intercept: float
    """Of the curve."""
    slope: float
    """Of the curve."""

    def __post_init__(self) -> None:
        if not all(np.isfinite([self.intercept, self.slope])):
            raise InputError(f"a curve needs finite numbers, got {self}")

    def probability(self, similarities: ArrayLike) -> Doubles:
        """(n,) probabilities, of similarities (n,); NaN for NaN."""
        alike = np.asarray(similarities, np.float64)
        return logistic(self.intercept + self.slope * alike)

    def expect(self, means: Doubles, variances: Doubles, prior: float = 0.5) -> Doubles:
        """The mean probability of pairs whose similarities are normal, with a prior of one sense.

        The mean of a logistic curve, as MacKay (1992) approximates it.
        """
        scores = self.intercept + self.slope * means + math.log(prior / (1.0 - prior))
        return logistic(scores / np.sqrt(1.0 + np.pi / 8 * self.slope**2 * variances))

    def to_dict(self) -> dict[str, float]:
        """Plain values, for a manifest."""
        return asdict(self)


class KnownPairs(NamedTuple):
    """Pairs of contexts: how alike they are, and whether they are of one word; both (n,)."""

    similarities: Floats
    same: Booleans


def fit_sameness(pairs: KnownPairs) -> SamenessCurve | None:
    """The curve of known pairs; None for too few of either kind, or where it would fall."""
    sizes = np.array([(~pairs.same).sum(), pairs.same.sum()])
    if sizes.min() < FEWEST_PAIRS:
        return None
    weights = 0.5 / sizes[pairs.same.astype(np.int64)]
    intercept, slope = fit_logistic(pairs.similarities.astype(np.float64), pairs.same, weights)
    return SamenessCurve(intercept, slope) if slope > 0.0 else None


def expect_sameness(
    cosines: NDArray[np.floating], distances: Sequence[float], dim: int
) -> SamenessCurve | None:
    """The curve as it is to be expected from lines that have ends; None for too few senses.

    A context is its sense's line, as far as that lies inside it, and else a direction of its own,
    evenly spread over all dimensions. How alike two contexts are then has a mean and a spread for
    one sense, and others for two. The curve is at a half where both means are as many of their
    spreads away, and as steep as between normal distributions with the mean of the two variances.

    Cosines (n,) are of lines of two senses of a word; distances are of senses to their contexts, in
    the mean.
    """
    if len(cosines) < FEWEST_LINES or not len(distances):
        return None
    between = np.asarray(cosines, np.float64)
    inside = measure_inside(distances)
    mean, square = inside.mean() ** 2, np.mean(inside**2) * (1.0 + OWN_SPREAD**2)
    same, other = mean, mean * between.mean()
    noise = (1.0 - square**2) / dim
    same_variance = square**2 - same**2 + noise
    other_variance = square**2 * np.mean(between**2) - other**2 + noise
    slope = 2 * (same - other) / (same_variance + other_variance)
    if not slope > 0.0:
        return None
    spreads = np.sqrt([other_variance, same_variance])
    half = np.average([same, other], weights=spreads)  # the mean of the narrower one is nearer
    return SamenessCurve(float(-slope * half), float(slope))


@dataclass(frozen=True, slots=True)
class Calibration:
    """The probability that the nearest sense is the right one.

    A logistic curve over `measure_log_margins`. Without strangers the answer of an only sense
    counts as right.
    """

    intercept: float
    """Of the curve."""
    log_margin: float
    """Its slope."""
    strangers: Strangers | None = None
    """By which only senses are judged."""
    same_sense: SamenessCurve | None = None
    """By which two contexts are compared."""

    def __post_init__(self) -> None:
        if not all(np.isfinite([self.intercept, self.log_margin])):
            raise InputError(f"a calibration needs finite numbers, got {self}")

    @property
    def assumed(self) -> float:
        """How likely an only sense is where nothing is known around a word."""
        return 1.0 if self.strangers is None else ASSUMED

    def confidence(self, distances: ArrayLike, usual: ArrayLike | None = None) -> Doubles:
        """(n,) probabilities to be right, of distances (n, n_senses).

        Parameters
        ----------
        distances
            NaN stands for senses that a word does not have; a row of NaN gives NaN.
        usual : (n,) or float, optional
            The usual distance of an only sense (`SenseInventory.usual_distance`). Without it, as
            where the distance to an only sense is not measured, such a sense is always right.
        """
        found = np.asarray(distances, np.float64)
        sure = np.full(len(found), np.nan)
        if found.shape[1] > 1:
            sure = self.confidence_of_margins(measure_log_margins(found))
        alone = np.isnan(sure) & ~np.isnan(found[:, 0])  # no next sense
        if alone.any():
            sure[alone] = 1.0
            if self.strangers is not None and usual is not None:
                own = np.broadcast_to(usual, sure.shape)[alone]
                only = self.strangers.confidence(found[alone, 0], own)
                sure[alone] = np.minimum(only, MOST_CERTAIN)
        return sure

    def confidence_of_margins(self, log_margins: Doubles) -> Doubles:
        """(n,) probabilities to be right, of `measure_log_margins`; NaN for NaN."""
        score = self.intercept + self.log_margin * log_margins
        return np.asarray(np.minimum(logistic(score), MOST_CERTAIN))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a manifest."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def from_dict(cls, values: Any) -> Calibration:
        """From a manifest."""
        try:
            strangers, same_sense = values.get("strangers"), values.get("same_sense")
            return cls(
                float(values["intercept"]),
                float(values["log_margin"]),
                strangers and Strangers(**{k: float(v) for k, v in strangers.items()}),
                same_sense and SamenessCurve(**{k: float(v) for k, v in same_sense.items()}),
            )
        except (KeyError, TypeError, ValueError, AttributeError, InputError) as error:
            raise ArtifactError(f"the model's calibration is damaged ({error})") from error


def measure_log_margins(distances: Doubles) -> Doubles:
    """(n,) log(c_1 - c_2 + 0.01), of distances (n, n_senses) to two senses or more.

    c = sqrt(1 - d^2) is how much of a sense's direction lies inside the context, here of the
    nearest and the next sense. NaN where there is no next one.
    """
    nearest = np.sort(distances, axis=1)[:, :2]  # NaN comes last
    inside = measure_inside(nearest)
    return np.asarray(np.log(inside[:, 0] - inside[:, 1] + SMALLEST_MARGIN))


def fit_calibration(
    log_margins: Doubles, right: Booleans | Doubles, weights: Doubles
) -> Calibration:
    """The curve of answers (n,) of which it is known whether they were right."""
    # Where nothing speaks for any sense, an answer is as often wrong as right: said by two made-up
    # answers, which also hold the curve where all answers were right.
    log_margins = np.append(log_margins, np.full(2, np.log(SMALLEST_MARGIN)))
    right = np.append(right, [True, False])
    scale = np.append(weights / weights.sum(), [_NOTHING, _NOTHING])
    return Calibration(*fit_logistic(log_margins, right, scale))


@dataclass(frozen=True, slots=True)
class ConfidenceRule:
    """Say "I don't know" where the nearest sense is less likely to be right than ``at_least``."""

    calibration: Calibration
    at_least: float = DEFAULT_CONFIDENCE

    def __post_init__(self) -> None:
        if not 0.0 <= self.at_least <= 1.0:
            raise InputError(f"confidence must be between 0 and 1, got {self.at_least}")

    def is_unsure(self, distances: ArrayLike, usual: ArrayLike | None = None) -> Booleans:
        """(n,) which answers are not sure enough; `Calibration.confidence` has the parameters."""
        return np.asarray(self.calibration.confidence(distances, usual) < self.at_least)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a manifest."""
        return {"confidence": self.at_least, "calibration": self.calibration.to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ConfidenceRule:
        """What `to_dict` gave."""
        return cls(Calibration.from_dict(values["calibration"]), float(values["confidence"]))
