"""Distances of running text to the senses of its words."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from grassmeans.arrays import Floats, Indices
from grassmeans.kernels.interface.text import Windows

OCCURRENCE_BLOCK = 512
"""`measure_windows` gives the same for every cut of the occurrences at multiples of this."""


class SenseTable(NamedTuple):
    """What distances are measured with.

    Attributes
    ----------
    vectors : (n_words, dim) float32
    directions : (n_directions, dim) float32
        Unit vectors, the senses of one target word after the other.
    sense_offsets : (n_targets + 1,) int64
        Where each target's directions begin, and the end.
    rank : int
        Dimension of a context's subspace.
    singular : bool
        Whether a subspace's direction n weighs lambda_n / lambda_1 instead of 1.
    tolerance : float
        Share of lambda_1 from which on an eigenvalue counts as zero.
    fewest : int
        Contexts with fewer words are left out.
    """

    vectors: Floats
    directions: Floats
    sense_offsets: Indices
    rank: int
    singular: bool
    tolerance: float
    fewest: int


class LabellingKernels(Protocol):
    """Distances of all occurrences of a text to the senses of their words, without bases."""

    def prepare_senses(
        self,
        vectors: Floats,
        directions: Floats,
        sense_offsets: Indices,
        rank: int,
        *,
        singular: bool,
        window: int,
        fewest: int | None = None,
    ) -> SenseTable:
        """Put the arrays into the form that `measure_windows` takes; ``fewest`` is the rank."""
        ...

    def measure_windows(
        self, windows: Windows, part: slice, table: SenseTable, window: int
    ) -> Floats:
        """Distances of some of the occurrences to the senses of their words.

        Parameters
        ----------
        part : slice
            Which occurrences; cut at multiples of `OCCURRENCE_BLOCK`.

        Returns
        -------
        distances : (n, largest number of senses) float32
            NaN beyond a word's senses, and all along where the context has too few words.
        """
        ...
