"""How many senses a word has: over-split, merge, and keep what pays.

K senses keep a share G_K of the contexts: the mean squared projection of a context on its sense's
direction, 1 - L/n for the objective L of equation 3. More senses always keep more. Of a word with
one meaning they keep about G_1 K^0.09, because its contexts are about different things and noise
can be split as well. So a word has the number K for which

    G_K / (K^x (1 - G_K)^y)

is largest, with an exponent x above that of words with one meaning, divided by the user's
granularity. The small exponent y matters in small collections of texts alone, where one direction
keeps nearly everything and G cannot grow, but two may leave next to nothing.

All G_K come from one run with more senses than any word should have: the two groups whose merger
costs least become one, K-Grassmeans goes on from there, and so on down to one group. Starting from
merged groups it ends as well as from random restarts, or better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.senses.directions import (
    InducedDirections,
    RandomState,
    induce_directions,
    refine_directions,
    sample_evenly,
)
from grassmeans.senses.settings import DEFAULT_GRANULARITY, DEFAULT_MAX_SENSES

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

EXPONENT = 0.13
"""x for granularity 1 and many contexts, calibrated on words with one meaning and on mixtures of
their contexts."""

CHANCE = 1.5
"""x grows by this over the number of contexts: few contexts are easily split by chance."""

REST_EXPONENT = 0.04
"""y."""

SMALLEST_REST = 1e-3
"""Less than this is left by chance and rounding."""

MIN_SHARE = 0.02
"""Groups with a smaller share of the contexts are no senses: they are merged first."""

MIN_CONTEXTS = 10
"""... and so are groups with fewer contexts than this."""

SAMPLE = 2048
"""Contexts from which the number is chosen; the senses themselves come from all contexts."""

_N_INIT = 3  # restarts of the over-split: merging makes up for a bad one
_LOOSE_TOLERANCE = 3e-4  # on the way down, shares need three digits
_INDEPENDENT = 1e-6  # of the largest eigenvalue: directions closer than that count as one


@dataclass(frozen=True, slots=True)
class FitOptions:
    """How K-Grassmeans is run; the fields are parameters of `KGrassmeans`."""

    n_init: int = 5
    max_iter: int = 100
    tol: float = 1e-5
    init: str = "random"
    device: str = "cpu"


DEFAULT_FIT = FitOptions()


def induce_any_number(
    bases: Floats,
    max_senses: int = DEFAULT_MAX_SENSES,
    granularity: float = DEFAULT_GRANULARITY,
    *,
    fit: FitOptions = DEFAULT_FIT,
    random_state: RandomState = None,
) -> InducedDirections:
    """Find the directions of as many senses as the contexts show.

    Parameters
    ----------
    bases : (n_contexts, rank, dim) float32
        As for `induce_directions`.
    max_senses : int
        The most senses. Fewer where there are fewer than 10 contexts for each.
    granularity : float
        Larger gives more senses, never fewer; 1 is calibrated.
    """
    sample = sample_evenly(bases, min(SAMPLE, len(bases)))
    levels = trace_mergers(sample, max_senses, fit=fit, random_state=random_state)
    chosen = levels[choose_level(levels, granularity)]
    found = _refine(bases, chosen.directions, fit, fit.tol)
    while len(found.directions) > 1 and _small_groups(found).size:
        found = _refine(bases, merge_cheapest_pair(bases, found), fit, fit.tol)
    return found


def trace_mergers(
    bases: Floats, max_senses: int, *, fit: FitOptions, random_state: RandomState
) -> list[InducedDirections]:
    """K-Grassmeans with 1, 2, ... senses, each merged from the one with a sense more."""
    tol = max(fit.tol, _LOOSE_TOLERANCE)
    n_senses = max(1, min(max_senses, len(bases) // MIN_CONTEXTS))
    found = induce_directions(
        bases,
        n_senses,
        n_init=min(fit.n_init, _N_INIT),
        max_iter=fit.max_iter,
        tol=tol,
        init=fit.init,
        random_state=random_state,
        device=fit.device,
    )
    levels = [found]
    while len(found.directions) > 1:
        found = _refine(bases, merge_cheapest_pair(bases, found), fit, tol)
        levels.append(found)
    return levels[::-1]


def choose_level(levels: Sequence[InducedDirections], granularity: float) -> int:
    """The index of the best level, the one with the fewest senses of equally good ones.

    Levels with a group too small to be a sense are left out.
    """
    exponent = (EXPONENT + CHANCE / len(levels[0].labels)) / granularity
    scores = np.full(len(levels), -np.inf)
    for index, level in enumerate(levels):
        kept = 1.0 - level.inertia / len(level.labels)
        if kept > 0.0 and (index == 0 or not _small_groups(level).size):
            scores[index] = (
                np.log(kept)
                - exponent * np.log(len(level.directions))
                - REST_EXPONENT * np.log(max(1.0 - kept, SMALLEST_REST))
            )
    return int(np.argmax(scores))


def merge_cheapest_pair(bases: Floats, found: InducedDirections) -> Floats:
    """Directions with one sense fewer: the pair whose merger raises the objective least is one.

    Groups too small to be a sense go first. The cost of a merger is what the two groups keep apart
    less what they keep together, with a common direction out of the span of all directions: small
    matrices say it for every pair, and no pair needs a pass over the contexts.

    Returns
    -------
    directions : (n_senses - 1, dim) float32
    """
    to_span, energies = _span_energies(bases, found)
    first, second = np.triu_indices(len(energies), 1)
    apart = np.linalg.eigvalsh(energies)[:, -1]
    together, vectors = np.linalg.eigh(energies[first] + energies[second])
    costs = apart[first] + apart[second] - together[:, -1]
    small = _small_groups(found)
    if small.size:
        costs[~(np.isin(first, small) | np.isin(second, small))] = np.inf
    best = int(np.argmin(costs))
    merged = vectors[best, :, -1] @ to_span
    kept = np.delete(found.directions, [first[best], second[best]], axis=0)
    return np.concatenate([kept, merged[None] / np.linalg.norm(merged)]).astype(np.float32)


def _span_energies(bases: Floats, found: InducedDirections) -> tuple[Doubles, Doubles]:
    """Every group's matrix C, seen from the span of the directions.

    Returns
    -------
    to_span : (n_axes, dim) float64
        Orthonormal axes of the span.
    energies : (n_senses, n_axes, n_axes) float64
    """
    _, rank, dim = bases.shape
    directions = found.directions.astype(np.float64)
    values, vectors = np.linalg.eigh(directions @ directions.T)
    used = values > _INDEPENDENT * values[-1]
    to_span = (vectors[:, used] / np.sqrt(values[used])).T @ directions
    products = bases.reshape(-1, dim) @ to_span.T.astype(np.float32)
    groups = np.repeat(found.labels, rank)
    energies = [
        products[groups == k].T.astype(np.float64) @ products[groups == k]
        for k in range(len(directions))
    ]
    return to_span, np.stack(energies)


def _small_groups(found: InducedDirections) -> NDArray[np.int64]:
    """The groups that are too small to be a sense."""
    sizes = np.bincount(found.labels, minlength=len(found.directions))
    smallest = max(MIN_CONTEXTS, MIN_SHARE * len(found.labels))
    small: NDArray[np.int64] = np.flatnonzero(sizes < smallest)
    return small


def _refine(bases: Floats, start: Floats, fit: FitOptions, tol: float) -> InducedDirections:
    return refine_directions(bases, start, max_iter=fit.max_iter, tol=tol, device=fit.device)
