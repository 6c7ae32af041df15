"""Contexts whose words are expected vectors (`expected_vectors`): their subspaces and distances.

Every occurrence of a context word has a vector of its own, so a context is a row of positions in
the text, and its subspace is taken from a small table with one row per position. Tables are built
block by block; none is larger than the words of a block's contexts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grassmeans.contexts import Contexts
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import Shard
from grassmeans.laboratory.iteration.expected_vectors import (
    Expectations,
    ExpectedShard,
    find_expectations,
)
from grassmeans.laboratory.iteration.word_contexts import LexemeContextExtractor
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.senses.settings import InductionSettings
from grassmeans.subspaces import principal_subspaces

_CONTEXTS_AT_ONCE = 2048
_NOBODY = -2  # no word's number


class ExpectedContextExtractor(LexemeContextExtractor):
    """As `LexemeContextExtractor`, with subspaces of expected vectors.

    ``context_ids`` of its contexts are rows of each word's likeliest sense, which serve to describe
    contexts; the subspaces are those of all senses.
    """

    def __init__(
        self,
        labelled: Corpus,
        lexemes: LexemeVectors,
        sharpness: float,
        *,
        window: int,
        drop_repeats: bool = False,
    ) -> None:
        super().__init__(labelled, lexemes, window=window, drop_repeats=drop_repeats)
        self._expectations = find_expectations(labelled, lexemes, sharpness)
        self._numbers = {word: i for i, word in enumerate(self._expectations.targets.words)}

    @cached_property
    def _shards(self) -> dict[Path, ExpectedShard]:
        shards = self.corpus.shards
        return {shard.folder: ExpectedShard(shard, self._expectations) for shard in shards}

    def extract_at(self, word: str, positions: NDArray[np.int64]) -> Contexts:
        """The contexts of the given occurrences of a word; positions in text order."""
        ids = np.full((len(positions), 2 * self.window), -1, np.int32)
        for shard, part, places in self._places_of(word, positions):
            kept = places >= 0
            used, inverse = np.unique(places[kept], return_inverse=True)
            block = ids[part]
            block[kept] = shard.likeliest_rows(used)[inverse]
        return Contexts(ids, positions)

    def subspaces(
        self, word: str, contexts: Contexts, settings: InductionSettings
    ) -> NDArray[np.float32]:
        """(n_contexts, rank, dim) bases of the contexts' subspaces."""
        shape = (len(contexts), settings.rank, self.lexemes.vectors.dim)
        bases = np.empty(shape, np.float32)
        for shard, part, places in self._places_of(word, contexts.positions):
            bases[part] = _subspaces(shard, places, settings)
        return bases

    def _places_of(
        self, word: str, positions: NDArray[np.int64]
    ) -> Iterator[tuple[ExpectedShard, slice, NDArray[np.int64]]]:
        """Blocks of occurrences: shard, which of the positions, places of their context words."""
        left_out = self._numbers.get(word, _NOBODY) if self.drop_repeats else _NOBODY
        for part, shard, local in self.corpus.split_positions(positions, _CONTEXTS_AT_ONCE):
            expected, words = self._shards[shard.folder], np.full(len(local), left_out)
            yield expected, part, find_context_places(expected, local, self.window, words)


