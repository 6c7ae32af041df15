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
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Doubles, Floats, Integers
from grassmeans.artifacts.checking import MANIFEST
from grassmeans.artifacts.schema import check_values, record, whole
from grassmeans.artifacts.writing import digest_of_array, digest_of_bytes, read_manifest
from grassmeans.contexts.attention.encoder import NetworkEncoder, Passages, normalise_rows
from grassmeans.contexts.attention.stored import (
    ATTENTION_RULES,
    FORMAT_VERSION,
    N_SPECIAL,
    WORD_RULES,
    AttentionShape,
    StoredArrays,
    TrainingRecord,
    count_rows,
    name_rows,
    read_record,
    read_shape,
    round_words,
    write_arrays,
)
from grassmeans.errors import ArtifactError
from grassmeans.geometry.rules import GroupingRules
from grassmeans.geometry.windows import FEW
from grassmeans.kernels import get_kernels
from grassmeans.kernels.arguments import EncoderLayers
from grassmeans.vectors.quantising import QuantisedRows, Rows
from grassmeans.vectors.similarity import unit_rows

if TYPE_CHECKING:
    from grassmeans.contexts.teaching.student import DeviceStudent


KIND = "student weights"
OWN_SHARE = 0.5  # of a word's mean that is added to what is said of it
_CALLS_BEFORE_LOADING = 2
LAYERS = ("looking", "mixing", "inner_up", "inner_down")
_WORDS = ("words", "means")
_SHAPE_RULES = {**ATTENTION_RULES, "line_axes": whole(1, 2**14), "deviation_axes": whole(1, 2**14)}


