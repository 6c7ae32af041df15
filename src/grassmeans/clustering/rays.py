"""K-Grassmeans where lines have ends: groups of contexts by the way they point.

A line that points somewhere is a ray: the opposite one means something else, or nothing. Then the
projection counts with its sign, the direction in which the contexts of a group meet is their mean,
and K-Grassmeans becomes spherical k-means (Dhillon and Modha 2001). All restarts advance together.
Rays may be sparse: contexts as words in place of vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from threadpoolctl import threadpool_limits

from grassmeans.clustering.directions import (
    InducedDirections,
    RandomState,
    make_generator,
    refuse_more_than,
)
from grassmeans.errors import InputError
from grassmeans.geometry.distances import measure_distances
from grassmeans.vectors.similarity import unit_rows

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]
Rays: TypeAlias = "Floats | csr_array"
"""(n_rays, dim) float32, dense or sparse."""


@dataclass(frozen=True, slots=True)
class GroupedRays:
    """What `group_rays` found.

    Attributes
    ----------
    directions : (n_senses, dim) float32
        Unit rows, in no order.
    objective_path : (n,) float64
        Sums of 1 - cosine, at first and after each iteration; never increases.
    n_iter : int
        Iterations that the best restart took.
    """

    directions: Floats
    objective_path: Doubles
    n_iter: int


def induce_rays(
    bases: Floats,
    n_senses: int,
    *,
    n_init: int = 5,
    max_iter: int = 100,
    tol: float = 1e-5,
    init: str = "random",
    random_state: RandomState = None,
) -> InducedDirections:
    """Maximise the sum of the cosines of contexts and the mean of their group.

    Parameters
    ----------
    bases : (n_contexts, 1, dim) float32
        Unit rays; a context of zeros has distance 1 to every direction and belongs to the first
        sense.
    n_senses : int
        K, at most the number of contexts.
    n_init, max_iter, tol, init, random_state
        As for `KGrassmeans`; a random start is a context, since most directions have none near.

    Returns
    -------
    InducedDirections
        Its objective path holds sums of 1 - cosine.
    """
    refuse_more_than(len(bases), n_senses)
    rays = np.ascontiguousarray(take_rays(bases), np.float32)
    rng = make_generator(random_state)
    usable = rays[rays.any(axis=1)]
    if not len(usable):
        return place_rays(bases, np.eye(n_senses, rays.shape[1], dtype=np.float32))
    found = group_rays(
        usable, n_senses, n_init=n_init, max_iter=max_iter, tol=tol, init=init, rng=rng
    )
    placed = place_rays(bases, found.directions)
    return InducedDirections(
        placed.directions, placed.labels, placed.inertia, found.n_iter, found.objective_path
    )


def group_rays(
    rays: Rays,
    n_senses: int,
    *,
    n_init: int = 5,
    max_iter: int = 100,
    tol: float = 1e-5,
    init: str = "k-means++",
    rng: np.random.Generator,
) -> GroupedRays:
    """Spherical k-means; the best of some restarts.

    Parameters
    ----------
    rays : (n_rays, dim) float32, dense or sparse
        Unit rows.
    n_init, max_iter, tol, init
        As for `KGrassmeans`; starts are rays.

    Notes
    -----
    The direction of a group without rays goes to the ray that fits worst.
    """
    # With several threads the order of sums, and so the last digits, would be left to chance.
    with threadpool_limits(1):
        starts = draw_starts(rays, n_senses, n_init, init, rng)
        directions, path, n_iter = _iterate(rays, starts, max_iter, tol)
    return GroupedRays(directions, np.asarray(path), n_iter)


def take_rays(bases: Floats) -> Floats:
    """(n_contexts, dim) the rays of bases, which must be of rank 1."""
    if bases.shape[1] != 1:
        raise InputError(
            f"only lines can be signed, contexts of rank 1; these have rank {bases.shape[1]}"
        )
    return bases[:, 0]


def place_rays(bases: Floats, directions: Floats) -> InducedDirections:
    """Assign contexts to the nearest of given directions, that of the largest group first."""
    distances = measure_distances(bases, directions, signed=True)
    usable = take_rays(bases).any(axis=1)
    sizes = np.bincount(distances[usable].argmin(axis=1), minlength=len(directions))
    order = np.argsort(-sizes, kind="stable")
    distances = distances[:, order]
    inertia = float(np.square(distances.min(axis=1)).sum())
    return InducedDirections(
        np.ascontiguousarray(directions[order], np.float32),
        distances.argmin(axis=1).astype(np.int32),
        inertia,
        0,
        np.array([inertia]),
    )


def mean_ray(rays: Floats) -> Floats:
    """(dim,) the direction in which rays meet: their mean, of unit length."""
    mean: Floats = unit_rows(rays.sum(axis=0, dtype=np.float64)).astype(np.float32)
    return mean


def draw_starts(
    rays: Rays, n_senses: int, n_init: int, init: str, rng: np.random.Generator
) -> Floats:
    """(n_init, n_senses, dim) rays of contexts, all different or spread out."""
    if init == "k-means++":
        return np.stack([_spread_out(rays, n_senses, rng) for _ in range(n_init)])
    n_rays = rays.shape[0]
    drawn = [rng.choice(n_rays, n_senses, replace=n_rays < n_senses) for _ in range(n_init)]
    return np.stack([_take_rows(rays, rows) for rows in drawn])


def _take_rows(rays: Rays, rows: Any) -> Floats:
    """(n_rows, dim) some rays as they are, dense."""
    taken = rays[rows]
    dense: Floats = taken.toarray() if issparse(taken) else taken
    return dense


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


def _iterate(
    rays: Rays, starts: Floats, max_iter: int, tol: float
) -> tuple[Floats, list[float], int]:
    """The best of the restarts, its objectives, and how many iterations it took."""
    n_init, n_senses, dim = starts.shape
    n_rays = rays.shape[0]
    directions = starts.copy()
    paths: list[list[float]] = [[] for _ in range(n_init)]
    active = np.arange(n_init)
    for iteration in range(max_iter + 1):
        cosines = (rays @ directions[active].reshape(-1, dim).T).reshape(n_rays, -1, n_senses)
        labels = cosines.argmax(axis=2)
        gains = np.take_along_axis(cosines, labels[..., None], axis=2)[..., 0]
        objectives = (1.0 - gains.astype(np.float64)).sum(axis=0)
        going_on = []
        for index, restart in enumerate(active.tolist()):
            path = paths[restart]
            moved = path[-1] - objectives[index] if path else np.inf
            if moved > 0.0:
                path.append(float(objectives[index]))
            if moved > tol * n_rays:
                going_on.append(index)
        if not going_on or iteration == max_iter:
            break
        active = active[going_on]
        for index, restart in zip(going_on, active.tolist(), strict=True):
            directions[restart] = _mean_groups(
                rays, labels[:, index], gains[:, index], directions[restart]
            )
    best = min(range(n_init), key=lambda restart: paths[restart][-1])
    return directions[best], paths[best], len(paths[best]) - 1


def _mean_groups(rays: Rays, labels: Labels, gains: Floats, directions: Floats) -> Floats:
    """(n_senses, dim) means of the groups; an empty one takes the context that fits worst."""
    n_senses = len(directions)
    members = np.zeros((n_senses, rays.shape[0]), np.float32)
    members[labels, np.arange(rays.shape[0])] = 1.0
    sums = members @ rays
    empty = np.flatnonzero(members.sum(axis=1) == 0.0)
    if empty.size:
        worst = np.argsort(gains, kind="stable")[: empty.size]
        sums[empty[: worst.size]] = _take_rows(rays, worst)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(lengths > 0.0, unit_rows(sums), directions).astype(np.float32)
