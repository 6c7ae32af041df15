"""Directions of lines and subspaces: groups of contexts whose subspaces meet in one direction each.

The paper's maximisation step is the first principal component of a group's basis rows, the leading
eigenvector of C = sum u_n u_n'. Here it is approached from the direction at hand by a few products
with C (the best vector of a small Krylov space, then one power step): every step lowers the
objective, and no step needs a matrix decomposition of more than a few rows.

Random directions say nothing about the groups, so the restarts first settle on a sample of the
contexts, then on a larger one, and only then go on with all of them, one product per iteration. The
best is refined with several products per iteration until it converges.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grassmeans.arrays import Doubles, Floats, Indices
from grassmeans.clustering import loop
from grassmeans.kernels import get_kernels
from grassmeans.kernels.blocks import Advanced, HeldContexts
from grassmeans.vectors.similarity import unit_rows

SMALLEST_SAMPLE = 512
"""Contexts on which restarts settle first, where there are at least twice as many."""

_SAMPLE_GROWTH = 4
_SAMPLE_PER_SENSE = 64
_REFINED_TOLERANCE = 0.1  # of the tolerance: single products stop a little short of the optimum
_FIRST_PRODUCTS: Sequence[int] = (8, 8, 3)  # a random direction is far from its group's eigenvector
_LATER_PRODUCTS = (1,)  # of restarts that have settled on a sample
_LAST_PRODUCTS = (3,)  # of the best one
_BREAKDOWN = 1e-5  # of a product's length: what is left of it is rounding


def induce_directions(
    bases: Floats,
    n_senses: int,
    fit: loop.FitOptions = loop.DEFAULT_FIT,
    random_state: loop.RandomState = None,
) -> loop.InducedDirections:
    """Minimise equation 3 over directions and groups of contexts (n_contexts, rank, dim)."""
    return solve_lines([loop.Grouping(bases, n_senses, fit, random_state)], hold_lines)[0]


def refine_directions(
    bases: Floats, directions: Floats, fit: loop.FitOptions = loop.DEFAULT_FIT
) -> loop.InducedDirections:
    """Minimise equation 3 from given directions (n_senses, dim): as many senses, no restarts."""
    held = hold_lines([bases])
    start = np.ascontiguousarray(directions, dtype=np.float32)[None]
    tol = fit.tol * _REFINED_TOLERANCE
    refined = loop.advance(held, [len(bases)], [start], [fit.max_iter], tol, _LAST_PRODUCTS)
    return _order_by_size(held, refined)[0]


def hold_lines(bases: Sequence[Floats]) -> loop.HeldAlone:
    """The contexts of a word on the CPU, in a list."""
    return loop.HeldAlone(np.ascontiguousarray(bases[0], dtype=np.float32), LineSteps)


def solve_lines(asked: Sequence[loop.Grouping], hold: loop.Hold) -> list[loop.InducedDirections]:
    """The directions of groupings that have the same options and as many samples each."""
    held = hold([grouping.bases for grouping in asked])
    given = [grouping.directions for grouping in asked if grouping.directions is not None]
    if given:
        nothing = np.empty((0, 1)), np.zeros(1, np.int64)
        lines = [np.array(own, np.float32)[None] for own in given]
        return _order_by_size(held, [Advanced(own, *nothing) for own in lines])
    fit = asked[0].fit
    samples = [plan_samples(len(grouping.bases), grouping.n_senses) for grouping in asked]
    starts = [_draw_starts(*pair) for pair in zip(asked, samples, strict=True)]
    limits = [fit.max_iter] * len(asked)
    products = _FIRST_PRODUCTS
    for sizes in zip(*samples, strict=True):
        reached = loop.advance(held, sizes, starts, limits, fit.tol, products)
        starts, products = [word.directions for word in reached], _LATER_PRODUCTS
    best = [
        word.find_best(fit.tol * len(grouping.bases))
        for word, grouping in zip(reached, asked, strict=True)
    ]
    left = [fit.max_iter - int(word.n_iter[0]) for word in best]
    starts, tol = [word.directions for word in best], fit.tol * _REFINED_TOLERANCE
    refined = loop.advance(held, sizes, starts, left, tol, _LAST_PRODUCTS)
    return _order_by_size(
        held, [before.go_on(after) for before, after in zip(best, refined, strict=True)]
    )


def plan_samples(n_contexts: int, n_senses: int) -> list[int]:
    """How many evenly spaced contexts are looked at, ever more of them; all of them last."""
    sizes = []
    size = max(SMALLEST_SAMPLE, _SAMPLE_PER_SENSE * n_senses)
    while 2 * size <= n_contexts:
        sizes.append(size)
        size *= _SAMPLE_GROWTH
    return [*sizes, n_contexts]


def _draw_starts(grouping: loop.Grouping, samples: Sequence[int]) -> Floats:
    """Unit starting directions, (n_init, n_senses, dim), for the first sample."""
    bases = loop.sample_evenly(grouping.bases, samples[0])
    n_senses, n_init, rng = grouping.n_senses, grouping.fit.n_init, grouping.generator
    starts = rng.standard_normal((n_init, n_senses, bases.shape[2])).astype(np.float32)
    if grouping.fit.init == "k-means++":
        leading = bases[:, 0]
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
            projections = get_kernels().square_projections(bases, unit_rows(starts[:, k]))
            gains = np.maximum(gains, projections[usable])
    return unit_rows(starts)


class LineSteps(loop.StepsAlone):
    """The steps of K-Grassmeans for lines and subspaces, (n_contexts, rank, dim) float32."""

    def assign(self, directions: Floats) -> loop.Assigned:
        """The nearest directions, and the first product of the maximisation step."""
        return loop.Assigned(*get_kernels().assign_contexts(self.contexts, directions))

    def improve(self, found: loop.Assigned, directions: Floats, n_products: int) -> Floats:
        """Raise u'Cu / u'u of every group, warm-started at u, by so many products with C.

        One is a power step. With more, u is first replaced by the best vector of the Krylov space
        u, Cu, C^2 u, ...; both never lower the quotient, as C is positive semi-definite.
        """
        basis = [unit_rows(directions.astype(np.float64))]
        images = [found.products]
        apply = get_kernels().apply_groups
        for _ in range(n_products - 1):
            fresh = _orthogonalise(images[-1], basis)
            basis.append(fresh)
            images.append(apply(self.contexts, found.labels, fresh.astype(np.float32)))
        q, cq = np.stack(basis, axis=2), np.stack(images, axis=2)
        small = q @ cq.swapaxes(2, 3)
        _, vectors = np.linalg.eigh(small + small.swapaxes(2, 3))
        improved = (vectors[..., None, :, -1] @ cq)[..., 0, :]
        # An empty group has C = 0: it keeps its direction, to be relocated.
        lengths = np.linalg.norm(improved, axis=2, keepdims=True)
        full = lengths > 0.0
        unit = improved / np.where(full, lengths, 1.0)
        return np.where(full, unit, directions).astype(np.float32)

    def find_usable(self) -> Indices:
        """Contexts of zeros are no place to relocate to."""
        return np.flatnonzero((self.contexts[:, 0] != 0).any(axis=1))

    def take_lines(self, contexts: Indices) -> Floats:
        """(n, dim) the first rows of bases."""
        return np.asarray(self.contexts[contexts, 0])


def _orthogonalise(vectors: Doubles, basis: list[Doubles]) -> Doubles:
    """Unit vectors orthogonal to the basis; zeros where nothing but rounding is left."""
    rest = vectors
    for _ in range(2):
        for member in basis:
            rest = rest - (rest * member).sum(axis=2, keepdims=True) * member
    lengths = np.linalg.norm(rest, axis=2, keepdims=True)
    enough = lengths > _BREAKDOWN * np.linalg.norm(vectors, axis=2, keepdims=True)
    return np.asarray(np.where(enough, rest / np.where(enough, lengths, 1.0), 0.0))


def _order_by_size(held: HeldContexts, reached: Sequence[Advanced]) -> list[loop.InducedDirections]:
    """The largest group of every word first, with the labels and objectives of all contexts."""
    lines = [word.directions[0] for word in reached]
    assigned = held.assign(lines)
    orders = []
    for own, (labels, gains) in zip(lines, assigned, strict=True):
        # Contexts of zeros go to the first sense whichever that is: they have no say in the order.
        sizes = np.bincount(labels[gains > 0.0], minlength=len(own))
        orders.append(np.argsort(-sizes, kind="stable"))
    if any((order[1:] < order[:-1]).any() for order in orders):
        # Again: a context as near to two directions belongs to the first of them.
        lines = [np.ascontiguousarray(own[order]) for own, order in zip(lines, orders, strict=True)]
        assigned = held.assign(lines)
    results = []
    for own, (labels, gains), word in zip(lines, assigned, reached, strict=True):
        inertia = float(np.maximum(1.0 - gains.astype(np.float64), 0.0).sum())
        path = word.path if len(word.history) else np.array([inertia])
        results.append(loop.InducedDirections(own, labels, inertia, int(word.n_iter[0]), path))
    return results
