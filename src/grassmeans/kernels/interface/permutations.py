"""Tests by permutation."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from grassmeans.arrays import Indices, Integers


class Permuted(NamedTuple):
    """How chance divisions compare with the real one, word by word.

    Attributes
    ----------
    n_as_large : (n_words,) int64
        Of those that were tried, how many differ at least as much as the real one.
    n_done : (n_words,) int64
        How many were tried.
    """

    n_as_large: Indices
    n_done: Indices


class PermutationKernels(Protocol):
    """Whether two groups of documents differ by more than chance."""

    def permute_groups(
        self,
        word_offsets: Indices,
        document_offsets: Indices,
        senses: Integers,
        counts: Integers,
        groups: Integers,
        n_senses: int,
        n_permutations: int,
        stop_after: int,
        random_state: int,
    ) -> Permuted:
        """Divide the documents of each word by chance, into groups as large as the real ones.

        What is compared is the mutual information of group and sense over the occurrences. Each
        word has random numbers of its own: the result does not depend on the number of threads.

        Parameters
        ----------
        word_offsets : (n_words + 1,) int64
            Which of the (word, document) pairs are a word's.
        document_offsets : (n_pairs + 1,) int64
            Which of the entries are a pair's.
        senses, counts : (n_entries,) int32
            A sense from 0, and how often the word has it in the document.
        groups : (n_pairs,) int32
            0 or 1.
        n_senses : int
            More than the largest sense.
        n_permutations, stop_after : int
            So many divisions are tried, fewer where so many of them differ as much.
        """
        ...
