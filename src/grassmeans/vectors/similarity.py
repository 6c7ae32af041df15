"""Cosine similarity over rows of a matrix: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Doubles, Floats, Indices

_BLOCK_ROWS = 16_384
_NORMED_ROWS = 1_024  # of which there are copies in float64: few enough for a core's cache
_MAX_PRODUCT_CELLS = 1 << 25  # similarities held at once: 128 MiB
_TIE_MARGIN = 1e-5  # far above the rounding error of one float32 product
_MAX_EXTRA_CANDIDATES = 10_000  # bounds the exact re-ranking where very many rows are alike
_SMALLEST_NORM = 1e-30  # the reciprocal of anything smaller may overflow float32


def unit_rows(rows: NDArray[Any]) -> NDArray[Any]:
    """Rows (last axis) of unit length; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows / np.where(lengths > 0.0, lengths, 1.0)


class Neighbour(NamedTuple):
    """A word and its cosine similarity to what was asked."""

    word: str
    """As the vectors spell it."""
    similarity: float
    """The cosine, 1 at most."""


@dataclass(frozen=True, slots=True)
class NearestRows:
    """The most similar rows of each query, best first: both (n_queries, n)."""

    ids: Indices
    similarities: Floats


def iterate_row_blocks(n_rows: int, block: int = _BLOCK_ROWS) -> Iterator[slice]:
    """Yield slices that cover ``n_rows`` rows, so that mapped files are never copied whole."""
    for start in range(0, n_rows, block):
        yield slice(start, min(start + block, n_rows))


def inverse_norms(vectors: NDArray[Any]) -> Floats:
    """(n,) one over the length of each row; 0 for a zero row, which is similar to nothing."""
    result = np.zeros(len(vectors), dtype=np.float32)
    for rows in iterate_row_blocks(len(vectors), _NORMED_ROWS):
        # float64: the square of a float32 may overflow or vanish in float32
        block = np.asarray(vectors[rows], dtype=np.float64)
        norms = np.sqrt(np.einsum("ij,ij->i", block, block))
        np.divide(1.0, norms, out=result[rows], where=norms > _SMALLEST_NORM, casting="same_kind")
    return result


def cosine(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Compute the cosine of two (dim,) vectors, in [-1, 1]; 0 where one of them is zero."""
    a = np.asarray(first, dtype=np.float64)
    b = np.asarray(second, dtype=np.float64)
    norms = float(np.linalg.norm(a)) * float(np.linalg.norm(b))
    return float(np.clip(a @ b / norms, -1.0, 1.0)) if norms > 0 else 0.0


def nearest_rows(vectors: Floats, inverse: Floats, queries: NDArray[Any], n: int) -> NearestRows:
    """Find the rows with the largest cosine to each query.

    Candidates come from one matrix product per batch of queries; they are then ranked by their
    similarity in float64, equal ones by row number. So equal rows rank in row order whatever
    order the product summed them in. ``inverse`` is what `inverse_norms` gives for the vectors.
    """
    n = min(n, len(vectors))
    units = unit_rows(np.asarray(queries, dtype=np.float64))
    ids = np.zeros((len(units), n), dtype=np.int64)
    similarities = np.zeros((len(units), n), dtype=np.float32)
    if n == 0:
        return NearestRows(ids, similarities)
    batch = max(1, _MAX_PRODUCT_CELLS // len(vectors))
    for start in range(0, len(units), batch):
        with np.errstate(over="ignore", invalid="ignore"):
            products = units[start : start + batch].astype(np.float32) @ vectors.T
            products *= inverse
        # Huge numbers may overflow here; such rows are left to the exact ranking.
        products[~np.isfinite(products)] = 1
        for query, row in enumerate(products, start):
            ids[query], similarities[query] = _rank_candidates(vectors, units[query], row, n)
    return NearestRows(ids, similarities)


def _rank_candidates(
    vectors: Floats, unit: Doubles, approximate: Floats, n: int
) -> tuple[Indices, Doubles]:
    """Find the best ``n`` rows exactly, among those whose approximate value may reach them."""
    nth_best = np.partition(approximate, len(approximate) - n)[len(approximate) - n]
    candidates = np.flatnonzero(approximate >= nth_best - _TIE_MARGIN)
    if len(candidates) > n + _MAX_EXTRA_CANDIDATES:
        order = np.argsort(-approximate[candidates], kind="stable")
        candidates = np.sort(candidates[order[: n + _MAX_EXTRA_CANDIDATES]])
    rows = vectors[candidates].astype(np.float64)
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    dots = np.einsum("ij,j->i", rows, unit)
    exact = np.divide(dots, norms, out=np.zeros_like(dots), where=norms > _SMALLEST_NORM)
    np.clip(exact, -1.0, 1.0, out=exact)
    best = np.argsort(-exact, kind="stable")[:n]
    return candidates[best], exact[best]
