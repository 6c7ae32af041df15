"""Attention of places to the other words of their passages, without ever forming a score matrix.

The keys and values of a passage's words are read once, in the order in which they lie in memory;
keys are turned by their places once for all of its queries, head by head, in buffers that stay in
the cache. Four queries go together, so that what is read serves several products.

Keys and values come in half precision, which Numba does not know. Their bits are moved into a
single: a half with its exponent and mantissa in the place of a single's is that half times 2^-112,
subnormal or not.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grassmeans.arrays import Floats, Integers
from grassmeans.kernels.cpu.products import TILE, as_read_only
from grassmeans.kernels.cpu.threads import run_in_blocks

Halves = NDArray[np.uint16]

BLOCK = 4
"""Passages per block."""

_FUSED = {"contract", "nsz"}
"""Sums stay in their order: code that may reorder them gives other last bits when it is loaded from
the cache than when it was just compiled. These loops run along vectors, and are as fast without."""

_LANES = 16
"""Numbers that are compared or added up side by side; buffers are whole multiples of it."""

_HALF_SCALE = np.float32(2.0**112)
_LOG2_E = np.float32(np.log2(np.e))
_LOG_2 = np.float32(np.log(2.0))
_SMALLEST = np.float32(-126.0)
_C2, _C3, _C4, _C5, _C6 = (np.float32(1.0 / f) for f in (2.0, 6.0, 24.0, 120.0, 720.0))


def attend_places(
    queries: Floats,
    features: NDArray[np.float16],
    layer: int,
    passages: Integers,
    offsets: NDArray[np.int64],
    places: Integers,
    hidden: Integers,
    angles: Floats,
) -> Floats:
    """See `grassmeans.kernels.interface`."""
    found = np.zeros(queries.shape, np.float32)
    arguments = (
        as_read_only(queries, np.float32),
        as_read_only(features, np.float16).view(np.uint16).reshape(*features.shape[:2], -1),
        layer,
        as_read_only(passages, np.int32),
        as_read_only(offsets, np.int64),
        as_read_only(places, np.int32),
        as_read_only(hidden, np.int32),
        as_read_only(np.cos(angles), np.float32),
        as_read_only(np.sin(angles), np.float32),
        found,
    )
    run_in_blocks(lambda start, stop: _attend(start, stop, *arguments), len(passages), BLOCK)
    return found


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FUSED)
def _attend(
    start: int,
    stop: int,
    queries: Floats,
    features: Halves,
    layer: int,
    passages: Integers,
    offsets: NDArray[np.int64],
    places: Integers,
    hidden: Integers,
    cos: Floats,
    sin: Floats,
    found: Floats,
) -> None:
    """Every passage writes the rows of its own queries: the order of passages does not matter."""
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
            _take_head(numbers, head, length, cos, sin, turned_keys, keys, values)
            for n in range(first, end, TILE):
                many = min(TILE, end - n)
                _turn_queries(queries, head, n, many, places, cos, sin, turned)
                _score(turned, keys, scores)
                for a in range(many):
                    hide = places[n + a], hidden[n + a]
                    factors[a] = _weigh(scores, a, length, hide, powers, lanes)
                _mix(scores, values, length, rows)
                for a in range(many):
                    for i in range(size):
                        found[n + a, head, i] = rows[a, i] * factors[a]


@njit(cache=True, error_model="numpy", fastmath=_FUSED)
def _read_words(features: Halves, layer: int, ids: Integers, bits: Integers) -> None:
    """Keys and values of a passage's words, all heads, 2^-112 times as large."""
    for t in range(len(ids)):
        word = ids[t]  # read once: for all the compiler knows, what is written might change it
        for i in range(features.shape[2]):
            code = np.int32(features[word, layer, i])
            bits[t, i] = ((code & 0x7FFF) << 13) | ((code & 0x8000) << 16)


@njit(cache=True, error_model="numpy", fastmath=_FUSED)
def _take_head(
    numbers: Floats,
    head: int,
    length: int,
    cos: Floats,
    sin: Floats,
    turned: Floats,
    keys: Floats,
    values: Floats,
) -> None:
    """The keys of a head, turned by their places, to columns; its values to rows."""
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


