"""Skip-gram."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Doubles, Floats, Indices, Integers


class Sampling(NamedTuple):
    """How skip-gram draws its words.

    Attributes
    ----------
    keep : (n_words,) float32
        Probability that an occurrence survives subsampling.
    threshold, alias : (n_words,) float32 and int32
        What draws of negatives need.
    sigmoid : (1025,) float32
        At the middle of 1,024 steps over [-6, 6], as word2vec tabulates it.
    window, negative : int
        The widest window, words a side; negatives a window.
    """

    keep: Floats
    threshold: Floats
    alias: Integers
    sigmoid: Floats
    window: int
    negative: int


class TrainingKernels(Protocol):
    """Skip-gram with negative sampling.

    The matrices are changed in place, and several threads may change the same ones. The same seed
    gives the same draws on the same device; devices need not agree on them.
    """

    def prepare_sampling(
        self, keep: Floats, weights: Doubles, window: int, negative: int
    ) -> Sampling:
        """What the trainings take; negatives are drawn in proportion to the weights (n_words,)."""
        ...

    def train_skipgram(
        self,
        tokens: Integers,
        document_offsets: Indices,
        inputs: Floats,
        outputs: Floats,
        frozen_inputs: NDArray[np.bool_],
        frozen_outputs: NDArray[np.bool_],
        sampling: Sampling,
        first_rate: float,
        last_rate: float,
        seed: np.uint64,
    ) -> int:
        """Train on consecutive documents; returns the number of centre words.

        Parameters
        ----------
        tokens : (n_tokens,) int32
            Word ids; ids outside the matrices are passed over as if they were not there.
        document_offsets : (n_documents + 1,) int64
            Document i is ``tokens[document_offsets[i]:document_offsets[i + 1]]``.
        inputs, outputs : (n_words, dim) float32
            The two matrices, changed in place.
        frozen_inputs, frozen_outputs : (n_words,) bool
            Rows that are read but never changed.
        sampling : Sampling
            From `prepare_sampling`.
        first_rate, last_rate : float
            The learning rate falls linearly from one to the other over these documents.
        seed : uint64
        """
        ...

    def hold_matrices(
        self,
        inputs: Floats,
        outputs: Floats,
        frozen_inputs: NDArray[np.bool_],
        frozen_outputs: NDArray[np.bool_],
        sampling: Sampling,
    ) -> HeldMatrices:
        """Keep the matrices where they are trained, for many calls; parameters as above."""
        ...


class HeldMatrices(Protocol):
    """The matrices of skip-gram on the device that trains them."""

    def train(
        self,
        tokens: Integers,
        document_offsets: Indices,
        first_rate: float,
        last_rate: float,
        seed: np.uint64,
    ) -> None:
        """As `TrainingKernels.train_skipgram`; the arrays may change only when they are read."""
        ...

    def read_back(self) -> None:
        """Bring the arrays that they were made of up to date."""
        ...
