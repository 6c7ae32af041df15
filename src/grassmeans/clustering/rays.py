"""K-Grassmeans where lines have ends: groups of contexts by the way they point.

A line that points somewhere is a ray: the opposite one means something else, or nothing. Then the
projection counts with its sign, the direction in which the contexts of a group meet is their mean,
and K-Grassmeans becomes spherical k-means (Dhillon and Modha 2001). Rays may be sparse: contexts as
words in place of vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array, issparse

from grassmeans.arrays import Floats, Indices
from grassmeans.clustering import loop
from grassmeans.errors import InputError
from grassmeans.geometry.distances import measure_distances
from grassmeans.kernels.blocks import Advanced, HeldContexts
from grassmeans.kernels.devices import one_blas_thread
from grassmeans.vectors.similarity import unit_rows

Rays: TypeAlias = "Floats | csr_array"
"""(n_rays, dim) float32, dense or sparse."""


def hold_rays(bases: Sequence[Floats]) -> loop.HeldAlone:
    """The contexts (n_contexts, 1, dim) of a word on the CPU, in a list."""
    return loop.HeldAlone(take_rays(bases[0]), RaySteps)


def solve_rays(asked: Sequence[loop.Grouping], hold: loop.Hold) -> list[loop.InducedDirections]:
    """The directions of groupings that have the same options.

    The sum of the cosines of contexts (n_contexts, 1, dim) and their group's mean is maximised.
    """
    if asked[0].directions is not None:
        given = [(grouping.bases, grouping.directions) for grouping in asked]
        return [place_rays(bases, own) for bases, own in given if own is not None]
    usable: dict[int, Floats] = {}  # the rays that say something, where there are any
    for n, grouping in enumerate(asked):
        rays = take_rays(grouping.bases)
        if rays.any():
            usable[n] = np.ascontiguousarray(rays[rays.any(axis=1)], np.float32)
    found: dict[int, Advanced] = {}
    if usable:
        with one_blas_thread():
            starts = [
                draw_starts(rays, asked[n].n_senses, asked[n].fit, asked[n].generator)
                for n, rays in usable.items()
            ]
            held = hold([rays[:, None] for rays in usable.values()])
            best = _find_best(held, list(usable.values()), starts, asked[0].fit)
        found |= zip(usable, best, strict=True)
    results = []
    for n, grouping in enumerate(asked):
        if n in found:
            placed = place_rays(grouping.bases, found[n].directions[0])
            n_iter, path = int(found[n].n_iter[0]), found[n].path
            results.append(replace(placed, n_iter=n_iter, objective_path=path))
        else:
            axes = np.eye(grouping.n_senses, grouping.bases.shape[2], dtype=np.float32)
            results.append(place_rays(grouping.bases, axes))
    return results


def group_rays(
    rays: Rays, n_senses: int, fit: loop.FitOptions = loop.DEFAULT_FIT, *, rng: np.random.Generator
) -> Advanced:
    """Spherical k-means of unit rows; the best of some restarts, its directions in no order."""
    with one_blas_thread():
        starts = draw_starts(rays, n_senses, fit, rng)
        return _find_best(loop.HeldAlone(rays, RaySteps), [rays], [starts], fit)[0]


def _find_best(
    held: HeldContexts, rays: Sequence[Rays], starts: Sequence[Floats], fit: loop.FitOptions
) -> list[Advanced]:
    """The best restart of each word."""
    sizes = [own.shape[0] for own in rays]
    reached = loop.advance(held, sizes, starts, [fit.max_iter] * len(starts), fit.tol, (1,))
    return [word.find_best(fit.tol * size) for word, size in zip(reached, sizes, strict=True)]


def take_rays(bases: Floats) -> Floats:
    """(n_contexts, dim) the rays of bases, which must be of rank 1."""
    if bases.shape[1] != 1:
        raise InputError(
            f"only lines can be signed, contexts of rank 1; these have rank {bases.shape[1]}"
        )
    return bases[:, 0]


def place_rays(bases: Floats, directions: Floats) -> loop.InducedDirections:
    """Assign contexts to the nearest of given directions, that of the largest group first."""
    distances = measure_distances(bases, directions, signed=True)
    usable = take_rays(bases).any(axis=1)
    sizes = np.bincount(distances[usable].argmin(axis=1), minlength=len(directions))
    order = np.argsort(-sizes, kind="stable")
    distances = distances[:, order]
    inertia = float(np.square(distances.min(axis=1)).sum())
    return loop.InducedDirections(
        np.ascontiguousarray(directions[order], np.float32),
        distances.argmin(axis=1).astype(np.int32),
        inertia,
        0,
        np.array([inertia]),
    )


def mean_ray(rays: Floats) -> Floats:
    """(dim,) the direction in which rays meet: their mean, of unit length."""
    return np.asarray(unit_rows(rays.sum(axis=0, dtype=np.float64)).astype(np.float32))


def draw_starts(
    rays: Rays, n_senses: int, fit: loop.FitOptions, rng: np.random.Generator
) -> Floats:
    """(n_init, n_senses, dim) rays of contexts, all different or spread out.

    Random directions would not do: most have no context near.
    """
    n_init = fit.n_init
    if fit.init == "k-means++":
        return np.stack([_spread_out(rays, n_senses, rng) for _ in range(n_init)])
    n_rays = rays.shape[0]
    drawn = [rng.choice(n_rays, n_senses, replace=n_rays < n_senses) for _ in range(n_init)]
    return np.stack([_take_rows(rays, rows) for rows in drawn])


def _take_rows(rays: Rays, rows: Any) -> Floats:
    """(n_rows, dim) some rays as they are, dense."""
    taken = rays[rows]
    return np.asarray(taken.toarray() if issparse(taken) else taken)


def _spread_out(rays: Rays, n_senses: int, rng: np.random.Generator) -> Floats:
    """Contexts drawn with probability by how far they are from those drawn before."""
    n_rays = rays.shape[0]
    chosen = [int(rng.integers(n_rays))]
    nearest = rays @ _take_rows(rays, chosen)[0]
    while len(chosen) < n_senses:
        weights = np.maximum(1.0 - nearest.astype(np.float64), 0.0)
        total = weights.sum()
        chosen.append(int(rng.choice(n_rays, p=weights / total if total > 0.0 else None)))
        nearest = np.maximum(nearest, rays @ _take_rows(rays, chosen[-1:])[0])
    return _take_rows(rays, chosen)


class RaySteps(loop.StepsAlone):
    """The steps of K-Grassmeans for rays, (n_rays, dim) float32, dense or sparse."""

    def assign(self, directions: Floats) -> loop.Assigned:
        """The nearest directions by their cosines."""
        n_rays, dim = self.contexts.shape
        cosines = (self.contexts @ directions.reshape(-1, dim).T).reshape(
            n_rays, *directions.shape[:2]
        )
        labels = cosines.argmax(axis=2)
        gains = np.take_along_axis(cosines, labels[..., None], axis=2)[..., 0]
        return loop.Assigned(labels, gains, np.empty(0))

    def improve(self, found: loop.Assigned, directions: Floats, n_products: int) -> Floats:
        """The means of the groups."""
        means = np.empty_like(directions, np.float32)
        n_rays = self.contexts.shape[0]
        for restart, labels in enumerate(found.labels.T):
            members = np.zeros((directions.shape[1], n_rays), np.float32)
            members[labels, np.arange(n_rays)] = 1.0
            sums = members @ self.contexts
            lengths = np.linalg.norm(sums, axis=1, keepdims=True)
            means[restart] = np.where(lengths > 0.0, unit_rows(sums), directions[restart])
        return means

    def find_usable(self) -> Indices:
        """All: rays of zeros are no rays."""
        return np.arange(self.contexts.shape[0])

    def take_lines(self, contexts: Indices) -> Floats:
        """(n, dim) rays, dense."""
        return _take_rows(self.contexts, contexts)
