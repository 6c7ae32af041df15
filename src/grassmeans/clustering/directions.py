"""K-Grassmeans (algorithm 2): groups of contexts whose subspaces meet in one direction each.

The paper's maximisation step is the first principal component of a group's basis rows, the leading
eigenvector of C = sum u_n u_n'. Here it is approached from the direction at hand by a few products
with C (the best vector of a small Krylov space, then one power step): every step lowers the
objective, and no step needs a matrix decomposition of more than a few rows. All restarts advance
together, so that bases are read once per pass for all of them.

Random directions say nothing about the groups, so the restarts first settle on a sample of the
contexts, then on a larger one, and only then go on with all of them, one product per iteration. The
best is refined with several products per iteration until it converges.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.errors import InputError
from grassmeans.kernels import Kernels, get_kernels
from grassmeans.vectors.similarity import unit_rows

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
RandomState = int | np.random.Generator | np.random.RandomState | None

INITS = ("random", "k-means++")
SMALLEST_SAMPLE = 512
"""Contexts on which restarts settle first, where there are at least twice as many."""

_SAMPLE_GROWTH = 4
_SAMPLE_PER_SENSE = 64
REFINED_TOLERANCE = 0.1  # of the tolerance: single products stop a little short of the optimum
_FIRST_PRODUCTS = 8  # a random direction is far from its group's eigenvector
_N_FIRST_STEPS = 2
_PRODUCTS = 3
_BREAKDOWN = 1e-5  # of a product's length: what is left of it is rounding


@dataclass(frozen=True, slots=True)
class InducedDirections:
    """What `induce_directions` found.

    Attributes
    ----------
    directions : (n_senses, dim) float32
        Unit intersection directions, that of the largest group first.
    labels : (n_contexts,) int32
        The nearest direction of each context.
    inertia : float
        The objective L of equation 3: the sum of squared distances to the nearest direction.
    n_iter : int
        Iterations over all contexts that the best restart took.
    objective_path : (n,) float64
        Its objective over all contexts, at first and after each iteration; never increases.
    """

    directions: Floats
    labels: NDArray[np.int32]
    inertia: float
    n_iter: int
    objective_path: Doubles


@dataclass(slots=True)
class _Restart:
    """One restart: its directions (n_senses, dim) and the objectives it has been through."""

    directions: Floats
    objective_path: list[float]
    n_iter: int = 0


def induce_directions(
    bases: Floats,
    n_senses: int,
    *,
    n_init: int = 5,
    max_iter: int = 100,
    tol: float = 1e-5,
    init: str = "random",
    random_state: RandomState = None,
) -> InducedDirections:
    """Minimise equation 3 over directions and groups.

    Parameters
    ----------
    bases : (n_contexts, rank, dim) float32
        Orthogonal rows of at most unit length per context, as `principal_subspaces` gives them. A
        context of zeros has distance 1 to every direction and belongs to the first sense.
    n_senses : int
        K, at most the number of contexts.
    n_init, max_iter, tol, init, random_state
        As for `KGrassmeans`.
    """
    refuse_more_than(len(bases), n_senses)
    kernels = get_kernels()
    rng = make_generator(random_state)
    bases = np.ascontiguousarray(bases, dtype=np.float32)
    samples = [sample_evenly(bases, size) for size in plan_samples(len(bases), n_senses)]
    starts = draw_starts(samples[0], n_senses, n_init, init, rng)
    for step, sample in enumerate(samples):
        plan = plan_first_steps if step == 0 else plan_single_products
        restarts = _advance(kernels, sample, starts, max_iter, tol, plan)
        starts = np.stack([restart.directions for restart in restarts])
    best = min(restarts, key=lambda restart: restart.objective_path[-1])
    _refine(kernels, bases, best, max_iter, tol)
    return _order_by_size(kernels, bases, best)


def refuse_more_than(n_contexts: int, n_senses: int) -> None:
    """`InputError` where more senses are asked for than there are contexts."""
    if n_senses > n_contexts:
        raise InputError(
            f"n_senses={n_senses} is more than the number of contexts, n_samples={n_contexts}: "
            "ask for fewer senses or give more contexts"
        )


def refine_directions(
    bases: Floats,
    directions: Floats,
    *,
    max_iter: int = 100,
    tol: float = 1e-5,
) -> InducedDirections:
    """Minimise equation 3 from given directions: as many senses, no restarts.

    Parameters
    ----------
    bases : (n_contexts, rank, dim) float32
        As for `induce_directions`.
    directions : (n_senses, dim) float32
        Where to start; unit rows.
    max_iter, tol
        As for `KGrassmeans`.
    """
    kernels = get_kernels()
    bases = np.ascontiguousarray(bases, dtype=np.float32)
    start = _Restart(np.ascontiguousarray(directions, dtype=np.float32), [])
    _refine(kernels, bases, start, max_iter, tol)
    return _order_by_size(kernels, bases, start)


def _refine(kernels: Kernels, bases: Floats, restart: _Restart, max_iter: int, tol: float) -> None:
    """Let a restart converge to a tenth of the tolerance, with several products per iteration."""
    if restart.n_iter >= max_iter:
        return
    left = max_iter - restart.n_iter
    finer = tol * REFINED_TOLERANCE
    start = restart.directions[None]
    refined = _advance(kernels, bases, start, left, finer, plan_several_products)[0]
    # Its first objective is the restart's last up to rounding, which the path must not show.
    path = restart.objective_path
    last = path[-1] if path else np.inf
    later = refined.objective_path[1:] if path else refined.objective_path
    restart.objective_path = path + [value for value in later if value < last]
    restart.n_iter += refined.n_iter
    restart.directions = refined.directions


def make_generator(random_state: RandomState) -> np.random.Generator:
    """A generator from anything that scikit-learn accepts as ``random_state``."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31, size=4))
    return np.random.default_rng(random_state)


