"""What makes word vectors small: fewer words, fewer dimensions, and 4 or 8 bits a number.

Rounded rows have one scale each. A row whose largest absolute value is ``m`` gets ``2**bits``
levels that lie evenly between ``-m`` and ``m``. They are ``scale`` apart, so no number moves by
more than half a scale:

    scale = m / (2**(bits - 1) - 1/2),    value = (code - 2**(bits - 1) + 1/2) * scale

The outermost levels are exactly ``-m`` and ``m``. Rows that were rounded before are therefore
rounded to themselves, and a model can be stored again without further loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import digest_of_bytes
from grassmeans.errors import InputError
from grassmeans.vectors.similarity import iterate_row_blocks
from grassmeans.vectors.word_vectors import WordVectors

BITS = (4, 8)
_BLOCK_ROWS = 8_192
_RESTORED_ROWS = 1_024  # blocks that stay in the cache
_HALVES = np.stack([np.arange(256) % 16, np.arange(256) // 16], axis=1) - 7.5
_PAIRS = _HALVES.astype(np.float32).view(np.int64)[:, 0]
"""(256,) the two levels that a byte of two codes stands for, as one item of 8 bytes."""


@dataclass(frozen=True, slots=True)
class QuantisedRows:
    """Numbers rounded to ``2**bits`` levels a row.

    Attributes
    ----------
    codes : (n, bytes a row) uint8
        One code a byte; with 4 bits two, the one of the even column in the lower half.
    scales : (n,) float32
    bits : {4, 8}
    dim : int
    """

    codes: NDArray[np.uint8]
    scales: NDArray[np.float32]
    bits: int
    dim: int

    def __post_init__(self) -> None:
        _check_bits(self.bits)
        expected = (len(self.scales), bytes_per_row(self.dim, self.bits))
        if self.codes.shape != expected:
            raise InputError(f"codes must have shape {expected}, got {self.codes.shape}")

    def __len__(self) -> int:
        return len(self.scales)

    @property
    def digest(self) -> str:
        """A short digest of the content."""
        parts = (np.ascontiguousarray(part) for part in (self.codes, self.scales))
        return digest_of_bytes(*(part.view(np.uint8).data if part.size else b"" for part in parts))

    def restore(self) -> NDArray[np.float32]:
        """Give the numbers back, (n, dim) float32."""
        width = 8 // self.bits * self.codes.shape[1]
        result = np.empty((len(self), width), np.float32)
        for start in range(0, len(self), _RESTORED_ROWS):
            rows = slice(start, start + _RESTORED_ROWS)
            if self.bits == 8:
                np.subtract(self.codes[rows], np.float32(127.5), out=result[rows])
            else:
                # One look-up a byte for two codes.
                result[rows] = np.take(_PAIRS, self.codes[rows]).view(np.float32)
            result[rows] *= self.scales[rows, None]
        return np.ascontiguousarray(result[:, : self.dim])


def quantise_rows(matrix: NDArray[Any], bits: int = 8) -> QuantisedRows:
    """Round every row to ``2**bits`` levels between its largest absolute value and minus that.

    Parameters
    ----------
    matrix : (n, dim)
        Finite numbers.
    bits : {4, 8}
    """
    _check_bits(bits)
    half = 2 ** (bits - 1)
    n, dim = matrix.shape
    codes = np.empty((n, bytes_per_row(dim, bits)), np.uint8)
    scales = np.empty(n, np.float32)
    for start in range(0, n, _BLOCK_ROWS):
        rows = slice(start, start + _BLOCK_ROWS)
        block = np.asarray(matrix[rows], dtype=np.float32)
        largest = np.abs(block).max(axis=1, initial=0.0)
        scales[rows] = largest / np.float32(half - 0.5)
        steps = np.where(scales[rows] > 0, scales[rows], 1).astype(np.float64)[:, None]
        levels = np.floor(block / steps) + half
        # The largest number itself may fall on the level beyond the last by rounding.
        codes[rows] = _pack(np.clip(levels, 0, 2 * half - 1).astype(np.uint8), bits)
    return QuantisedRows(codes, scales, bits, dim)


def bytes_per_row(dim: int, bits: int) -> int:
    """How many bytes the codes of a row take."""
    return -(-dim * bits // 8)


def _pack(codes: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    if bits == 8:
        return codes
    if codes.shape[1] % 2:
        codes = np.pad(codes, ((0, 0), (0, 1)))
    packed: NDArray[np.uint8] = np.bitwise_or(codes[:, 0::2], np.left_shift(codes[:, 1::2], 4))
    return packed


def _check_bits(bits: int) -> None:
    if bits not in BITS:
        raise InputError(f"bits must be {' or '.join(map(str, BITS))}, got {bits!r}")


@dataclass(frozen=True, slots=True)
class Projection:
    """A linear map into fewer dimensions, with orthonormal columns.

    Attributes
    ----------
    matrix : (dim, new_dim) float64
    """

    matrix: NDArray[np.float64]

    def apply(self, rows: NDArray[Any]) -> NDArray[np.float32]:
        """(n, dim) -> (n, new_dim) float32."""
        result = np.empty((len(rows), self.matrix.shape[1]), np.float32)
        for block in iterate_row_blocks(len(rows)):
            result[block] = np.asarray(rows[block], dtype=np.float64) @ self.matrix
        return result


def find_projection(vectors: WordVectors, dimensions: int, *, random_state: int = 0) -> Projection:
    """Find the subspace that holds most of the vectors, and turn it by chance.

    The subspace is spanned by the first principal directions (uncentred, so that lengths and
    inner products with the origin keep their meaning), words weighted by the square root of their
    counts. Within it the axes are turned at random: principal axes are of very different size,
    and the largest would take all levels of a coarse rounding.
    """
    if not 1 <= dimensions <= vectors.dim:
        raise InputError(
            f"dimensions must lie between 1 and {vectors.dim}, those of the vectors; "
            f"got {dimensions}"
        )
    weights = np.ones(len(vectors)) if vectors.counts is None else np.sqrt(vectors.counts)
    moments = np.zeros((vectors.dim, vectors.dim))
    for block in iterate_row_blocks(len(vectors)):
        rows = np.asarray(vectors.vectors[block], dtype=np.float64)
        moments += (rows * weights[block, None]).T @ rows
    _, axes = np.linalg.eigh(moments)
    principal = axes[:, ::-1][:, :dimensions]
    normal = np.random.default_rng(random_state).standard_normal((dimensions, dimensions))
    turn, _ = np.linalg.qr(normal)
    return Projection(principal @ turn)


def restrict_vocabulary(vectors: WordVectors, vocabulary: int | None) -> WordVectors:
    """The first so many words, which are the most frequent ones; all of them for None."""
    if vocabulary is None or vocabulary >= len(vectors):
        return vectors
    if vocabulary < 1:
        raise InputError(f"vocabulary must be 1 or more, got {vocabulary}")
    first = slice(0, vocabulary)
    counts = None if vectors.counts is None else vectors.counts[first]
    output = None if vectors.output is None else vectors.output[first]
    words, matrix = vectors.words[first], vectors.vectors[first]
    return WordVectors(words, matrix, counts, output=output, check=False)


def project_vectors(vectors: WordVectors, projection: Projection) -> WordVectors:
    """The same words in the subspace; the output side goes with them."""
    output = None if vectors.output is None else projection.apply(vectors.output)
    matrix = projection.apply(vectors.vectors)
    return WordVectors(vectors.words, matrix, vectors.counts, output=output, check=False)


def reduce_vectors(
    vectors: WordVectors,
    *,
    vocabulary: int | None = None,
    dimensions: int | None = None,
    bits: int = 4,
    random_state: int = 0,
) -> WordVectors:
    """Vectors as a compact folder gives them back: fewer words, fewer dimensions, rounded.

    Senses that are induced with these fit a compact model exactly. The output side, where there
    is one, is projected but not rounded: it serves training only.
    """
    result = restrict_vocabulary(vectors, vocabulary)
    if dimensions is not None:
        projection = find_projection(result, dimensions, random_state=random_state)
        result = project_vectors(result, projection)
    rounded = quantise_rows(result.vectors, bits).restore()
    return WordVectors(result.words, rounded, result.counts, output=result.output, check=False)
