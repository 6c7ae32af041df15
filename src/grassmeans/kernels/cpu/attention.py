"""What learned contexts are made of: attention of places, and inner layers.

No score matrix is ever formed. The keys and values of a passage's words are read once, in the order
in which they lie in memory; keys are turned by their places once for all of its queries, head by
head, in buffers that stay in the cache. Four queries go together, so that what is read serves
several products. Keys and values come in half precision, which Numba does not know. Their bits are
moved into a single: a half with its exponent and mantissa in the place of a single's is that half
times 2^-112, subnormal or not.

Inner numbers count only where they are positive, and squared. Of a trained network's, a fifth is:
the others' rows of the matrix are never read. Eight rows go together, so that sums are read and
written once for all of them, and a part of the matrix serves many places while it is in the cache.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from grassmeans.arrays import Floats, Halves, Indices
from grassmeans.kernels.arguments import AttendingPlaces
from grassmeans.kernels.cpu.products import TILE
from grassmeans.kernels.cpu.threads import FUSED, as_read_only, hold_arrays, run_in_blocks

_PASSAGES = 4  # per block
_PLACES = 64  # per block of an inner layer
_PART = 384  # rows of its matrix that are in use at once: 600 kB where they have 384 columns
_TOGETHER = 8

_LANES = 16
"""Numbers that are compared or added up side by side; buffers are whole multiples of it."""

_HALF_SCALE = np.float32(2.0**112)
_LOG2_E = np.float32(np.log2(np.e))
_LOG_2 = np.float32(np.log(2.0))
_SMALLEST = np.float32(-126.0)
_C2, _C3, _C4, _C5, _C6 = (np.float32(1.0 / f) for f in (2.0, 6.0, 24.0, 120.0, 720.0))


def attend_places(queries: Floats, features: Halves, layer: int, where: AttendingPlaces) -> Floats:
    """See `grassmeans.kernels.interface`."""
    found = np.zeros(queries.shape, np.float32)
    turns = (as_read_only(f(where.angles), np.float32) for f in (np.cos, np.sin))
    halves = as_read_only(features, np.float16).view(np.uint16).reshape(*features.shape[:2], -1)
    run_in_blocks(
        _attend,
        len(where.passages),
        _PASSAGES,
        as_read_only(queries, np.float32),
        halves,
        layer,
        hold_arrays(where, np.int32, np.int64, np.int32, np.int32, np.float32),
        tuple(turns),
        found,
    )
    return found


@njit(nogil=True, **FUSED)
def _attend(start, stop, queries, features, layer, where, turns, found):
    """Every passage writes the rows of its own queries: the order of passages does not matter."""
    passages, offsets, places, hidden, _ = where
    n_heads, size = queries.shape[1], queries.shape[2]
    most = -(-passages.shape[1] // _LANES) * _LANES
    bits = np.empty((most, 2 * n_heads * size), np.int32)
    numbers = bits.view(np.float32).reshape(most, 2 * n_heads, size)
    turned_keys = np.empty((most, size), np.float32)
    values = np.empty((most, size), np.float32)
    powers = np.empty(most, np.int32)
    lanes = np.empty(_LANES, np.float32)
    factors = np.empty(TILE, np.float32)
    turned = np.empty((TILE, size), np.float32)
    rows = np.empty((TILE, size), np.float32)
    for passage in range(start, stop):
        first, end = offsets[passage], offsets[passage + 1]
        length = passages.shape[1]
        while length > 0 and passages[passage, length - 1] < 0:
            length -= 1
        if first == end or length < 2:
            continue
        width = -(-length // _LANES) * _LANES
        keys = np.zeros((size, width), np.float32)
        scores = np.empty((TILE, width), np.float32)
        _read_words(features, layer, passages[passage, :length], bits)
        for head in range(n_heads):
            _take_head(numbers, head, length, turns, turned_keys, keys, values)
            for n in range(first, end, TILE):
                many = min(TILE, end - n)
                _turn_queries(queries, head, n, many, places, turns, turned)
                _multiply_four(turned, keys, size, scores)
                for a in range(many):
                    hide = places[n + a], hidden[n + a]
                    factors[a] = _weigh(scores, a, length, hide, powers, lanes)
                _multiply_four(scores, values, length, rows)
                for a in range(many):
                    for i in range(size):
                        found[n + a, head, i] = rows[a, i] * factors[a]


@njit(**FUSED)
def _read_words(features, layer, ids, bits):
    """Keys and values of a passage's words, all heads, 2^-112 times as large."""
    for t in range(len(ids)):
        word = ids[t]  # read once: for all the compiler knows, what is written might change it
        for i in range(features.shape[2]):
            code = np.int32(features[word, layer, i])
            bits[t, i] = ((code & 0x7FFF) << 13) | ((code & 0x8000) << 16)