def plan_first_steps(iteration: int) -> int:
    """Products with C of an iteration, from random directions."""
    return _FIRST_PRODUCTS if iteration < _N_FIRST_STEPS else _PRODUCTS


def plan_single_products(iteration: int) -> int:
    """The same for restarts that have settled on a sample."""
    return 1


def plan_several_products(iteration: int) -> int:
    """The same for the best one."""
    return _PRODUCTS


def plan_samples(n_contexts: int, n_senses: int) -> list[int]:
    """How many evenly spaced contexts are looked at, ever more of them; all of them last."""
    sizes = []
    size = max(SMALLEST_SAMPLE, _SAMPLE_PER_SENSE * n_senses)
    while 2 * size <= n_contexts:
        sizes.append(size)
        size *= _SAMPLE_GROWTH
    return [*sizes, n_contexts]


def sample_evenly(bases: Floats, size: int) -> Floats:
    """``size`` of the contexts, evenly spaced; all of them where there are no more."""
    if size >= len(bases):
        return bases
    return bases[np.arange(size) * len(bases) // size]


def draw_starts(
    bases: Floats, n_senses: int, n_init: int, init: str, rng: np.random.Generator
) -> Floats:
    """Unit starting directions, (n_init, n_senses, dim)."""
    dim = bases.shape[2]
    starts = rng.standard_normal((n_init, n_senses, dim)).astype(np.float32)
    if init == "k-means++":
        leading = bases[:, 0]
        square_projections = get_kernels().square_projections
        usable = np.flatnonzero((leading != 0).any(axis=1))
        gains = np.zeros((len(usable), n_init), np.float32)
        for k in range(n_senses if usable.size else 0):
            # Spread out: a context is drawn with probability by its squared distance so far.
            weights = np.maximum(1.0 - gains.astype(np.float64), 0.0)
            weights[:, weights.sum(axis=0) <= 0.0] = 1.0
            bounds = np.cumsum(weights, axis=0)
            draws = rng.random(n_init) * bounds[-1]
            chosen = np.minimum((bounds < draws).sum(axis=0), len(usable) - 1)
            starts[:, k] = leading[usable[chosen]]
            projections = square_projections(bases, unit_rows(starts[:, k]))
            gains = np.maximum(gains, projections[usable])
    return unit_rows(starts)


def _advance(
    kernels: Kernels,
    bases: Floats,
    starts: Floats,
    max_iter: int,
    tol: float,
    plan: Callable[[int], int],
) -> list[_Restart]:
    """Iterate every restart until its objective moves by less than ``tol`` per context.

    ``plan(iteration)`` is how many products with C its maximisation step may take. A step that
    rounding keeps from lowering the objective is taken back, and ends its restart.
    """
    restarts = [_Restart(directions, []) for directions in starts]
    active = restarts
    tried = starts
    for iteration in range(max_iter + 1):
        labels, gains, products = kernels.assign_contexts(bases, tried)
        objectives = np.maximum(1.0 - gains.astype(np.float64), 0.0).sum(axis=0)
        going_on = []
        for index, (restart, objective) in enumerate(zip(active, objectives.tolist(), strict=True)):
            path = restart.objective_path
            restart.n_iter = iteration
            moved = path[-1] - objective if path else np.inf
            if moved > 0.0:
                path.append(objective)
                restart.directions = tried[index]
            if moved >= tol * len(bases) and moved > 0.0:
                going_on.append(index)
        if not going_on or iteration == max_iter:
            break
        active = [active[index] for index in going_on]
        labels, gains = labels[:, going_on], gains[:, going_on]
        labels = np.ascontiguousarray(labels)
        current = tried[going_on]
        tried = _improve_directions(
            kernels, bases, labels, current, products[going_on], plan(iteration)
        )
        _relocate_empty_groups(bases, labels, gains, tried)
    return restarts


def _improve_directions(
    kernels: Kernels,
    bases: Floats,
    labels: NDArray[np.int32],
    directions: Floats,
    products: Doubles,
    n_products: int,
) -> Floats:
    """Maximisation step: raise u'Cu / u'u of every group, warm-started at u.

    Parameters
    ----------
    labels : (n_contexts, n_restarts), directions : (n_restarts, n_senses, dim)
    products : (n_restarts, n_senses, dim)
        C u, known from the expectation step.
    n_products : int
        Products with C in all. One is a power step. With more, u is first replaced by the best
        vector of the Krylov space u, Cu, C^2 u, ...; both never lower the quotient, as C is
        positive semi-definite.
    """
    basis = [unit_rows(directions.astype(np.float64))]
    images = [products]
    for _ in range(n_products - 1):
        fresh = _orthogonalise(images[-1], basis)
        basis.append(fresh)
        images.append(kernels.apply_groups(bases, labels, fresh.astype(np.float32)))
    q, cq = np.stack(basis, axis=2), np.stack(images, axis=2)
    small = q @ cq.swapaxes(2, 3)
    _, vectors = np.linalg.eigh(small + small.swapaxes(2, 3))
    improved = (vectors[..., None, :, -1] @ cq)[..., 0, :]
    # An empty group has C = 0: it keeps its direction, to be relocated.
    lengths = np.linalg.norm(improved, axis=2, keepdims=True)
    return np.where(lengths > 0.0, unit_rows(improved), directions).astype(np.float32)


def _orthogonalise(vectors: Doubles, basis: list[Doubles]) -> Doubles:
    """Unit vectors orthogonal to the basis; zeros where nothing but rounding is left."""
    rest = vectors
    for _ in range(2):
        for member in basis:
            rest = rest - (rest * member).sum(axis=2, keepdims=True) * member
    lengths = np.linalg.norm(rest, axis=2, keepdims=True)
    enough = lengths > _BREAKDOWN * np.linalg.norm(vectors, axis=2, keepdims=True)
    fresh: Doubles = np.where(enough, unit_rows(rest), 0.0)
    return fresh


def _relocate_empty_groups(
    bases: Floats, labels: NDArray[np.int32], gains: Floats, directions: Floats
) -> None:
    """Move the direction of an empty group to the context that fits its own group worst.

    No context is in the group, so no distance grows by it.
    """
    n_restarts, n_senses, _ = directions.shape
    for restart in range(n_restarts):
        sizes = np.bincount(labels[:, restart], minlength=n_senses)
        empty = np.flatnonzero(sizes == 0)
        if empty.size == 0:
            continue
        usable = np.flatnonzero((bases[:, 0] != 0).any(axis=1))
        worst = usable[np.argsort(gains[usable, restart], kind="stable")[: empty.size]]
        directions[restart, empty[: worst.size]] = unit_rows(bases[worst, 0])


def _order_by_size(kernels: Kernels, bases: Floats, best: _Restart) -> InducedDirections:
    """Put the largest group first, and assign the contexts a last time."""
    labels, gains, _ = kernels.assign_contexts(bases, best.directions[None])
    # Contexts of zeros go to the first sense whichever that is: they have no say in the order.
    sizes = np.bincount(labels[gains[:, 0] > 0.0, 0], minlength=len(best.directions))
    order = np.argsort(-sizes, kind="stable")
    directions = np.ascontiguousarray(best.directions[order])
    labels, gains, _ = kernels.assign_contexts(bases, directions[None])
    inertia = np.maximum(1.0 - gains[:, 0].astype(np.float64), 0.0).sum()
    path = np.asarray(best.objective_path or [inertia])
    return InducedDirections(directions, labels[:, 0].copy(), float(inertia), best.n_iter, path)