@dataclass(frozen=True, slots=True)
class ExpectedMeasure:
    """Distances from contexts of expected vectors; a `ShardMeasure`.

    Attributes
    ----------
    expectations : Expectations
        Of the labelled corpus whose shards are measured.
    directions : (n_directions, dim) float32
        The senses of one target after the other.
    sense_offsets : (n_targets + 1,) int64
    settings : InductionSettings
    """

    expectations: Expectations
    directions: NDArray[np.float32]
    sense_offsets: NDArray[np.int64]
    settings: InductionSettings

    @property
    def word_of_token(self) -> NDArray[np.int32]:
        """(n_types + 1,) as in `Targets`."""
        return self.expectations.targets.word_of_token

    def find_distances(self, shard: Shard) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
        """Positions (n,) of the targets in a shard, and their distances (n, most senses)."""
        expected = ExpectedShard(shard, self.expectations)
        words = self.word_of_token[expected.tokens]
        positions = np.flatnonzero(words >= 0)
        words = words[positions]
        max_senses = self.expectations.targets.max_senses
        distances = np.empty((len(positions), max_senses), np.float16)
        for start in range(0, len(positions), _CONTEXTS_AT_ONCE):
            part = slice(start, start + _CONTEXTS_AT_ONCE)
            distances[part] = self._measure(expected, positions[part], words[part])
        return positions.astype(np.int32), distances

    def _measure(
        self, shard: ExpectedShard, positions: NDArray[np.int64], words: NDArray[np.int32]
    ) -> NDArray[np.float32]:
        """(n, most senses) distances; NaN beyond a word's senses, and in poor contexts."""
        left_out = words if self.settings.drop_repeats else np.full(len(words), _NOBODY)
        places = find_context_places(shard, positions, self.settings.window, left_out)
        bases = _subspaces(shard, places, self.settings)
        targets = self.expectations.targets
        senses = np.arange(targets.max_senses)
        absent = senses >= targets.n_senses[words, None]
        rows = np.where(absent, 0, self.sense_offsets[words, None] + senses)
        inside = np.square(bases @ self.directions[rows].transpose(0, 2, 1)).sum(axis=1)
        distances: NDArray[np.float32] = np.sqrt(np.clip(1.0 - inside, 0.0, 1.0))
        poor = np.count_nonzero(places >= 0, axis=1) < self.settings.rank
        distances[absent | poor[:, None]] = np.nan
        return distances


def find_context_places(
    shard: ExpectedShard,
    positions: NDArray[np.int64],
    window: int,
    left_out: NDArray[np.integer],
) -> NDArray[np.int64]:
    """Where the nearest kept words on both sides of each occurrence stand, inside its document.

    Parameters
    ----------
    positions : (n,) integers
        In the shard.
    window : int
        Kept words a side.
    left_out : (n,) integers
        Number of a target word that is no part of the occurrence's context.

    Returns
    -------
    places : (n, 2 * window) int64
        Positions in text order, the nearest in the middle; -1 where there is no word.
    """
    bounds = np.stack(shard.shard.document_bounds(positions), axis=1)
    before, after = (
        _nearest_kept(shard, positions, bounds, step, window, left_out) for step in (-1, 1)
    )
    return np.concatenate([before[:, ::-1], after], axis=1)


def _nearest_kept(
    shard: ExpectedShard,
    positions: NDArray[np.int64],
    bounds: NDArray[np.int64],
    step: int,
    window: int,
    left_out: NDArray[np.integer],
) -> NDArray[np.int64]:
    """(n, window) places of the nearest kept words on one side, nearest first."""
    given = shard.expectations
    places = np.full((len(positions), window), -1, np.int64)
    n_found = np.zeros(len(positions), np.int64)
    pending = np.arange(len(positions))
    reached = 0
    # About half of all tokens are kept; the few windows that reach further are looked at again.
    stride = 4 * window
    while len(pending):
        steps = step * np.arange(reached + 1, reached + stride + 1)
        here = positions[pending, None] + steps
        inside = (here >= bounds[pending, :1]) & (here < bounds[pending, 1:])
        tokens = shard.tokens[np.where(inside, here, 0)]
        keep = inside & (given.row_of_token[tokens] >= 0)
        keep &= given.targets.word_of_token[tokens] != left_out[pending, None]
        order = n_found[pending, None] + np.cumsum(keep, axis=1)
        keep &= order <= window
        row, column = np.nonzero(keep)
        places[pending[row], order[row, column] - 1] = here[row, column]
        n_found[pending] = np.minimum(order[:, -1], window)
        reached += stride
        pending = pending[(n_found[pending] < window) & inside[:, -1]]
    return places


def _subspaces(
    shard: ExpectedShard, places: NDArray[np.int64], settings: InductionSettings
) -> NDArray[np.float32]:
    """(n_contexts, rank, dim) bases of contexts given by the places of their words."""
    used = np.unique(places[places >= 0])
    ids = np.where(places >= 0, np.searchsorted(used, places), -1)
    table = shard.vectors_at(used)
    return principal_subspaces(ids, table, settings.rank, weighting=settings.weighting)
