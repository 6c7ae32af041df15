"""The paper's procedure as plain NumPy, to measure against: clear, not clever.

One singular value decomposition per context; K-Grassmeans with one decomposition per group and
iteration, one restart after another. Written from the paper's algorithms 1 and 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Reference:
    """Directions (n_senses, dim), objective L, and the iterations of every restart."""

    directions: Floats
    objective: float
    iterations: list[int]


def principal_subspaces(context_ids: NDArray[np.int32], vectors: Floats, rank: int = 3) -> Floats:
    """Algorithm 1 for each context: bases (n_contexts, rank, dim)."""
    bases = np.zeros((len(context_ids), rank, vectors.shape[1]), np.float32)
    for basis, ids in zip(bases, context_ids, strict=True):
        _, _, rows = np.linalg.svd(vectors[ids[ids >= 0]], full_matrices=False)
        basis[: len(rows[:rank])] = rows[:rank]
    return bases


def induce_directions(
    bases: Floats,
    n_senses: int = 5,
    n_init: int = 5,
    max_iter: int = 100,
    tol: float = 1e-5,
    random_state: int = 0,
) -> Reference:
    """Algorithm 2: the best of several random restarts."""
    rng = np.random.default_rng(random_state)
    runs = [_run_once(bases, n_senses, max_iter, tol, rng) for _ in range(n_init)]
    directions, objective, _ = min(runs, key=lambda run: run[1])
    return Reference(directions, objective, [iterations for _, _, iterations in runs])


def _run_once(
    bases: Floats, n_senses: int, max_iter: int, tol: float, rng: np.random.Generator
) -> tuple[Floats, float, int]:
    dim = bases.shape[2]
    directions = rng.standard_normal((n_senses, dim)).astype(np.float32)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    previous = np.inf
    iterations = 0
    while iterations < max_iter:
        iterations += 1
        labels = _square_distances(bases, directions).argmin(axis=1)
        for k in range(n_senses):
            rows = bases[labels == k].reshape(-1, dim)
            if len(rows):
                directions[k] = np.linalg.svd(rows, full_matrices=False)[2][0]
        distances = _square_distances(bases, directions)
        objective = float(distances[np.arange(len(bases)), labels].sum(dtype=np.float64))
        if previous - objective < tol * len(bases):
            break
        previous = objective
    # The objective with each context at its nearest direction, as ours is given.
    final = float(_square_distances(bases, directions).min(axis=1).sum(dtype=np.float64))
    return directions, final, iterations


def _square_distances(bases: Floats, directions: Floats) -> Floats:
    """d^2 of every context to every direction, (n_contexts, n_senses)."""
    squares: Floats = 1.0 - ((bases @ directions.T) ** 2).sum(axis=1)
    return squares
