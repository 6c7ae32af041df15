"""What every skip-gram with negative sampling is made of: draws, windows, errors.

Words go through these steps as in word2vec (Mikolov et al. 2013): a document is thinned out, each
word that stays gets a window of random reach, and negatives are drawn from the unigram^0.75.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from grassmeans.arrays import Doubles, Floats, Integers
from grassmeans.kernels.arguments import Sampling

OUTPUT_BLOCK = 6
"""Outputs whose products are worked out together: a positive and word2vec's five negatives."""

MAX_SEQUENCE = 10_000
"""Longer documents are trained in stretches of this many tokens."""

ZERO = np.float32(0.0)
OPTIONS = {"nogil": True, "fastmath": True, "cache": True, "error_model": "numpy"}

_ONE = np.float32(1.0)
_SIGMOID_REACH = 6.0
_SIGMOID_STEPS = 1024
_SIGMOID_SCALE = np.float32(_SIGMOID_STEPS / (2 * _SIGMOID_REACH))


def prepare_sampling(keep: Floats, weights: Doubles, window: int, negative: int) -> Sampling:
    """See `grassmeans.kernels.interface`."""
    threshold, alias = alias_table(weights)
    return Sampling(keep, threshold, alias, sigmoid_table(), window, negative)


def sigmoid_table() -> Floats:
    """The table of `Sampling`."""
    x = (np.arange(_SIGMOID_STEPS + 1) + 0.5) / _SIGMOID_STEPS * 2 * _SIGMOID_REACH - _SIGMOID_REACH
    return (1.0 / (1.0 + np.exp(-x))).astype(np.float32)


@njit(cache=True)
def alias_table(weights: Doubles) -> tuple[Floats, Integers]:
    """Threshold and alias of `Sampling`: a draw costs two look-ups whatever the vocabulary's size.

    The alias method (Walker 1977) with the linear-time construction of Vose (1991): n columns of
    area 1, each filled by the weight of its own word up to the threshold and by one other above.
    The weights left over always sum to the number of columns left; those that rounding leaves to
    the end keep the threshold 1.
    """
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
    """One step of xorshift64* (Vigna 2016); the state is never 0, the high bits are the best."""
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


@njit(**OPTIONS)
def draw_uniform(state):
    """A random number in [0, 1)."""
    return _uniform(_next_random(state))


@njit(**OPTIONS)
def subsample(tokens, keep, state, kept):
    """The tokens that stay: known words, frequent ones thinned out; returns how many."""
    n_words = keep.shape[0]
    count = 0
    for word in tokens:
        if word < 0 or word >= n_words:
            continue
        if keep[word] < _ONE and _uniform(_next_random(state)) >= keep[word]:
            continue
        kept[count] = word
        count += 1
    return count


@njit(**OPTIONS)
def cut_documents(document_offsets):
    """Offsets of the stretches that are trained as one text: documents, long ones in parts."""
    n_stretches = 0
    for document in range(document_offsets.shape[0] - 1):
        size = document_offsets[document + 1] - document_offsets[document]
        n_stretches += (size + MAX_SEQUENCE - 1) // MAX_SEQUENCE
    offsets = np.empty(n_stretches + 1, np.int64)
    offsets[0] = document_offsets[0]
    stretch = 0
    for document in range(document_offsets.shape[0] - 1):
        end = document_offsets[document + 1]
        while offsets[stretch] < end:
            offsets[stretch + 1] = min(end, offsets[stretch] + MAX_SEQUENCE)
            stretch += 1
    return offsets


@njit(**OPTIONS)
def take_window(kept, n_kept, position, window, state, neighbours):
    """Draw the reach of a window, 1 to ``window``, and put its words into ``neighbours``.

    Returns how many stand on the left, and how many there are.
    """
    shrink = np.int64((_next_random(state) >> np.uint64(33)) % np.uint64(window))
    reach = window - shrink
    left = min(reach, position)
    count = 0
    for other in range(position - left, min(n_kept, position + reach + 1)):
        if other != position:
            neighbours[count] = kept[other]
            count += 1
    return left, count


@njit(**OPTIONS)
def draw_outputs(centre, sampling, state, outputs):
    """The centre, then its negatives (those equal to the centre left out); returns how many.

    The column is drawn by the low 32 bits of a number (times n_words, the high half of that), the
    choice inside it by the top 24: independent, as no bit is used twice.
    """
    n_words = sampling.threshold.shape[0]
    outputs[0] = centre
    count = 1
    for _ in range(sampling.negative):
        bits = _next_random(state)
        word = np.int64((bits & np.uint64(0xFFFFFFFF)) * np.uint64(n_words) >> np.uint64(32))
        if _uniform(bits) >= sampling.threshold[word]:
            word = np.int64(sampling.alias[word])
        if word != centre:
            outputs[count] = word
            count += 1
    return count


@njit(**OPTIONS)
def turn_into_errors(products, n_inputs, n_outputs, rate, table):
    """Replace x.y by (label - sigmoid(x.y)) * rate; what lies beyond the real pairs becomes 0."""
    for i in range(products.shape[0]):
        for j in range(products.shape[1]):
            if i >= n_inputs or j >= n_outputs:
                products[i, j] = ZERO
                continue
            x = products[i, j]
            if x >= np.float32(_SIGMOID_REACH):
                probability = _ONE
            elif x <= np.float32(-_SIGMOID_REACH):
                probability = ZERO
            else:
                probability = table[np.int64((x + np.float32(_SIGMOID_REACH)) * _SIGMOID_SCALE)]
            products[i, j] = ((_ONE if j == 0 else ZERO) - probability) * rate


@njit(**OPTIONS)
def copy_rows(matrix, rows, n_rows, buffer, dim):
    """buffer[:n_rows] = matrix[rows[:n_rows]]."""
    for i in range(n_rows):
        row = rows[i]
        for d in range(dim):
            buffer[i, d] = matrix[row, d]


@njit(**OPTIONS)
def add_outputs(matrix, row, errors, i, y, j, dim):
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
