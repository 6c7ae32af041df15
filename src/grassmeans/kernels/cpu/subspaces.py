"""Rank-N uncentred PCA of every context at once (algorithm 1 of the paper).

The Gram matrix of a context's few words is far smaller than the words' vectors, so the singular
vectors come from its eigenvectors: X = (words, dim), X X' c = sigma^2 c, u = X' c / sigma (the
method of snapshots, Sirovich 1987). Squaring costs half of the digits: single precision serves
where the wanted values are near each other, and the few other contexts are done again in double.

Contexts are solved in fixed batches of `LANES`, so a result does not depend on the threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from grassmeans.arrays import Doubles, Floats, Indices, Integers
from grassmeans.kernels.arguments import negligible_share
from grassmeans.kernels.cpu.eigen import LANES, leading_eigenpairs
from grassmeans.kernels.cpu.products import FAST_SUMS, TILE, add_rows, multiply_tile
from grassmeans.kernels.cpu.threads import as_read_only, run_in_blocks

# Below this share of the first eigenvalue, a single-precision Gram matrix has lost too many digits.
_ILL_CONDITIONED = 1e-2
_UNDERFLOW = 1e-25


class SolvedContexts(NamedTuple):
    """Eigenpairs of the Gram matrices of a batch of contexts, one lane each.

    There are r of them, the smaller of the rank and the largest count.
    """

    words: Indices  # (lanes, padded width) ids without padding; the last one fills the row
    counts: Indices  # (lanes,) how many of them are the context's
    values: Doubles  # (r, lanes) squared singular values, falling; 0 where words are dependent
    coefficients: Doubles  # (r, m, lanes) of the context's words, for each value
    totals: Doubles  # (lanes,) the sum of all squared singular values


@njit(cache=True, nogil=True)
def _collect_words(context_ids: Integers) -> tuple[Indices, Indices]:
    lanes, width = context_ids.shape
    words = np.empty((lanes, (width + TILE - 1) // TILE * TILE), np.int64)
    counts = np.zeros(lanes, np.int64)
    for lane in range(lanes):
        last = 0
        for j in range(width):
            if context_ids[lane, j] >= 0:
                last = context_ids[lane, j]
                words[lane, counts[lane]] = last
                counts[lane] += 1
        for j in range(counts[lane], words.shape[1]):
            words[lane, j] = last
    return words, counts


@njit(cache=True, nogil=True)
def _write_grams(vectors: Floats, words: Indices, counts: Indices, m: int) -> Doubles:
    """The lower triangles of the contexts' Gram matrices, summed in single precision."""
    lanes = words.shape[0]
    grams = np.zeros((m, m, lanes))
    tile = np.empty((TILE, TILE), np.float32)
    for lane in range(lanes):
        count = counts[lane]
        for i in range(0, count, TILE):
            for j in range(0, i + 1, TILE):
                multiply_tile(vectors, words[lane], i, vectors, words[lane], j, tile)
                for a in range(i, min(i + TILE, count)):
                    for b in range(j, min(j + TILE, a + 1)):
                        grams[a, b, lane] = tile[a - i, b - j]
    return grams


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST_SUMS)
def write_precise_grams(vectors: Floats, words: Indices, counts: Indices, m: int) -> Doubles:
    """As `_write_grams`, summed in double precision: slower, and seldom needed."""
    lanes = words.shape[0]
    grams = np.zeros((m, m, lanes))
    for lane in range(lanes):
        for i in range(counts[lane]):
            a = words[lane, i]
            for j in range(i + 1):
                b = words[lane, j]
                total = 0.0
                for d in range(vectors.shape[1]):
                    total += np.float64(vectors[a, d]) * np.float64(vectors[b, d])
                grams[i, j, lane] = total
    return grams


def solve_contexts(
    context_ids: Integers, vectors: Floats, rank: int, *, precise: bool = False
) -> SolvedContexts:
    """Solve a batch of contexts (about `LANES` of them) from their Gram matrices."""
    words, counts = _collect_words(context_ids)
    m = max(1, int(counts.max()))
    grams = (write_precise_grams if precise else _write_grams)(vectors, words, counts, m)
    totals = np.einsum("iil->l", grams)
    values, coefficients = leading_eigenpairs(grams, min(rank, m))
    tolerance = negligible_share(context_ids.shape[1], vectors.shape[1])
    independent = values > tolerance * values[0]
    independent &= np.arange(len(values))[:, None] < counts
    if not independent.all():
        values[~independent] = 0.0
        coefficients.transpose(0, 2, 1)[~independent] = 0.0
    return SolvedContexts(words, counts, values, coefficients, totals)


