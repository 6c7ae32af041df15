"""The one loop of K-Grassmeans (algorithm 2), over steps that a kind of context and a device have.

An iteration assigns the contexts to the nearest of the directions that are tried, keeps what lowers
the objective, and tries better directions for the groups. All restarts advance together, so that
contexts are read once per pass for all of them. The steps are those of `directions` and `rays` on
the CPU, and of `grassmeans.kernels.gpu.induction` for many words at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Booleans, Doubles, Floats, Indices, Integers
from grassmeans.errors import InputError
from grassmeans.kernels.blocks import Advanced, HeldContexts, Reached
from grassmeans.vectors.similarity import unit_rows

RandomState = int | np.random.Generator | np.random.RandomState | None

Hold = Callable[[Sequence[Floats]], HeldContexts]
"""What takes the contexts of a device's words, (n_contexts, rank, dim) each."""

INITS = ("random", "k-means++")


@dataclass(frozen=True, slots=True, order=True)
class FitOptions:
    """How K-Grassmeans is run: parameters of `grassmeans.clustering.kgrassmeans.KGrassmeans`."""

    n_init: int = 5
    max_iter: int = 100
    tol: float = 1e-5
    init: str = "random"
    signed: bool = False
    device: str = "cpu"


DEFAULT_FIT = FitOptions()


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Contexts to be grouped.

    Bases are (n_contexts, rank, dim), of orthogonal rows of at most unit length per context, as
    `principal_subspaces` gives them. A context of zeros has distance 1 to every direction and
    belongs to the first sense. To given directions, (n_senses, dim), contexts are assigned, and
    nothing is induced.
    """

    bases: Floats
    n_senses: int
    fit: FitOptions = DEFAULT_FIT
    random_state: RandomState = None
    directions: Floats | None = None

    def __post_init__(self) -> None:
        if self.directions is None and self.n_senses > len(self.bases):
            raise InputError(
                f"n_senses={self.n_senses} is more than the number of contexts, "
                f"n_samples={len(self.bases)}: ask for fewer senses or give more contexts"
            )

    @property
    def generator(self) -> np.random.Generator:
        """From anything that scikit-learn accepts as ``random_state``."""
        if isinstance(self.random_state, np.random.RandomState):
            return np.random.default_rng(self.random_state.randint(0, 2**31, size=4))
        return np.random.default_rng(self.random_state)


@dataclass(frozen=True, slots=True)
class InducedDirections:
    """What a grouping has found, that of the largest group first; see `KGrassmeans`."""

    directions: Floats
    labels: Integers
    inertia: float
    n_iter: int
    objective_path: Doubles


def advance(
    held: HeldContexts,
    sizes: Sequence[int],
    starts: Sequence[Floats],
    limits: Sequence[int],
    tol: float,
    products: Sequence[int],
) -> list[Advanced]:
    """Iterate every restart until its objective moves by less than ``tol`` per context.

    A step that rounding keeps from lowering the objective is taken back, and ends its restart. Of
    each word so many contexts are looked at, evenly spaced, from starts (n_restarts, n_senses, dim)
    of unit rows, as many of all words, in at most so many iterations. ``products`` are those with C
    that the maximisation steps of the first iterations may take, the last also of all further ones.
    """
    steps, reached = held.begin(sizes, starts, limits)
    history = []
    tried = reached.directions[steps.rows]
    active = reached.objectives[steps.rows] > 0.0  # all of them: nothing is reached yet
    for iteration in count():
        found = steps.assign(tried)
        rows, where = steps.rows, steps.where
        before, now = reached.objectives[rows], found.objectives
        moved = before - now
        lower = active & (moved > 0.0)
        reached.objectives[rows] = where(lower, now, before)
        kept = reached.directions[rows]
        reached.directions[rows] = where(lower[..., None, None], tried, kept)
        reached.n_iter[rows] = where(active, iteration, reached.n_iter[rows])
        history.append(reached.objectives * 1.0)
        active = lower & (moved >= tol * steps.sizes) & (iteration < steps.limits)
        going_on = steps.choose(active)
        if going_on is None:
            break
        steps, found = steps.take(going_on, found)
        active, tried = active[going_on], tried[going_on]
        tried = steps.improve(found, tried, products[min(iteration, len(products) - 1)])
        steps.relocate(found, tried)
    return [
        Advanced(word.directions[:, : own.shape[1]], word.history, word.n_iter)
        for word, own in zip(held.read(reached, history), starts, strict=True)
    ]


class Assigned(NamedTuple):
    """What an expectation step on the CPU finds."""

    labels: NDArray[Any]  # (n_contexts, n_restarts) the nearest direction
    gains: Floats  # ... and the squared projection on it or, of rays, the cosine
    products: Doubles  # (n_restarts, n_senses, dim) C_k u_k of groups; empty where not needed

    @property
    def objectives(self) -> Doubles:
        """(n_restarts,) sums of squared distances, or of 1 - cosine."""
        return np.asarray(np.maximum(1.0 - self.gains.astype(np.float64), 0.0).sum(axis=0))


class StepsAlone(ABC):
    """The steps of one word's restarts on the CPU: what lines and rays have in common."""

    def __init__(self, contexts: Any, limit: int = 0, rows: Any = slice(None)) -> None:
        self.contexts = contexts
        self.limits = limit
        self.rows = rows
        self.sizes = contexts.shape[0]

    @abstractmethod
    def assign(self, directions: Floats) -> Assigned:
        """The expectation step for directions (n_restarts, n_senses, dim)."""

    @abstractmethod
    def improve(self, found: Assigned, directions: Floats, n_products: int) -> Floats:
        """The maximisation step: better directions; an empty group keeps its own."""

    @abstractmethod
    def find_usable(self) -> Indices:
        """The contexts that say something."""

    @abstractmethod
    def take_lines(self, contexts: Indices) -> Floats:
        """(n, dim) the leading lines of some contexts."""

    def where(self, chosen: Booleans, first: Any, second: Any, /) -> Any:
        """NumPy's; no copy where all are chosen, as they are but for the last iterations."""
        return first if chosen.all() else np.where(chosen, first, second)

    def choose(self, active: Booleans) -> Any:
        """The restarts that go on; a slice for all of them, None for none."""
        if active.all():
            return slice(None)
        return np.flatnonzero(active) if active.any() else None

    def take(self, going_on: Any, found: Assigned) -> tuple[StepsAlone, Assigned]:
        """The steps of some of the restarts, with what was found for them."""
        if isinstance(going_on, slice):
            return self, found
        labels = np.ascontiguousarray(found.labels[:, going_on])
        products = found.products[going_on] if len(found.products) else found.products
        taken = Assigned(labels, found.gains[:, going_on], products)
        rows = going_on if isinstance(self.rows, slice) else self.rows[going_on]
        return type(self)(self.contexts, self.limits, rows), taken

    def relocate(self, found: Assigned, directions: Floats) -> None:
        """Move the direction of an empty group to the context that fits its own group worst.

        No context is in the group, so no distance grows by it.
        """
        n_restarts, n_senses, _ = directions.shape
        for restart in range(n_restarts):
            sizes = np.bincount(found.labels[:, restart], minlength=n_senses)
            empty = np.flatnonzero(sizes == 0)
            if empty.size:
                usable = self.find_usable()
                order = np.argsort(found.gains[usable, restart], kind="stable")
                worst = usable[order[: empty.size]]
                directions[restart, empty[: worst.size]] = unit_rows(self.take_lines(worst))


