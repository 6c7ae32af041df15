"""How sure an answer is: distances -> the probability to be right, learnt without labels.

A distance means nothing to a user, and what a good one is differs between kinds of context and
corpora. So a model finds it out on pseudo-words: the contexts of two to four words are put together
as if they were one word, whose senses are induced; contexts held apart are decoded, and for these
it is known whether the answer is right. What tells right from wrong is the margin, how much more of
the nearest sense lies inside the context than of the next one: the odds to be right grow with a
power of it. An only sense has no next one; `grassmeans.senses.only_senses` says how sure it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from grassmeans.arrays import Booleans, Doubles
from grassmeans.errors import ArtifactError, InputError
from grassmeans.senses.logistic import fit_logistic
from grassmeans.senses.only_senses import ASSUMED, Strangers, measure_inside
from grassmeans.senses.same_sense import SamenessCurve

DEFAULT_CONFIDENCE = 0.7
"""Answers that are less likely to be right are "I don't know"."""

CALIBRATION = "answer_curve"
"""Where a model's manifest has its `Calibration`."""

MOST_CERTAIN = 0.9999
"""No answer that chooses between senses is more certain."""

SMALLEST_MARGIN = 0.01
"""Added to margins: far below it, two senses are equally near."""

_NOTHING = 1e-3  # weight of each made-up answer


@dataclass(frozen=True, slots=True)
class Calibration:
    """The probability that the nearest sense is the right one.

    Attributes
    ----------
    intercept, log_margin : float
        Of the logistic curve over `measure_log_margins`.
    strangers : Strangers or None
        By which an only sense is judged; without them its answer counts as right.
    same_sense : SamenessCurve or None
        How likely a word means the same in two contexts, where that was learnt.
    """

    intercept: float
    log_margin: float
    strangers: Strangers | None = None
    same_sense: SamenessCurve | None = None

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
            own = None if usual is None else np.broadcast_to(usual, sure.shape)[alone]
            sure[alone] = self._confidence_of_only(found[alone, 0], own)
        return sure

    def _confidence_of_only(self, distances: Doubles, usual: Doubles | None) -> Doubles:
        if self.strangers is None or usual is None:
            return np.ones(len(distances))
        return np.minimum(self.strangers.confidence(distances, usual), MOST_CERTAIN)

    def confidence_of_margins(self, log_margins: Doubles) -> Doubles:
        """(n,) probabilities to be right, of `measure_log_margins`; NaN for NaN."""
        score = self.intercept + self.log_margin * log_margins
        return np.asarray(np.minimum(1.0 / (1.0 + np.exp(-score)), MOST_CERTAIN))

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


def measure_log_margins(distances: Doubles) -> Doubles:
    """(n,) log(c_1 - c_2 + 0.01), of distances (n, n_senses) to two senses or more.

    c = sqrt(1 - d^2) is how much of a sense's direction lies inside the context, here of the
    nearest and the next sense. NaN where there is no next one.
    """
    nearest = np.sort(distances, axis=1)[:, :2]  # NaN comes last
    inside = measure_inside(nearest)
    return np.asarray(np.log(inside[:, 0] - inside[:, 1] + SMALLEST_MARGIN))


def fit_calibration(log_margins: Doubles, right: Booleans, weights: Doubles) -> Calibration:
    """The curve of answers of which it is known whether they were right.

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
    return Calibration(*fit_logistic(log_margins, right, scale))
