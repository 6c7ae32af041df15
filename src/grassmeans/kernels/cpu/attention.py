"""Attention of places to the other words of their passages, without ever forming a score matrix.

A passage's keys are turned by their places once for all of its queries, head by head, in buffers
that stay in the cache. Four queries go together, so that what is read serves several products.

Keys and values come in half precision, which Numba does not know. Their bits are moved into a
single: a half with its exponent and mantissa in the place of a single's is that half times 2^-112,
subnormal or not.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grassmeans.kernels.cpu.products import TILE, as_read_only
from grassmeans.kernels.cpu.threads import run_in_blocks

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]
Halves = NDArray[np.uint16]

BLOCK = 4
"""Passages per block."""

_FUSED = {"contract", "nsz"}
"""Sums stay in their order: code that may reorder them gives other last bits when it is loaded from
the cache than when it was just compiled. These loops run along vectors, and are as fast without."""

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
        as_read_only(features, np.float16).view(np.uint16),
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
    for passage in range(start, stop):
        first, end = offsets[passage], offsets[passage + 1]
        length = passages.shape[1]
        while length > 0 and passages[passage, length - 1] < 0:
            length -= 1
        if first == end or length < 2:
            continue
        ids = passages[passage, :length]
        bits = np.empty((2, length, size), np.int32)
        numbers = bits.view(np.float32)
        keys = np.empty((size, length), np.float32)
        scores = np.empty((TILE, length), np.float32)
        powers = np.empty(length, np.int32)
        turned = np.empty((TILE, size), np.float32)
        rows = np.empty((TILE, size), np.float32)
        for head in range(n_heads):
            _read_words(features, layer, head, ids, cos, sin, bits, numbers, keys)
            for n in range(first, end, TILE):
                many = min(TILE, end - n)
                _turn_queries(queries, head, n, many, places, cos, sin, turned)
                _score(turned, keys, scores)
                for a in range(many):
                    _weigh(scores, a, places[n + a], hidden[n + a], powers)
                _mix(scores, numbers[1], rows)
                for a in range(many):
                    for i in range(size):
                        found[n + a, head, i] = rows[a, i]


@njit(cache=True, error_model="numpy", fastmath=_FUSED)
def _read_words(
    features: Halves,
    layer: int,
    head: int,
    ids: Integers,
    cos: Floats,
    sin: Floats,
    bits: Integers,
    numbers: Floats,
    keys: Floats,
) -> None:
    """Values of a passage's words to ``numbers[1]``; keys, turned by their places, to columns."""
    size, length = keys.shape
    half = size // 2
    for t in range(length):
        word = ids[t]  # read once: for all the compiler knows, what is written might change it
        for kind in range(2):
            for i in range(size):
                code = np.int32(features[word, layer, kind, head, i])
                bits[kind, t, i] = ((code & 0x7FFF) << 13) | ((code & 0x8000) << 16)
    for t in range(length):
        for i in range(half):
            a, b = numbers[0, t, i] * _HALF_SCALE, numbers[0, t, half + i] * _HALF_SCALE
            numbers[0, t, i] = a * cos[t, i] - b * sin[t, i]
            numbers[0, t, half + i] = b * cos[t, i] + a * sin[t, i]
        for i in range(size):
            numbers[1, t, i] *= _HALF_SCALE
    for i in range(size):
        for t in range(length):
            keys[i, t] = numbers[0, t, i]


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
    size, length = keys.shape
    scores[:] = np.float32(0.0)
    for i in range(0, size, 2):
        a0, a1, a2, a3 = queries[0, i], queries[1, i], queries[2, i], queries[3, i]
        b0, b1, b2, b3 = queries[0, i + 1], queries[1, i + 1], queries[2, i + 1], queries[3, i + 1]
        for t in range(length):
            x, y = keys[i, t], keys[i + 1, t]
            scores[0, t] += a0 * x + b0 * y
            scores[1, t] += a1 * x + b1 * y
            scores[2, t] += a2 * x + b2 * y
            scores[3, t] += a3 * x + b3 * y


@njit(cache=True, error_model="numpy", fastmath=_FUSED)
def _weigh(scores: Floats, a: int, place: int, other: int, powers: Integers) -> None:
    """Scores of a query become weights: their softmax, 0 where it may not look.

    exp(x) = 2^k exp(y) with a whole k and |y| <= log(2) / 2, where seven terms of the series are
    exact to a single's last bit.
    """
    length = scores.shape[1]
    numbers = powers.view(np.float32)
    scores[a, place] = -np.inf
    if other >= 0:
        scores[a, other] = -np.inf
    largest = np.float32(-np.inf)
    for t in range(length):
        largest = max(largest, scores[a, t])
    if largest == -np.inf:
        scores[a] = np.float32(0.0)
        return
    for t in range(length):
        x = max((scores[a, t] - largest) * _LOG2_E, _SMALLEST)
        k = np.floor(x + np.float32(0.5))
        y = (x - k) * _LOG_2
        powers[t] = (np.int32(k) + 127) << 23
        series = _C3 + y * (_C4 + y * (_C5 + y * _C6))
        scores[a, t] = np.float32(1.0) + y * (np.float32(1.0) + y * (_C2 + y * series))
    scores[a, place] = np.float32(0.0)
    if other >= 0:
        scores[a, other] = np.float32(0.0)
    total = np.float32(0.0)
    for t in range(length):
        scores[a, t] *= numbers[t]
        total += scores[a, t]
    factor = np.float32(1.0) / total
    for t in range(length):
        scores[a, t] *= factor


@njit(cache=True, error_model="numpy", fastmath=_FUSED)
def _mix(weights: Floats, values: Floats, rows: Floats) -> None:
    """``weights @ values`` of four queries, two rows of the values at a time."""
    length, size = values.shape
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
