"""How sure an answer is: distances -> the probability to be right, learnt without labels.

A distance means nothing to a user, and what a good one is differs between kinds of context and
corpora. So a model finds it out on pseudo-words: the contexts of two to four words are put together
as if they were one word, whose senses are induced; contexts held apart are decoded, and for these
it is known whether the answer is right. What tells right from wrong is the margin, how much more of
the nearest sense lies inside the context than of the next one: the odds to be right grow with a
power of it.
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

CALIBRATION = "answer_curve"
"""Where a model's manifest has its `Calibration`."""

MOST_CERTAIN = 0.9999
"""No answer that chooses between senses is more certain."""

SMALLEST_MARGIN = 0.01
"""Added to margins: far below it, two senses are equally near."""

_RIDGE = 1e-4
_STEPS = 50
_NOTHING = 1e-3  # weight of each made-up answer


@dataclass(frozen=True, slots=True)
class Calibration:
    """The probability that the nearest sense is the right one.

    Attributes
    ----------
    intercept, log_margin : float
        Of the logistic curve over `measure_log_margins`. A word with one sense has no next one, and
        its answer is always right.
    """

    intercept: float
    log_margin: float

    def __post_init__(self) -> None:
        if not all(np.isfinite([self.intercept, self.log_margin])):
            raise InputError(f"a calibration needs finite numbers, got {self}")

    def confidence(self, distances: ArrayLike) -> NDArray[np.float64]:
        """(n,) probabilities to be right, of distances (n, n_senses).

        NaN stands for senses that a word does not have; a row of NaN gives NaN.
        """
        found = np.asarray(distances, np.float64)
        if found.shape[1] == 1:
            return np.where(np.isnan(found[:, 0]), np.nan, 1.0)
        sure = self.confidence_of_margins(measure_log_margins(found))
        alone = np.isnan(sure)
        if alone.any():  # no next sense, or none at all
            sure[alone] = np.where(np.isnan(found[alone]).all(axis=1), np.nan, 1.0)
        return sure

    def confidence_of_margins(self, log_margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) probabilities to be right, of `measure_log_margins`; NaN for NaN."""
        score = self.intercept + self.log_margin * log_margins
        return np.asarray(np.minimum(1.0 / (1.0 + np.exp(-score)), MOST_CERTAIN))

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


def measure_log_margins(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) log(c_1 - c_2 + 0.01), of distances (n, n_senses) to two senses or more.

    c = sqrt(1 - d^2) is how much of a sense's direction lies inside the context, here of the
    nearest and the next sense. NaN where there is no next one.
    """
    nearest = np.sort(distances, axis=1)[:, :2]  # NaN comes last
    inside = np.sqrt(np.maximum(1.0 - nearest * nearest, 0.0))
    return np.asarray(np.log(inside[:, 0] - inside[:, 1] + SMALLEST_MARGIN))


def fit_calibration(
    log_margins: NDArray[np.float64], right: NDArray[np.bool_], weights: NDArray[np.float64]
) -> Calibration:
    """Logistic regression by Newton's method, with a small ridge.

    Parameters
    ----------
    log_margins : (n,)
        From `measure_log_margins`.
    right : (n,)
        Whether the answers were right.
    weights : (n,)
        Of the answers.
    """
    # Where nothing speaks for any sense, an answer is as often wrong as right: said by two made-up
    # answers, which also hold the curve where all answers were right.
    log_margins = np.append(log_margins, np.full(2, np.log(SMALLEST_MARGIN)))
    right = np.append(right, [True, False])
    scale = np.append(weights / weights.sum(), [_NOTHING, _NOTHING])
    inputs = np.column_stack([np.ones(len(log_margins)), log_margins])
    found = np.zeros(2)
    for _ in range(_STEPS):
        chances = 1.0 / (1.0 + np.exp(-inputs @ found))
        gradient = inputs.T @ (scale * (right - chances)) - _RIDGE * found
        curvature = (inputs * (scale * chances * (1.0 - chances))[:, None]).T @ inputs
        step = np.linalg.solve(curvature + _RIDGE * np.eye(2), gradient)
        found += step
        if np.abs(step).max() < 1e-8:
            break
    return Calibration(*(float(value) for value in found))
