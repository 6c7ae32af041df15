"""Attention of places to the other words of their passages, without ever forming a score matrix.

A passage's keys are turned by their places once for all of its queries, head by head, in a buffer
that stays in the cache; the softmax is taken in one pass over the scores of a query.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from grassmeans.kernels.cpu.products import as_read_only

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]


def attend_places(
    queries: Floats,
    keys: Floats,
    values: Floats,
    passages: Integers,
    offsets: NDArray[np.int64],
    places: Integers,
    hidden: Integers,
    angles: Floats,
) -> Floats:
    """See `grassmeans.kernels.interface`."""
    found = np.zeros(queries.shape, np.float32)
    _attend(
        as_read_only(queries, np.float32),
        as_read_only(keys, np.float32),
        as_read_only(values, np.float32),
        as_read_only(passages, np.int32),
        as_read_only(offsets, np.int64),
        as_read_only(places, np.int32),
        as_read_only(hidden, np.int32),
        as_read_only(np.cos(angles), np.float32),
        as_read_only(np.sin(angles), np.float32),
        found,
    )
    return found


@njit(cache=True, nogil=True, parallel=True, fastmath={"reassoc", "contract", "nsz"})  # type: ignore[untyped-decorator]
def _attend(
    queries: Floats,
    keys: Floats,
    values: Floats,
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
    half = size // 2
    scale = np.float32(1.0 / np.sqrt(size))
    for passage in prange(passages.shape[0]):
        length = passages.shape[1]
        while length > 0 and passages[passage, length - 1] < 0:
            length -= 1
        turned = np.empty((size, length), np.float32)
        scores = np.empty(length, np.float32)
        query = np.empty(size, np.float32)
        for head in range(n_heads):
            for t in range(length):
                row = passages[passage, t]
                for i in range(half):
                    first, second = keys[row, head, i], keys[row, head, half + i]
                    turned[i, t] = first * cos[t, i] - second * sin[t, i]
                    turned[half + i, t] = second * cos[t, i] + first * sin[t, i]
            for n in range(offsets[passage], offsets[passage + 1]):
                place = places[n]
                for i in range(half):
                    first, second = queries[n, head, i], queries[n, head, half + i]
                    query[i] = (first * cos[place, i] - second * sin[place, i]) * scale
                    query[half + i] = (second * cos[place, i] + first * sin[place, i]) * scale
                scores[:] = np.float32(0.0)
                for i in range(size):
                    q = query[i]
                    for t in range(length):
                        scores[t] += q * turned[i, t]
                scores[place] = -np.inf
                if hidden[n] >= 0:
                    scores[hidden[n]] = -np.inf
                largest = np.float32(-np.inf)
                for t in range(length):
                    largest = max(largest, scores[t])
                if largest == -np.inf:
                    continue
                total = np.float32(0.0)
                for t in range(length):
                    scores[t] = np.exp(scores[t] - largest)
                    total += scores[t]
                for t in range(length):
                    weight = scores[t] / total
                    row = passages[passage, t]
                    for i in range(size):
                        found[n, head, i] += weight * values[row, head, i]
