"""How many senses a word has: split too far, then merge what lies close.

K-Grassmeans with more directions than any word should have finds every sense, and some of them
several times. Groups with too few contexts are no senses and go; of the others the two whose
directions are nearest become one, while the cosine of their angle is at least a limit
(`grassmeans.clustering.merging`). A sense's direction is the one in which the contexts of its
groups meet. A word with few different contexts is grouped by a tree of them
(`grassmeans.clustering.trees`), and lines of transformers are split by one. All numbers that this
depends on are the `GroupingRules` of a kind of context.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grassmeans.arrays import Floats, Indices
from grassmeans.clustering.loop import (
    DEFAULT_FIT,
    FitOptions,
    Grouping,
    InducedDirections,
    RandomState,
    sample_evenly,
)
from grassmeans.clustering.merging import merge_groups, start_groups
from grassmeans.clustering.rays import take_rays
from grassmeans.clustering.together import Steps, ask_meeting, ask_nearest
from grassmeans.clustering.trees import group_by_silhouette, group_few, split_by_tree
from grassmeans.geometry.rules import GroupingRules

MIN_SHARE = 0.02
"""Groups with a smaller share of the contexts are no senses."""

MIN_CONTEXTS = 10
"""... nor are groups with fewer contexts than this."""

SAMPLE = 2048
"""Contexts from which the number is chosen; the senses themselves come from all contexts."""

_N_INIT = 3  # restarts of the over-split: merging makes up for a bad one
_LOOSE_TOLERANCE = 1e-4


def find_any_number(
    bases: Floats,
    rules: GroupingRules,
    fit: FitOptions = DEFAULT_FIT,
    random_state: RandomState = None,
) -> Steps:
    """Find the directions of as many senses as the contexts (n_contexts, rank, dim) show.

    There are fewer groups than ``rules.max_senses`` before any are merged where there are fewer
    than 10 contexts for each, unless the different contexts are few in all.
    """
    sample = sample_evenly(bases, min(SAMPLE, len(bases)))
    different = find_different(sample)
    if len(different) < rules.few_contexts:
        few = sample[different]
        if rules.by_tree:
            senses = group_by_silhouette(take_rays(few), rules.part_cosine, rules.max_senses)
        else:
            senses = group_few(few, rules.part_cosine, rules.max_senses)
        met = yield from _meet(few, senses, bases, fit)
        return replace(met, n_iter=1)
    if len(different) < len(sample):
        sample = np.ascontiguousarray(sample[different])
    loose = replace(fit, n_init=min(fit.n_init, _N_INIT), tol=max(fit.tol, _LOOSE_TOLERANCE))
    n_groups = max(1, min(rules.max_senses, len(sample) // MIN_CONTEXTS))
    if rules.by_tree:
        found = split_by_tree(take_rays(sample), n_groups)
    else:
        (found,) = yield [Grouping(sample, n_groups, loose, random_state)]
    n_iter = found.n_iter
    if len(sample) < len(bases):
        (found,) = yield [ask_nearest(bases, found.directions, fit)]
    found = drop_small(found)
    groups = start_groups(bases, found, signed=fit.signed)
    merged = merge_groups(groups, rules.merge_cosine, rules.rare_ease)
    senses = np.append(merged, -1)[found.labels]
    met = yield from _meet(bases, senses, bases, fit)
    return replace(met, n_iter=n_iter)


def find_different(bases: Floats) -> Indices:
    """(n_different,) the first of each of the contexts: what is repeated shows nothing new."""
    first = {bases[i].tobytes(): i for i in range(len(bases) - 1, -1, -1)}
    return np.sort(np.fromiter(first.values(), np.int64, len(first)))


def _meet(grouped: Floats, senses: Indices, bases: Floats, fit: FitOptions) -> Steps:
    """The directions in which the contexts of each group meet, and the nearest of all contexts."""
    # Not K-Grassmeans again: with few directions it would spend them on the largest group.
    groups = [grouped[senses == k] for k in range(int(senses.max()) + 1)]
    lines = yield [ask_meeting(group, fit) for group in groups]
    directions = np.concatenate([line.directions for line in lines])
    (met,) = yield [ask_nearest(bases, directions, fit)]
    return met


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
