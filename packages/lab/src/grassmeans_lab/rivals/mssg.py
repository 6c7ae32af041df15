"""MSSG and NP-MSSG (Neelakantan et al. 2014): sense vectors trained together with their contexts.

Skip-gram in which the vector that predicts the window's words is that of a sense. The sense of an
occurrence is the one whose centre, the mean of the contexts given to it so far, has the largest
cosine with the mean of the window's global vectors. MSSG gives the most frequent words a fixed
number of senses; NP-MSSG opens a new sense where the cosine with every centre is small.

What differs from the publication, or is left open there:

- senses are chosen after the first tenth of the training; until then every word has one;
- the next contexts of a word open its senses (MacQueen's online k-means): of centres that begin
  at nothing or at random, the first one to be used is soon the nearest to everything;
- the window is drawn anew at every word, as in skip-gram, for the choice of the sense and for the
  gradient alike; decoding takes the whole window;
- the training is plain gradient descent with a falling rate, as for our word vectors, and the
  words of one side of a window share their negatives.
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
from grassmeans_lab.rivals.multisense_training import SenseGrowth

DEFAULT_NEW_SENSE_BELOW = 0.3
"""The publication has -0.5, for vectors of another training (stop words left out, one negative,
AdaGrad). Global vectors trained here share a direction, as those of skip-gram do: contexts of one
word have cosines around 0.7 (one word a side) to 0.9 (five) with their mean. Of those with one word
a side, about one in a hundred is below 0.4 and hardly any below 0.2."""


@dataclass(kw_only=True, eq=False)
class MSSG(MultiSenseSkipGram):
    """Multi-sense skip-gram with a fixed number of senses.

    Parameters
    ----------
    n_senses : int, default 3
        Senses of a multi-sense word. A word that is seen less often has fewer.
    n_multi : int, default 30000
        The so many most frequent words are multi-sense, all others have one sense.
    words : iterable of str, optional
        These words are multi-sense instead of the most frequent ones.
    window : int, default 5
        Words a side, after subsampling.
    negative : int, default 5
        Negatives for each word of the window; the words of a side share them.
    learning_rate : float, default 0.025
        Falls linearly to (almost) nothing.
    sample : float, default 1e-3
        Subsampling of frequent words; 0 turns it off.
    """

    name: ClassVar[str] = "mssg"
    _max_senses_name = "n_senses"

    n_senses: int = 3

    def _grow(self, capacities: NDArray[np.int64]) -> SenseGrowth:
        return SenseGrowth(capacities, math.inf, WARM_UP)


@dataclass(kw_only=True, eq=False)
class NPMSSG(MultiSenseSkipGram):
    """Multi-sense skip-gram in which each word finds its number of senses.

    Parameters
    ----------
    max_senses : int, default 10
        No word gets more.
    new_sense_below : float
        A context opens a new sense where its cosine with every centre of the word is smaller than
        this (lambda).
    n_multi, words, window, dim, negative, epochs, learning_rate, sample
        As for `MSSG`.
    """

    name: ClassVar[str] = "np-mssg"
    _max_senses_name = "max_senses"

    max_senses: int = 10
    new_sense_below: float = DEFAULT_NEW_SENSE_BELOW

    def induce(self, material: Material) -> MultiSenseVectors:
        """Train on the corpus, or open what was trained on it before; as `MSSG`."""
        if math.isnan(self.new_sense_below):
            raise InputError("new_sense_below must be a number, got NaN")
        return super().induce(material)

    def _grow(self, capacities: NDArray[np.int64]) -> SenseGrowth:
        return SenseGrowth(capacities, self.new_sense_below, WARM_UP)
