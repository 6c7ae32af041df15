"""A self-attention encoder over passages that lie one after the other, with nothing between them.

A block of passages goes through all layers at once: its states stay in the cache of one core, and
threads never wait for each other. Products are those of `byte_products`; attention is in single
precision, head by head, a tile of queries at a time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grassmeans.arrays import Floats, Indices, Integers
from grassmeans.kernels import plain
from grassmeans.kernels.arguments import NORM_FLOOR, EncoderLayers, check_passages
from grassmeans.kernels.cpu.byte_products import (
    BLOCK,
    NO_ZERO,
    PRODUCTS,
    ROWS,
    WIDTH,
    ZERO,
    PackedMatrices,
    RoundedRows,
    add_code_products,
    make_rounded,
    multiply_codes,
    pack_codes,
    round_normed,
    round_rows,
    round_squares,
)
from grassmeans.kernels.cpu.row_sums import exponentiate, sum_numbers, sum_squares, turn_row
from grassmeans.kernels.cpu.threads import FUSED, as_read_only, run_in_blocks
from grassmeans.kernels.cpu.tiles import FEATURES, find_registers, make_single_tile

_TOKENS = 256
"""That a block has at most, unless it is one passage."""

_SINGLE_LANES, _QUERIES = find_registers(FEATURES)
_PANEL = 2 * _SINGLE_LANES
_ONE = np.float32(1.0)
_write_tile = make_single_tile(_SINGLE_LANES, _QUERIES)


class _Passages(NamedTuple):
    blocks: Indices  # (n_blocks + 1,) from `cut_blocks`
    offsets: Indices  # (n_passages + 1,)
    hidden: Integers  # (n_passages,)
    cos: Floats  # (length, size / 2)
    sin: Floats


def pack_matrices(codes: NDArray[np.uint8], scales: Floats) -> Any:
    """See `grassmeans.kernels.interface`."""
    if PRODUCTS is None:
        return plain.restore_matrices(codes, scales)
    return pack_codes(codes, scales)


def add_products(rows: Floats, matrices: Any, number: int, sums: Floats) -> None:
    """See `grassmeans.kernels.interface`."""
    packed = isinstance(matrices, PackedMatrices)
    add = add_code_products if packed else plain.add_products
    add(rows, matrices, number, sums)


def describe_products() -> str:
    """See `grassmeans.kernels.interface`."""
    if PRODUCTS is None:
        return f"{plain.describe_products()}: this processor does not multiply bytes fast"
    return f"8-bit products by {PRODUCTS.words}"


def encode_passages(
    states: Floats, offsets: Indices, hidden: Integers, angles: Floats, layers: EncoderLayers
) -> Floats:
    """See `grassmeans.kernels.interface`."""
    check_passages(states, offsets, hidden, angles, WIDTH)
    given = _Passages(
        cut_blocks(offsets),
        as_read_only(offsets, np.int64),
        as_read_only(hidden, np.int32),
        as_read_only(np.cos(angles), np.float32),
        as_read_only(np.sin(angles), np.float32),
    )
    n_blocks = len(given.blocks) - 1
    if not isinstance(layers.attention, PackedMatrices):

        def attend(features: Floats) -> Floats:
            mixed = np.empty((len(features), features.shape[1] // 3), np.float32)
            run_in_blocks(_attend_blocks, n_blocks, 1, given, features, mixed)
            return mixed

        return plain.encode_layers(states, layers, attend)
    found = np.array(states, np.float32, order="C")
    run_in_blocks(_encode, n_blocks, 1, given, layers, found)
    return found


def cut_blocks(offsets: Indices) -> Indices:
    """(n_blocks + 1,) the passages with which blocks begin, and the end."""
    blocks, n_passages = [0], len(offsets) - 1
    while blocks[-1] < n_passages:
        last = blocks[-1]
        end = int(np.searchsorted(offsets, offsets[last] + _TOKENS, side="right")) - 1
        blocks.append(max(end, last + 1))
    return as_read_only(np.array(blocks, np.int64))


@njit(nogil=True, **FUSED)
def _encode(start, stop, given, layers, found):
    """Take blocks through all layers; each writes the states of its own passages."""
    attention, mixing, inner_up, inner_down = layers
    dim = found.shape[1]
    for block in range(start, stop):
        passages = range(given.blocks[block], given.blocks[block + 1])
        first = given.offsets[passages.start]
        n = given.offsets[passages.stop] - first
        if n == 0:
            continue
        states = np.zeros((n + ROWS, mixing.scales.shape[1]), np.float32)
        mixed = np.zeros((n + ROWS, 4 * mixing.codes.shape[2]), np.float32)
        features = np.empty((n + ROWS, attention.scales.shape[1]), np.float32)
        rounded = make_rounded(n, states.shape[1])
        _copy_rows(found, first, states, 0, n, dim)
        for layer in range(len(attention.codes)):
            round_normed(states, n, dim, rounded)
            features.fill(NO_ZERO)
            multiply_codes(rounded, n, attention, layer, NO_ZERO, features)
            for passage in passages:
                _attend(given, passage, first, features, dim, mixed)
            round_rows(mixed, n, rounded)
            multiply_codes(rounded, n, mixing, layer, NO_ZERO, states)
            round_normed(states, n, dim, rounded)
            _add_inner(rounded, n, inner_up, inner_down, layer, states)
        _copy_rows(states, 0, found, first, n, dim)


@njit(**FUSED)
def _copy_rows(source: Floats, first: int, target: Floats, to: int, n: int, dim: int) -> None:
    """Copy n rows of ``dim`` numbers; an assignment of slices takes seconds to compile."""
    for r in range(n):
        for i in range(dim):
            target[to + r, i] = source[first + r, i]


@njit(nogil=True, **FUSED)
def _attend_blocks(start, stop, given, features, mixed):
    """One layer's attention, where products are those of BLAS."""
    for passage in range(given.blocks[start], given.blocks[stop]):
        _attend(given, passage, 0, features, mixed.shape[1], mixed)