@dataclass(frozen=True, slots=True)
class HeldAlone:
    """The contexts of one word on the CPU, as `grassmeans.kernels.blocks.HeldContexts`."""

    contexts: Any
    kind: type[StepsAlone]

    def begin(
        self, sizes: Sequence[int], starts: Sequence[Floats], limits: Sequence[int]
    ) -> tuple[StepsAlone, Reached]:
        """The steps of all restarts, and where these stand before the first."""
        n_restarts = len(starts[0])
        steps = self.kind(sample_evenly(self.contexts, sizes[0]), limits[0])
        nowhere = np.full(n_restarts, np.inf)
        return steps, Reached(starts[0].copy(), nowhere, np.zeros(n_restarts, np.int64))

    def read(self, reached: Reached, history: Sequence[Doubles]) -> list[Advanced]:
        """Where the restarts have come."""
        return [Advanced(reached.directions, np.stack(history), reached.n_iter)]

    def assign(self, directions: Sequence[Floats]) -> list[tuple[Integers, Floats]]:
        """Labels and gains of all contexts."""
        found = self.kind(self.contexts).assign(directions[0][None])
        return [(found.labels[:, 0].astype(np.int32), found.gains[:, 0])]


def sample_evenly(contexts: Any, size: int) -> Any:
    """``size`` of the contexts, evenly spaced; all of them where there are no more."""
    n_contexts = contexts.shape[0]
    if size >= n_contexts:
        return contexts
    return contexts[np.arange(size) * n_contexts // size]
