"""Many groupings at once: what K-Grassmeans asks for, solved word by word or in blocks on a GPU.

Whoever groups the contexts of a word says what is to be grouped (`Grouping`) and goes on when the
groups are there (`Steps`). On the CPU they are found one after the other. A GPU gets the groupings
of many words together, and goes through the same stages with the same starts.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from functools import partial
from itertools import groupby

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.clustering.directions import hold_lines, plan_samples, solve_lines
from grassmeans.clustering.loop import DEFAULT_FIT, FitOptions, Grouping, InducedDirections
from grassmeans.clustering.rays import hold_rays, mean_ray, solve_rays, take_rays
from grassmeans.kernels import BlockKernels, get_block_kernels

Steps = Generator[list[Grouping], list[InducedDirections], InducedDirections]
"""Asks for groupings, is sent what was found, and gives the senses of a word in the end."""


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
    return solve_lines([grouping], hold_lines(grouping.bases))[0]


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
    kinds = {number: _kind_of(grouping) for number, grouping in enumerate(asked)}
    order = sorted(kinds, key=lambda n: (kinds[n], len(asked[n].bases), asked[n].n_senses))
    for _, alike in groupby(order, key=lambda number: kinds[number]):
        for block in _cut_blocks(list(alike), asked, blocks):
            members = [asked[number] for number in block]
            if members[0].fit.signed:
                found = solve_rays(members, partial(blocks.hold_contexts, signed=True))
            else:
                held = blocks.hold_contexts([grouping.bases for grouping in members])
                found = solve_lines(members, held)
            results |= zip(block, found, strict=True)
    return [results[number] for number in range(len(asked))]


def _kind_of(grouping: Grouping) -> tuple[object, ...]:
    """What all groupings of a block have in common."""
    n_stages = len(plan_samples(len(grouping.bases), grouping.n_senses))
    is_given = grouping.directions is not None
    return (grouping.fit, is_given, n_stages, *grouping.bases.shape[1:])


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
