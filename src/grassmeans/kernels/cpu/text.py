"""Passes over running text, ids in and ids out: the words around occurrences, and phrases.

Windows of neighbouring occurrences overlap. Each is a stretch of the text's kept words, so
`find_windows` stores a word that is in many windows once.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from grassmeans.arrays import Booleans, Indices, Integers
from grassmeans.kernels import plain
from grassmeans.kernels.arguments import NOT_KEPT, PhraseTrie, RunningText, Windows
from grassmeans.kernels.cpu.threads import as_read_only, hold_arrays

_NO_TOKEN = -2
_TEXT = (np.int32, np.int64, np.int32)


def gather_contexts(
    text: RunningText, positions: Indices, window: int, drop_repeats: bool = False
) -> Integers:
    """See `grassmeans.kernels.interface`."""
    documents = np.searchsorted(text.document_offsets, positions, side="right") - 1
    context_ids = np.full((len(positions), 2 * window), -1, np.int32)
    places = as_read_only(positions, np.int64), as_read_only(documents, np.int64)
    _gather(hold_arrays(text, *_TEXT), places, drop_repeats, context_ids)
    return context_ids


@njit(cache=True, nogil=True)
def _gather(text, places, drop_repeats, context_ids):
    """Walk away from each occurrence, to the left and to the right, until a side is full."""
    tokens, document_offsets, row_of_token = text
    positions, documents = places
    n_types, width = row_of_token.shape[0], context_ids.shape[1]
    for i in range(positions.shape[0]):
        start, end = document_offsets[documents[i]], document_offsets[documents[i] + 1]
        left_out = tokens[positions[i]] if drop_repeats else _NO_TOKEN
        for step in (-1, 1):
            column = width // 2 - (step < 0)
            t = positions[i] + step
            while start <= t < end and 0 <= column < width:
                token = tokens[t]
                if 0 <= token < n_types and token != left_out and row_of_token[token] >= 0:
                    context_ids[i, column] = row_of_token[token]
                    column += step
                t += step


def find_windows(text: RunningText, positions: Indices, words: Integers, window: int) -> Windows:
    """See `grassmeans.kernels.interface`."""
    given = as_read_only(positions, np.int64), as_read_only(words, np.int32)
    return _find_windows(hold_arrays(text, *_TEXT), *given, window)


@njit(cache=True, nogil=True)
def _find_windows(text, positions, words, window):
    """One pass over the text; positions come in its order."""
    tokens, document_offsets, row_of_token = text
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


_join_phrases = njit(cache=True, nogil=True)(plain.join_phrases)


def join_phrases(words: Integers, follows: Booleans, trie: PhraseTrie) -> tuple[Integers, Integers]:
    """See `grassmeans.kernels.interface`."""
    held = hold_arrays(trie, None, np.int64, np.int32, np.int32)
    return _join_phrases(as_read_only(words, np.int32), as_read_only(follows, np.bool_), held)
