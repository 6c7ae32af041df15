"""Spherical k-means: unit vectors grouped by cosine, centres kept at unit length.

Ordinary k-means on unit vectors is not the same: its centres are means, shorter for loose groups,
and a vector may then belong to a centre that is not the nearest by angle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from grassmeans.errors import InputError


@dataclass(frozen=True, slots=True)
class SphericalClusters:
    """Groups of unit vectors.

    Attributes
    ----------
    centres : (n_clusters, dim) float32
        Unit rows, those of larger groups first; groups without members are left out.
    labels : (n,) int64
        The nearest centre of each row.
    objective_path : (n_iterations,) float64
        Sum of 1 - cosine to the nearest centre before every update; never increases.
    """

    centres: NDArray[np.float32]
    labels: NDArray[np.int64]
    objective_path: NDArray[np.float64]


def cluster_on_sphere(
    rows: NDArray[np.float32],
    n_clusters: int,
    *,
    n_init: int = 5,
    max_iter: int = 100,
    tol: float = 1e-5,
    rng: np.random.Generator,
) -> SphericalClusters:
    """Cluster unit vectors; the best of some restarts.

    Parameters
    ----------
    rows : (n, dim) float32
        Unit rows, at least as many as clusters.
    rng : Generator
        Draws the starts.
    tol : float
        A restart ends when the objective moves by less than this per row.

    Notes
    -----
    A restart begins with rows of which each is drawn with a probability by its distance
    1 - cosine to those drawn before (k-means++). The centre of an empty group goes to the row that
    fits worst.
    """
    if n_clusters < 1 or len(rows) < n_clusters:
        raise InputError(
            f"n_clusters must be from 1 to the number of rows, {len(rows)}; got {n_clusters}"
        )
    # With several threads the order of sums, and so the last digits, would be left to chance.
    with threadpool_limits(1):
        starts = [_draw_centres(rows, n_clusters, rng) for _ in range(n_init)]
        runs = [_run_once(rows, start, max_iter, tol) for start in starts]
    return _order_by_size(min(runs, key=lambda run: run.objective_path[-1]))


def _draw_centres(
    rows: NDArray[np.float32], n_clusters: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """(n_clusters, dim) starting centres, all of them rows."""
    chosen = [int(rng.integers(len(rows)))]
    nearest = np.full(len(rows), np.inf)
    for _ in range(n_clusters - 1):
        nearest = np.minimum(nearest, np.maximum(1.0 - rows @ rows[chosen[-1]], 0.0))
        bounds = np.cumsum(nearest)
        # Where all rows are centres already, any row will do.
        drawn = rng.random() * bounds[-1]
        chosen.append(min(int(np.searchsorted(bounds, drawn, side="right")), len(rows) - 1))
    return rows[chosen]


def _run_once(
    rows: NDArray[np.float32], centres: NDArray[np.float32], max_iter: int, tol: float
) -> SphericalClusters:
    """One restart; the labels are those of the centres it ends with."""
    objectives: list[float] = []
    while True:
        cosines = rows @ centres.T
        labels = cosines.argmax(axis=1)
        fits = np.take_along_axis(cosines, labels[:, None], axis=1)[:, 0].astype(np.float64)
        objectives.append(float((1.0 - fits).sum()))
        moved = objectives[-2] - objectives[-1] if len(objectives) > 1 else np.inf
        if moved < tol * len(rows) or len(objectives) > max_iter:
            return SphericalClusters(centres, labels, np.array(objectives))
        centres = _update_centres(rows, labels, fits, centres)


def _update_centres(
    rows: NDArray[np.float32],
    labels: NDArray[np.int64],
    fits: NDArray[np.float64],
    centres: NDArray[np.float32],
) -> NDArray[np.float32]:
    """The directions of the groups' sums."""
    membership = (np.arange(len(centres))[:, None] == labels).astype(np.float32)
    sums = membership @ rows
    lengths = np.linalg.norm(sums, axis=1)
    # Members that cancel out give no direction: the centre they had is as good as any.
    usable = lengths > 1e-6
    updated = np.where(
        usable[:, None], sums / np.where(usable, lengths, 1.0)[:, None], centres
    ).astype(np.float32)
    empty = np.flatnonzero(membership.sum(axis=1) == 0)
    updated[empty] = rows[np.argsort(fits, kind="stable")[: len(empty)]]
    return updated


def _order_by_size(found: SphericalClusters) -> SphericalClusters:
    sizes = np.bincount(found.labels, minlength=len(found.centres))
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    places = np.zeros(len(sizes), np.int64)
    places[order] = np.arange(len(order))
    return SphericalClusters(found.centres[order], places[found.labels], found.objective_path)
