"""Passes over running text: windows, contexts, phrases."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Indices, Integers

NOT_KEPT = 2**30
"""The place of a target in its window where it is not in it; beyond every window."""


class Windows(NamedTuple):
    """The windows of kept words around occurrences of target words.

    Attributes
    ----------
    kept_rows : (n_kept,) int32
        Rows of the vectors for the text's kept words, in order.
    words : (n_occurrences,) int32
        Which target each one is.
    firsts, ends : (n_occurrences,) int32
        The window: ``kept_rows[first:end]``, inside the document.
    centres : (n_occurrences,) int32
        Index of the occurrence itself inside its window, which is no part of the context;
        `NOT_KEPT` where the target is not a kept word.
    """

    kept_rows: Integers
    words: Integers
    firsts: Integers
    ends: Integers
    centres: Integers

    def context_sizes(self, part: slice) -> Integers:
        """How many words the contexts of some occurrences have."""
        is_kept = self.centres[part] != NOT_KEPT
        return (self.ends[part] - self.firsts[part] - is_kept).astype(np.int32)


class TextKernels(Protocol):
    """Passes over running text: token ids in, contexts and counts out."""

    def gather_contexts(
        self,
        tokens: Integers,
        document_offsets: Indices,
        row_of_token: Integers,
        positions: Indices,
        window: int,
        drop_repeats: bool = False,
    ) -> Integers:
        """The nearest kept words on both sides of each occurrence, inside its document.

        Parameters
        ----------
        tokens : (n_tokens,) int32
        document_offsets : (n_documents + 1,) int64
            Where each document begins, and the end.
        row_of_token : (n_types,) int32
            Row of each token id in the vectors; -1 for words that are dropped.
        positions : (n_contexts,) int64
            Where in ``tokens`` each occurrence stands.
        window : int
            Kept words a side.
        drop_repeats : bool
            Leave out other occurrences of the token that stands at the position, too.

        Returns
        -------
        context_ids : (n_contexts, 2 * window) int32
            Rows of the vectors in text order, -1 where there is no word; the nearest ones stand on
            both sides of the middle.
        """
        ...

    def find_windows(
        self,
        tokens: Integers,
        document_offsets: Indices,
        row_of_token: Integers,
        positions: Indices,
        words: Integers,
        window: int,
    ) -> Windows:
        """Find the window of each occurrence.

        Parameters
        ----------
        tokens, document_offsets, row_of_token, positions, window
            As in `gather_contexts`; positions in text order.
        words : (n_occurrences,) integers
            Which target each one is.
        """
        ...


class PhraseTrie(NamedTuple):
    """Sequences of words as a tree, each path from its root a phrase.

    Attributes
    ----------
    n_words : int
        Words are numbers below it.
    edges : (n_edges,) int64
        ``state * n_words + word``, rising; the root is state 0.
    states : (n_edges,) int32
        The state that each edge leads to.
    ends : (n_states,) int32
        Number of the phrase that ends in a state, -1 for none.
    """

    n_words: int
    edges: Indices
    states: Integers
    ends: Integers


class PhraseKernels(Protocol):
    """Words of running text that are phrases together."""

    def join_phrases(
        self, words: Integers, follows: NDArray[np.bool_], trie: PhraseTrie
    ) -> tuple[Integers, Integers]:
        """Find the longest phrase at every word, from left to right.

        Parameters
        ----------
        words : (n_tokens,) int32
            Each token's number in the trie, -1 where no phrase has it.
        follows : (n_tokens,) bool
            Whether a phrase may go on from the token before.

        Returns
        -------
        lengths : (n_tokens,) int32
            Tokens of the phrase that begins here, 1 for a token alone, 0 inside of a phrase.
        phrases : (n_tokens,) int32
            Number of the phrase that begins here, -1 where there is none.
        """
        ...