@njit(cache=True, error_model="numpy", fastmath=_FUSED)
def _turn_queries(
    queries: Floats,
    head: int,
    n: int,
    many: int,
    places: Integers,
    cos: Floats,
    sin: Floats,
    turned: Floats,
) -> None:
    """The queries ``n:n + many``, turned by their places and scaled; zeros fill up the tile."""
    size = turned.shape[1]
    half = size // 2
    scale = np.float32(1.0 / np.sqrt(size))
    turned[many:] = np.float32(0.0)
    for a in range(many):
        place = places[n + a]
        for i in range(half):
            x, y = queries[n + a, head, i] * scale, queries[n + a, head, half + i] * scale
            turned[a, i] = x * cos[place, i] - y * sin[place, i]
            turned[a, half + i] = y * cos[place, i] + x * sin[place, i]


@njit(cache=True, error_model="numpy", fastmath=_FUSED)
def _score(queries: Floats, keys: Floats, scores: Floats) -> None:
    """``queries @ keys`` of four queries, two rows of the keys at a time."""
    size, width = keys.shape
    scores[:] = np.float32(0.0)
    for i in range(0, size, 2):
        a0, a1, a2, a3 = queries[0, i], queries[1, i], queries[2, i], queries[3, i]
        b0, b1, b2, b3 = queries[0, i + 1], queries[1, i + 1], queries[2, i + 1], queries[3, i + 1]
        for t in range(width):
            x, y = keys[i, t], keys[i + 1, t]
            scores[0, t] += a0 * x + b0 * y
            scores[1, t] += a1 * x + b1 * y
            scores[2, t] += a2 * x + b2 * y
            scores[3, t] += a3 * x + b3 * y


@njit(cache=True, error_model="numpy", fastmath=_FUSED)
def _weigh(
    scores: Floats, a: int, length: int, hide: tuple[int, int], powers: Integers, lanes: Floats
) -> np.float32:
    """Scores of a query become weights, 0 where it may not look; returns the inverse of their sum.

    exp(x) = 2^k exp(y) with a whole k and |y| <= log(2) / 2, where seven terms of the series are
    exact to a single's last bit.
    """
    width = scores.shape[1]
    numbers = powers.view(np.float32)
    place, other = hide
    _fill_hidden(scores, a, length, place, other, np.float32(-np.inf))
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
    _fill_hidden(scores, a, length, place, other, np.float32(0.0))
    lanes[:] = np.float32(0.0)
    for t in range(0, width, _LANES):
        for i in range(_LANES):
            scores[a, t + i] *= numbers[t + i]
            lanes[i] += scores[a, t + i]
    total = lanes[0]
    for i in range(1, _LANES):
        total += lanes[i]
    return np.float32(1.0) / total


@njit(cache=True, error_model="numpy", fastmath=_FUSED)
def _fill_hidden(
    scores: Floats, a: int, length: int, place: int, other: int, number: np.float32
) -> None:
    """Where a query may not look: at itself, at a hidden place, beyond the passage."""
    scores[a, place] = number
    if other >= 0:
        scores[a, other] = number
    scores[a, length:] = number


@njit(cache=True, error_model="numpy", fastmath=_FUSED)
def _mix(weights: Floats, values: Floats, length: int, rows: Floats) -> None:
    """``weights @ values`` of four queries, two rows of the values at a time."""
    size = rows.shape[1]
    rows[:] = np.float32(0.0)
    for t in range(0, length - 1, 2):
        a0, a1, a2, a3 = weights[0, t], weights[1, t], weights[2, t], weights[3, t]
        b0, b1, b2, b3 = weights[0, t + 1], weights[1, t + 1], weights[2, t + 1], weights[3, t + 1]
        for i in range(size):
            x, y = values[t, i], values[t + 1, i]
            rows[0, i] += a0 * x + b0 * y
            rows[1, i] += a1 * x + b1 * y
            rows[2, i] += a2 * x + b2 * y
            rows[3, i] += a3 * x + b3 * y
    if length % 2:
        for a in range(TILE):
            for i in range(size):
                rows[a, i] += weights[a, length - 1] * values[length - 1, i]
