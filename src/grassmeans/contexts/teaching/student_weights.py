"""A trained student on disk: matrices rounded to 8 bits a number, and a manifest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from grassmeans.arrays import Floats
from grassmeans.artifacts.checking import MANIFEST, damaged
from grassmeans.artifacts.schema import check_values, one_of, record, whole
from grassmeans.artifacts.writing import (
    atomic_path,
    digest_of_array,
    digest_of_bytes,
    read_manifest,
    write_manifest,
)
from grassmeans.contexts.attention.stored import (
    ATTENTION_RULES,
    BITS,
    N_SPECIAL,
    AttentionShape,
    TrainingRecord,
    read_arrays,
    read_record,
    read_shape,
    round_words,
    take_array,
    take_rows,
)
from grassmeans.errors import ArtifactError
from grassmeans.vectors.quantising import BITS as ROW_BITS
from grassmeans.vectors.quantising import QuantisedRows, Rows, quantise_rows

KIND = "student weights"
FORMAT_VERSION = 1
_FILE = "weights.safetensors"
LAYERS = ("looking", "mixing", "inner_up", "inner_down")
_ROUNDED, _WORDS = (*LAYERS, "voices", "specials"), ("words", "means")
_SHAPE_RULES = {**ATTENTION_RULES, "line_axes": whole(1, 2**14), "deviation_axes": whole(1, 2**14)}
_RULES = {"n_axes": whole(1, 2**14), "word_bits": one_of(*ROW_BITS), "teacher": record()}


@dataclass(frozen=True, slots=True)
class StudentShape(AttentionShape):
    """The size of a student.

    Attributes
    ----------
    line_axes, deviation_axes : int
        Numbers of each voice: of what could stand in a place, and of how what does stand there
        differs from its usual self.
    """

    line_axes: int = 256
    deviation_axes: int = 256

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

    Attributes
    ----------
    words : (n_words, dim)
        What it reads. Those that were read from a folder are restored where they are looked at.
    means : (n_words, deviation_axes)
        A word's usual self, as its teacher sees it.
    axes : (line_axes + deviation_axes, n_axes)
        Of both voices beside each other, where lines lie.
    teacher : mapping
        What is known of its teacher.
    """

    shape: StudentShape
    words: Rows
    specials: QuantisedRows
    looking: QuantisedRows
    mixing: QuantisedRows
    inner_up: QuantisedRows
    inner_down: QuantisedRows
    voices: QuantisedRows
    means: Rows
    axes: Floats
    training: TrainingRecord | None = None
    teacher: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shape = self.shape
        expected = {name: _rows_of(shape.matrix_shapes()[name]) for name in _ROUNDED}
        expected["words"] = (shape.n_words, shape.dim)
        expected["means"] = (shape.n_words, shape.deviation_axes)
        expected["axes"] = (shape.n_voices, self.n_axes)
        for name, wanted in expected.items():
            found = getattr(self, name).shape
            if found != wanted:
                raise ArtifactError(
                    f"the encoder's {name} should have the shape {wanted}, got {found}: train it "
                    "again"
                )

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
        parts = [getattr(self, name).digest for name in _ROUNDED]
        for name in ("words", "means", "axes"):
            parts.append(digest_of_array(np.asarray(getattr(self, name))))
        return digest_of_bytes("\n".join(parts).encode())


def round_matrix(matrix: Floats) -> QuantisedRows:
    """A matrix, or a stack of them, as weights hold it."""
    return quantise_rows(matrix.reshape(-1, matrix.shape[-1]), BITS)


def _rows_of(shape: tuple[int, ...]) -> tuple[int, int]:
    return math.prod(shape[:-1]), shape[-1]


def write_student(folder: Path, weights: StudentWeights, word_bits: int | None = None) -> None:
    """Write weights, every row rounded to 8 bits.

    Parameters
    ----------
    word_bits : {4, 6, 8}, optional
        Of the words' rows; by default as many as they have, where they were read from a folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rounded = {name: getattr(weights, name) for name in _ROUNDED}
    rounded |= {name: round_words(getattr(weights, name), word_bits) for name in _WORDS}
    arrays: dict[str, NDArray[Any]] = {"axes": weights.axes.astype(np.float16)}
    for name, rows in rounded.items():
        arrays |= {f"{name}.codes": rows.codes, f"{name}.scales": rows.scales}
    about: dict[str, Any] = {
        "network": asdict(weights.shape),
        "n_axes": weights.n_axes,
        "word_bits": rounded["words"].bits,
        "teacher": dict(weights.teacher),
    }
    if weights.training is not None:
        about["training"] = asdict(weights.training)
    with atomic_path(folder / _FILE) as temporary:
        save_file(arrays, temporary)
    write_manifest(folder, KIND, FORMAT_VERSION, about, created=False)


def read_student(folder: Path) -> StudentWeights:
    """Read what `write_student` wrote."""
    manifest = read_manifest(folder, KIND, FORMAT_VERSION)
    needed = ("n_words", "line_axes", "deviation_axes")
    shape = StudentShape(**read_shape(manifest.get("network"), folder, _SHAPE_RULES, needed))
    check_values(folder / MANIFEST, manifest, _RULES)
    path, bits = folder / _FILE, manifest["word_bits"]
    arrays = read_arrays(path)
    shapes = {name: _rows_of(shape.matrix_shapes()[name]) for name in _ROUNDED}
    found = {name: take_rows(arrays, name, shapes[name], BITS, path) for name in _ROUNDED}
    axes = take_array(arrays, "axes", np.float16, (shape.n_voices, manifest["n_axes"]), path)
    if not np.isfinite(axes).all():
        raise damaged(path, "axes holds numbers that are not finite")
    return StudentWeights(
        shape=shape,
        words=take_rows(arrays, "words", (shape.n_words, shape.dim), bits, path),
        means=take_rows(arrays, "means", (shape.n_words, shape.deviation_axes), bits, path),
        axes=axes.astype(np.float32),
        training=read_record(manifest, folder),
        teacher=manifest["teacher"],
        **found,
    )
