"""Distances to senses: hard labels with "I don't know", or probabilities (algorithm 3).

Decoding is a cheap function of the distances, so another threshold recomputes nothing. A row of NaN
stands for an occurrence with no usable context: IDK under hard decoding, uniform under soft.

`choose_senses` is the rule by which every answer is chosen, wherever distances come from: tagging,
labelling, change, collocates, evaluation and the explorer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grassmeans.arrays import Booleans, Doubles, Floats, Indices
from grassmeans.artifacts.schema import (
    check_arguments,
    either,
    instance_of,
    number,
    one_of,
    optional,
)
from grassmeans.errors import InputError
from grassmeans.senses.calibration import ConfidenceRule

DECODINGS = ("hard", "soft")

IDK = -1  # label of an occurrence whose sense cannot be told
DEFAULT_IDK_THRESHOLD = 0.6  # theta of the paper
MODEL_THRESHOLD = "model"  # in place of a threshold: the model's own rule, or the paper's threshold
IdkRule = float | ConfidenceRule | None
"""When to say "I don't know": from a distance on, below a probability to be right, or never."""

IdkThreshold = IdkRule | str
"""An `IdkRule`, or `MODEL_THRESHOLD`."""

DEFAULT_SHARPNESS = 10.0
"""The paper's appendix, for its subspaces (other kinds of context: `ContextEncoder.sharpness`); the
main text's 1 cannot give its own table: with distances in [0, 1] and five senses no probability
could exceed 0.40."""


@dataclass(frozen=True, slots=True)
class Limits:
    """By what a model makes answers of the distances of a word."""

    rule: IdkRule
    """When to say "I don't know"."""
    sharpness: float
    """Of probabilities."""
    usual: float | None
    """Distance of the word's only sense, by which a `ConfidenceRule` judges it."""


_PAPER = Limits(DEFAULT_IDK_THRESHOLD, DEFAULT_SHARPNESS, None)
"""Of distances that no model has measured."""


class SenseDistances(np.ndarray[Any, np.dtype[np.float32]]):
    """(n, n_senses) distances that know the limits of the model that measured them.

    So do their rows; what is computed from them is up to who does. `numpy.asarray` forgets them.
    """

    limits: Limits
    """Of the model, for this word."""

    def __new__(cls, distances: Floats, limits: Limits) -> SenseDistances:
        """Distances as they are, with limits."""
        found = distances.view(cls)
        found.limits = limits
        return found

    def __array_finalize__(self, source: Any) -> None:
        self.limits = getattr(source, "limits", _PAPER)

    def __reduce__(self) -> tuple[Any, ...]:
        # NumPy would send the numbers alone to another process.
        return SenseDistances, (np.asarray(self), self.limits)


def check_threshold(idk_threshold: IdkThreshold) -> IdkRule:
    """A rule as it is; `InputError` for a word."""
    if isinstance(idk_threshold, str):
        raise InputError(
            f"idk_threshold must be a number, None or {MODEL_THRESHOLD!r}, got {idk_threshold!r}"
        )
    return idk_threshold


def describe_rule(rule: IdkRule) -> Any:
    """A rule as plain values, for a manifest."""
    return rule.to_dict() if isinstance(rule, ConfidenceRule) else rule


def choose_senses(
    distances: NDArray[np.floating], rule: IdkRule, usual: ArrayLike | None = None
) -> Indices:
    """(n,) the nearest sense of each occurrence, from 0; `IDK` where the rule has none.

    Distances (n, most senses) are NaN beyond a word's senses, and all along where nothing was
    measured, which is IDK. A `ConfidenceRule` judges only senses by their usual distance.
    """
    absent = np.isnan(distances)
    filled = np.where(absent, np.inf, distances)
    unknown = absent[:, 0]
    if isinstance(rule, ConfidenceRule):
        unknown = unknown | rule.is_unsure(distances, usual)
    elif rule is not None:
        unknown = unknown | (filled.min(axis=1) >= rule)
    return np.where(unknown, IDK, filled.argmin(axis=1))


_IDK_RULE = optional(either(number(0.0, 1.0), instance_of(ConfidenceRule), one_of(MODEL_THRESHOLD)))


@check_arguments(decoding=one_of(*DECODINGS), idk_threshold=_IDK_RULE)
def decode(
    distances: ArrayLike,
    decoding: str = "hard",
    *,
    idk_threshold: IdkThreshold = MODEL_THRESHOLD,
    sharpness: float | None = None,
) -> NDArray[Any]:
    """The sense of each occurrence, or the probability of each sense (algorithm 3).

    Parameters
    ----------
    distances : (n, n_senses)
        From `KGrassmeans.transform` or `SenseModel.distances`; rows of NaN have no usable context.
    decoding : {"hard", "soft"}
        Hard: the nearest sense, or "I don't know" (`decode_hard`). Soft: probabilities
        (`decode_soft`).
    idk_threshold : float in [0, 1], ConfidenceRule, "model" or None
        Of hard decoding: from this distance of the nearest sense on it is not known, or where the
        rule is not sure enough; None answers wherever a context says something. By default the own
        rule of the model that has measured the distances, and the paper's 0.6 for others.
    sharpness : float, optional
        Of soft decoding: 0 makes every sense equally likely. By default that of the model, and 10
        for distances of none.

    Returns
    -------
    labels : (n,) int64
        Hard: 0 to n_senses - 1, or -1 for "I don't know".
    probabilities : (n, n_senses) float64
        Soft: rows sum to 1.
    """
    if decoding == "hard":
        return decode_hard(distances, idk_threshold)
    return decode_soft(distances, sharpness)


@check_arguments(idk_threshold=_IDK_RULE)
def decode_hard(distances: ArrayLike, idk_threshold: IdkThreshold = MODEL_THRESHOLD) -> Indices:
    """(n,) the nearest sense of each occurrence, or `IDK` where even that is too far (equation 4).

    The first of equally near senses. `decode` has the parameters.
    """
    checked, _ = _check_distances(distances)
    limits = getattr(distances, "limits", _PAPER)
    asked = limits.rule if isinstance(idk_threshold, str) else idk_threshold
    return choose_senses(checked, asked, limits.usual)


@check_arguments()
def decode_soft(distances: ArrayLike, sharpness: float | None = None) -> Doubles:
    """(n, n_senses) the probability of each sense: exp(-sharpness d), normalised (equation 5).

    Rows of NaN have no usable context: every sense is equally likely. `decode` has the parameters.
    """
    checked, missing = _check_distances(distances)
    if sharpness is None:
        sharpness = getattr(distances, "limits", _PAPER).sharpness
    filled = np.where(missing[:, None], 0.0, checked)
    # Less the nearest distance: the largest exponent is 0, and no row can vanish.
    weights = np.exp(-sharpness * (filled - filled.min(axis=1, keepdims=True)))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _check_distances(distances: ArrayLike) -> tuple[Doubles, Booleans]:
    """Distances as float64, and which rows have no usable context."""
    try:
        checked = np.asarray(distances, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("distances must be numbers of the shape (n, n_senses)") from error
    if checked.ndim != 2 or checked.shape[1] == 0:
        raise InputError(
            f"distances must have the shape (n, n_senses), got {checked.shape}: "
            "pass what KGrassmeans.transform returns"
        )
    absent = np.isnan(checked)
    missing: Booleans = np.asarray(absent.all(axis=1))
    mixed = np.flatnonzero(absent.any(axis=1) & ~missing)
    if mixed.size:
        raise InputError(
            f"row {mixed[0]} of distances is partly NaN: a row with no usable context is all NaN"
        )
    return checked, missing
