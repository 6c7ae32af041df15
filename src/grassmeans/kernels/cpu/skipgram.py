"""Skip-gram with negative sampling: the training loop.

For one centre word the inputs are the words of its (dynamic) window and the outputs are the centre
and its negatives, shared by all pairs of the window. With X the inputs' and Y the outputs' vectors
(rows), one step is three small dense products::

    G = (labels - sigmoid(X Y^T)) * rate        errors of all pairs
    inputs  += G Y
    outputs += G^T X

Products run over blocks of two inputs by six outputs (one positive and word2vec's five negatives),
whose sums stay in vector registers. Several threads may train on the same matrices without locks.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

OUTPUT_BLOCK = 6
MAX_SEQUENCE = 10_000
"""Longer documents are trained in stretches of this many tokens."""

_SIGMOID_REACH = 6.0
_SIGMOID_STEPS = 1024
_SIGMOID_SCALE = np.float32(_SIGMOID_STEPS / (2 * _SIGMOID_REACH))
_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_OPTIONS = {"nogil": True, "fastmath": True, "cache": True, "error_model": "numpy"}


def sigmoid_table() -> NDArray[np.float32]:
    """Sigmoid at the middle of 1,024 steps over [-6, 6], as word2vec tabulates it."""
    x = (np.arange(_SIGMOID_STEPS + 1) + 0.5) / _SIGMOID_STEPS * 2 * _SIGMOID_REACH - _SIGMOID_REACH
    return (1.0 / (1.0 + np.exp(-x))).astype(np.float32)


@njit(cache=True)
def alias_table(weights: NDArray[np.float64]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Walker's alias table: a draw costs two look-ups whatever the vocabulary's size."""
    n = weights.shape[0]
    scaled = weights * (n / weights.sum())
    threshold = np.ones(n, np.float32)
    alias = np.arange(n).astype(np.int32)
    small = np.empty(n, np.int64)
    large = np.empty(n, np.int64)
    n_small = 0
    n_large = 0
    for i in range(n):
        if scaled[i] < 1.0:
            small[n_small] = i
            n_small += 1
        else:
            large[n_large] = i
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        low = small[n_small]
        high = large[n_large - 1]
        threshold[low] = scaled[low]
        alias[low] = high
        scaled[high] -= 1.0 - scaled[low]
        if scaled[high] < 1.0:
            n_large -= 1
            small[n_small] = high
            n_small += 1
    return threshold, alias


