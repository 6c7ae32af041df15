"""Groupings of words: how many senses there are, and the groupings of many words at once.

Whoever groups the contexts of a word says what is to be grouped (`Grouping`) and goes on when the
groups are there (`Steps`). On the CPU they are found one after the other. A GPU gets the groupings
of many words together, and goes through the same stages with the same starts.

How many senses a word has (`find_any_number`): split too far, then merge what lies close.
K-Grassmeans with more directions than any word should have finds every sense, and some of them
several times. Groups with too few contexts are no senses and go; of the others the two whose
directions, or contexts pair by pair, are nearest become one, while their cosine is at least a limit
(`grassmeans.clustering.merging`). A sense's direction is the one in which the contexts of its
groups meet. A word with few different contexts is grouped by a tree of them
(`grassmeans.clustering.trees`), and lines of transformers are split by one. All numbers that this
depends on are the `GroupingRules` of a kind of context.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

import numpy as np

from grassmeans.arrays import Floats, Indices
from grassmeans.clustering.directions import hold_lines, plan_samples, solve_lines
from grassmeans.clustering.loop import (
    DEFAULT_FIT,
    FitOptions,
    Grouping,
    InducedDirections,
    RandomState,
    sample_evenly,
)
from grassmeans.clustering.merging import merge_groups, start_groups
from grassmeans.clustering.rays import hold_rays, mean_ray, solve_rays, take_rays
from grassmeans.clustering.trees import group_by_silhouette, group_few, split_by_tree
from grassmeans.geometry.rules import GroupingRules
from grassmeans.kernels import get_block_kernels
from grassmeans.kernels.blocks import BlockKernels

Steps = Generator[list[Grouping], list[InducedDirections], InducedDirections]
"""Asks for groupings, is sent what was found, and gives the senses of a word in the end."""

MIN_SHARE = 0.02  # groups with a smaller share of the contexts are no senses
MIN_CONTEXTS = 10  # ... nor are groups with fewer contexts than this
SAMPLE = 2048
"""Contexts from which the number is chosen; the senses themselves come from all contexts."""

_N_INIT = 3  # restarts of the over-split: merging makes up for a bad one
_LOOSE_TOLERANCE = 1e-4


def ask_once(grouping: Grouping) -> Steps:
    """The steps of a word whose number of senses is known."""
    (found,) = yield [grouping]
    return found


def ask_nearest(bases: Floats, directions: Floats, fit: FitOptions) -> Grouping:
    """For the nearest of given directions, that of the largest group first."""
    plain = FitOptions(signed=fit.signed)
    return Grouping(bases, len(directions), plain, directions=directions)


def ask_meeting(bases: Floats, fit: FitOptions) -> Grouping:
    """For the direction in which contexts meet."""
    if fit.signed:
        return ask_nearest(bases, mean_ray(take_rays(bases))[None], fit)
    return Grouping(bases, 1, FitOptions(tol=fit.tol), random_state=0)


def find_meeting(bases: Floats, fit: FitOptions = DEFAULT_FIT) -> Floats:
    """(dim,) the direction in which contexts meet."""
    return np.asarray(solve_alone(ask_meeting(bases, fit)).directions[0], np.float32)


def solve_alone(grouping: Grouping) -> InducedDirections:
    """The groups of one word, on the CPU."""
    if grouping.fit.signed:
        return solve_rays([grouping], hold_rays)[0]
    return solve_lines([grouping], hold_lines)[0]


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
        if rules.by_silhouette:
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
    groups = start_groups(bases, found, signed=fit.signed, by_pairs=rules.by_pairs)
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


def take_steps(words: Sequence[Steps], device: str = "cpu") -> list[InducedDirections]:
    """What the steps of each word lead to; on a GPU those of all words are taken together."""
    blocks = get_block_kernels(device)
    if blocks is None:
        return [_walk_alone(steps) for steps in words]
    results: dict[int, InducedDirections] = {}
    answers: dict[int, list[InducedDirections] | None] = dict.fromkeys(range(len(words)))
    while answers:
        asked: dict[int, list[Grouping]] = {}
        for number, answer in answers.items():
            try:
                asked[number] = (
                    next(words[number]) if answer is None else words[number].send(answer)
                )
            except StopIteration as end:
                results[number] = end.value
        found = iter(_solve_together([g for own in asked.values() for g in own], blocks))
        answers = {number: [next(found) for _ in own] for number, own in asked.items()}
    return [results[number] for number in range(len(words))]


def _walk_alone(steps: Steps) -> InducedDirections:
    try:
        asked = next(steps)
        while True:
            asked = steps.send([solve_alone(grouping) for grouping in asked])
    except StopIteration as end:
        found: InducedDirections = end.value
        return found


def _solve_together(asked: Sequence[Grouping], blocks: BlockKernels) -> list[InducedDirections]:
    """The groupings on the device, in blocks of like ones."""
    results: dict[int, InducedDirections] = {}
    kinds = {}  # what all groupings of a block have in common
    for number, grouping in enumerate(asked):
        n_stages = len(plan_samples(len(grouping.bases), grouping.n_senses))
        is_given = grouping.directions is not None
        kinds[number] = (grouping.fit, is_given, n_stages, *grouping.bases.shape[1:])
    order = sorted(kinds, key=lambda n: (kinds[n], len(asked[n].bases), asked[n].n_senses))
    for _, alike in groupby(order, key=lambda number: kinds[number]):
        for block in _cut_blocks(list(alike), asked, blocks):
            members = [asked[number] for number in block]
            signed = members[0].fit.signed
            solve = solve_rays if signed else solve_lines
            found = solve(members, partial(blocks.hold_contexts, signed=signed))
            results |= zip(block, found, strict=True)
    return [results[number] for number in range(len(asked))]


def _cut_blocks(
    alike: list[int], asked: Sequence[Grouping], blocks: BlockKernels
) -> Iterator[list[int]]:
    """As many at a time as the device has memory for; the largest, which stand last, tell."""
    while alike:
        last = asked[alike[-1]]
        most = max(asked[number].n_senses for number in alike)
        n_directions = most * (1 if last.directions is not None else last.fit.n_init)
        n_contexts, rank, dim = last.bases.shape
        size = blocks.count_together(n_contexts, rank, dim, n_directions)
        yield alike[-size:]
        alike = alike[:-size]