@njit(**FUSED)
def _take_head(numbers, head, length, turns, turned, keys, values):
    """The keys of a head, turned by their places, to columns; its values to rows."""
    cos, sin = turns
    size, n_heads = len(keys), numbers.shape[1] // 2
    half = size // 2
    for t in range(length):
        for i in range(half):
            x = numbers[t, head, i] * _HALF_SCALE
            y = numbers[t, head, half + i] * _HALF_SCALE
            turned[t, i] = x * cos[t, i] - y * sin[t, i]
            turned[t, half + i] = y * cos[t, i] + x * sin[t, i]
        for i in range(size):
            values[t, i] = numbers[t, n_heads + head, i] * _HALF_SCALE
    for i in range(size):
        for t in range(length):
            keys[i, t] = turned[t, i]


@njit(**FUSED)
def _turn_queries(queries, head, n, many, places, turns, turned):
    """The queries ``n:n + many``, turned by their places and scaled; zeros fill up the tile."""
    (cos, sin), size = turns, turned.shape[1]
    half = size // 2
    scale = np.float32(1.0 / np.sqrt(size))
    turned[many:] = np.float32(0.0)
    for a in range(many):
        place = places[n + a]
        for i in range(half):
            x, y = queries[n + a, head, i] * scale, queries[n + a, head, half + i] * scale
            turned[a, i] = x * cos[place, i] - y * sin[place, i]
            turned[a, half + i] = y * cos[place, i] + x * sin[place, i]


@njit(**FUSED)
def _multiply_four(left: Floats, right: Floats, n: int, found: Floats) -> None:
    """``left[:, :n] @ right[:n]`` of four rows, two rows of the right side at a time."""
    found[:] = np.float32(0.0)
    for i in range(0, n - 1, 2):
        a0, a1, a2, a3 = left[0, i], left[1, i], left[2, i], left[3, i]
        b0, b1, b2, b3 = left[0, i + 1], left[1, i + 1], left[2, i + 1], left[3, i + 1]
        for t in range(found.shape[1]):
            x, y = right[i, t], right[i + 1, t]
            found[0, t] += a0 * x + b0 * y
            found[1, t] += a1 * x + b1 * y
            found[2, t] += a2 * x + b2 * y
            found[3, t] += a3 * x + b3 * y
    if n % 2:
        for a in range(TILE):
            for t in range(found.shape[1]):
                found[a, t] += left[a, n - 1] * right[n - 1, t]


