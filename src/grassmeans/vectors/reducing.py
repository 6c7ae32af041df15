"""What makes word vectors small: fewer words, fewer dimensions, and 4, 6 or 8 bits a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Doubles, Floats
from grassmeans.errors import InputError
from grassmeans.vectors.quantising import quantise_rows
from grassmeans.vectors.similarity import iterate_row_blocks
from grassmeans.vectors.word_vectors import WordVectors


@dataclass(frozen=True, slots=True)
class Projection:
    """A linear map into fewer dimensions, with orthonormal columns."""

    matrix: Doubles  # (dim, new_dim)

    def apply(self, rows: NDArray[Any]) -> Floats:
        """(n, dim) -> (n, new_dim) float32."""
        result = np.empty((len(rows), self.matrix.shape[1]), np.float32)
        for block in iterate_row_blocks(len(rows)):
            result[block] = np.asarray(rows[block], dtype=np.float64) @ self.matrix
        return result


def find_projection(vectors: WordVectors, dimensions: int) -> Projection:
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
    return Projection(principal @ draw_turn(dimensions).matrix)


def draw_turn(dim: int) -> Projection:
    """Axes turned by chance: nothing is lost, and no axis is much larger than the others."""
    turn, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((dim, dim)))
    return Projection(turn)


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
) -> WordVectors:
    """Vectors as a compact folder gives them back: fewer words, fewer dimensions, rounded.

    Senses that are induced with these fit a compact model exactly. The output side, where there
    is one, is projected but not rounded: it serves training only.
    """
    result = restrict_vocabulary(vectors, vocabulary)
    if dimensions is not None:
        result = project_vectors(result, find_projection(result, dimensions))
    rounded = quantise_rows(result.vectors, bits).restore()
    return WordVectors(result.words, rounded, result.counts, output=result.output, check=False)
