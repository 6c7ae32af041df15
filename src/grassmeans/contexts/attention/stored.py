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

ENOUGH_SEEN = 50_000_000
"""Tokens that are enough however large the corpus: by default a training on a CPU ends at 60
million."""

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
_LEVELLING_RULES = {"n_axes": whole(1, 2**14), "word_bits": one_of(*ROW_BITS)}
_MATRICES = (
    "specials",
    "word_up",
    "word_down",
    "keys_values",
    "queries",
    "mixing",
    "inner_up",
    "inner_down",
    "output",
)
_LEVELLING = ("line_mean", "line_map", "topic_mean", "topic_map", "axes")


@dataclass(frozen=True, slots=True)
class AttentionShape:
    """The size of a network of attention.

    Attributes
    ----------
    n_words : int
        Words that it knows.
    dim, n_layers, head_dim : int
        Dimensions of the word vectors and of every layer, number of layers, size of a head.
    inner_factor : int
        Width of the feed-forward layers, in multiples of ``dim``.
    passage : int
        Words that a place looks at, itself included.
    """

    n_words: int
    dim: int = 256
    n_layers: int = 4
    head_dim: int = 64
    inner_factor: int = 4
    passage: int = 128

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
    """The size and form of a leave-one-out network.

    Attributes
    ----------
    word_factor : int
        Width of the word-wise layer, in multiples of ``dim``.
    normalise_words, normalise_heads : bool
        Whether word vectors have one length where they are read; queries and keys.
    """

    word_factor: int = 2
    normalise_words: bool = False
    normalise_heads: bool = True

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
    """How much a network has seen, and how well it predicts what it has not.

    Attributes
    ----------
    tokens_seen, n_tokens : int
        Tokens of all steps, and of the corpus.
    held_out_loss, frequency_loss : float or None
        Of held-out words, in nats a word, and that of their frequencies; None where no document
        was held out.
    """

    tokens_seen: int
    n_tokens: int
    held_out_loss: float | None = None
    frequency_loss: float | None = None

    def describe_lack(self) -> str:
        """Why the network was trained too little, and what to do; empty where it was not."""
        if self.tokens_seen < min(LEAST_PASSES * self.n_tokens, ENOUGH_SEEN):
            lack = f"it has seen {self.tokens_seen:,} tokens of a corpus of {self.n_tokens:,}"
        elif (
            self.held_out_loss is not None
            and self.frequency_loss is not None
            and self.held_out_loss > (1.0 - LEAST_GAIN) * self.frequency_loss
        ):
            lack = (
                f"it predicts words hardly better than their frequencies do, with a loss of "
                f"{self.held_out_loss:.2f} in place of {self.frequency_loss:.2f} nats a word"
            )
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
        _check_matrices(self, self.shape.matrix_shapes())

    @property
    def n_axes(self) -> int:
        """Dimensions of the lines."""
        return self.shape.dim if self.levelling is None else self.levelling.n_axes

    @cached_property
    def digest(self) -> str:
        """A digest of the weights as they are stored."""
        parts = [digest_of_array(getattr(self, name)) for name in (*_MATRICES, "start")]
        if self.levelling is not None:
            parts.append(self.levelling.digest)
        return digest_of_bytes("\n".join(parts).encode())


def write_weights(folder: Path, weights: LearnedWeights, word_bits: int | None = None) -> None:
    """Write weights, every row rounded to 8 bits.

    Parameters
    ----------
    word_bits : {4, 6, 8}, optional
        Of the words' rows; by default as many as they have, where they were read from a folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, NDArray[Any]] = {"start": np.ascontiguousarray(weights.start, np.float32)}
    arrays |= _pack_matrices({name: getattr(weights, name) for name in _MATRICES})
    about: dict[str, Any] = {"network": asdict(weights.shape)}
    if weights.levelling is not None:
        words = round_words(weights.levelling.words, word_bits)
        arrays |= _store_levelling(weights.levelling, words)
        about |= {"n_axes": weights.levelling.n_axes, "word_bits": words.bits}
    if weights.training is not None:
        about["training"] = asdict(weights.training)
    with atomic_path(folder / _FILE) as temporary:
        save_file(arrays, temporary)
    write_manifest(folder, KIND, FORMAT_VERSION, about, created=False)


def _check_matrices(weights: Any, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Refuse weights that are not finite, or not of these shapes."""
    for name, expected in shapes.items():
        found = getattr(weights, name)
        if found.shape != expected or not np.isfinite(found).all():
            raise ArtifactError(
                f"the encoder's {name} should be finite numbers of the shape {expected}, "
                f"got {found.shape}: train it again"
            )