@njit(**FUSED)
def _add_inner(rounded, n, inner_up, inner_down, layer, states):
    """Add the inner layer of the rounded states to them, some rows at a time."""
    inner = np.empty((BLOCK + ROWS, inner_up.scales.shape[1]), np.float32)
    squares = make_rounded(BLOCK, inner.shape[1])
    for i in range(0, n, BLOCK):
        many = min(BLOCK, n - i)
        inner.fill(NO_ZERO)
        some = RoundedRows(rounded.codes[i:], rounded.totals[i:], rounded.factors[i:])
        multiply_codes(some, many, inner_up, layer, NO_ZERO, inner)
        round_squares(inner, many, squares)
        multiply_codes(squares, many, inner_down, layer, ZERO, states[i:])


@njit(**FUSED)
def _attend(given, passage, first, features, dim, mixed):
    """Mean values by attention in a passage, all heads; features begin with the word ``first``."""
    cos, sin, hidden = given.cos, given.sin, given.hidden[passage]
    low, high = given.offsets[passage] - first, given.offsets[passage + 1] - first
    length, size = high - low, 2 * cos.shape[1]
    if length == 0:
        return
    width = -(-length // WIDTH) * WIDTH
    queries = np.zeros((length + _QUERIES, size), np.float32)
    rows = np.empty((length, size), np.float32)
    keys = np.zeros((size, width), np.float32)
    scores = np.empty((_QUERIES, width), np.float32)
    tile = np.empty((_QUERIES, size), np.float32)
    shares = np.empty(_QUERIES, np.float32)
    scale = np.float32(1.0 / np.sqrt(size))
    for head in range(0, dim, size):
        _turn_rows(features[low:high, head:], cos, sin, scale, queries)
        _turn_rows(features[low:high, dim + head :], cos, sin, _ONE, rows)
        for i in range(size):
            for t in range(length):
                keys[i, t] = rows[t, i]
        for t in range(length):
            for i in range(size):
                rows[t, i] = features[low + t, 2 * dim + head + i]
        for n in range(0, length, _QUERIES):
            for j in range(0, width, _PANEL):
                _write_tile(queries[n:], keys[:, j:], size, scores[:, j:])
            many = min(_QUERIES, length - n)
            for a in range(many):
                unseen = -1 if n + a == hidden else hidden
                shares[a] = _weigh(scores, a, length, unseen)
            for j in range(0, size, _PANEL):
                _write_tile(scores, rows[:, j:], length, tile[:, j:])
            for a in range(many):
                for i in range(size):
                    mixed[low + n + a, head + i] = tile[a, i] * shares[a]


@njit(**FUSED)
def _weigh(scores: Floats, a: int, length: int, unseen: int) -> np.float32:
    """Scores of a query become weights; returns the inverse of their sum.

    Queries and keys have a mean square of 1, so scores are at most the root of a head's size: their
    exponentials need no common factor.
    """
    exponentiate(scores[a])
    if unseen >= 0:
        scores[a, unseen] = np.float32(0.0)
    for t in range(length, scores.shape[1]):
        scores[a, t] = np.float32(0.0)
    return np.float32(1.0) / sum_numbers(scores[a])


@njit(**FUSED)
def _turn_rows(features, cos, sin, scale, turned):
    """The queries or keys of a head, of a mean square of 1 times ``scale``, turned."""
    size = turned.shape[1]
    for t in range(len(features)):
        row = features[t, :size]
        square = sum_squares(row) / np.float32(size)
        turn_row(row, cos[t], sin[t], scale / np.sqrt(square + NORM_FLOOR), turned[t])
