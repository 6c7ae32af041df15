"""How sure the only sense of a word is: an occurrence may have a sense that the model lacks.

There is no next sense to compare with, so it is compared with strangers: how near contexts of other
words come to the line of a word. That is much the same for all words, and most of a word's own
contexts are far nearer. By Bayes' rule, with both taken as normal, the odds of the only sense are

    A / (1 - A) * N(c; own, w own) / N(c; s, t)

with c = sqrt(1 - d^2), how much of the line lies inside the context; own, the c of the word's usual
distance; w, how much a word's contexts differ among themselves; s and t, mean and spread of
strangers; and A, how often a word has one of its known senses at all, which no text without labels
tells: it is assumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grassmeans.arrays import Doubles
from grassmeans.errors import InputError

ASSUMED = 0.9
"""How often an occurrence has the only sense that is known of its word."""

OWN_SPREAD = 0.3
"""Of the c of a word's contexts, as a part of its usual c. At least so much: tagging reads
sentences, which say less than the passages that usual distances are from."""

FEWEST_LINES = 32
"""With fewer it is chance how near they are."""


@dataclass(frozen=True, slots=True)
class Strangers:
    """How near the contexts of other words are to the line of a word.

    Attributes
    ----------
    mean, spread : float
        Of their c.
    own_spread : float
        Of a word's own contexts, as a part of its usual c.
    """

    mean: float
    spread: float
    own_spread: float = OWN_SPREAD

    def __post_init__(self) -> None:
        values = [self.mean, self.spread, self.own_spread]
        if not (np.isfinite(values).all() and min(values[1:]) > 0.0):
            raise InputError(f"strangers need a finite mean and spreads above 0, got {self}")

    def confidence(self, distances: Doubles, usual: Doubles) -> Doubles:
        """(n,) probabilities that occurrences have the only sense of their words.

        Parameters
        ----------
        distances : (n,)
            To that sense; what is assumed of any word where they are NaN: nothing is known around
            it.
        usual : (n,)
            The mean distance of the word's own contexts; the same for NaN, where it is not known.
        """
        own = np.maximum(measure_inside(usual), self.mean)
        # Nearer than usual is no less likely, and farther than strangers no less of a stranger.
        inside = np.clip(measure_inside(distances), self.mean, own)
        own_spread = np.maximum(self.own_spread * own, self.spread)
        own_score = np.square((inside - own) / own_spread) / 2 + np.log(own_spread)
        score = np.square((inside - self.mean) / self.spread) / 2 + np.log(self.spread) - own_score
        odds = ASSUMED / (1.0 - ASSUMED) * np.exp(score)
        return np.where(np.isnan(odds), ASSUMED, odds / (1.0 + odds))

    def to_dict(self) -> dict[str, float]:
        """Plain values, for a manifest."""
        return asdict(self)


def measure_inside(distances: ArrayLike) -> Doubles:
    """How much of a line lies inside a context at a distance: sqrt(1 - d^2)."""
    squares = np.square(np.asarray(distances, np.float64))
    return np.asarray(np.sqrt(np.maximum(1.0 - squares, 0.0)))


def expect_strangers(lines: NDArray[np.floating], usual: Sequence[float]) -> Strangers | None:
    """Strangers as they are to be expected from lines that have ends; None for too few lines.

    A context is its word's line, as far as that lies inside it, and else a direction of its own,
    evenly spread over all dimensions.

    Parameters
    ----------
    lines : (n, dim)
        Of different words.
    usual : sequence of float
        Usual distances of some words.
    """
    if len(lines) < FEWEST_LINES:
        return None
    cosines = (lines @ lines.T)[~np.eye(len(lines), dtype=np.bool_)].astype(np.float64)
    inside = measure_inside(usual)
    square = float(np.mean(inside**2))
    mean = float(inside.mean() * cosines.mean())
    variance = square * float(np.mean(cosines**2)) - mean**2 + (1.0 - square) / lines.shape[1]
    return Strangers(mean, float(np.sqrt(variance))) if variance > 0.0 else None


def fit_strangers(strangers: Doubles, own: Doubles) -> Strangers | None:
    """Strangers as they were measured; None where there are too few, or all are alike.

    Parameters
    ----------
    strangers : (n,)
        c of contexts of other words.
    own : (m,)
        c of contexts of the words themselves, as parts of their usual c.
    """
    if len(strangers) < 2 or not len(own) or not strangers.std() > 0.0:
        return None
    own_spread = float(np.sqrt(np.mean(np.square(own - 1.0))))
    return Strangers(float(strangers.mean()), float(strangers.std()), max(own_spread, OWN_SPREAD))
