"""The weights of a trained network on disk: matrices rounded to 8 bits a number, and a manifest."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load, save_file

from grassmeans.arrays import Floats
from grassmeans.artifacts.checking import MANIFEST, damaged, read_bytes
from grassmeans.artifacts.schema import check_values, either, flag, nothing, number, one_of, whole
from grassmeans.artifacts.writing import (
    atomic_path,
    digest_of_array,
    digest_of_bytes,
    read_manifest,
    write_manifest,
)
from grassmeans.contexts.attention.levelling import Levelling
from grassmeans.errors import ArtifactError
from grassmeans.vectors.quantising import BITS as ROW_BITS
from grassmeans.vectors.quantising import QuantisedRows, Rows, bytes_per_row, quantise_rows

KIND = "encoder weights"
FORMAT_VERSION = 1
UNKNOWN_ID, BOUNDARY_ID, N_SPECIAL = 0, 1, 2
"""Ids 0 and 1 are the unknown word and the document boundary; the words follow."""

BITS = 8
_FILE = "weights.safetensors"
_ROTATION_BASE = 1000.0
MOST_WORDS, LARGEST_DIM, MOST_LAYERS, PASSAGES = 10**8, 2**14, 256, (4, 2**16)
"""What a network may have, and how long its passages may be."""

LEAST_PASSES = 0.9
"""Over the corpus: with fewer an encoder was trained too little. Not 1, as some documents are held
out, and steps are whole ones."""

ENOUGH_SEEN = 30_000_000
"""Tokens that are enough however large the corpus: more of them gain, but less and less. With 32 of
66 million an encoder of 256 x 4 told pairs of homonyms apart nine times of ten."""

LEAST_GAIN = 0.1
"""Share of the loss of word frequencies, on the same held-out text, that an encoder must have got
rid of: those of English text are at 7.1 to 7.3 nats a word, and encoders that tell senses apart at
2.7 to 4.5; one that has only learned how frequent words are has got rid of nothing."""

ATTENTION_RULES = {
    "n_words": whole(1, MOST_WORDS),
    "dim": whole(2, LARGEST_DIM),
    "n_layers": whole(1, MOST_LAYERS),
    "head_dim": whole(2, 2**14),
    "inner_factor": whole(1, 64),
    "passage": whole(*PASSAGES),
}
_SHAPE_RULES = {
    **ATTENTION_RULES,
    "word_factor": whole(1, 64),
    "normalise_words": flag,
    "normalise_heads": flag,
}
WORD_RULES = {"n_axes": whole(1, 2**14), "word_bits": one_of(*ROW_BITS)}
_LEVELLING = ("line_mean", "line_map", "topic_mean", "topic_map", "axes")


@dataclass(frozen=True, slots=True)
class AttentionShape:
    """The size of a network of attention."""

    n_words: int
    dim: int = 256  # of the word vectors and of every layer
    n_layers: int = 4
    head_dim: int = 64
    inner_factor: int = 4  # width of the feed-forward layers, in multiples of ``dim``
    passage: int = 128  # words that a place looks at, itself included

    @property
    def n_heads(self) -> int:
        """Number of heads."""
        return self.dim // self.head_dim

    @property
    def n_ids(self) -> int:
        """Number of ids: the unknown word, the document boundary, and the words."""
        return N_SPECIAL + self.n_words

    def angles(self, length: int) -> Floats:
        """(length, head_dim / 2) by which the halves of a head are turned at each place."""
        steps = np.arange(0, self.head_dim, 2, dtype=np.float32) / self.head_dim
        turns = np.float32(_ROTATION_BASE) ** -steps
        return np.outer(np.arange(length, dtype=np.float32), turns).astype(np.float32)


@dataclass(frozen=True, slots=True)
class NetworkShape(AttentionShape):
    """The size and form of a leave-one-out network."""

    word_factor: int = 2  # width of the word-wise layer, in multiples of ``dim``
    normalise_words: bool = False  # whether word vectors have one length where they are read
    normalise_heads: bool = True  # whether queries and keys have

    def matrix_shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the weights."""
        d, n = self.dim, self.n_layers
        inner, word = d * self.inner_factor, d * self.word_factor
        return {
            "specials": (N_SPECIAL, d),
            "word_up": (word, d),
            "word_down": (d, word),
            "keys_values": (2, n, d, d),
            "queries": (n, d, d),
            "mixing": (n, d, d),
            "inner_up": (n, inner, d),
            "inner_down": (n, d, inner),
            "output": (d, d),
            "start": (d,),
        }