@njit(cache=True, error_model="numpy", fastmath=FAST_SUMS)
def _finish_basis(basis: Floats, n_rows: int) -> None:
    """Orthonormalise the first rows in order; make each row's largest component positive.

    They are orthonormal but for the rounding of single precision, so one pass of modified
    Gram-Schmidt is enough. The sign is a convention: without one, equal contexts could differ.
    """
    dim = basis.shape[1]
    for n in range(n_rows):
        for earlier in range(n):
            product = np.float32(0.0)
            for d in range(dim):
                product += basis[n, d] * basis[earlier, d]
            for d in range(dim):
                basis[n, d] -= product * basis[earlier, d]
        square = np.float32(0.0)
        largest = np.float32(0.0)
        smallest = np.float32(0.0)
        for d in range(dim):
            square += basis[n, d] * basis[n, d]
        for d in range(dim):
            largest = max(largest, basis[n, d])
            smallest = min(smallest, basis[n, d])
        scale = np.float32(1.0) / np.sqrt(square)
        if -smallest > largest:
            scale = -scale
        for d in range(dim):
            basis[n, d] *= scale


@njit(cache=True, nogil=True)
def _write_bases(vectors, solved, bases):
    """u_n = sum_i c_ni x_i / sigma_n, orthonormalised; rows without a value stay zero."""
    words, counts, values, coefficients, _ = solved
    four = np.empty(TILE, np.float32)
    for lane in range(words.shape[0]):
        n_rows = 0
        for n in range(values.shape[0]):
            if not values[n, lane] > 0.0:
                break
            n_rows += 1
            inverse = 1.0 / np.sqrt(values[n, lane])
            for i in range(0, counts[lane], TILE):
                for a in range(TILE):
                    used = i + a < counts[lane]
                    four[a] = coefficients[n, i + a, lane] * inverse if used else 0.0
                add_rows(vectors, words[lane], i, four, bases[lane], n)
        _finish_basis(bases[lane], n_rows)


@njit(cache=True)
def is_well_conditioned(smallest: Any, largest: Any, total: Any) -> Any:
    """Whether the last wanted value does not drown in the rounding of the largest.

    For numbers or arrays; written so that an overflow to infinity or NaN is found too.
    """
    good = (smallest > _ILL_CONDITIONED * largest) & (total > _UNDERFLOW)
    return good & (total < 1.0 / _UNDERFLOW)


def solve_subspaces(
    context_ids: Integers, vectors: Floats, rank: int, with_bases: bool = True
) -> tuple[Floats, Doubles, Doubles]:
    """See `grassmeans.kernels.interface`."""
    n_contexts = context_ids.shape[0]
    ids, readable = as_read_only(context_ids), as_read_only(vectors)
    bases = np.zeros((n_contexts if with_bases else 0, rank, vectors.shape[1]), np.float32)
    squares = np.zeros((n_contexts, rank))
    totals = np.zeros(n_contexts)

    def write(solved: SolvedContexts, rows: Indices | slice, found: Floats) -> None:
        squares[rows, : len(solved.values)] = solved.values.T
        totals[rows] = solved.totals
        if with_bases:
            _write_bases(readable, solved, found)

    def solve_range(start: int, stop: int) -> None:
        for first in range(start, stop, LANES):
            part = slice(first, min(first + LANES, stop))
            solved = solve_contexts(ids[part], readable, rank)
            write(solved, part, bases[part])
            last = np.minimum(len(solved.values), solved.counts) - 1
            smallest = solved.values[last, np.arange(len(last))]
            good = is_well_conditioned(smallest, solved.values[0], solved.totals)
            again = first + np.flatnonzero(~good & (solved.counts > 0))
            if len(again):
                found = np.zeros((len(again), *bases.shape[1:]), np.float32)
                chosen = as_read_only(ids[again])
                write(solve_contexts(chosen, readable, rank, precise=True), again, found)
                if with_bases:
                    bases[again] = found

    run_in_blocks(solve_range, n_contexts, LANES)
    return bases, squares, totals