@njit(inline="always")
def _next_random(state):
    """One step of xorshift64*; the high bits are the good ones."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return x * np.uint64(2685821657736338717)


@njit(inline="always")
def _uniform(bits):
    """The top 24 bits as a number in [0, 1)."""
    return np.float32(bits >> np.uint64(40)) * np.float32(1.0 / 16777216.0)


@njit(**_OPTIONS)
def _dot_block(x, y, i, j, dim, products):
    """products[i:i+2, j:j+6] = x[i:i+2] @ y[j:j+6].T, twelve sums in registers."""
    a0 = a1 = a2 = a3 = a4 = a5 = _ZERO
    b0 = b1 = b2 = b3 = b4 = b5 = _ZERO
    for d in range(dim):
        first = x[i, d]
        second = x[i + 1, d]
        value = y[j, d]
        a0 += first * value
        b0 += second * value
        value = y[j + 1, d]
        a1 += first * value
        b1 += second * value
        value = y[j + 2, d]
        a2 += first * value
        b2 += second * value
        value = y[j + 3, d]
        a3 += first * value
        b3 += second * value
        value = y[j + 4, d]
        a4 += first * value
        b4 += second * value
        value = y[j + 5, d]
        a5 += first * value
        b5 += second * value
    products[i, j] = a0
    products[i, j + 1] = a1
    products[i, j + 2] = a2
    products[i, j + 3] = a3
    products[i, j + 4] = a4
    products[i, j + 5] = a5
    products[i + 1, j] = b0
    products[i + 1, j + 1] = b1
    products[i + 1, j + 2] = b2
    products[i + 1, j + 3] = b3
    products[i + 1, j + 4] = b4
    products[i + 1, j + 5] = b5


@njit(**_OPTIONS)
def _add_outputs(matrix, row, errors, i, y, j, dim):
    """matrix[row] += errors[i, j:j+6] @ y[j:j+6]."""
    g0 = errors[i, j]
    g1 = errors[i, j + 1]
    g2 = errors[i, j + 2]
    g3 = errors[i, j + 3]
    g4 = errors[i, j + 4]
    g5 = errors[i, j + 5]
    for d in range(dim):
        matrix[row, d] += (
            g0 * y[j, d]
            + g1 * y[j + 1, d]
            + g2 * y[j + 2, d]
            + g3 * y[j + 3, d]
            + g4 * y[j + 4, d]
            + g5 * y[j + 5, d]
        )


@njit(**_OPTIONS)
def _add_inputs(matrix, row, errors, i, j, x, dim):
    """matrix[row] += errors[i:i+2, j] @ x[i:i+2]."""
    g0 = errors[i, j]
    g1 = errors[i + 1, j]
    for d in range(dim):
        matrix[row, d] += g0 * x[i, d] + g1 * x[i + 1, d]


@njit(**_OPTIONS)
def _add_four_inputs(matrix, row, errors, i, j, x, dim):
    """matrix[row] += errors[i:i+4, j] @ x[i:i+4]."""
    g0 = errors[i, j]
    g1 = errors[i + 1, j]
    g2 = errors[i + 2, j]
    g3 = errors[i + 3, j]
    for d in range(dim):
        matrix[row, d] += (g0 * x[i, d] + g1 * x[i + 1, d]) + (g2 * x[i + 2, d] + g3 * x[i + 3, d])


@njit(**_OPTIONS)
def _draw_outputs(centre, negative, threshold, alias, state, outputs):
    """The centre, then its negatives (those equal to the centre left out); returns how many."""
    n_words = threshold.shape[0]
    outputs[0] = centre
    count = 1
    for _ in range(negative):
        bits = _next_random(state)
        word = np.int64((bits & np.uint64(0xFFFFFFFF)) * np.uint64(n_words) >> np.uint64(32))
        if _uniform(bits) >= threshold[word]:
            word = np.int64(alias[word])
        if word != centre:
            outputs[count] = word
            count += 1
    return count


@njit(**_OPTIONS)
def _turn_into_errors(products, n_inputs, n_outputs, rate, table):
    """Replace x.y by (label - sigmoid(x.y)) * rate; what lies beyond the real pairs becomes 0."""
    for i in range(products.shape[0]):
        for j in range(products.shape[1]):
            if i >= n_inputs or j >= n_outputs:
                products[i, j] = _ZERO
                continue
            x = products[i, j]
            if x >= np.float32(_SIGMOID_REACH):
                probability = _ONE
            elif x <= np.float32(-_SIGMOID_REACH):
                probability = _ZERO
            else:
                probability = table[np.int64((x + np.float32(_SIGMOID_REACH)) * _SIGMOID_SCALE)]
            products[i, j] = ((_ONE if j == 0 else _ZERO) - probability) * rate


@njit(**_OPTIONS)
def _copy_rows(matrix, rows, n_rows, buffer, dim):
    for i in range(n_rows):
        row = rows[i]
        for d in range(dim):
            buffer[i, d] = matrix[row, d]


@njit(**_OPTIONS)
def _subsample(tokens, start, stop, keep, state, kept):
    """The tokens that stay: known words, frequent ones thinned out; returns how many."""
    n_words = keep.shape[0]
    count = 0
    for t in range(start, stop):
        word = tokens[t]
        if word < 0 or word >= n_words:
            continue
        if keep[word] < _ONE and _uniform(_next_random(state)) >= keep[word]:
            continue
        kept[count] = word
        count += 1
    return count


@njit(**_OPTIONS)
def _update_window(
    inputs,
    outputs,
    input_rows,
    n_inputs,
    output_rows,
    n_outputs,
    frozen_inputs,
    frozen_outputs,
    table,
    rate,
    x,
    y,
    errors,
):
    """One step for all pairs of a window; ``x``, ``y`` and ``errors`` are work arrays."""
    dim = inputs.shape[1]
    n_columns = errors.shape[1]
    _copy_rows(inputs, input_rows, n_inputs, x, dim)
    _copy_rows(outputs, output_rows, n_outputs, y, dim)
    for i in range(0, n_inputs, 2):
        for j in range(0, n_columns, OUTPUT_BLOCK):
            _dot_block(x, y, i, j, dim, errors)
    _turn_into_errors(errors, n_inputs, n_outputs, rate, table)
    for i in range(n_inputs):
        if not frozen_inputs[input_rows[i]]:
            for j in range(0, n_columns, OUTPUT_BLOCK):
                _add_outputs(inputs, input_rows[i], errors, i, y, j, dim)
    for j in range(n_outputs):
        if frozen_outputs[output_rows[j]]:
            continue
        i = 0
        while i + 2 < n_inputs:
            _add_four_inputs(outputs, output_rows[j], errors, i, j, x, dim)
            i += 4
        if i < n_inputs:
            _add_inputs(outputs, output_rows[j], errors, i, j, x, dim)


@njit(**_OPTIONS)
def train_skipgram(
    tokens,
    document_offsets,
    inputs,
    outputs,
    frozen_inputs,
    frozen_outputs,
    keep,
    threshold,
    alias,
    table,
    window,
    negative,
    first_rate,
    last_rate,
    seed,
):
    """See `grassmeans.kernels.interface`."""
    dim = inputs.shape[1]
    n_columns = (negative + OUTPUT_BLOCK) // OUTPUT_BLOCK * OUTPUT_BLOCK
    n_rows = 2 * window + 4
    x = np.zeros((n_rows, dim), np.float32)
    y = np.zeros((n_columns, dim), np.float32)
    errors = np.zeros((n_rows, n_columns), np.float32)
    chosen_inputs = np.zeros(n_rows, np.int64)
    chosen_outputs = np.zeros(n_columns, np.int64)
    kept = np.empty(MAX_SEQUENCE, np.int32)
    state = np.empty(1, np.uint64)
    state[0] = seed | np.uint64(1)
    n_tokens = document_offsets[-1] - document_offsets[0]
    seen = 0
    centres = 0
    for document in range(document_offsets.shape[0] - 1):
        start = document_offsets[document]
        end = document_offsets[document + 1]
        while start < end:
            stop = min(end, start + MAX_SEQUENCE)
            n_kept = _subsample(tokens, start, stop, keep, state, kept)
            rate = np.float32(first_rate + (last_rate - first_rate) * (seen / n_tokens))
            for position in range(n_kept):
                shrink = np.int64((_next_random(state) >> np.uint64(33)) % np.uint64(window))
                reach = window - shrink
                m = 0
                for other in range(max(0, position - reach), min(n_kept, position + reach + 1)):
                    if other != position:
                        chosen_inputs[m] = kept[other]
                        m += 1
                if m == 0:
                    continue
                n_outputs = _draw_outputs(
                    kept[position], negative, threshold, alias, state, chosen_outputs
                )
                _update_window(
                    inputs,
                    outputs,
                    chosen_inputs,
                    m,
                    chosen_outputs,
                    n_outputs,
                    frozen_inputs,
                    frozen_outputs,
                    table,
                    rate,
                    x,
                    y,
                    errors,
                )
                centres += 1
            seen += stop - start
            start = stop
    return centres