@dataclass(frozen=True, slots=True)
class StudentShape(AttentionShape):
    """The size of a student."""

    line_axes: int = 256  # numbers of what is said of what could stand in a place
    deviation_axes: int = 256  # of how what does stand there differs from its usual self

    def matrix_shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the weights, apart from the vectors of words."""
        d, n, inner = self.dim, self.n_layers, self.dim * self.inner_factor
        return {
            "looking": (n, 3 * d, d),
            "mixing": (n, d, d),
            "inner_up": (n, inner, d),
            "inner_down": (n, d, inner),
            "voices": (self.n_voices, d),
            "specials": (N_SPECIAL, d),
        }

    @property
    def n_voices(self) -> int:
        """Numbers of both voices."""
        return self.line_axes + self.deviation_axes


@dataclass(frozen=True)
class StudentWeights:
    """The weights of a student, rows in 8 bits; shapes as `StudentShape` says, rows in one axis.

    Words and means that were read from a folder are restored where they are looked at.
    """

    shape: StudentShape
    words: Rows  # (n_words, dim) what it reads
    specials: QuantisedRows
    looking: QuantisedRows
    mixing: QuantisedRows
    inner_up: QuantisedRows
    inner_down: QuantisedRows
    voices: QuantisedRows
    means: Rows  # (n_words, deviation_axes) a word's usual self, as its teacher sees it
    axes: Floats  # (n_voices, n_axes) of both voices beside each other, where lines lie
    training: TrainingRecord | None = None
    teacher: Mapping[str, Any] = field(default_factory=dict)  # what is known of it

    def __post_init__(self) -> None:
        shape = self.shape
        expected = {name: count_rows(size) for name, size in shape.matrix_shapes().items()}
        expected["words"] = (shape.n_words, shape.dim)
        expected["means"] = (shape.n_words, shape.deviation_axes)
        expected["axes"] = (shape.n_voices, self.n_axes)
        for name, wanted in expected.items():
            found = getattr(self, name).shape
            if found != wanted:
                reason = f"should have the shape {wanted}, got {found}"
                raise ArtifactError(f"the encoder's {name} {reason}: train it again")

    def matrix(self, name: str) -> Floats:
        """One of the matrices as numbers, in its own shape."""
        rows: QuantisedRows = getattr(self, name)
        return rows.restore().reshape(self.shape.matrix_shapes()[name])

    @property
    def n_axes(self) -> int:
        """Dimensions of the lines."""
        return int(self.axes.shape[1])

    @cached_property
    def digest(self) -> str:
        """A digest of the weights as they are stored."""
        parts = [getattr(self, name).digest for name in self.shape.matrix_shapes()]
        arrays = (np.asarray(getattr(self, name)) for name in (*_WORDS, "axes"))
        parts += map(digest_of_array, arrays)
        return digest_of_bytes("\n".join(parts).encode())


def write_student(folder: Path, weights: StudentWeights, word_bits: int | None = None) -> None:
    """Write weights, as `grassmeans.contexts.attention.stored.write_weights` does."""
    arrays: dict[str, NDArray[Any]] = {"axes": weights.axes.astype(np.float16)}
    rounded = {name: getattr(weights, name) for name in weights.shape.matrix_shapes()}
    rounded |= {name: round_words(getattr(weights, name), word_bits) for name in _WORDS}
    for name, rows in rounded.items():
        arrays |= name_rows(name, rows)
    about = {"n_axes": weights.n_axes, "word_bits": rounded["words"].bits}
    write_arrays(folder, KIND, weights, arrays, about | {"teacher": dict(weights.teacher)})


def read_student(folder: Path) -> StudentWeights:
    """Read what `write_student` wrote."""
    manifest = read_manifest(folder, KIND, FORMAT_VERSION)
    needed = ("n_words", "line_axes", "deviation_axes")
    shape = StudentShape(**read_shape(manifest.get("network"), folder, _SHAPE_RULES, needed))
    check_values(folder / MANIFEST, manifest, WORD_RULES | {"teacher": record()})
    stored, bits = StoredArrays(folder), manifest["word_bits"]
    sizes = shape.matrix_shapes().items()
    found = {name: stored.take_rows(name, count_rows(size)) for name, size in sizes}
    axes = stored.take("axes", np.float16, (shape.n_voices, manifest["n_axes"]))
    return StudentWeights(
        shape=shape,
        words=stored.take_rows("words", (shape.n_words, shape.dim), bits),
        means=stored.take_rows("means", (shape.n_words, shape.deviation_axes), bits),
        axes=axes.astype(np.float32),
        training=read_record(manifest, folder),
        teacher=manifest["teacher"],
        **found,
    )


class TaughtEncoder(NetworkEncoder):
    """Lines of two voices."""

    kind = "taught"
    grouping = GroupingRules(merge_cosine=0.27, part_cosine=0.8, few_contexts=100, by_pairs=True)
    own_share = 0.75
    # Words have more and finer senses than with other lines: what is rather right is told.
    answer_confidence = 0.5
    # They look at the word itself, which is the same in a sense that is lacking. Sentences of words
    # with one sense are as near as usual within a tenth (docs/results/confidence.md).
    lacking_nearness = 1.0
    only_sense_spread = 0.1
    further_right = 0.5  # words have more senses than members of pseudo-words are matched to

    weights: StudentWeights
    _forms: Mapping[str, str] = MappingProxyType({})
    _n_calls = 0

    @cached_property
    def _packed(self) -> dict[str, EncoderLayers]:
        return {}

    def _send_network(self) -> DeviceStudent:
        from grassmeans.contexts.teaching.student import DeviceStudent

        return DeviceStudent(self.weights, self.device)

    def writing_words_as(self, forms: Mapping[str, str]) -> TaughtEncoder:
        """The same, which reads some words as others."""
        other = object.__new__(type(self))  # a copy would be the one that is kept for workers
        vars(other).update(vars(self), _packed=self._packed)
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

    def turn(self, turn: Doubles) -> TaughtEncoder:
        """The encoder of the same lines on turned axes."""
        weights = replace(self.weights, axes=(self.weights.axes @ turn).astype(np.float32))
        vectors = self._turn_vectors(turn)
        return TaughtEncoder(vectors, self.shape, self.function_words, weights)

    _read_weights, _write_weights = staticmethod(read_student), staticmethod(write_student)

    def _choose_kernels(self, n: int) -> str:
        """Compiled ones, which round alike, for all but first sentences: they must be loaded."""
        self._n_calls += 1
        return "numpy" if n <= FEW and self._n_calls <= _CALLS_BEFORE_LOADING else "cpu"

    def _predict(self, passages: Passages, hidden: Integers, kernels: str) -> Floats:
        """(n, n_axes) unit lines of the places of passages."""
        weights, functions = self.weights, get_kernels(kernels)
        owners = passages.owners
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
        return np.asarray(self.weights.matrix("voices"))

    def _layers(self, kernels: str) -> EncoderLayers:
        """The layers in the order in which kernels read them, kept."""
        if kernels not in self._packed:
            self._packed.clear()
            pack, n = get_kernels(kernels).pack_matrices, self.weights.shape.n_layers
            rows = (getattr(self.weights, name) for name in LAYERS)
            packed = (pack(r.codes.reshape(n, -1, r.dim), r.scales.reshape(n, -1)) for r in rows)
            self._packed[kernels] = EncoderLayers(*packed)
        return self._packed[kernels]


def _read_as(
    make: Callable[..., TaughtEncoder], given: tuple[Any, ...], forms: Mapping[str, str]
) -> TaughtEncoder:
    return make(*given).writing_words_as(forms)


def join_voices(weights: StudentWeights, said: Floats, ids: Integers) -> Floats:
    """(n, n_voices) what was said at places of the words ``ids``: voices of unit length each."""
    first, second = np.split(said, [weights.shape.line_axes], axis=1)
    known = ids >= N_SPECIAL
    second = second.copy()
    second[known] += OWN_SHARE * weights.means[ids[known] - N_SPECIAL]
    return np.concatenate([unit_rows(first), unit_rows(second)], axis=1)


Encoder = TaughtEncoder
