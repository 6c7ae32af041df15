"""K-Grassmeans: where its restarts stand, and the steps by which they advance on a device.

The loop itself is `grassmeans.clustering.loop.advance`. Between the steps it handles arrays of the
device by what NumPy and PyTorch have in common, so that nothing leaves a GPU before the end. A row
is what leaves the loop together: a restart on the CPU, a word with all its restarts on a GPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from grassmeans.arrays import Doubles, Floats, Indices, Integers


class Reached(NamedTuple):
    """Where restarts stand, as arrays of the device that the loop changes in place."""

    directions: Any  # (n_rows, ..., n_senses, dim) float32
    objectives: Any  # (n_rows, ...) float64, infinite before the first step
    n_iter: Any  # (n_rows, ...) int64


class Advanced(NamedTuple):
    """Where the restarts of a word have come.

    Objectives at first and after each iteration are sums of squared distances; where lines are
    signed, of 1 - cosine.
    """

    directions: Floats  # (n_restarts, n_senses, dim)
    history: Doubles  # (n_steps, n_restarts)
    n_iter: Indices  # (n_restarts,)

    def find_best(self, alike: float = 0.0) -> Advanced:
        """The restart with the lowest objective alone.

        Of those that differ by less than ``alike`` the first: which of them is lower by a rounding
        is another one on every processor.
        """
        reached = self.history[-1]
        best = slice(first := int((reached <= reached.min() + alike).argmax()), first + 1)
        return Advanced(self.directions[best], self.history[:, best], self.n_iter[best])

    @property
    def path(self) -> Doubles:
        """(n,) the objectives of a single restart, each lower than the one before."""
        objectives = self.history[:, 0]
        lower = np.ones(len(objectives), bool)
        lower[1:] = objectives[1:] < objectives[:-1]
        return objectives[lower]

    def go_on(self, after: Advanced) -> Advanced:
        """A single restart that began where this one ended, as one with it."""
        # Its first objective is the last of this one up to rounding, which the path must not show.
        path, later = self.path, after.path[1:]
        path = np.concatenate([path, later[later < path[-1]]])
        return Advanced(after.directions, path[:, None], self.n_iter + after.n_iter)


class RestartSteps(Protocol):
    """The steps of some rows of restarts."""

    rows: Any  # which rows of `Reached` they are: (n_rows,) integers, or a slice for all of them
    sizes: Any  # contexts: a number, or an array that goes with the objectives
    limits: Any  # the most iterations, likewise

    def where(self, chosen: Any, first: Any, second: Any, /) -> Any:
        """The device's ``where``."""
        ...

    def assign(self, directions: Any) -> Any:
        """Expectation step: whatever the maximisation needs, with ``objectives``."""
        ...

    def choose(self, active: Any) -> Any:
        """Which rows go on, to index arrays with; None where no restart does."""
        ...

    def take(self, going_on: Any, found: Any) -> tuple[RestartSteps, Any]:
        """The steps of some rows, with what was found for them."""
        ...

    def improve(self, found: Any, directions: Any, n_products: int) -> Any:
        """Maximisation step: better directions, by so many products with the matrices C."""
        ...

    def relocate(self, found: Any, directions: Any) -> None:
        """Move directions of empty groups, in place, to the contexts that fit their group worst."""
        ...


class HeldContexts(Protocol):
    """The contexts of one word or many on a device; lists have one item a word."""

    def begin(
        self, sizes: Sequence[int], starts: Sequence[Floats], limits: Sequence[int]
    ) -> tuple[RestartSteps, Reached]:
        """The steps, and where restarts stand before the first; see the loop for the arguments."""
        ...

    def read(self, reached: Reached, history: Sequence[Any]) -> list[Advanced]:
        """Bring back where restarts have come, with their objectives after each iteration.

        There may be more directions than a word has senses: those beyond them are of no use.
        """
        ...

    def assign(self, directions: Sequence[Floats]) -> list[tuple[Integers, Floats]]:
        """Labels (n,) and gains (n,) of all contexts, as `SubspaceKernels.assign_contexts` does."""
        ...


class BlockKernels(Protocol):
    """K-Grassmeans for the contexts of many words in one launch: what a GPU needs to be busy."""

    def hold_contexts(self, bases: Sequence[Floats], signed: bool = False) -> HeldContexts:
        """Keep the contexts (n, rank, dim) of several words on the device.

        Signed ones are lines with ends (rank 1), grouped by their cosine; a group's direction is
        then their mean.
        """
        ...

    def count_together(self, n_contexts: int, rank: int, dim: int, n_directions: int) -> int:
        """How many words of such sizes the memory of the device holds at once, 1 or more."""
        ...
