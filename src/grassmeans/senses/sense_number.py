"""How many senses a word has: split too far, then merge what lies close.

K-Grassmeans with more directions than any word should have finds every sense, and some of them
several times. Groups with too few contexts are no senses and go; of the others the two whose
directions are nearest become one, while the cosine of their angle is at least a limit. A sense's
direction is the one in which the contexts of its groups meet. A word with few different contexts is
grouped otherwise (`grassmeans.senses.few_contexts`). How near two directions of one sense
lie depends on the kind of context, so the limit is the encoder's; the user's granularity turns it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from grassmeans.senses.directions import (
    InducedDirections,
    RandomState,
    induce_directions,
    refine_directions,
    sample_evenly,
)
from grassmeans.senses.few_contexts import DEFAULT_PART_COSINE, FEW_CONTEXTS, group_few
from grassmeans.senses.settings import DEFAULT_GRANULARITY, DEFAULT_MAX_SENSES

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

DEFAULT_MERGE_COSINE = 0.8
"""For the paper's subspaces; see `grassmeans.geometry.encoder.ContextEncoder.merge_cosine`."""

MIN_SHARE = 0.02
"""Groups with a smaller share of the contexts are no senses."""

MIN_CONTEXTS = 10
"""... nor are groups with fewer contexts than this."""

SAMPLE = 2048
"""Contexts from which the number is chosen; the senses themselves come from all contexts."""

_N_INIT = 3  # restarts of the over-split: merging makes up for a bad one
_LOOSE_TOLERANCE = 1e-4
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
    merge_cosine: float = DEFAULT_MERGE_COSINE,
    part_cosine: float = DEFAULT_PART_COSINE,
    few_contexts: int = FEW_CONTEXTS,
    fit: FitOptions = DEFAULT_FIT,
    random_state: RandomState = None,
) -> InducedDirections:
    """Find the directions of as many senses as the contexts show.

    Parameters
    ----------
    bases : (n_contexts, rank, dim) float32
        As for `induce_directions`.
    max_senses : int
        How many groups there are before any are merged: the most senses. Fewer where there are
        fewer than 10 contexts for each, unless the different contexts are few in all.
    granularity : float
        Larger gives more senses, smaller gives fewer; 1 is the encoder's limit.
    merge_cosine : float in (0, 1]
        Two directions with at least this cosine are one sense, for granularity 1.
    part_cosine : float in (0, 1]
        The same for few contexts, of an estimate (`group_few`).
    few_contexts : int
        From how many different contexts on they are not few.
    """
    limit = merge_cosine ** (1.0 / granularity)
    sample = sample_evenly(bases, min(SAMPLE, len(bases)))
    different = find_different(sample)
    if len(different) < few_contexts:
        few = sample[different]
        part_limit = part_cosine ** (1.0 / granularity)
        met = _meet(few, group_few(few, part_limit, max_senses), bases, fit)
        return replace(met, n_iter=1)
    if len(different) < len(sample):
        sample = np.ascontiguousarray(sample[different])
    found = induce_directions(
        sample,
        max(1, min(max_senses, len(sample) // MIN_CONTEXTS)),
        n_init=min(fit.n_init, _N_INIT),
        max_iter=fit.max_iter,
        tol=max(fit.tol, _LOOSE_TOLERANCE),
        init=fit.init,
        random_state=random_state,
        device=fit.device,
    )
    if len(sample) < len(bases):
        spread = refine_directions(bases, found.directions, max_iter=0, device=fit.device)
        found = replace(spread, n_iter=found.n_iter)
    found = drop_small(found)
    senses = np.append(merge_near(bases, found, limit), -1)[found.labels]
    return replace(_meet(bases, senses, bases, fit), n_iter=found.n_iter)


def find_different(bases: Floats) -> NDArray[np.int64]:
    """(n_different,) the first of each of the contexts: what is repeated shows nothing new."""
    first = {bases[i].tobytes(): i for i in range(len(bases) - 1, -1, -1)}
    return np.sort(np.fromiter(first.values(), np.int64, len(first)))


def _meet(
    grouped: Floats, senses: NDArray[np.int64], bases: Floats, fit: FitOptions
) -> InducedDirections:
    """The directions in which the contexts of each group meet, and the nearest of all contexts."""
    # Not K-Grassmeans again: with few directions it would spend them on the largest group.
    lines = [
        induce_directions(grouped[senses == k], 1, tol=fit.tol, random_state=0, device=fit.device)
        for k in range(int(senses.max()) + 1)
    ]
    directions = np.concatenate([line.directions for line in lines])
    return refine_directions(bases, directions, max_iter=0, device=fit.device)


def drop_small(found: InducedDirections) -> InducedDirections:
    """Without the groups that are too small to be a sense; the largest group stays in any case."""
    sizes = np.bincount(found.labels, minlength=len(found.directions))
    kept = sizes >= max(MIN_CONTEXTS, MIN_SHARE * len(found.labels))
    kept[sizes.argmax()] = True
    if kept.all():
        return found
    numbers = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    return InducedDirections(
        found.directions[kept], numbers[found.labels], found.inertia, found.n_iter, np.empty(0)
    )


def merge_near(bases: Floats, found: InducedDirections, limit: float) -> NDArray[np.int64]:
    """Which groups are one sense: no two senses have a cosine of ``limit`` or more.

    The nearest two become one, and so on. The direction of a merged group is the leading
    eigenvector of its matrix C, looked for in the span of all directions: small matrices tell it,
    and no merger needs a pass over the contexts. Contexts labelled -1 belong to no group.

    Returns
    -------
    senses : (n_groups,) int64
        From 0.
    """
    to_span, energies = _span_energies(bases, found)
    lines = found.directions.astype(np.float64) @ to_span.T
    senses = np.arange(len(lines))
    while len(lines) > 1:
        lengths = np.linalg.norm(lines, axis=1)
        cosines = np.abs(lines @ lines.T) / np.outer(lengths, lengths)
        np.fill_diagonal(cosines, -1.0)
        first, second = np.unravel_index(int(cosines.argmax()), cosines.shape)
        if cosines[first, second] < limit:
            break
        energies[first] += energies[second]
        lines[first] = np.linalg.eigh(energies[first])[1][:, -1]
        lines = np.delete(lines, second, axis=0)
        energies = np.delete(energies, second, axis=0)
        senses[senses == second] = first
        senses[senses > second] -= 1
    return senses


def merge_cheapest_pair(bases: Floats, found: InducedDirections) -> Floats:
    """Directions with one sense fewer: the pair whose merger raises the objective least is one.

    The cost of a merger is what the two groups keep apart less what they keep together, with a
    common direction out of the span of all directions.

    Returns
    -------
    directions : (n_senses - 1, dim) float32
    """
    to_span, energies = _span_energies(bases, found)
    first, second = np.triu_indices(len(energies), 1)
    apart = np.linalg.eigvalsh(energies)[:, -1]
    together, vectors = np.linalg.eigh(energies[first] + energies[second])
    best = int(np.argmin(apart[first] + apart[second] - together[:, -1]))
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
