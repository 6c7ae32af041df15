"""The words around occurrences, in passes over running text: ids in, ids out.

Windows of neighbouring occurrences overlap. Each is a stretch of the text's kept words, so
`find_windows` stores a word that is in many windows once.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from grassmeans.kernels.cpu.products import as_read_only
from grassmeans.kernels.interface import NOT_KEPT, Indices, Integers, Windows

_NO_TOKEN = -2


def gather_contexts(
    tokens: Integers,
    document_offsets: Indices,
    row_of_token: Integers,
    positions: Indices,
    window: int,
    drop_repeats: bool = False,
) -> Integers:
    """See `grassmeans.kernels.interface`."""
    document = np.searchsorted(document_offsets, positions, side="right") - 1
    context_ids = np.full((len(positions), 2 * window), -1, np.int32)
    _gather(
        as_read_only(tokens, np.int32),
        as_read_only(row_of_token, np.int32),
        as_read_only(positions, np.int64),
        as_read_only(document_offsets[document], np.int64),
        as_read_only(document_offsets[document + 1], np.int64),
        window,
        drop_repeats,
        context_ids,
    )
    return context_ids


@njit(cache=True, nogil=True)
def _gather(tokens, row_of_token, positions, starts, ends, window, drop_repeats, context_ids):
    """Walk away from each occurrence, to the left and to the right, until a side is full."""
    n_types = row_of_token.shape[0]
    for i in range(positions.shape[0]):
        left_out = tokens[positions[i]] if drop_repeats else _NO_TOKEN
        column = window - 1
        t = positions[i] - 1
        while t >= starts[i] and column >= 0:
            token = tokens[t]
            if 0 <= token < n_types and token != left_out and row_of_token[token] >= 0:
                context_ids[i, column] = row_of_token[token]
                column -= 1
            t -= 1
        column = window
        t = positions[i] + 1
        while t < ends[i] and column < 2 * window:
            token = tokens[t]
            if 0 <= token < n_types and token != left_out and row_of_token[token] >= 0:
                context_ids[i, column] = row_of_token[token]
                column += 1
            t += 1


def find_windows(
    tokens: Integers,
    document_offsets: Indices,
    row_of_token: Integers,
    positions: Indices,
    words: Integers,
    window: int,
) -> Windows:
    """See `grassmeans.kernels.interface`."""
    return _find_windows(
        as_read_only(tokens, np.int32),
        as_read_only(document_offsets, np.int64),
        as_read_only(row_of_token, np.int32),
        as_read_only(positions, np.int64),
        as_read_only(words, np.int32),
        window,
    )


@njit(cache=True, nogil=True)
def _find_windows(tokens, document_offsets, row_of_token, positions, words, window):
    """One pass over the text; positions come in its order."""
    n_kept = 0
    n_found = positions.shape[0]
    for token in tokens:
        if token >= 0:
            n_kept += row_of_token[token] >= 0
    kept_rows = np.empty(n_kept, np.int32)
    firsts = np.empty(n_found, np.int32)
    ends = np.empty(n_found, np.int32)
    centres = np.empty(n_found, np.int32)
    kept = 0
    found = 0
    for document in range(document_offsets.shape[0] - 1):
        document_kept, document_found = kept, found
        for position in range(document_offsets[document], document_offsets[document + 1]):
            token = tokens[position]
            is_kept = token >= 0 and row_of_token[token] >= 0
            if found < n_found and positions[found] == position:
                first = max(document_kept, kept - window)
                firsts[found] = first
                ends[found] = kept + is_kept + window
                centres[found] = kept - first if is_kept else NOT_KEPT
                found += 1
            if is_kept:
                kept_rows[kept] = row_of_token[token]
                kept += 1
        for i in range(document_found, found):
            ends[i] = min(ends[i], kept)
    return Windows(kept_rows, words, firsts, ends, centres)