@njit(**FUSED)
def _weigh(scores, a, length, hide, powers, lanes):
    """Scores of a query become weights, 0 where it may not look; returns the inverse of their sum.

    exp(x) = 2^k exp(y) with a whole k and |y| <= log(2) / 2, where seven terms of the series are
    exact to a single's last bit.
    """
    width = scores.shape[1]
    numbers = powers.view(np.float32)
    _fill_hidden(scores, a, length, hide, np.float32(-np.inf))
    lanes[:] = np.float32(-np.inf)
    for t in range(0, width, _LANES):
        for i in range(_LANES):
            lanes[i] = max(lanes[i], scores[a, t + i])
    largest = lanes[0]
    for i in range(1, _LANES):
        largest = max(largest, lanes[i])
    if largest == -np.inf:
        scores[a] = np.float32(0.0)
        return np.float32(0.0)
    for t in range(width):
        x = max((scores[a, t] - largest) * _LOG2_E, _SMALLEST)
        k = np.floor(x + np.float32(0.5))
        y = (x - k) * _LOG_2
        powers[t] = (np.int32(k) + 127) << 23
        series = _C3 + y * (_C4 + y * (_C5 + y * _C6))
        scores[a, t] = np.float32(1.0) + y * (np.float32(1.0) + y * (_C2 + y * series))
    _fill_hidden(scores, a, length, hide, np.float32(0.0))
    lanes[:] = np.float32(0.0)
    for t in range(0, width, _LANES):
        for i in range(_LANES):
            scores[a, t + i] *= numbers[t + i]
            lanes[i] += scores[a, t + i]
    total = lanes[0]
    for i in range(1, _LANES):
        total += lanes[i]
    return np.float32(1.0) / total


@njit(**FUSED)
def _fill_hidden(scores, a, length, hide, number):
    """Where a query may not look: at itself, at a hidden place, beyond the passage."""
    place, other = hide
    scores[a, place] = number
    if other >= 0:
        scores[a, other] = number
    scores[a, length:] = number


def add_squares(inner: Floats, weights: Floats, sums: Floats) -> None:
    """See `grassmeans.kernels.interface`."""
    given = as_read_only(inner, np.float32), as_read_only(weights, np.float32)
    run_in_blocks(_add_squares, len(sums), _PLACES, *given, sums)


@njit(nogil=True, **FUSED)
def _add_squares(start: int, stop: int, inner: Floats, weights: Floats, sums: Floats) -> None:
    n_inner = inner.shape[1]
    chosen = np.empty(_PART + _TOGETHER, np.int64)
    squares = np.empty(_PART + _TOGETHER, np.float32)
    for block in range(start, stop, _PLACES):
        for first in range(0, n_inner, _PART):
            last = min(first + _PART, n_inner)
            for n in range(block, min(block + _PLACES, stop)):
                many = _choose(inner[n], first, last, chosen, squares)
                for k in range(0, many, _TOGETHER):
                    _add_rows(weights, chosen, squares, k, sums, n)


@njit(**FUSED)
def _choose(row: Floats, first: int, last: int, chosen: Indices, squares: Floats) -> int:
    """Which numbers are positive, and their squares; squares of 0 fill up the last group."""
    many = 0
    for j in range(first, last):
        chosen[many] = j  # overwritten by the next one where it is not positive: no branch
        many += row[j] > np.float32(0.0)
    for k in range(many):
        squares[k] = row[chosen[k]] * row[chosen[k]]
    chosen[many : many + _TOGETHER] = first
    squares[many : many + _TOGETHER] = np.float32(0.0)
    return many


@njit(**FUSED)
def _add_rows(rows: Floats, chosen: Indices, squares: Floats, k: int, sums: Floats, n: int) -> None:
    """``sums[n] += squares[k:k + 8] @ rows[chosen[k:k + 8]]``."""
    r0, r1, r2, r3 = chosen[k], chosen[k + 1], chosen[k + 2], chosen[k + 3]
    r4, r5, r6, r7 = chosen[k + 4], chosen[k + 5], chosen[k + 6], chosen[k + 7]
    s0, s1, s2, s3 = squares[k], squares[k + 1], squares[k + 2], squares[k + 3]
    s4, s5, s6, s7 = squares[k + 4], squares[k + 5], squares[k + 6], squares[k + 7]
    for i in range(rows.shape[1]):
        left = s0 * rows[r0, i] + s1 * rows[r1, i] + s2 * rows[r2, i] + s3 * rows[r3, i]
        right = s4 * rows[r4, i] + s5 * rows[r5, i] + s6 * rows[r6, i] + s7 * rows[r7, i]
        sums[n, i] += left + right
