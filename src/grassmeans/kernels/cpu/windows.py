"""Occurrences of target words in a running text, and the windows of kept words around them.

Windows of neighbouring occurrences overlap. Each is a stretch of the text's kept words, so a word
that is in many windows is stored once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grassmeans.kernels.cpu.products import TILE

Integers = NDArray[np.int32]
Indices = NDArray[np.int64]

NOT_KEPT = 2**30
"""The place of a target in its window where it is not in it; beyond every window."""


class Occurrences(NamedTuple):
    """Occurrences of target words, and the windows of kept words around them.

    Attributes
    ----------
    kept_rows : (n_kept,) int32
        Rows of the vectors for the text's kept words, in order.
    positions : (n_occurrences,) int32
        Where the targets stand among the tokens.
    words : (n_occurrences,) int32
        Which target each one is.
    firsts, ends : (n_occurrences,) int32
        The window: ``kept_rows[first:end]``, inside the document.
    centres : (n_occurrences,) int32
        Index of the occurrence itself inside its window, which is no part of the context; a number
        beyond every window where the target is not a kept word.
    """

    kept_rows: Integers
    positions: Integers
    words: Integers
    firsts: Integers
    ends: Integers
    centres: Integers

    def context_sizes(self, part: slice) -> Integers:
        """How many words the contexts of some occurrences have."""
        is_kept = self.centres[part] != NOT_KEPT
        return (self.ends[part] - self.firsts[part] - is_kept).astype(np.int32)


def find_occurrences(
    tokens: Integers,
    document_offsets: Indices,
    row_of_token: Integers,
    word_of_token: Integers,
    window: int,
) -> Occurrences:
    """Find the targets of a shard and the window of each.

    Parameters
    ----------
    tokens : (n_tokens,) int32
    document_offsets : (n_documents + 1,) int64
    row_of_token : (n_types,) int32
        Row of each token id in the vectors; -1 for words that contexts leave out.
    word_of_token : (n_types,) int32
        Number of the target word that a token id is; -1 for the others.
    window : int
        Kept words a side.
    """
    return _find_windows(
        as_read_only(tokens, np.int32),
        as_read_only(document_offsets, np.int64),
        as_read_only(row_of_token, np.int32),
        as_read_only(word_of_token, np.int32),
        window,
    )


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _find_windows(
    tokens: Integers,
    document_offsets: Indices,
    row_of_token: Integers,
    word_of_token: Integers,
    window: int,
) -> Occurrences:
    n_kept = 0
    n_found = 0
    for token in tokens:
        if token >= 0:
            n_kept += row_of_token[token] >= 0
            n_found += word_of_token[token] >= 0
    kept_rows = np.empty(n_kept, np.int32)
    positions = np.empty(n_found, np.int32)
    words = np.empty(n_found, np.int32)
    firsts = np.empty(n_found, np.int32)
    ends = np.empty(n_found, np.int32)
    centres = np.empty(n_found, np.int32)
    kept = 0
    found = 0
    for document in range(document_offsets.shape[0] - 1):
        document_kept, document_found = kept, found
        for position in range(document_offsets[document], document_offsets[document + 1]):
            token = tokens[position]
            if token < 0:
                continue
            is_kept = row_of_token[token] >= 0
            if word_of_token[token] >= 0:
                first = max(document_kept, kept - window)
                positions[found] = position
                words[found] = word_of_token[token]
                firsts[found] = first
                ends[found] = kept + is_kept + window
                centres[found] = kept - first if is_kept else NOT_KEPT
                found += 1
            if is_kept:
                kept_rows[kept] = row_of_token[token]
                kept += 1
        for i in range(document_found, found):
            ends[i] = min(ends[i], kept)
    return Occurrences(kept_rows, positions, words, firsts, ends, centres)


@njit(cache=True)  # type: ignore[untyped-decorator]
def lay_out(
    kept_rows: Integers, firsts: Integers, ends: Integers, slots: Indices, reach: Indices
) -> tuple[Indices, int]:
    """Put the words of a block's windows into slots, each word once.

    Windows come in text order and overlap, so every window is a stretch of slots. ``reach`` tells
    for each slot where the last window that holds it ends: so far its products are needed.

    Returns
    -------
    first_slots : (n_occurrences,) int64
    n_slots : int
    """
    n_slots = 0
    taken = 0  # kept words before this one have their slot
    first_slots = np.empty(firsts.shape[0], np.int64)
    for i in range(firsts.shape[0]):
        for kept in range(max(firsts[i], taken), ends[i]):
            slots[n_slots] = kept_rows[kept]
            n_slots += 1
        taken = max(taken, ends[i])
        first_slots[i] = n_slots - (ends[i] - firsts[i])
        for slot in range(first_slots[i], n_slots):
            reach[slot] = n_slots
    for slot in range(n_slots, n_slots + TILE):
        slots[slot] = slots[n_slots - 1] if n_slots else 0
        reach[slot] = n_slots
    return first_slots, n_slots


def as_read_only(array: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """A view that Numba types the same whether the array is a read-only map or in memory."""
    view = np.ascontiguousarray(array, dtype=dtype).view(np.ndarray)
    view.flags.writeable = False
    return view
