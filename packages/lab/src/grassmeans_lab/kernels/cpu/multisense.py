"""Multi-sense skip-gram: the training loop of MSSG, NP-MSSG and of Li and Jurafsky's method.

Every word has one global vector; a word has one or more sense vectors, each with the centre of the
contexts that were given to it. For one occurrence::

    context = mean of the global vectors of the window's words
    sense   = the one whose centre has the largest cosine with the context
    centre += context                                    a running sum: only its direction matters
    for each word c of the window and its negatives n, the sense vector and the global vectors
        follow the gradient of log sigmoid(sense . global_c) + sum_n log sigmoid(-sense . global_n)

The words of one side of the window share their negatives: most of the time goes into fetching rows
of global vectors, and this needs half as many.
A word opens its next sense where no centre is near enough, as long as it may have more. With an
unreachable nearness its first contexts open all of its senses, which is MSSG; otherwise it is
NP-MSSG (Neelakantan et al. 2014). Or else the sense is drawn by a Chinese restaurant process (Li
and Jurafsky 2015), with the probabilities::

    size of the sense * exp(sharpness * cosine with its centre)
    concentration     * exp(sharpness * cosine with the usual context)       for a new sense

where the usual context is a running mean over all words: what a sense is expected to be like of
which nothing is known. Threads share the matrices without locks, as in the skip-gram kernel.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from grassmeans.kernels.cpu.negative_sampling import (
    MAX_SEQUENCE,
    OPTIONS,
    OUTPUT_BLOCK,
    ZERO,
    add_outputs,
    copy_rows,
    cut_documents,
    draw_outputs,
    draw_uniform,
    subsample,
    take_window,
    turn_into_errors,
)

_FORGETTING = np.float32(1e-5)
"""How much of the usual context each context replaces: it follows vectors that are still moving."""


@njit(**OPTIONS)
def _dot_six(vector, y, j, dim, products):
    """products[0, j:j+6] = y[j:j+6] @ vector, six sums in registers."""
    a0 = a1 = a2 = a3 = a4 = a5 = ZERO
    for d in range(dim):
        value = vector[d]
        a0 += value * y[j, d]
        a1 += value * y[j + 1, d]
        a2 += value * y[j + 2, d]
        a3 += value * y[j + 3, d]
        a4 += value * y[j + 4, d]
        a5 += value * y[j + 5, d]
    products[0, j] = a0
    products[0, j + 1] = a1
    products[0, j + 2] = a2
    products[0, j + 3] = a3
    products[0, j + 4] = a4
    products[0, j + 5] = a5


@njit(**OPTIONS)
def _add_scaled(matrix, row, scale, vector, dim):
    """matrix[row] += scale * vector."""
    for d in range(dim):
        matrix[row, d] += scale * vector[d]


@njit(**OPTIONS)
def average_rows(matrix, rows, n_rows, mean):
    """Put the mean of ``matrix[rows[:n_rows]]`` into ``mean``."""
    dim = matrix.shape[1]
    share = np.float32(1.0 / n_rows)
    for d in range(dim):
        mean[d] = ZERO
    for i in range(n_rows):
        row = rows[i]
        for d in range(dim):
            mean[d] += matrix[row, d]
    for d in range(dim):
        mean[d] *= share


@njit(**OPTIONS)
def _measure_cosine(one, other):
    """The cosine of two vectors, 0 where one has length zero."""
    product = ZERO
    length = ZERO
    other_length = ZERO
    for d in range(one.shape[0]):
        product += one[d] * other[d]
        length += one[d] * one[d]
        other_length += other[d] * other[d]
    scale = np.sqrt(length * other_length)
    return product / scale if scale > ZERO else ZERO


@njit(**OPTIONS)
def find_nearest_centre(context, centres, first, n_centres):
    """The row of ``centres[first:first + n_centres]`` with the largest cosine, and the cosine.

    A centre or a context of length zero has the cosine 0; without centres the cosine is -2, below
    all others.
    """
    best = first
    best_cosine = np.float32(-2.0)
    for row in range(first, first + n_centres):
        cosine = _measure_cosine(context, centres[row])
        if cosine > best_cosine:
            best_cosine = cosine
            best = row
    return best, best_cosine


@njit(**OPTIONS)
def assign_sense(
    word, context, centres, sizes, first_row, n_open, usual_context, rule, weights, state
):
    """Choose the sense row of an occurrence, open a new one where needed, move its centre.

    Words that can have one sense only keep no centre. Threads that open a sense of the same word at
    the same time may open one for both, but never one too many: what is written to ``n_open`` is at
    most 1 above a number that was below the capacity.

    Parameters
    ----------
    weights : (most senses + 1,) float32
        A work array.
    """
    first = first_row[word]
    capacity = first_row[word + 1] - first
    if capacity == 1:
        n_open[word] = 1
        sizes[first] += 1
        return first
    opened = n_open[word]
    if opened > 0 and rule.concentration > ZERO:
        row = first + _draw_sense(
            context, centres, sizes, first, opened, capacity, usual_context, rule, weights, state
        )
    else:
        row, cosine = find_nearest_centre(context, centres, first, opened)
        if opened == 0 or (opened < capacity and cosine < rule.new_sense_below):
            row = first + opened
    if row == first + opened:
        n_open[word] = opened + 1
    for d in range(context.shape[0]):
        centres[row, d] += context[d]
    sizes[row] += 1
    return row


@njit(**OPTIONS)
def _draw_sense(
    context, centres, sizes, first, opened, capacity, usual_context, rule, weights, state
):
    """Draw one of the senses in use, or the next one, by a Chinese restaurant process."""
    n_choices = opened
    for sense in range(opened):
        cosine = _measure_cosine(context, centres[first + sense])
        size = np.float32(max(sizes[first + sense], 1))
        weights[sense] = np.log(size) + rule.sharpness * cosine
    if opened < capacity:
        cosine = _measure_cosine(context, usual_context)
        weights[opened] = np.log(rule.concentration) + rule.sharpness * cosine
        n_choices += 1
    largest = weights[0]
    for choice in range(1, n_choices):
        largest = max(largest, weights[choice])
    total = ZERO
    for choice in range(n_choices):
        weights[choice] = np.exp(weights[choice] - largest)
        total += weights[choice]
    left = draw_uniform(state) * total
    for choice in range(n_choices - 1):
        left -= weights[choice]
        if left < ZERO:
            return choice
    return n_choices - 1


@njit(**OPTIONS)
def follow_contexts(usual_context, context):
    """Move the usual context a little towards a context, both by their directions."""
    length = ZERO
    for d in range(context.shape[0]):
        length += context[d] * context[d]
    if length > ZERO:
        scale = _FORGETTING / np.sqrt(length)
        for d in range(context.shape[0]):
            usual_context[d] += scale * context[d] - _FORGETTING * usual_context[d]


@njit(**OPTIONS)
def update_side(
    global_vectors, senses, sense_row, rows, n_positive, n_rows, table, rate, y, errors
):
    """One gradient step of a sense vector with the words of one side of its window.

    Each of the words has the same negatives, so that an error with a negative counts as often as
    there are words.

    Parameters
    ----------
    rows : (n_columns,) int64
        Rows of ``global_vectors``: the ``n_positive`` words first, then negatives; ``n_rows`` of
        them count.
    y : (n_columns, dim) float32
        A work array; n_columns is a multiple of `OUTPUT_BLOCK`. Rows beyond ``n_rows`` must hold
        numbers, of any value.
    errors : (1, n_columns) float32
        A work array.
    """
    dim = senses.shape[1]
    vector = senses[sense_row]
    copy_rows(global_vectors, rows, n_rows, y, dim)
    for j in range(0, n_rows, OUTPUT_BLOCK):
        _dot_six(vector, y, j, dim, errors)
    turn_into_errors(errors, 1, n_rows, rate, table)
    for j in range(1, n_positive):  # only the first is taken for a positive there
        errors[0, j] += rate
    for j in range(n_positive, n_rows):
        errors[0, j] *= np.float32(n_positive)
    for j in range(n_rows):
        _add_scaled(global_vectors, rows[j], errors[0, j], vector, dim)
    for j in range(0, n_rows, OUTPUT_BLOCK):
        add_outputs(senses, sense_row, errors, 0, y, j, dim)


@njit(**OPTIONS)
def train_multisense(
    tokens,
    document_offsets,
    global_vectors,
    senses,
    centres,
    sizes,
    first_row,
    n_open,
    usual_context,
    rule,
    choosing,
    sampling,
    first_rate,
    last_rate,
    seed,
):
    """See `grassmeans_lab.kernels.interface`."""
    dim = senses.shape[1]
    window, table = sampling.window, sampling.sigmoid
    n_columns = (window + sampling.negative + OUTPUT_BLOCK - 1) // OUTPUT_BLOCK * OUTPUT_BLOCK
    y = np.zeros((n_columns, dim), np.float32)
    errors = np.zeros((1, n_columns), np.float32)
    context = np.zeros(dim, np.float32)
    neighbours = np.zeros(2 * window, np.int64)
    rows = np.zeros(n_columns, np.int64)
    weights = np.zeros(np.diff(first_row).max() + 1, np.float32)
    kept = np.empty(MAX_SEQUENCE, np.int32)
    state = np.empty(1, np.uint64)
    state[0] = seed | np.uint64(1)
    n_tokens = document_offsets[-1] - document_offsets[0]
    centre_words = 0
    offsets = cut_documents(document_offsets)
    for stretch in range(offsets.shape[0] - 1):
        part = tokens[offsets[stretch] : offsets[stretch + 1]]
        n_kept = subsample(part, sampling.keep, state, kept)
        share = (offsets[stretch] - offsets[0]) / n_tokens
        rate = np.float32(first_rate + (last_rate - first_rate) * share)
        for position in range(n_kept):
            left, m = take_window(kept, n_kept, position, window, state, neighbours)
            if m == 0:
                continue
            word = kept[position]
            row = first_row[word]
            if choosing:
                average_rows(global_vectors, neighbours, m, context)
                if rule.concentration > ZERO:
                    follow_contexts(usual_context, context)
                row = assign_sense(
                    word,
                    context,
                    centres,
                    sizes,
                    first_row,
                    n_open,
                    usual_context,
                    rule,
                    weights,
                    state,
                )
            for side in range(2):
                n_positive = left if side == 0 else m - left
                if n_positive == 0:
                    continue
                for i in range(n_positive):
                    rows[i] = neighbours[i + side * left]
                # The drawing puts a word first, then negatives other than that word.
                last = n_positive - 1
                n_rows = last + draw_outputs(rows[last], sampling, state, rows[last:])
                update_side(
                    global_vectors, senses, row, rows, n_positive, n_rows, table, rate, y, errors
                )
            centre_words += 1
    return centre_words
