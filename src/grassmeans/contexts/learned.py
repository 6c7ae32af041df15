"""Learned contexts: the direction, among the word vectors, that the other words ask for.

Leave-one-out attention (trained in `grassmeans.contexts.attention`) predicts every word of a
passage from all the others. The prediction of a place, beside what the words around it are about,
levelled (`grassmeans.contexts.attention.levelling`) and of unit length, is the context's line: rank
1. Here it is computed with NumPy and one compiled kernel; nothing of PyTorch is needed.

What makes it cheap: keys and values depend on a word alone, so they are computed once for each
distinct word, and kept; queries are computed only where a word is
asked for. A GPU does the same for many passages at once, with PyTorch
(`grassmeans.contexts.attention.inference`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.checking import MANIFEST, damaged
from grassmeans.contexts import VECTORS_FOLDER
from grassmeans.contexts.attention.levelling import (
    sum_topics,
)
from grassmeans.contexts.attention.passages import Passages, cut_passages, gather_passages
from grassmeans.contexts.attention.stored import (
    N_SPECIAL,
    UNKNOWN_ID,
    LearnedWeights,
    read_weights,
    write_weights,
)
from grassmeans.contexts.interface import ContextEncoder, OccurrenceSource
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.errors import InputError
from grassmeans.geometry.distances import SenseLines
from grassmeans.geometry.rules import GroupingRules
from grassmeans.geometry.windows import FEW, ContextShape
from grassmeans.kernels import get_kernels
from grassmeans.kernels.devices import check_device
from grassmeans.vectors.similarity import unit_rows
from grassmeans.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from grassmeans.contexts.attention.inference import DeviceNetwork

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]

FOLDER = "encoder"
_PASSAGES_AT_ONCE, _PASSAGES_ON_DEVICE = 128, 16_384
_WORDS_AT_ONCE = 4_096
_EPSILON = 1e-6


class LearnedEncoder(ContextEncoder):
    """Lines from leave-one-out attention.

    Parameters
    ----------
    vectors : WordVectors
        The encoder's own: the words that it predicts, where contexts lie that ask for them.
    weights : LearnedWeights
    """

    kind = "learned"
    grouping = GroupingRules(
        merge_cosine=0.45, merge_slope=0.15, rare_ease=0.6, part_cosine=0.65, few_contexts=100
    )
    lines_have_ends = True
    worth_keeping = True
    space_is_fixed = True
    sharpness = 40.0  # between two senses lie a few hundredths of the distance
    idk_distance = None  # no distance of a learned line means the same in two corpora
    induction: ClassVar[Mapping[str, Any]] = {"n_senses": "auto", "max_contexts": 1_000}

    def __init__(
        self,
        vectors: WordVectors,
        shape: ContextShape,
        function_words: frozenset[str],
        weights: LearnedWeights,
    ) -> None:
        super().__init__(vectors, shape, function_words)
        self.weights = weights
        self.remark = "" if weights.training is None else weights.training.describe_lack()
        self.folder: Path | None = None
        self.device = "cpu"
        self._kept_ids: tuple[Sequence[str], Integers] | None = None
        self._known = np.zeros(weights.shape.n_ids, np.bool_)
        self._features: NDArray[np.float16] | None = None
        self._sending = threading.Lock()

    def use_device(self, device: str) -> None:
        """Encode on a GPU from now on ("cuda", with PyTorch), or on the CPU again.

        A pickled encoder, as workers get it, is one for the CPU.
        """
        check_device(device)
        self.device = device
        self.__dict__.pop("_sent_network", None)

    @property
    def _network(self) -> DeviceNetwork:
        with self._sending:
            return self._sent_network

    @cached_property
    def _sent_network(self) -> DeviceNetwork:
        from grassmeans.contexts.attention.inference import DeviceNetwork

        ids = np.arange(self.weights.shape.n_ids)
        parts = (ids[i : i + _WORDS_AT_ONCE] for i in range(0, len(ids), _WORDS_AT_ONCE))
        return DeviceNetwork(self.weights, map(self._compute_features, parts), self.device)

    @property
    def _at_once(self) -> int:
        return _PASSAGES_AT_ONCE if self.device == "cpu" else _PASSAGES_ON_DEVICE

    def encode(self, occurrences: Occurrences) -> Floats:
        """(n, 1, dim) unit lines; zeros where there is no other word in the passage."""
        return self._encode(self._cut(occurrences), len(occurrences))

    def encode_at(self, source: OccurrenceSource, positions: NDArray[np.int64]) -> Floats:
        """(n, 1, dim) lines of the occurrences at positions, those of several shards together."""
        cuts = (
            passages
            for part, occurrences in source.occurrences(positions)
            for passages in self._cut(occurrences, part.start)
        )
        return self._encode(gather_passages(cuts, self._at_once), len(positions))

    def measure(
        self, occurrences: Occurrences, words: NDArray[np.integer], lines: SenseLines
    ) -> Floats:
        """Distances of occurrences to the senses of their words, as `measure_senses` gives them."""
        if self.device == "cpu":
            return super().measure(occurrences, words, lines)
        distances = np.full((len(occurrences), lines.most_senses), np.nan, np.float32)
        passages = self._cut(occurrences)
        for rows, found in self._network.stream_distances(passages, words, lines):
            distances[rows] = found
        return distances

    def measure_for_labels(
        self, occurrences: Occurrences, words: NDArray[np.integer], lines: SenseLines
    ) -> Floats:
        """Distances to the senses of words that have several; 0 to an only sense.

        Occurrences of a word with one sense are not encoded: only where nothing else stands in
        their document do they say nothing.
        """
        distances = np.full((len(occurrences), lines.most_senses), np.nan, np.float32)
        starts, ends = occurrences.document_bounds
        distances[ends - starts > 1, 0] = 0.0
        chosen = np.flatnonzero(lines.n_senses[words] > 1)
        distances[chosen] = self.measure(occurrences[chosen], words[chosen], lines)
        return distances

    def topics_at(
        self,
        source: OccurrenceSource,
        positions: NDArray[np.int64],
        words: Floats,
        word_weights: Floats,
    ) -> Floats:
        """(n, dim) what is around the occurrences at positions, for a levelling to come."""
        topics = np.zeros((len(positions), words.shape[1]), np.float32)
        for part, occurrences in source.occurrences(positions):
            for passages in self._cut(occurrences, part.start):
                nothing = np.full(len(passages.places), -1, np.int32)
                topics[passages.rows] = sum_topics(
                    passages, nothing, N_SPECIAL, words, word_weights
                )
        return topics

    def weigh_words(
        self, occurrences: Occurrences, directions: Floats
    ) -> list[list[tuple[int, float]]]:
        """How much nearer each word of the passage brings the line to the direction.

        The line is predicted once more without each of the words; what is lost of its squared
        projection on the direction is the word's effect. Words that lose nothing weigh nothing.
        """
        found: list[list[tuple[int, float]]] = []
        for i in range(len(occurrences)):
            one = occurrences[i : i + 1]
            (passages,) = list(self._cut(one))
            start = int(one.positions[0] - passages.places[0])
            length = int(passages.lengths[0])
            others = [t for t in range(length) if t != passages.places[0]]
            hidden = np.array([-1, *others], np.int32)
            many = Passages(
                passages.ids,
                np.array([0, len(hidden)], np.int64),
                np.full(len(hidden), passages.places[0], np.int32),
                np.arange(len(hidden)),
            )
            squares = np.square(self._predict(many, hidden, "numpy") @ directions[i])
            effects = np.maximum(squares[0] - squares[1:], 0.0)
            total = float(effects.sum())
            pairs = zip(others, effects.tolist(), strict=True)
            found.append([(start + t, e / total) for t, e in pairs] if total > 0.0 else [])
        return found

    def turn(self, turn: NDArray[np.float64]) -> LearnedEncoder:
        """The encoder of the same lines on turned axes; itself where they are not levelled."""
        levelling = self.weights.levelling
        if levelling is None:
            return self
        axes = (levelling.axes @ turn).astype(np.float32)
        placed = (self.vectors.vectors @ turn).astype(np.float32)
        vectors = WordVectors(self.vectors.words, placed, self.vectors.counts, check=False)
        weights = replace(self.weights, levelling=replace(levelling, axes=axes))
        return LearnedEncoder(vectors, self.shape, self.function_words, weights)

    def identity(self) -> Any:
        """A digest of the weights."""
        return self.weights.digest

    def save(self, folder: Path, bits: int | None = None) -> None:
        """Write the weights beside the vectors."""
        write_weights(folder / FOLDER, self.weights, word_bits=bits)

    @classmethod
    def open(
        cls,
        folder: Path,
        vectors: WordVectors,
        shape: ContextShape,
        function_words: frozenset[str],
    ) -> LearnedEncoder:
        """Read the weights of a model, whose vectors are the encoder's."""
        weights = read_weights(folder / FOLDER)
        expected = (weights.shape.n_words, weights.n_axes)
        found = (len(vectors), vectors.dim)
        if expected != found:
            raise damaged(
                folder / FOLDER / MANIFEST,
                f"its network is for {expected[0]:,} words of {expected[1]} dimensions, the "
                f"vectors are {found}",
            )
        encoder = cls(vectors, shape, function_words, weights)
        encoder.folder = folder
        return encoder

    def ids_of(self, words: Sequence[str]) -> Integers:
        """(n_words + 1,) the encoder's ids of words; the last one is that of unknown words."""
        if self._kept_ids is not None and self._kept_ids[0] is words:
            return self._kept_ids[1]
        rows = self.vectors.ids_of(words)
        ids = np.append(np.where(rows >= 0, rows + N_SPECIAL, UNKNOWN_ID), UNKNOWN_ID)
        self._kept_ids = words, ids.astype(np.int32)
        return self._kept_ids[1]

    def _cut(self, occurrences: Occurrences, first_row: int = 0) -> Iterator[Passages]:
        ids, length = self.ids_of(occurrences.words), self.weights.shape.passage
        return cut_passages(occurrences, ids, length, self._at_once, first_row)

    def _encode(self, passages: Iterable[Passages], n: int) -> Floats:
        """(n, 1, dim) lines of the rows of passages."""
        lines = np.zeros((n, 1, self.weights.n_axes), np.float32)
        if self.device != "cpu":
            for rows, found in self._network.stream_lines(passages):
                lines[rows, 0] = found
        else:
            kernels = "numpy" if n <= FEW else "cpu"
            for part in passages:
                hidden = np.full(len(part.places), -1, np.int32)
                lines[part.rows, 0] = self._predict(part, hidden, kernels)
        if not np.isfinite(lines.sum()):  # one number that is not finite is enough
            raise InputError(
                "some vectors of the encoder hold NaN or infinity: train it again, or leave those "
                "words out"
            )
        return lines

    def _predict(self, passages: Passages, hidden: Integers, kernels: str) -> Floats:
        """(n, n_axes) unit lines of the places of passages."""
        weights, size = self.weights, self.weights.shape
        features = self._word_features(passages.ids)
        functions = get_kernels(kernels)
        angles = size.angles(passages.ids.shape[1])
        n, heads = len(passages.places), (size.n_heads, size.head_dim)
        x = weights.start[None]  # the same for all places, until they have looked around
        for layer in range(size.n_layers):
            queries = (_normalise(x) @ weights.queries[layer].T).reshape(-1, *heads)
            if size.normalise_heads:
                queries = _normalise(queries)
            found = functions.attend_places(
                np.broadcast_to(queries, (n, *heads)),
                features,
                layer,
                passages.ids,
                passages.offsets,
                passages.places,
                hidden,
                angles,
            )
            x = x + found.reshape(n, size.dim) @ weights.mixing[layer].T
            inner = _normalise(x) @ weights.inner_up[layer].T
            functions.add_squares(inner, weights.inner_down[layer].T, x)
        lines = unit_rows(_normalise(x) @ weights.output.T)
        # A passage of one word asks for nothing.
        alone = np.repeat(passages.lengths < 2, np.diff(passages.offsets))
        lines[alone] = 0.0
        if weights.levelling is None:
            return lines
        topics = weights.levelling.find_topics(passages, hidden, N_SPECIAL)
        return weights.levelling.level(lines, topics)

    def _word_features(self, ids: Integers) -> NDArray[np.float16]:
        """(n_ids, n_layers, 2, n_heads, head_dim) keys and values; those of ``ids`` are filled in.

        The table is only as large in memory as what was seen.
        """
        size = self.weights.shape
        if self._features is None:
            form = (size.n_ids, size.n_layers, 2, size.n_heads, size.head_dim)
            self._features = np.empty(form, np.float16)
        missing = ids[(ids >= 0) & ~self._known[ids]]
        if len(missing):
            missing = np.unique(missing)
            for start in range(0, len(missing), _WORDS_AT_ONCE):
                part = missing[start : start + _WORDS_AT_ONCE]
                self._features[part] = self._compute_features(part)
            self._known[missing] = True
        return self._features

    def _compute_features(self, ids: NDArray[np.integer]) -> NDArray[np.float16]:
        """(n, n_layers, 2, n_heads, head_dim), rounded: two bytes a number are kept of each."""
        weights, size = self.weights, self.weights.shape
        words = self.vectors.vectors if weights.levelling is None else weights.levelling.words
        raw = np.where(
            (ids >= N_SPECIAL)[:, None],
            words[np.maximum(ids - N_SPECIAL, 0)],
            weights.specials[np.minimum(ids, N_SPECIAL - 1)],
        )
        normed = _normalise(raw)
        inner = np.square(np.maximum(normed @ weights.word_up.T, 0.0))
        features = (normed if size.normalise_words else raw) + inner @ weights.word_down.T
        both = _normalise(features) @ weights.keys_values.reshape(-1, size.dim).T
        found = both.reshape(-1, 2, size.n_layers, size.n_heads, size.head_dim)
        keys, values = found[:, 0], found[:, 1]
        if size.normalise_heads:
            keys = _normalise(keys)
        return np.stack([keys, values], axis=2).astype(np.float16)

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers read the folder, once, and keep what they have computed from task to task.
        if self.folder is not None and self.vectors.folder == self.folder / VECTORS_FOLDER:
            return _open_kept, (self.folder, self.shape, self.function_words)
        return type(self), (self.vectors, self.shape, self.function_words, self.weights)


@lru_cache(maxsize=2)
def _open_kept(folder: Path, shape: ContextShape, function_words: frozenset[str]) -> LearnedEncoder:
    vectors = WordVectors.load(folder / VECTORS_FOLDER)
    return LearnedEncoder.open(folder, vectors, shape, function_words)


Encoder = LearnedEncoder


def _normalise(x: NDArray[Any]) -> Floats:
    """Rows (last axis) with a mean square of 1."""
    squares = np.einsum("...i,...i->...", x, x)[..., None] / x.shape[-1]
    normed: Floats = x / np.sqrt(squares + _EPSILON)
    return normed
