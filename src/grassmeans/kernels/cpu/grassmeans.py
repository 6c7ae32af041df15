"""The three products that K-Grassmeans is made of, for many restarts at once.

In the paper's symbols: context c has the orthonormal rows u_1(c) ... u_N(c) of its basis; a sense
has a direction u; the squared projection of u on the context is s(c, u) = sum_n (u'u_n(c))^2, and
the squared distance d^2 = 1 - s. A group's matrix is C = sum over its contexts of sum_n u_n u_n',
whose leading eigenvector is its direction (equation 2); C u is summed without ever forming C.

Bases are read once per pass, block by block. Each block has sums of its own, which are added in the
order of the blocks: the result does not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit

from grassmeans.arrays import Doubles, Floats, Indices, Integers
from grassmeans.kernels.cpu.products import (
    FAST_SUMS,
    TILE,
    add_rows,
    multiply_column,
    multiply_tile,
)
from grassmeans.kernels.cpu.threads import as_read_only, run_in_blocks

BLOCK = 128
"""Contexts per block of sums."""


@njit(cache=True)
def _fill_indices(indices: Indices, first: int, count: int) -> None:
    """``first, first + 1, ...``; the last valid index is repeated to fill a tile."""
    for i in range(indices.shape[0]):
        indices[i] = first + min(i, count - 1)


@njit(cache=True, nogil=True)
def _multiply_block(rows: Floats, directions: Floats) -> Floats:
    """``rows @ directions.T`` for the rows of one block."""
    n_rows, n_directions = rows.shape[0], directions.shape[0]
    row_indices = np.empty((n_rows + TILE - 1) // TILE * TILE, np.int64)
    direction_indices = np.empty((n_directions + TILE - 1) // TILE * TILE, np.int64)
    _fill_indices(row_indices, 0, n_rows)
    _fill_indices(direction_indices, 0, n_directions)
    tile = np.empty((TILE, TILE), np.float32)
    products = np.empty((n_rows, n_directions), np.float32)
    for i in range(0, n_rows, TILE):
        for j in range(0, n_directions, TILE):
            used = min(TILE, n_directions - j)
            if used == 1:  # five senses are one tile and one column
                multiply_column(rows, row_indices, i, directions, j, tile)
            else:
                multiply_tile(rows, row_indices, i, directions, direction_indices, j, tile)
            for a in range(min(TILE, n_rows - i)):
                for b in range(used):
                    products[i + a, j + b] = tile[a, b]
    return products


@njit(cache=True, nogil=True)
def _square_block(products: Floats, rank: int, squares: Floats) -> None:
    """Squared projections of one block's contexts, from the products of their rows."""
    for context in range(squares.shape[0]):
        for k in range(squares.shape[1]):
            square = np.float32(0.0)
            for n in range(context * rank, (context + 1) * rank):
                square += products[n, k] * products[n, k]
            # Rounding may carry a projection past 1, which would be a distance below 0.
            squares[context, k] = min(square, np.float32(1.0))


