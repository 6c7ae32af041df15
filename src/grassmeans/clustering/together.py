"""Many groupings at once: what K-Grassmeans asks for, solved word by word or in blocks on a GPU.

Whoever groups the contexts of a word says what is to be grouped (`Grouping`) and goes on when the
groups are there (`Steps`). On the CPU they are found one after the other, by `directions` and
`rays`. A GPU gets the groupings of many words together, and goes through the same stages with the
same starts.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from grassmeans.clustering import rays
from grassmeans.clustering.directions import (
    REFINED_TOLERANCE,
    InducedDirections,
    RandomState,
    draw_starts,
    induce_directions,
    make_generator,
    plan_first_steps,
    plan_samples,
    plan_several_products,
    plan_single_products,
    refine_directions,
    refuse_more_than,
    sample_evenly,
)
from grassmeans.kernels import BlockKernels, HeldContexts, get_block_kernels

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Contexts to be grouped.

    Attributes
    ----------
    bases : (n_contexts, rank, dim) float32
    n_senses : int
    n_init, max_iter, tol, init, random_state, signed
        As for `grassmeans.clustering.kgrassmeans.KGrassmeans`.
    directions : (n_senses, dim) float32, optional
        Given ones: contexts are assigned to them, and nothing is induced.
    """

    bases: Floats
    n_senses: int
    n_init: int = 5
    max_iter: int = 100
    tol: float = 1e-5
    init: str = "random"
    random_state: RandomState = None
    signed: bool = False
    directions: Floats | None = None

    def solve(self) -> InducedDirections:
        """On the CPU."""
        if self.directions is not None:
            if self.signed:
                return rays.place_rays(self.bases, self.directions)
            return refine_directions(self.bases, self.directions, max_iter=0)
        induce = rays.induce_rays if self.signed else induce_directions
        return induce(
            self.bases,
            self.n_senses,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            init=self.init,
            random_state=self.random_state,
        )


Steps = Generator[list[Grouping], list[InducedDirections], InducedDirections]
"""Asks for groupings, is sent what was found, and gives the senses of a word in the end."""


def ask_once(grouping: Grouping) -> Steps:
    """The steps of a word whose number of senses is known."""
    (found,) = yield [grouping]
    return found


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
            asked = steps.send([grouping.solve() for grouping in asked])
    except StopIteration as end:
        found: InducedDirections = end.value
        return found


def _solve_together(asked: Sequence[Grouping], blocks: BlockKernels) -> list[InducedDirections]:
    """The groupings on the device, in blocks of like ones."""
    results: dict[int, InducedDirections] = {}
    for grouping in asked:
        if grouping.directions is None:
            refuse_more_than(len(grouping.bases), grouping.n_senses)
    kinds = {number: _kind_of(grouping) for number, grouping in enumerate(asked)}
    order = sorted(kinds, key=lambda n: (kinds[n], len(asked[n].bases), asked[n].n_senses))
    for _, alike in groupby(order, key=lambda number: kinds[number]):
        for block in _cut_blocks(list(alike), asked, blocks):
            members = [asked[number] for number in block]
            solve = _solve_rays if members[0].signed else _solve_lines
            results |= zip(block, solve(members, blocks), strict=True)
    return [results[number] for number in range(len(asked))]


def _kind_of(grouping: Grouping) -> tuple[object, ...]:
    """What all groupings of a block have in common."""
    n_stages = len(plan_samples(len(grouping.bases), grouping.n_senses))
    is_given = grouping.directions is not None
    how = (grouping.n_init, grouping.max_iter, grouping.tol, grouping.init)
    return (grouping.signed, is_given, n_stages, *how, *grouping.bases.shape[1:])


def _cut_blocks(
    alike: list[int], asked: Sequence[Grouping], blocks: BlockKernels
) -> Iterator[list[int]]:
    """As many at a time as the device has memory for; the largest, which stand last, tell."""
    while alike:
        last = asked[alike[-1]]
        most = max(asked[number].n_senses for number in alike)
        n_directions = most * (1 if last.directions is not None else last.n_init)
        n_contexts, rank, dim = last.bases.shape
        size = blocks.count_together(n_contexts, rank, dim, n_directions)
        yield alike[-size:]
        alike = alike[:-size]