def _pack_matrices(matrices: Mapping[str, Floats]) -> dict[str, NDArray[Any]]:
    """Matrices as they are stored, every row in 8 bits a number."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, matrix in matrices.items():
        rounded = quantise_rows(matrix.reshape(-1, matrix.shape[-1]), BITS)
        arrays[f"{name}.codes"], arrays[f"{name}.scales"] = rounded.codes, rounded.scales
    return arrays


def _unpack_matrix(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...], path: Path
) -> Floats:
    """A matrix as `_pack_matrices` stored it."""
    rows = take_rows(arrays, name, (math.prod(shape[:-1]), shape[-1]), BITS, path)
    return rows.restore().reshape(shape)


def take_rows(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, int], bits: int, path: Path
) -> QuantisedRows:
    """Rounded rows of a file, of the shape that the manifest asks for."""
    n, dim = shape
    codes = take_array(arrays, f"{name}.codes", np.uint8, (n, bytes_per_row(dim, bits)), path)
    scales = take_array(arrays, f"{name}.scales", np.float32, (n,), path)
    if not np.isfinite(scales).all():
        raise damaged(path, f"{name} holds numbers that are not finite")
    return QuantisedRows(codes, scales, bits, dim)


def round_words(words: Rows, bits: int | None) -> QuantisedRows:
    """Words' rows as they are stored: as they are where they were read from a folder."""
    if isinstance(words, QuantisedRows) and bits in (None, words.bits):
        return words
    return quantise_rows(np.asarray(words), BITS if bits is None else bits)


def _store_levelling(levelling: Levelling, words: QuantisedRows) -> dict[str, NDArray[Any]]:
    return {
        "words.codes": words.codes,
        "words.scales": words.scales,
        "word_weights": levelling.word_weights,
        **{name: getattr(levelling, name).astype(np.float16) for name in _LEVELLING},
    }


def _read_levelling(
    arrays: Mapping[str, NDArray[Any]], shape: NetworkShape, n_axes: int, bits: int, path: Path
) -> Levelling:
    n, d = shape.n_words, shape.dim
    words = take_rows(arrays, "words", (n, d), bits, path)
    found = {"word_weights": take_array(arrays, "word_weights", np.float32, (n,), path)}
    shapes = [(d,), (d, d), (d,), (d, d), (2 * d, n_axes)]
    for name, expected in zip(_LEVELLING, shapes, strict=True):
        found[name] = take_array(arrays, name, np.float16, expected, path).astype(np.float32)
    for name, values in found.items():
        if not np.isfinite(values).all():
            raise damaged(path, f"{name} holds numbers that are not finite")
    return Levelling(words, **found)


def read_weights(folder: Path) -> LearnedWeights:
    """Read what `write_weights` wrote."""
    manifest = read_manifest(folder, KIND, FORMAT_VERSION)
    shape = NetworkShape(**read_shape(manifest.get("network"), folder, _SHAPE_RULES))
    path = folder / _FILE
    arrays = read_arrays(path)
    found = {"start": take_array(arrays, "start", np.float32, (shape.dim,), path)}
    if not np.isfinite(found["start"]).all():
        raise damaged(path, "start holds numbers that are not finite")
    for name in _MATRICES:
        restored = _unpack_matrix(arrays, name, shape.matrix_shapes()[name], path)
        found[name] = _lay_by_columns(restored)
    levelling = None
    if "n_axes" in manifest or "axes" in arrays:
        check_values(folder / MANIFEST, manifest, _LEVELLING_RULES)
        n_axes, bits = manifest["n_axes"], manifest["word_bits"]
        levelling = _read_levelling(arrays, shape, n_axes, bits, path)
    training = read_record(manifest, folder)
    return LearnedWeights(shape=shape, levelling=levelling, training=training, **found)


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file."""
    content = read_bytes(path)
    try:
        arrays: dict[str, NDArray[Any]] = load(content)
    except Exception as error:  # safetensors has its own kinds of errors
        raise damaged(path, str(error)) from error
    return arrays


def read_record(manifest: Mapping[str, Any], folder: Path) -> TrainingRecord | None:
    """What a manifest tells of a training, where it does."""
    if "training" not in manifest:
        return None
    check_values(folder / MANIFEST, manifest["training"], _RECORD_RULES)
    return TrainingRecord(**{name: manifest["training"][name] for name in _RECORD_RULES})


def _lay_by_columns(matrices: Floats) -> Floats:
    """The same matrices, in memory as products with few rows read them: twice as fast."""
    return np.ascontiguousarray(matrices.swapaxes(-1, -2)).swapaxes(-1, -2)


def take_array(
    arrays: Mapping[str, NDArray[Any]],
    name: str,
    dtype: type,
    shape: tuple[int, ...],
    path: Path,
) -> NDArray[Any]:
    """One of the file's arrays, of the type and shape that the manifest asks for."""
    found = arrays.get(name)
    if found is None or found.dtype != dtype or found.shape != shape:
        what = "nothing" if found is None else f"{found.dtype} of shape {found.shape}"
        raise damaged(path, f"{name} is {what}, expected {np.dtype(dtype)} of shape {shape}")
    return found


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
