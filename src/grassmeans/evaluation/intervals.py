"""Confidence intervals of scores by the bootstrap: which words a test set has is chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

N_SAMPLES = 1_000
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a score lies in 95% of the samples."""

    low: float
    high: float


def bootstrap_words(
    n_words: int,
    statistic: Callable[[NDArray[np.int64]], NDArray[np.float64]],
    *,
    n_samples: int = N_SAMPLES,
    random_state: int = 0,
) -> Interval | None:
    """Interval of a score over samples of the words, drawn with replacement.

    ``statistic`` takes (n_samples, n_words) positions of words and gives the (n_samples,) scores,
    of which 95% lie in the interval; None for fewer than two words, whose scatter cannot be known.
    """
    if n_words < 2:
        return None
    rng = np.random.default_rng(random_state)
    scores = statistic(rng.integers(n_words, size=(n_samples, n_words)))
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile(scores, [tail, 100 - tail])
    return Interval(float(low), float(high))


def bootstrap_weighted_mean(
    values: NDArray[np.float64], weights: NDArray[np.float64]
) -> Interval | None:
    """Interval of the mean over words, weighted by the words' weights."""

    def weighted_mean(chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        drawn = weights[chosen]
        means: NDArray[np.float64] = (values[chosen] * drawn).sum(axis=1) / drawn.sum(axis=1)
        return means

    return bootstrap_words(len(values), weighted_mean)