@njit(cache=True, nogil=True)
def _assign_block(
    rows: Floats, products: Floats, labels: Integers, gains: Floats, sums: Floats
) -> None:
    """Choose the nearest direction of every restart and add up C_k u_k, for one block."""
    n_contexts, n_restarts = labels.shape
    n_directions = products.shape[1]
    n_senses = n_directions // n_restarts
    rank = rows.shape[0] // n_contexts
    squares = np.empty((n_contexts, n_directions), np.float32)
    _square_block(products, rank, squares)
    row_indices = np.empty((rank + TILE - 1) // TILE * TILE, np.int64)
    four = np.empty(TILE, np.float32)
    for context in range(n_contexts):
        first_row = context * rank
        _fill_indices(row_indices, first_row, rank)
        for restart in range(n_restarts):
            first = restart * n_senses
            best = first
            for k in range(first + 1, first + n_senses):
                if squares[context, k] > squares[context, best]:
                    best = k
            labels[context, restart] = best - first
            gains[context, restart] = squares[context, best]
            for i in range(0, rank, TILE):
                for a in range(TILE):
                    used = i + a < rank
                    four[a] = products[first_row + i + a, best] if used else np.float32(0.0)
                add_rows(rows, row_indices, i, four, sums, best)


@njit(cache=True, nogil=True)
def _apply_block(
    rows: Floats, directions: Floats, n_senses: int, labels: Integers, sums: Floats
) -> None:
    """Add up C_k q_k with given labels, for one block."""
    rank = rows.shape[0] // labels.shape[0]
    row_indices = np.empty((rank + TILE - 1) // TILE * TILE, np.int64)
    tile = np.empty((TILE, TILE), np.float32)
    four = np.empty(TILE, np.float32)
    for context in range(labels.shape[0]):
        _fill_indices(row_indices, context * rank, rank)
        for restart in range(labels.shape[1]):
            k = restart * n_senses + labels[context, restart]
            for i in range(0, rank, TILE):
                multiply_column(rows, row_indices, i, directions, k, tile)
                for a in range(TILE):
                    four[a] = tile[a, 0] if i + a < rank else np.float32(0.0)
                add_rows(rows, row_indices, i, four, sums, k)


@njit(cache=True, nogil=True)
def _gram_block(rows: Floats, rank: int, grams: Floats) -> None:
    """One block of `multiply_bases`."""
    indices = np.empty((rank + TILE - 1) // TILE * TILE, np.int64)
    tile = np.empty((TILE, TILE), np.float32)
    for context in range(grams.shape[0]):
        _fill_indices(indices, context * rank, rank)
        for i in range(0, rank, TILE):
            for j in range(0, rank, TILE):
                multiply_tile(rows, indices, i, rows, indices, j, tile)
                for a in range(min(TILE, rank - i)):
                    for b in range(min(TILE, rank - j)):
                        grams[context, i + a, j + b] = tile[a, b]


def _run_blocks(bases: Floats, work: Callable[[Floats, slice], None]) -> None:
    """Call ``work(rows, part)`` for each block of contexts, with the rows of its bases."""
    n_contexts, rank, dim = bases.shape
    rows = as_read_only(bases).reshape(-1, dim)

    def run(start: int, stop: int) -> None:
        for first in range(start, stop, BLOCK):
            last = min(first + BLOCK, stop)
            work(rows[first * rank : last * rank], slice(first, last))

    run_in_blocks(run, n_contexts, BLOCK)


def _make_sums(bases: Floats, directions: Floats) -> Floats:
    """Zeros (n_blocks, all directions, dim)."""
    n_restarts, n_senses, dim = directions.shape
    return np.zeros((-(-len(bases) // BLOCK), n_restarts * n_senses, dim), np.float32)


def assign_contexts(bases: Floats, directions: Floats) -> tuple[Integers, Floats, Doubles]:
    """See `grassmeans.kernels.interface`."""
    flat = as_read_only(directions).reshape(-1, bases.shape[2])
    labels = np.empty((len(bases), len(directions)), np.int32)
    gains = np.empty(labels.shape, np.float32)
    sums = _make_sums(bases, directions)

    def assign(rows: Floats, part: slice) -> None:
        products = _multiply_block(rows, flat)
        _assign_block(rows, products, labels[part], gains[part], sums[part.start // BLOCK])

    _run_blocks(bases, assign)
    return labels, gains, sums.sum(axis=0, dtype=np.float64).reshape(directions.shape)


def apply_groups(bases: Floats, labels: Integers, directions: Floats) -> Doubles:
    """See `grassmeans.kernels.interface`."""
    flat = as_read_only(directions).reshape(-1, bases.shape[2])
    given, sums = as_read_only(labels), _make_sums(bases, directions)

    def apply(rows: Floats, part: slice) -> None:
        _apply_block(rows, flat, directions.shape[1], given[part], sums[part.start // BLOCK])

    _run_blocks(bases, apply)
    return sums.sum(axis=0, dtype=np.float64).reshape(directions.shape)


def square_projections(bases: Floats, directions: Floats) -> Floats:
    """See `grassmeans.kernels.interface`."""
    squares = np.empty((len(bases), len(directions)), np.float32)

    def project(rows: Floats, part: slice) -> None:
        products = _multiply_block(rows, as_read_only(directions))
        _square_block(products, bases.shape[1], squares[part])

    _run_blocks(bases, project)
    return squares


def project_own(bases: Floats, directions: Floats, offsets: Indices, words: Indices) -> Floats:
    """See `grassmeans.kernels.interface`."""
    most = int(np.diff(offsets).max(initial=1))
    squares = np.full((len(bases), most), np.nan, np.float32)
    floats = (as_read_only(array, np.float32) for array in (bases, directions))
    whole = (as_read_only(array, np.int64) for array in (offsets, words))
    run_in_blocks(_project_own, len(bases), BLOCK, *floats, *whole, squares)
    return squares


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST_SUMS)
def _project_own(start, stop, bases, directions, offsets, words, squares):
    rank, dim = bases.shape[1], bases.shape[2]
    for n in range(start, stop):
        first, end = offsets[words[n]], offsets[words[n] + 1]
        for line in range(first, end):
            total = np.float32(0.0)
            for r in range(rank):
                product = np.float32(0.0)
                for d in range(dim):
                    product += bases[n, r, d] * directions[line, d]
                total += product * product
            squares[n, line - first] = total


def multiply_bases(bases: Floats) -> Floats:
    """See `grassmeans.kernels.interface`."""
    n_contexts, rank, dim = bases.shape
    rows = as_read_only(bases).reshape(-1, dim)
    grams = np.empty((n_contexts, rank, rank), np.float32)

    def multiply(start: int, stop: int) -> None:
        _gram_block(rows[start * rank : stop * rank], rank, grams[start:stop])

    run_in_blocks(multiply, n_contexts, BLOCK)
    return grams