@dataclass(frozen=True, slots=True)
class TrainingRecord:
    """How much a network has seen, and how well it predicts what it has not."""

    tokens_seen: int  # of all steps
    n_tokens: int  # of the corpus
    held_out_loss: float | None = None  # in nats a word; None where no document was held out
    frequency_loss: float | None = None  # of who knows nothing but the frequencies of words

    def describe_lack(self) -> str:
        """Why the network was trained too little, and what to do; empty where it was not."""
        loss, usual = self.held_out_loss, self.frequency_loss
        if self.tokens_seen < min(LEAST_PASSES * self.n_tokens, ENOUGH_SEEN):
            lack = f"it has seen {self.tokens_seen:,} tokens of a corpus of {self.n_tokens:,}"
        elif loss is not None and usual is not None and loss > (1.0 - LEAST_GAIN) * usual:
            lack = "it predicts words hardly better than their frequencies do, with a loss of "
            lack += f"{loss:.2f} in place of {usual:.2f} nats a word"
        else:
            return ""
        return (
            f"the encoder was trained too little, and its senses mean little: {lack}; train it "
            "longer (epochs=..., minutes=...), on more text where that does not help"
        )


_RECORD_RULES = {
    "tokens_seen": whole(),
    "n_tokens": whole(),
    "held_out_loss": either(number(0.0), nothing),
    "frequency_loss": either(number(0.0), nothing),
}


@dataclass(frozen=True)
class LearnedWeights:
    """The weights of a network; shapes as `NetworkShape` says.

    Without a levelling, its lines are what it predicts, and it reads the encoder's vectors; with
    one, the levelling holds the word vectors that it reads. What is known of its training, where
    it is, goes wherever the weights go.
    """

    shape: NetworkShape
    specials: Floats
    word_up: Floats
    word_down: Floats
    keys_values: Floats
    queries: Floats
    mixing: Floats
    inner_up: Floats
    inner_down: Floats
    output: Floats
    start: Floats
    levelling: Levelling | None = None
    training: TrainingRecord | None = None

    def __post_init__(self) -> None:
        for name, expected in self.shape.matrix_shapes().items():
            found = getattr(self, name)
            if found.shape != expected or not np.isfinite(found).all():
                reason = f"should be finite numbers of the shape {expected}, got {found.shape}"
                raise ArtifactError(f"the encoder's {name} {reason}: train it again")

    @property
    def n_axes(self) -> int:
        """Dimensions of the lines."""
        return self.shape.dim if self.levelling is None else self.levelling.n_axes

    @cached_property
    def digest(self) -> str:
        """A digest of the weights as they are stored."""
        parts = [digest_of_array(getattr(self, name)) for name in self.shape.matrix_shapes()]
        if self.levelling is not None:
            parts.append(self.levelling.digest)
        return digest_of_bytes("\n".join(parts).encode())


def write_weights(folder: Path, weights: LearnedWeights, word_bits: int | None = None) -> None:
    """Write weights, every row rounded to 8 bits, those of words to as many as are asked for.

    By default these keep the bits that they have, where they were read from a folder.
    """
    arrays: dict[str, NDArray[Any]] = {}
    for name, size in weights.shape.matrix_shapes().items():
        values = getattr(weights, name)
        if len(size) == 1:
            arrays[name] = np.ascontiguousarray(values, np.float32)
        else:
            arrays |= name_rows(name, round_matrix(values))
    about: dict[str, Any] = {}
    if (levelling := weights.levelling) is not None:
        words = round_words(levelling.words, word_bits)
        arrays |= name_rows("words", words) | {"word_weights": levelling.word_weights}
        arrays |= {name: getattr(levelling, name).astype(np.float16) for name in _LEVELLING}
        about = {"n_axes": levelling.n_axes, "word_bits": words.bits}
    write_arrays(folder, KIND, weights, arrays, about)


def read_weights(folder: Path) -> LearnedWeights:
    """Read what `write_weights` wrote."""
    manifest = read_manifest(folder, KIND, FORMAT_VERSION)
    shape = NetworkShape(**read_shape(manifest.get("network"), folder, _SHAPE_RULES))
    stored = StoredArrays(folder)
    found = {}
    for name, expected in shape.matrix_shapes().items():
        if len(expected) == 1:
            found[name] = stored.take(name, np.float32, expected)
            continue
        matrices = stored.take_rows(name, count_rows(expected)).restore().reshape(expected)
        # By columns, as products with few rows read them: twice as fast.
        found[name] = np.ascontiguousarray(matrices.swapaxes(-1, -2)).swapaxes(-1, -2)
    levelling = None
    if "n_axes" in manifest or "axes" in stored.arrays:
        check_values(folder / MANIFEST, manifest, WORD_RULES)
        n, d, n_axes = shape.n_words, shape.dim, manifest["n_axes"]
        words = stored.take_rows("words", (n, d), manifest["word_bits"])
        weights = stored.take("word_weights", np.float32, (n,))
        shapes = zip(_LEVELLING, [(d,), (d, d), (d,), (d, d), (2 * d, n_axes)], strict=True)
        parts = {name: stored.take(name, np.float16, size) for name, size in shapes}
        whole_parts = {name: part.astype(np.float32) for name, part in parts.items()}
        levelling = Levelling(words, weights, **whole_parts)
    training = read_record(manifest, folder)
    return LearnedWeights(shape=shape, levelling=levelling, training=training, **found)


