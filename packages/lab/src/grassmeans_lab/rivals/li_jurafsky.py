"""Li and Jurafsky 2015: senses are opened as text is read, by a Chinese restaurant process.

On the multi-sense skip-gram of MSSG. The sense of an occurrence is drawn: one that a word has with
a probability by its size and by how well the context fits it, a new one by the concentration and by
how well the context fits what contexts are like in general.

What differs from the publication, or is left open there:

- how well a context fits a sense is exp(sharpness * cosine) of the context's mean and the centre of
  the sense, as MSSG keeps it; the publication takes the sense's own vector, which says nothing yet
  when a sense has just been opened. A new sense fits as the mean context of all words does;
- a word has ``max_senses`` at most, and in the end those that a share of its occurrences went to;
- senses are drawn after the first tenth of the training, and in training only: an answer is the
  likeliest sense of the word, never a new one;
- what MSSG departs in: windows of random reach, plain gradient descent, shared negatives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.errors import InputError
from grassmeans_lab.rivals.interface import Material
from grassmeans_lab.rivals.multisense import (
    WARM_UP,
    MultiSenseSkipGram,
    MultiSenseVectors,
)
from grassmeans_lab.rivals.multisense_training import SenseGrowth, TrainedSenses


@dataclass(kw_only=True, eq=False)
class RestaurantSenses(MultiSenseSkipGram):
    """Multi-sense skip-gram whose senses come from a Chinese restaurant process.

    Parameters
    ----------
    concentration : float
        How readily a new sense is opened (gamma).
    sharpness : float
        How much a context's cosine with a centre counts beside the size of a sense.
    max_senses : int, default 10
        No word gets more.
    min_share : float
        Senses with a smaller share of a word's occurrences are left out in the end: a restaurant
        opens many tables for a guest or two, whose vectors have hardly been trained.
    n_multi, words, window, dim, negative, epochs, learning_rate, sample
        As for `MSSG`.
    """

    name: ClassVar[str] = "li-jurafsky"
    _max_senses_name = "max_senses"

    max_senses: int = 10
    concentration: float = 0.1
    sharpness: float = 40.0
    min_share: float = 0.05

    _settings_of_answers: ClassVar[frozenset[str]] = frozenset({"min_share"})

    def induce(self, material: Material) -> MultiSenseVectors:
        """Train on the corpus, or open what was trained on it before; as `MSSG`."""
        for name in ("concentration", "sharpness"):
            value = getattr(self, name)
            if not 0.0 < value < math.inf:
                raise InputError(f"{name} must be a number above 0, got {value}")
        if not 0.0 <= self.min_share < 1.0:
            raise InputError(f"min_share must be at least 0 and below 1, got {self.min_share}")
        return super().induce(material)

    def _grow(self, capacities: NDArray[np.int64]) -> SenseGrowth:
        return SenseGrowth(
            capacities,
            warm_up=WARM_UP,
            concentration=self.concentration,
            sharpness=self.sharpness,
        )

    def _choose_senses(self, trained: TrainedSenses) -> TrainedSenses:
        return trained.leave_out_small(self.min_share)

    @property
    def _size_weight(self) -> float:
        # The logarithm of a sense's probability is -2 * sharpness times such a distance.
        return 0.5 / self.sharpness