def _solve_lines(asked: Sequence[Grouping], blocks: BlockKernels) -> list[InducedDirections]:
    """As `induce_directions` and `refine_directions` do, for many words."""
    held = blocks.hold_contexts([grouping.bases for grouping in asked])
    given = [grouping.directions for grouping in asked if grouping.directions is not None]
    if given:
        return _order_by_size(asked, held, given, [0] * len(asked))
    samples = [plan_samples(len(grouping.bases), grouping.n_senses) for grouping in asked]
    starts = [_draw_starts(*pair) for pair in zip(asked, samples, strict=True)]
    how = asked[0]
    limits = [how.max_iter] * len(asked)
    for step, sizes in enumerate(zip(*samples, strict=True)):
        plan = plan_first_steps if step == 0 else plan_single_products
        reached = held.advance(sizes, starts, limits, how.tol, plan)
        starts = [word.directions for word in reached]
    best = [int(word.objectives.argmin()) for word in reached]
    done = [int(word.n_iter[index]) for word, index in zip(reached, best, strict=True)]
    refined = held.advance(
        [len(grouping.bases) for grouping in asked],
        [word.directions[index, None] for word, index in zip(reached, best, strict=True)],
        [max(how.max_iter - n_iter, 0) for n_iter in done],
        how.tol * REFINED_TOLERANCE,
        plan_several_products,
    )
    n_iter = [before + int(word.n_iter[0]) for before, word in zip(done, refined, strict=True)]
    return _order_by_size(asked, held, [word.directions[0] for word in refined], n_iter)


def _draw_starts(grouping: Grouping, samples: Sequence[int]) -> Floats:
    first = sample_evenly(grouping.bases, samples[0])
    rng = make_generator(grouping.random_state)
    return draw_starts(first, grouping.n_senses, grouping.n_init, grouping.init, rng)


def _order_by_size(
    asked: Sequence[Grouping],
    held: HeldContexts,
    directions: Sequence[Floats],
    n_iter: Sequence[int],
) -> list[InducedDirections]:
    """The largest group of every word first, with the labels and objectives of all contexts."""
    results = []
    assigned = held.assign(directions)
    for lines, (labels, gains), done in zip(directions, assigned, n_iter, strict=True):
        # Contexts of zeros go to the first sense whichever that is: they have no say in the order.
        says = gains > 0.0
        sizes = np.bincount(labels[says], minlength=len(lines))
        order = np.argsort(-sizes, kind="stable")
        ranks = np.empty(len(order), np.int32)
        ranks[order] = np.arange(len(order))
        inertia = float(np.maximum(1.0 - gains.astype(np.float64), 0.0).sum())
        ordered = np.ascontiguousarray(lines[order])
        numbers = np.where(says, ranks[labels], 0).astype(np.int32)
        results.append(InducedDirections(ordered, numbers, inertia, done, np.array([inertia])))
    return results


def _solve_rays(asked: Sequence[Grouping], blocks: BlockKernels) -> list[InducedDirections]:
    """As `grassmeans.clustering.rays.induce_rays` and `place_rays` do, for many words."""
    usable = [_usable_rays(grouping) for grouping in asked]
    if asked[0].directions is not None or not all(map(len, usable)):
        return [grouping.solve() for grouping in asked]
    how = asked[0]
    starts = [
        rays.draw_starts(
            own, word.n_senses, word.n_init, word.init, make_generator(word.random_state)
        )
        for word, own in zip(asked, usable, strict=True)
    ]
    held = blocks.hold_contexts([own[:, None] for own in usable], signed=True)
    sizes = [len(own) for own in usable]
    limits = [how.max_iter] * len(asked)
    reached = held.advance(sizes, starts, limits, how.tol, plan_single_products)
    results = []
    for grouping, word in zip(asked, reached, strict=True):
        best = int(word.objectives.argmin())
        placed = rays.place_rays(grouping.bases, word.directions[best])
        path = word.objectives[[best]]
        results.append(
            InducedDirections(
                placed.directions, placed.labels, placed.inertia, int(word.n_iter[best]), path
            )
        )
    return results


def _usable_rays(grouping: Grouping) -> Floats:
    lines = rays.take_rays(grouping.bases)
    return np.ascontiguousarray(lines[lines.any(axis=1)], np.float32)


def solve_all(asked: Iterable[Grouping], device: str = "cpu") -> list[InducedDirections]:
    """Groupings that nothing follows from."""
    return take_steps([ask_once(grouping) for grouping in asked], device)
