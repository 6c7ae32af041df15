"""Matrices of skip-gram that are trained where they are: in the memory of the CPU."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.kernels.cpu.skipgram import train_skipgram
from grassmeans.kernels.interface import Floats, Indices, Integers, Sampling


@dataclass(frozen=True, slots=True)
class ArraysInPlace:
    """The arrays themselves; several threads may train them."""

    inputs: Floats
    outputs: Floats
    frozen_inputs: NDArray[np.bool_]
    frozen_outputs: NDArray[np.bool_]
    sampling: Sampling

    def train(
        self,
        tokens: Integers,
        document_offsets: Indices,
        first_rate: float,
        last_rate: float,
        seed: np.uint64,
    ) -> None:
        """See `grassmeans.kernels.interface`."""
        matrices = (self.inputs, self.outputs, self.frozen_inputs, self.frozen_outputs)
        train_skipgram(
            tokens, document_offsets, *matrices, self.sampling, first_rate, last_rate, seed
        )

    def read_back(self) -> None:
        """Nothing to do: they are up to date."""


def hold_matrices(
    inputs: Floats,
    outputs: Floats,
    frozen_inputs: NDArray[np.bool_],
    frozen_outputs: NDArray[np.bool_],
    sampling: Sampling,
) -> ArraysInPlace:
    """See `grassmeans.kernels.interface`."""
    return ArraysInPlace(inputs, outputs, frozen_inputs, frozen_outputs, sampling)
