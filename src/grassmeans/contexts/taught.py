"""Taught contexts: what could stand in a place, and what does stand there, from one network.

An ordinary network of attention, a student (`grassmeans.contexts.teaching`), reads a passage once
and says two things of every place. One voice is the line that leave-one-out attention would give:
what the other words ask for. The other is how the word that stands there differs from its usual
self, as a transformer had taught it; half of the word's mean is added to that, so that forms of
one word do not fall apart. Both, of unit length, side by side and on fewer axes, are the line.

No transformer is needed here, nor PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats, Integers
from grassmeans.contexts.attention.encoder import FOLDER, NetworkEncoder, normalise_rows
from grassmeans.contexts.attention.passages import Passages
from grassmeans.contexts.attention.stored import N_SPECIAL
from grassmeans.contexts.teaching.student_weights import (
    LAYERS,
    StudentWeights,
    read_student,
    write_student,
)
from grassmeans.geometry.rules import GroupingRules
from grassmeans.geometry.windows import FEW, ContextShape
from grassmeans.kernels import get_kernels
from grassmeans.vectors.similarity import unit_rows
from grassmeans.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from grassmeans.contexts.teaching.inference import DeviceStudent
    from grassmeans.kernels.interface import EncoderLayers


OWN_SHARE = 0.5
"""Of a word's mean that is added to what is said of it."""

_CALLS_BEFORE_LOADING = 2


class TaughtEncoder(NetworkEncoder):
    """Lines of two voices.

    Parameters
    ----------
    vectors : WordVectors
        The network's words, where contexts lie that ask for them.
    weights : StudentWeights
    """

    kind = "taught"
    grouping = GroupingRules(merge_cosine=0.7, rare_ease=0.3, part_cosine=0.75, few_contexts=100)
    own_share = 0.75

    def __init__(
        self,
        vectors: WordVectors,
        shape: ContextShape,
        function_words: frozenset[str],
        weights: StudentWeights,
    ) -> None:
        super().__init__(vectors, shape, function_words, weights)
        self._forms: Mapping[str, str] = {}
        self._packed: dict[str, EncoderLayers] = {}
        self._n_calls = 0

    def _send_network(self) -> DeviceStudent:
        from grassmeans.contexts.teaching.inference import DeviceStudent

        return DeviceStudent(self.weights, OWN_SHARE, self.device)

    def writing_words_as(self, forms: Mapping[str, str]) -> TaughtEncoder:
        """The same, which reads some words as others."""
        other = object.__new__(type(self))  # a copy would be the one that is kept for workers
        vars(other).update(vars(self))
        other._forms, other._kept_ids = dict(forms), None
        return other

    def ids_of(self, words: Sequence[str]) -> Integers:
        """(n_words + 1,) the encoder's ids of words; the last one is that of unknown words."""
        if not self._forms:
            return super().ids_of(words)
        if self._kept_ids is None or self._kept_ids[0] is not words:
            read = [self._forms.get(word, word) for word in words]
            self._kept_ids = words, super().ids_of(read)
        return self._kept_ids[1]

    def __reduce__(self) -> tuple[Any, ...]:
        make, given = super().__reduce__()
        return (_read_as, (make, given, self._forms)) if self._forms else (make, given)

    def turn(self, turn: NDArray[np.float64]) -> TaughtEncoder:
        """The encoder of the same lines on turned axes."""
        placed = (self.vectors.vectors @ turn).astype(np.float32)
        vectors = WordVectors(self.vectors.words, placed, self.vectors.counts, check=False)
        weights = replace(self.weights, axes=(self.weights.axes @ turn).astype(np.float32))
        return TaughtEncoder(vectors, self.shape, self.function_words, weights)

    def save(self, folder: Path, bits: int | None = None) -> None:
        """Write the weights beside the vectors."""
        write_student(folder / FOLDER, self.weights, word_bits=bits)

    @classmethod
    def _read_weights(cls, folder: Path) -> StudentWeights:
        return read_student(folder)

    def _choose_kernels(self, n: int) -> str:
        """Compiled ones, ten times as fast, for all but the first sentences: they must be loaded.

        Both round alike: it cannot be told from an answer which of them gave it.
        """
        self._n_calls += 1
        return "numpy" if n <= FEW and self._n_calls <= _CALLS_BEFORE_LOADING else "cpu"

    def _predict(self, passages: Passages, hidden: Integers, kernels: str) -> Floats:
        """(n, n_axes) unit lines of the places of passages."""
        weights, functions = self.weights, get_kernels(kernels)
        owners = np.repeat(np.arange(len(passages)), np.diff(passages.offsets))
        read, unseen = passages.ids, np.full(len(passages), -1, np.int32)
        if (hidden >= 0).any():  # a passage is read once for each place
            read, unseen, owners = read[owners], hidden, np.arange(len(owners))
        there = read >= 0
        lengths = there.sum(axis=1)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        ids = read[there]
        words, rows = np.unique(ids, return_inverse=True)
        states = normalise_rows(self._read_words(words))[rows]
        angles = weights.shape.angles(int(lengths.max(initial=1)))
        found = functions.encode_passages(states, offsets, unseen, angles, self._layers(kernels))
        places = offsets[owners] + passages.places
        said = normalise_rows(found[places]) @ self._voices.T
        lines = unit_rows(join_voices(weights, said, ids[places]) @ weights.axes)
        lines[lengths[owners] < 2] = 0.0  # a passage of one word says nothing
        return lines

    def _read_words(self, ids: Integers) -> Floats:
        """(n, dim) vectors of the network's words."""
        found = np.empty((len(ids), self.weights.shape.dim), np.float32)
        known = ids >= N_SPECIAL
        found[known] = self.weights.words[ids[known] - N_SPECIAL]
        found[~known] = self.weights.specials[ids[~known]]
        return found

    @cached_property
    def _voices(self) -> Floats:
        voices: Floats = self.weights.matrix("voices")
        return voices

    def _layers(self, kernels: str) -> EncoderLayers:
        """The layers in the order in which kernels read them, kept."""
        if kernels not in self._packed:
            pack, n = get_kernels(kernels).pack_matrices, self.weights.shape.n_layers
            rows = (getattr(self.weights, name) for name in LAYERS)
            packed = (pack(r.codes.reshape(n, -1, r.dim), r.scales.reshape(n, -1)) for r in rows)
            from grassmeans.kernels.interface import EncoderLayers

            self._packed[kernels] = EncoderLayers(*packed)
        return self._packed[kernels]


def _read_as(
    make: Callable[..., TaughtEncoder], given: tuple[Any, ...], forms: Mapping[str, str]
) -> TaughtEncoder:
    return make(*given).writing_words_as(forms)


def join_voices(weights: StudentWeights, said: Floats, ids: Integers) -> Floats:
    """(n, line_axes + deviation_axes) both voices side by side, of unit length each.

    Parameters
    ----------
    said : (n, line_axes + deviation_axes)
        As the network gives it.
    ids : (n,) int32
        Of the words whose places these are.
    """
    first, second = np.split(said, [weights.shape.line_axes], axis=1)
    known = ids >= N_SPECIAL
    second = second.copy()
    second[known] += OWN_SHARE * weights.means[ids[known] - N_SPECIAL]
    return np.concatenate([unit_rows(first), unit_rows(second)], axis=1)


Encoder = TaughtEncoder
