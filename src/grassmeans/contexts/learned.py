"""Learned contexts: the direction, among the word vectors, that the other words ask for.

Leave-one-out attention (trained in `grassmeans.contexts.attention`) predicts every word of a
passage from all the others. The prediction of a place, beside what the words around it are about,
levelled (`grassmeans.contexts.attention.levelling`) and of unit length, is the context's line: rank
1. Here it is computed with NumPy and one compiled kernel; nothing of PyTorch is needed.

What makes it cheap: keys and values depend on a word alone, so they are computed once for each
distinct word, and kept; queries are computed only where a word is asked for. A GPU does the same
for many passages at once, with PyTorch (`grassmeans.contexts.attention.inference`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Booleans, Doubles, Floats, Halves, Indices, Integers
from grassmeans.contexts.attention.encoder import NetworkEncoder, Passages, normalise_rows
from grassmeans.contexts.attention.levelling import sum_topics
from grassmeans.contexts.attention.stored import (
    N_SPECIAL,
    LearnedWeights,
    read_weights,
    write_weights,
)
from grassmeans.contexts.interface import OccurrenceSource
from grassmeans.geometry.rules import GroupingRules
from grassmeans.kernels import get_kernels
from grassmeans.kernels.arguments import AttendingPlaces
from grassmeans.vectors.similarity import unit_rows

if TYPE_CHECKING:
    from grassmeans.contexts.attention.inference import DeviceNetwork


_WORDS_AT_ONCE = 4_096


class LearnedEncoder(NetworkEncoder):
    """Lines from leave-one-out attention."""

    kind = "learned"
    grouping = GroupingRules(
        merge_cosine=0.45, merge_slope=0.15, rare_ease=0.6, part_cosine=0.65, few_contexts=100
    )

    weights: LearnedWeights

    def _send_network(self) -> DeviceNetwork:
        from grassmeans.contexts.attention.inference import DeviceNetwork

        ids = np.arange(self.weights.shape.n_ids)
        parts = (ids[i : i + _WORDS_AT_ONCE] for i in range(0, len(ids), _WORDS_AT_ONCE))
        return DeviceNetwork(self.weights, map(self._compute_features, parts), self.device)

    def topics_at(
        self, source: OccurrenceSource, positions: Indices, words: Floats, word_weights: Floats
    ) -> Floats:
        """(n, dim) what is around the occurrences at positions, for a levelling to come."""
        topics = np.zeros((len(positions), words.shape[1]), np.float32)
        for part, occurrences in source.occurrences(positions):
            for passages in self._cut(occurrences, part.start):
                nothing = np.full(len(passages.places), -1, np.int32)
                topics[passages.rows] = sum_topics(passages, nothing, words, word_weights)
        return topics

    def turn(self, turn: Doubles) -> LearnedEncoder:
        """The encoder of the same lines on turned axes; itself where they are not levelled."""
        levelling = self.weights.levelling
        if levelling is None:
            return self
        axes = (levelling.axes @ turn).astype(np.float32)
        weights = replace(self.weights, levelling=replace(levelling, axes=axes))
        vectors = self._turn_vectors(turn)
        return LearnedEncoder(vectors, self.shape, self.function_words, weights)

    _read_weights, _write_weights = staticmethod(read_weights), staticmethod(write_weights)

    def _predict(self, passages: Passages, hidden: Integers, kernels: str) -> Floats:
        """(n, n_axes) unit lines of the places of passages."""
        weights, size = self.weights, self.weights.shape
        features = self._word_features(passages.ids)
        functions = get_kernels(kernels)
        angles = size.angles(passages.ids.shape[1])
        where = AttendingPlaces(passages.ids, passages.offsets, passages.places, hidden, angles)
        n, heads = len(passages.places), (size.n_heads, size.head_dim)
        x = weights.start[None]  # the same for all places, until they have looked around
        for layer in range(size.n_layers):
            queries = (normalise_rows(x) @ weights.queries[layer].T).reshape(-1, *heads)
            if size.normalise_heads:
                queries = normalise_rows(queries)
            everywhere = np.broadcast_to(queries, (n, *heads))
            found = functions.attend_places(everywhere, features, layer, where)
            x = x + found.reshape(n, size.dim) @ weights.mixing[layer].T
            inner = normalise_rows(x) @ weights.inner_up[layer].T
            functions.add_squares(inner, weights.inner_down[layer].T, x)
        lines = unit_rows(normalise_rows(x) @ weights.output.T)
        # A passage of one word asks for nothing.
        lines[(passages.lengths < 2)[passages.owners]] = 0.0
        levelling = weights.levelling
        if levelling is None:
            return lines
        topics = sum_topics(passages, hidden, levelling.words, levelling.word_weights)
        return np.asarray(levelling.level(lines, topics))

    @cached_property
    def _kept(self) -> tuple[Halves, Booleans]:
        """(n_ids, n_layers, 2, n_heads, head_dim) keys and values, and of which ids they are there.

        The table is only as large in memory as what was seen.
        """
        size = self.weights.shape
        form = (size.n_ids, size.n_layers, 2, size.n_heads, size.head_dim)
        return np.empty(form, np.float16), np.zeros(size.n_ids, np.bool_)

    def _word_features(self, ids: Integers) -> Halves:
        """The table of keys and values, where those of ``ids`` are filled in."""
        features, known = self._kept
        missing = ids[(ids >= 0) & ~known[ids]]
        if len(missing):
            missing = np.unique(missing)
            for start in range(0, len(missing), _WORDS_AT_ONCE):
                part = missing[start : start + _WORDS_AT_ONCE]
                features[part] = self._compute_features(part)
            known[missing] = True
        return features

    def _compute_features(self, ids: NDArray[np.integer]) -> Halves:
        """(n, n_layers, 2, n_heads, head_dim), rounded: two bytes a number are kept of each."""
        weights, size = self.weights, self.weights.shape
        words = self.vectors.vectors if weights.levelling is None else weights.levelling.words
        raw = np.where(
            (ids >= N_SPECIAL)[:, None],
            words[np.maximum(ids - N_SPECIAL, 0)],
            weights.specials[np.minimum(ids, N_SPECIAL - 1)],
        )
        normed = normalise_rows(raw)
        inner = np.square(np.maximum(normed @ weights.word_up.T, 0.0))
        features = (normed if size.normalise_words else raw) + inner @ weights.word_down.T
        both = normalise_rows(features) @ weights.keys_values.reshape(-1, size.dim).T
        found = both.reshape(-1, 2, size.n_layers, size.n_heads, size.head_dim)
        keys, values = found[:, 0], found[:, 1]
        if size.normalise_heads:
            keys = normalise_rows(keys)
        return np.stack([keys, values], axis=2).astype(np.float16)


Encoder = LearnedEncoder
