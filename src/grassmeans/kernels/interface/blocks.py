"""K-Grassmeans of many words at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from grassmeans.kernels.interface.arrays import Doubles, Floats, Indices, Integers


class Advanced(NamedTuple):
    """Where the restarts of a word have come.

    Attributes
    ----------
    directions : (n_restarts, n_senses, dim) float32
    objectives : (n_restarts,) float64
        Sums of squared distances; where lines are signed, of 1 - cosine.
    n_iter : (n_restarts,) int64
    """

    directions: Floats
    objectives: Doubles
    n_iter: Indices


class HeldContexts(Protocol):
    """The contexts of many words on a device; lists have one item a word."""

    def advance(
        self,
        sizes: Sequence[int],
        starts: Sequence[Floats],
        limits: Sequence[int],
        tol: float,
        plan: Callable[[int], int],
    ) -> list[Advanced]:
        """Iterate the restarts of all words until they have converged.

        Parameters
        ----------
        sizes
            How many contexts of each word are looked at, evenly spaced; all of them, or fewer.
        starts : (n_restarts, n_senses, dim) float32 each
            Unit rows; all have as many restarts.
        limits
            The most iterations of each word.
        tol : float
            A restart has converged when its objective moves by less than this per context.
        plan : callable
            Iteration -> products with C that its maximisation step may take.
        """
        ...

    def assign(self, directions: Sequence[Floats]) -> list[tuple[Integers, Floats]]:
        """Labels (n,) and gains (n,) of all contexts, as `SubspaceKernels.assign_contexts` does."""
        ...


class BlockKernels(Protocol):
    """K-Grassmeans for the contexts of many words in one launch: what a GPU needs to be busy."""

    def hold_contexts(self, bases: Sequence[Floats], signed: bool = False) -> HeldContexts:
        """Keep the contexts (n, rank, dim) of several words on the device.

        Parameters
        ----------
        signed : bool
            Whether they are lines with ends (rank 1), grouped by their cosine; a group's direction
            is then their mean.
        """
        ...

    def count_together(self, n_contexts: int, rank: int, dim: int, n_directions: int) -> int:
        """How many words of such sizes the memory of the device holds at once, 1 or more."""
        ...
