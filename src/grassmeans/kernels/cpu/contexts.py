"""The words around occurrences: ids in, ids out."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def gather_contexts(tokens, row_of_token, positions, starts, ends, window, left_out, context_rows):
    """Fill ``context_rows`` with the nearest kept words on both sides of each occurrence.

    Parameters
    ----------
    tokens : (n_tokens,) int32
    row_of_token : (n_types,) int32
        Row of each token id in the vectors; -1 for words that are dropped.
    positions, starts, ends : (n_contexts,) int64
        Each occurrence, and the bounds of its document.
    window : int
        Kept words a side.
    left_out : int
        A token id that never counts as a context word (the target, where its repeats are removed);
        -2 for none.
    context_rows : (n_contexts, 2 * window) int32, filled with -1
        Words in text order; the nearest ones stand on both sides of the middle.
    """
    n_types = row_of_token.shape[0]
    for i in range(positions.shape[0]):
        column = window - 1
        t = positions[i] - 1
        while t >= starts[i] and column >= 0:
            token = tokens[t]
            if 0 <= token < n_types and token != left_out and row_of_token[token] >= 0:
                context_rows[i, column] = row_of_token[token]
                column -= 1
            t -= 1
        column = window
        t = positions[i] + 1
        while t < ends[i] and column < 2 * window:
            token = tokens[t]
            if 0 <= token < n_types and token != left_out and row_of_token[token] >= 0:
                context_rows[i, column] = row_of_token[token]
                column += 1
            t += 1


def empty_contexts(n_contexts: int, window: int) -> np.ndarray:
    """(n_contexts, 2 * window) int32 of -1."""
    return np.full((n_contexts, 2 * window), -1, np.int32)
