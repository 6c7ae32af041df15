"""Phrases in running text: one walk over the tokens, down a tree of phrases from each of them."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grassmeans.kernels.cpu.products import as_read_only
from grassmeans.kernels.interface import Integers, PhraseTrie


def join_phrases(
    words: Integers, follows: NDArray[np.bool_], trie: PhraseTrie
) -> tuple[Integers, Integers]:
    """See `grassmeans.kernels.interface`."""
    lengths = np.ones(len(words), np.int32)
    phrases = np.full(len(words), -1, np.int32)
    _join(
        as_read_only(words, np.int32),
        as_read_only(follows, np.bool_),
        trie.n_words,
        as_read_only(trie.edges, np.int64),
        as_read_only(trie.states, np.int32),
        as_read_only(trie.ends, np.int32),
        lengths,
        phrases,
    )
    return lengths, phrases


@njit(cache=True, nogil=True)
def _join(words, follows, n_words, edges, states, ends, lengths, phrases):
    i = 0
    while i < words.shape[0]:
        state, t, end = 0, i, i + 1
        while t < words.shape[0] and words[t] >= 0 and (t == i or follows[t]):
            edge = np.int64(state) * n_words + words[t]
            place = np.searchsorted(edges, edge)
            if place == edges.shape[0] or edges[place] != edge:
                break
            state = states[place]
            t += 1
            if ends[state] >= 0:
                end = t
                phrases[i] = ends[state]
        lengths[i] = end - i
        lengths[i + 1 : end] = 0
        i = end
