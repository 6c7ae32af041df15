"""Logistic regression on one number: how probabilities are learnt from known answers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grassmeans.arrays import Booleans, Doubles

_RIDGE = 1e-4
_STEPS = 50


class LogisticCurve(NamedTuple):
    """1 / (1 + exp(-(intercept + slope x)))."""

    intercept: float
    slope: float


def fit_logistic(values: Doubles, right: Booleans, weights: Doubles) -> LogisticCurve:
    """Newton's method, with a small ridge.

    Parameters
    ----------
    values : (n,)
    right : (n,)
        What is to be told from them.
    weights : (n,)
        About 1 in all.
    """
    inputs = np.column_stack([np.ones(len(values)), values])
    found = np.zeros(2)
    for _ in range(_STEPS):
        chances = 1.0 / (1.0 + np.exp(-inputs @ found))
        gradient = inputs.T @ (weights * (right - chances)) - _RIDGE * found
        curvature = (inputs * (weights * chances * (1.0 - chances))[:, None]).T @ inputs
        step = np.linalg.solve(curvature + _RIDGE * np.eye(2), gradient)
        found += step
        if np.abs(step).max() < 1e-8:
            break
    return LogisticCurve(float(found[0]), float(found[1]))
