"""Multi-sense skip-gram (Neelakantan et al. 2014): the training loop of MSSG and NP-MSSG.

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
NP-MSSG. Threads share the matrices without locks, as in the skip-gram kernel.
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
    subsample,
    take_window,
    turn_into_errors,
)


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
def find_nearest_centre(context, centres, first, n_centres):
    """The row of ``centres[first:first + n_centres]`` with the largest cosine, and the cosine.

    A centre or a context of length zero has the cosine 0; without centres the cosine is -2, below
    all others.
    """
    dim = context.shape[0]
    length = ZERO
    for d in range(dim):
        length += context[d] * context[d]
    best = first
    best_cosine = np.float32(-2.0)
    for row in range(first, first + n_centres):
        product = ZERO
        size = ZERO
        for d in range(dim):
            value = centres[row, d]
            product += value * context[d]
            size += value * value
        scale = np.sqrt(size * length)
        cosine = product / scale if scale > ZERO else ZERO
        if cosine > best_cosine:
            best_cosine = cosine
            best = row
    return best, best_cosine


@njit(**OPTIONS)
def assign_sense(word, context, centres, sizes, first_row, n_open, new_sense_below):
    """Choose the sense row of an occurrence, open a new one where needed, move its centre.

    Words that can have one sense only keep no centre. Threads that open a sense of the same word at
    the same time may open one for both, but never one too many: what is written to ``n_open`` is at
    most 1 above a number that was below the capacity.
    """
    first = first_row[word]
    capacity = first_row[word + 1] - first
    if capacity == 1:
        n_open[word] = 1
        sizes[first] += 1
        return first
    opened = n_open[word]
    row, cosine = find_nearest_centre(context, centres, first, opened)
    if opened == 0 or (opened < capacity and cosine < new_sense_below):
        row = first + opened
        n_open[word] = opened + 1
    for d in range(context.shape[0]):
        centres[row, d] += context[d]
    sizes[row] += 1
    return row


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
    new_sense_below,
    choosing,
    sampling,
    first_rate,
    last_rate,
    seed,
):
    """See `grassmeans.laboratory.kernels.interface`."""
    dim = senses.shape[1]
    window, table = sampling.window, sampling.sigmoid
    n_columns = (window + sampling.negative + OUTPUT_BLOCK - 1) // OUTPUT_BLOCK * OUTPUT_BLOCK
    y = np.zeros((n_columns, dim), np.float32)
    errors = np.zeros((1, n_columns), np.float32)
    context = np.zeros(dim, np.float32)
    neighbours = np.zeros(2 * window, np.int64)
    rows = np.zeros(n_columns, np.int64)
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
                row = assign_sense(
                    word, context, centres, sizes, first_row, n_open, new_sense_below
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
