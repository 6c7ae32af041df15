"""How sure an answer is: distances -> the probability to be right, learnt without labels.

A distance means nothing to a user, and what a good one is differs between kinds of context and
corpora. So a model finds it out on pseudo-words: the contexts of two to four words are put together
as if they were one word, whose senses are induced; contexts held apart are decoded, and for these
it is known whether the answer is right. From them a logistic curve is learnt over two numbers of an
answer: how much of the nearest sense lies inside the context (1 - d^2), and how much more than of
the next sense.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grassmeans.errors import ArtifactError, InputError

DEFAULT_CONFIDENCE = 0.7
"""Answers that are less likely to be right are "I don't know"."""

MOST_CERTAIN = 0.9999
"""No answer that chooses between senses is more certain."""

_RIDGE = 1e-3
_STEPS = 50
_NOTHING = 0.01  # weight of each made-up answer


@dataclass(frozen=True, slots=True)
class Calibration:
    """The probability that the nearest sense is the right one.

    Attributes
    ----------
    intercept, nearest, margin : float
        Of the logistic curve over s_1 and s_1 - s_2, where s_k = 1 - d_k^2 of the nearest and the
        next sense. A word with one sense has no next one, and its answer is always right.
    """

    intercept: float
    nearest: float
    margin: float

    def __post_init__(self) -> None:
        if not all(np.isfinite([self.intercept, self.nearest, self.margin])):
            raise InputError(f"a calibration needs finite numbers, got {self}")

    def confidence(self, distances: ArrayLike) -> NDArray[np.float64]:
        """(n,) probabilities to be right, of distances (n, n_senses).

        NaN stands for senses that a word does not have; a row of NaN gives NaN.
        """
        found = np.sort(np.asarray(distances, np.float64), axis=1)[:, :2]  # NaN comes last
        if found.shape[1] == 1:
            return np.where(np.isnan(found[:, 0]), np.nan, 1.0)
        far = found * found
        score = self.intercept + self.nearest * (1.0 - far[:, 0])
        score += self.margin * (far[:, 1] - far[:, 0])
        sure = np.minimum(1.0 / (1.0 + np.exp(-score)), MOST_CERTAIN)
        alone = np.isnan(sure)
        if alone.any():  # no next sense, or none at all
            sure[alone] = np.where(np.isnan(found[alone, 0]), np.nan, 1.0)
        return sure

    def to_dict(self) -> dict[str, float]:
        """Plain values, for a manifest."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Any) -> Calibration:
        """From a manifest."""
        try:
            return cls(**{name: float(values[name]) for name in cls.__slots__})
        except (KeyError, TypeError, ValueError, InputError) as error:
            raise ArtifactError(f"the model's calibration is damaged ({error})") from error


@dataclass(frozen=True, slots=True)
class ConfidenceRule:
    """Say "I don't know" where the nearest sense is less likely to be right than ``at_least``."""

    calibration: Calibration
    at_least: float = DEFAULT_CONFIDENCE

    def __post_init__(self) -> None:
        if not 0.0 <= self.at_least <= 1.0:
            raise InputError(f"confidence must be between 0 and 1, got {self.at_least}")

    def is_unsure(self, distances: ArrayLike) -> NDArray[np.bool_]:
        """(n,) which answers are not sure enough."""
        return np.asarray(self.calibration.confidence(distances) < self.at_least)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a manifest."""
        return {"confidence": self.at_least, "calibration": self.calibration.to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ConfidenceRule:
        """What `to_dict` gave."""
        return cls(Calibration.from_dict(values["calibration"]), float(values["confidence"]))


def answer_features(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 2) s_1 and s_1 - s_2 of distances (n, n_senses) with two senses or more."""
    inside = 1.0 - np.square(np.sort(distances, axis=1)[:, :2])
    return np.stack([inside[:, 0], inside[:, 0] - inside[:, 1]], axis=1)


def fit_calibration(
    features: NDArray[np.float64], right: NDArray[np.bool_], weights: NDArray[np.float64]
) -> Calibration:
    """Logistic regression by Newton's method, with a small ridge.

    Parameters
    ----------
    features : (n, 2)
        From `answer_features`.
    right : (n,)
        Whether the answers were right.
    weights : (n,)
        Of the answers.
    """
    # Where nothing speaks for any sense, an answer is as often wrong as right: said by two made-up
    # answers, which also hold the curve where all answers were right.
    features = np.concatenate([features, np.zeros((2, 2))])
    right = np.append(right, [True, False])
    scale = np.append(weights / weights.sum(), [_NOTHING, _NOTHING])
    inputs = np.column_stack([np.ones(len(features)), features])
    found = np.zeros(3)
    for _ in range(_STEPS):
        chances = 1.0 / (1.0 + np.exp(-inputs @ found))
        gradient = inputs.T @ (scale * (right - chances)) - _RIDGE * found
        curvature = (inputs * (scale * chances * (1.0 - chances))[:, None]).T @ inputs
        step = np.linalg.solve(curvature + _RIDGE * np.eye(3), gradient)
        found += step
        if np.abs(step).max() < 1e-8:
            break
    return Calibration(*(float(value) for value in found))


def expected_calibration_error(
    confidence: NDArray[np.float64], right: NDArray[np.bool_], n_bins: int = 10
) -> float:
    """The mean gap between confidence and share of right answers, over bins of confidence."""
    bins = np.minimum((confidence * n_bins).astype(int), n_bins - 1)
    sizes = np.bincount(bins, minlength=n_bins)
    sure = np.bincount(bins, confidence, n_bins)
    good = np.bincount(bins, right.astype(float), n_bins)
    return float(np.abs(sure - good).sum() / max(sizes.sum(), 1))
