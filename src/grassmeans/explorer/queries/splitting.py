"""How senses split: from one sense to K, each level from the one above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.contexts import Contexts
from grassmeans.explorer.work import Checkpoint
from grassmeans.senses.description import characteristic_words, orient_directions
from grassmeans.senses.directions import InducedDirections, refine_directions
from grassmeans.senses.editing import WordSample
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.naming import name_senses
from grassmeans.senses.sense_number import SAMPLE, merge_cheapest_pair
from grassmeans.vectors.word_vectors import WordVectors

_TOLERANCE = 3e-4  # shares need three digits


@dataclass(frozen=True, slots=True)
class SplitNode:
    """A sense on one level of the tree.

    Attributes
    ----------
    level : int
        How many senses the level has.
    number : int
        From 1, the largest first; on the last level, the number of the sense.
    share : float
    name : str
    parent : int or None
        Its number on the level before: where most of its contexts are. None on the first level.
    """

    level: int
    number: int
    share: float
    name: str
    parent: int | None


def trace_splits(
    entry: WordSenses, sample: WordSample, vectors: WordVectors, checkpoint: Checkpoint
) -> tuple[SplitNode, ...]:
    """The levels from one sense down to the senses of the entry.

    Found from below: the two senses whose merger costs least become one, K-Grassmeans goes on from
    there, and so on (see `grassmeans.senses.sense_number`). Of many contexts an even sample is
    looked at.
    """
    rows = _even_rows(len(sample.contexts), SAMPLE)
    bases = np.ascontiguousarray(sample.bases[rows])
    ids = sample.contexts.context_ids[rows]
    labels = WordSample(sample.contexts, bases, sample.corpus).measure(entry.directions)
    found = InducedDirections(
        entry.directions, labels.argmin(axis=1).astype(np.int32), 0.0, 0, np.empty(0)
    )
    levels = [found]
    while len(found.directions) > 1:
        checkpoint(0.9 - 0.1 * len(found.directions) / entry.n_senses)
        merged = merge_cheapest_pair(bases, found)
        found = refine_directions(bases, merged, tol=_TOLERANCE)
        levels.append(found)
    levels.reverse()
    contexts = Contexts(ids, sample.contexts.positions[rows])
    names = [_name_level(entry.word, level, contexts, vectors) for level in levels[:-1]]
    names.append([sense.name for sense in entry.senses])
    return _make_nodes(levels, names)


def _make_nodes(
    levels: Sequence[InducedDirections], names: Sequence[Sequence[str]]
) -> tuple[SplitNode, ...]:
    nodes = []
    for index, level in enumerate(levels):
        n_senses = len(level.directions)
        sizes = np.bincount(level.labels, minlength=n_senses)
        parents: list[int | None] = [None] * n_senses
        if index:
            parents = [number + 1 for number in _find_parents(levels[index - 1], level)]
        nodes += [
            SplitNode(
                n_senses,
                k + 1,
                round(float(sizes[k] / max(1, len(level.labels))), 4),
                names[index][k],
                parents[k],
            )
            for k in range(n_senses)
        ]
    return tuple(nodes)


def _find_parents(above: InducedDirections, below: InducedDirections) -> list[int]:
    """For each sense below, the sense above that has most of its contexts; the nearest if none."""
    n_above, n_below = len(above.directions), len(below.directions)
    pairs = np.bincount(below.labels * n_above + above.labels, minlength=n_below * n_above)
    overlaps = pairs.reshape(n_below, n_above)
    nearest = np.abs(below.directions @ above.directions.T).argmax(axis=1)
    parents = np.where(overlaps.any(axis=1), overlaps.argmax(axis=1), nearest)
    return [int(parent) for parent in parents]


def _name_level(
    word: str, level: InducedDirections, contexts: Contexts, vectors: WordVectors
) -> list[str]:
    found = characteristic_words(contexts.context_ids, level.labels, len(level.directions))
    candidates = [[vectors.words[row] for row in rows] for rows in found]
    directions = orient_directions(level.directions, contexts, vectors)
    return list(name_senses(word, candidates, directions, vectors))


def _even_rows(n: int, most: int) -> NDArray[np.int64]:
    size = min(n, most)
    return np.arange(size, dtype=np.int64) * n // max(1, size)
