"""Which sense each word of a text has, where senses that are known already are part of the context.

Words are decided one after the other, from left to right or those with few senses first. A word
whose best sense is clearly the best stands for that sense from then on, in the contexts of those
that follow (Chen et al. 2014).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from grassmeans.arrays import Floats, Indices, Integers
from grassmeans.kernels.cpu.products import FAST_SUMS
from grassmeans.kernels.cpu.threads import as_read_only

_ZERO = np.float32(0.0)


def disambiguate_words(
    tokens: Integers,
    document_offsets: Indices,
    row_of_token: Integers,
    word_of_token: Integers,
    vectors: Floats,
    directions: Floats,
    sense_offsets: Indices,
    window: int,
    margin: float,
    simple_first: bool,
) -> tuple[Integers, Floats]:
    """See `grassmeans_lab.kernels.interface`."""
    text = as_read_only(tokens, np.int32)
    words = np.asarray(word_of_token)[text]
    rows = np.where(text >= 0, np.asarray(row_of_token)[text], -1)
    positions = np.flatnonzero(words >= 0).astype(np.int32)
    n_senses = int(np.diff(sense_offsets).max(initial=1))
    distances = np.full((len(positions), n_senses), np.nan, np.float32)
    _disambiguate(
        rows.astype(np.int32),
        words.astype(np.int32),
        as_read_only(document_offsets, np.int64),
        as_read_only(vectors, np.float32),
        as_read_only(directions, np.float32),
        as_read_only(sense_offsets, np.int64),
        window,
        np.float32(margin),
        simple_first,
        distances,
    )
    return positions, distances


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST_SUMS)
def _disambiguate(
    rows,
    words,
    document_offsets,
    vectors,
    directions,
    sense_offsets,
    window,
    margin,
    simple_first,
    distances,
):
    longest = np.diff(document_offsets).max()
    # Of the words of a document that contexts keep, or that have senses: row of the vector, number
    # of the word, row of `distances`, and the direction that the word stands for by now.
    kept_row = np.empty(longest, np.int32)
    kept_word = np.empty(longest, np.int32)
    place = np.empty(longest, np.int64)
    chosen = np.empty(longest, np.int64)
    context = np.empty(vectors.shape[1], np.float32)
    most = distances.shape[1] if simple_first else 1
    n_before = 0
    for document in range(document_offsets.shape[0] - 1):
        n_kept = 0
        for position in range(document_offsets[document], document_offsets[document + 1]):
            if rows[position] < 0 and words[position] < 0:
                continue
            kept_row[n_kept] = rows[position]
            kept_word[n_kept] = words[position]
            chosen[n_kept] = -1
            if words[position] >= 0:
                place[n_kept] = n_before
                n_before += 1
            n_kept += 1
        for number in range(1, most + 1):
            for i in range(n_kept):
                word = kept_word[i]
                if word < 0:
                    continue
                first = sense_offsets[word]
                last = sense_offsets[word + 1]
                if simple_first and last - first != number:
                    continue
                if _sum_context(i, n_kept, kept_row, chosen, vectors, directions, window, context):
                    chosen[i] = _choose(
                        context, directions, first, last, margin, distances[place[i]]
                    )


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST_SUMS)
def _sum_context(i, n_kept, kept_row, chosen, vectors, directions, window, context):
    """Put the direction of the words around into ``context``; False where there is none."""
    dim = context.shape[0]
    for d in range(dim):
        context[d] = _ZERO
    for other in range(max(i - window, 0), min(i + window + 1, n_kept)):
        if other == i:
            continue
        if chosen[other] >= 0:
            for d in range(dim):
                context[d] += directions[chosen[other], d]
        elif kept_row[other] >= 0:
            for d in range(dim):
                context[d] += vectors[kept_row[other], d]
    total = _ZERO
    for d in range(dim):
        total += context[d] * context[d]
    if not total > _ZERO:
        return False
    scale = np.float32(1.0) / np.sqrt(total)
    for d in range(dim):
        context[d] *= scale
    return True


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST_SUMS)
def _choose(context, directions, first, last, margin, distances):
    """The best direction where it is better than all others by the margin, else -1."""
    best = np.float32(-2.0)
    second = np.float32(-2.0)
    winner = first
    for row in range(first, last):
        cosine = _ZERO
        for d in range(context.shape[0]):
            cosine += context[d] * directions[row, d]
        distances[row - first] = min(max(np.float32(0.5) * (1 - cosine), _ZERO), np.float32(1.0))
        if cosine > best:
            second = best
            best = cosine
            winner = row
        elif cosine > second:
            second = cosine
    return winner if best - second > margin else -1