def count_rows(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows of a stack of matrices, and their length."""
    return math.prod(shape[:-1]), shape[-1]


def round_matrix(matrix: Floats) -> QuantisedRows:
    """The rows of a matrix, or of a stack of them, in 8 bits."""
    return quantise_rows(matrix.reshape(-1, matrix.shape[-1]), BITS)


def round_words(words: Rows, bits: int | None) -> QuantisedRows:
    """Words' rows as they are stored: as they are where they were read from a folder."""
    if isinstance(words, QuantisedRows) and bits in (None, words.bits):
        return words
    return quantise_rows(np.asarray(words), BITS if bits is None else bits)


def name_rows(name: str, rows: QuantisedRows) -> dict[str, NDArray[Any]]:
    """Rounded rows as the arrays of a file."""
    return {f"{name}.codes": rows.codes, f"{name}.scales": rows.scales}


def write_arrays(
    folder: Path, kind: str, weights: Any, arrays: dict[str, NDArray[Any]], about: dict[str, Any]
) -> None:
    """Write the arrays of weights, and a manifest that tells their shape and their training."""
    folder.mkdir(parents=True, exist_ok=True)
    told = {"network": asdict(weights.shape), **about}
    if weights.training is not None:
        told["training"] = asdict(weights.training)
    with atomic_path(folder / _FILE) as temporary:
        save_file(arrays, temporary)
    write_manifest(folder, kind, FORMAT_VERSION, told, created=False)


class StoredArrays:
    """The arrays that `write_arrays` wrote, of the types and shapes that a manifest asks for."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _FILE
        content = read_bytes(self._path)
        try:
            self.arrays: dict[str, NDArray[Any]] = load(content)
        except Exception as error:  # safetensors has its own kinds of errors
            raise damaged(self._path, str(error)) from error

    def take(self, name: str, dtype: type, shape: tuple[int, ...]) -> NDArray[Any]:
        """One of the arrays; its numbers are finite."""
        found = self.arrays.get(name)
        if found is None or found.dtype != dtype or found.shape != shape:
            what = "nothing" if found is None else f"{found.dtype} of shape {found.shape}"
            expected = f"{np.dtype(dtype)} of shape {shape}"
            raise damaged(self._path, f"{name} is {what}, expected {expected}")
        if found.dtype.kind == "f" and not np.isfinite(found).all():
            raise damaged(self._path, f"{name} holds numbers that are not finite")
        return found

    def take_rows(self, name: str, shape: tuple[int, int], bits: int = BITS) -> QuantisedRows:
        """Rounded rows."""
        n, dim = shape
        codes = self.take(f"{name}.codes", np.uint8, (n, bytes_per_row(dim, bits)))
        return QuantisedRows(codes, self.take(f"{name}.scales", np.float32, (n,)), bits, dim)


def read_record(manifest: Mapping[str, Any], folder: Path) -> TrainingRecord | None:
    """What a manifest tells of a training, where it does."""
    if "training" not in manifest:
        return None
    check_values(folder / MANIFEST, manifest["training"], _RECORD_RULES)
    return TrainingRecord(**{name: manifest["training"][name] for name in _RECORD_RULES})


def read_shape(
    values: Any, folder: Path, rules: Mapping[str, Any], needed: Sequence[str] = ("n_words",)
) -> dict[str, Any]:
    """The size and form of a network, as a manifest tells it."""
    path = folder / MANIFEST
    check_values(path, values, {name: rules[name] for name in needed}, rules)
    if unknown := sorted(values.keys() - rules.keys()):
        raise damaged(path, f"a network has no {unknown[0]!r}")
    known = AttentionShape(**{k: v for k, v in values.items() if k in AttentionShape.__slots__})
    if known.dim % known.head_dim or known.head_dim % 2:
        raise damaged(path, f"heads of {known.head_dim} do not fit {known.dim} dimensions")
    return dict(values)
