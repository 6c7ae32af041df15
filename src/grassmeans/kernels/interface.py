"""What every device offers: the functions, one group an idea, and what goes between them.

This module is the contract and the reference of the kernels; it needs NumPy only. All functions
take and give NumPy arrays (C order, of the types named here; read-only memory maps are fine), so
those of different devices can be mixed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Halves = NDArray[np.float16]
Doubles = NDArray[np.float64]
Integers = NDArray[np.int32]
Indices = NDArray[np.int64]

NOT_KEPT = 2**30
"""The place of a target in its window where it is not in it; beyond every window."""

OCCURRENCE_BLOCK = 512
"""`measure_windows` gives the same for every cut of the occurrences at multiples of this."""


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


class SenseTable(NamedTuple):
    """What distances are measured with.

    Attributes
    ----------
    vectors : (n_words, dim) float32
    directions : (n_directions, dim) float32
        Unit vectors, the senses of one target word after the other.
    sense_offsets : (n_targets + 1,) int64
        Where each target's directions begin, and the end.
    rank : int
        Dimension of a context's subspace.
    singular : bool
        Whether a subspace's direction n weighs lambda_n / lambda_1 instead of 1.
    tolerance : float
        Share of lambda_1 from which on an eigenvalue counts as zero.
    fewest : int
        Contexts with fewer words are left out.
    """

    vectors: Floats
    directions: Floats
    sense_offsets: Indices
    rank: int
    singular: bool
    tolerance: float
    fewest: int


class Sampling(NamedTuple):
    """How skip-gram draws its words.

    Attributes
    ----------
    keep : (n_words,) float32
        Probability that an occurrence survives subsampling.
    threshold, alias : (n_words,) float32 and int32
        What draws of negatives need.
    sigmoid : (1025,) float32
        At the middle of 1,024 steps over [-6, 6], as word2vec tabulates it.
    window, negative : int
        The widest window, words a side; negatives a window.
    """

    keep: Floats
    threshold: Floats
    alias: Integers
    sigmoid: Floats
    window: int
    negative: int


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


def negligible_share(width: int, dim: int) -> float:
    """Share of a context's largest squared singular value at which another one counts as zero.

    The rule of `numpy.linalg.matrix_rank` for a matrix (width, dim) in single precision, squared.
    """
    return (max(width, dim) * float(np.finfo(np.float32).eps)) ** 2


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


class SubspaceKernels(Protocol):
    """Contexts as subspaces, and the products that K-Grassmeans is made of."""

    def solve_subspaces(
        self, context_ids: Integers, vectors: Floats, rank: int, with_bases: bool = True
    ) -> tuple[Floats, Doubles, Doubles]:
        """Leading singular vectors and squared singular values of every context's word vectors.

        Parameters
        ----------
        context_ids : (n_contexts, width) int32
            Word ids, -1 for padding anywhere in a row.
        vectors : (n_words, dim) float32
        rank : int
        with_bases : bool
            Whether the singular vectors are wanted; without them ``bases`` has no contexts.

        Returns
        -------
        bases : (n_contexts, rank, dim) float32
            Orthonormal rows, then rows of zeros where there are fewer independent words.
        squared_singular_values : (n_contexts, rank) float64
        totals : (n_contexts,) float64
            The sum of all squared singular values. Not finite where a vector is not.
        """
        ...

    def assign_contexts(
        self, bases: Floats, directions: Floats
    ) -> tuple[Integers, Floats, Doubles]:
        """Expectation step of every restart, with the first product of its maximisation step.

        Parameters
        ----------
        bases : (n_contexts, rank, dim) float32
        directions : (n_restarts, n_senses, dim) float32
            Unit rows.

        Returns
        -------
        labels : (n_contexts, n_restarts) int32
            The nearest direction; the first of equally near ones.
        gains : (n_contexts, n_restarts) float32
            The squared projection on it, at most 1: the squared distance is 1 less this.
        products : (n_restarts, n_senses, dim) float64
            C_k u_k for every group.
        """
        ...

    def apply_groups(self, bases: Floats, labels: Integers, directions: Floats) -> Doubles:
        """C_k q_k for every restart and group, with the groups that ``labels`` gives.

        Parameters
        ----------
        bases : (n_contexts, rank, dim) float32
        labels : (n_contexts, n_restarts) int32
        directions : (n_restarts, n_senses, dim) float32

        Returns
        -------
        products : (n_restarts, n_senses, dim) float64
        """
        ...

    def square_projections(self, bases: Floats, directions: Floats) -> Floats:
        """Squared projections of directions (n_directions, dim) on contexts: (n, n_directions)."""
        ...

    def project_own(
        self, bases: Floats, directions: Floats, offsets: Indices, words: Indices
    ) -> Floats:
        """Squared projections of the directions of its own word on every context.

        Parameters
        ----------
        bases : (n, rank, dim) float32
        directions : (n_directions, dim) float32
            Of one word after the other.
        offsets : (n_words + 1,) int64
            Where the directions of each word begin, and the end.
        words : (n,) int64
            Of the contexts.

        Returns
        -------
        squares : (n, most directions of a word) float32
            NaN beyond a word's directions.
        """
        ...

    def multiply_bases(self, bases: Floats) -> Floats:
        """The inner products of each basis's rows, (n_contexts, rank, rank); NaN where any is."""
        ...


class LabellingKernels(Protocol):
    """Distances of all occurrences of a text to the senses of their words, without bases."""

    def prepare_senses(
        self,
        vectors: Floats,
        directions: Floats,
        sense_offsets: Indices,
        rank: int,
        *,
        singular: bool,
        window: int,
        fewest: int | None = None,
    ) -> SenseTable:
        """Put the arrays into the form that `measure_windows` takes; ``fewest`` is the rank."""
        ...

    def measure_windows(
        self, windows: Windows, part: slice, table: SenseTable, window: int
    ) -> Floats:
        """Distances of some of the occurrences to the senses of their words.

        Parameters
        ----------
        part : slice
            Which occurrences; cut at multiples of `OCCURRENCE_BLOCK`.

        Returns
        -------
        distances : (n, largest number of senses) float32
            NaN beyond a word's senses, and all along where the context has too few words.
        """
        ...


class TrainingKernels(Protocol):
    """Skip-gram with negative sampling.

    The matrices are changed in place, and several threads may change the same ones. The same seed
    gives the same draws on the same device; devices need not agree on them.
    """

    def prepare_sampling(
        self, keep: Floats, weights: Doubles, window: int, negative: int
    ) -> Sampling:
        """What the trainings take; negatives are drawn in proportion to the weights (n_words,)."""
        ...

    def train_skipgram(
        self,
        tokens: Integers,
        document_offsets: Indices,
        inputs: Floats,
        outputs: Floats,
        frozen_inputs: NDArray[np.bool_],
        frozen_outputs: NDArray[np.bool_],
        sampling: Sampling,
        first_rate: float,
        last_rate: float,
        seed: np.uint64,
    ) -> int:
        """Train on consecutive documents; returns the number of centre words.

        Parameters
        ----------
        tokens : (n_tokens,) int32
            Word ids; ids outside the matrices are passed over as if they were not there.
        document_offsets : (n_documents + 1,) int64
            Document i is ``tokens[document_offsets[i]:document_offsets[i + 1]]``.
        inputs, outputs : (n_words, dim) float32
            The two matrices, changed in place.
        frozen_inputs, frozen_outputs : (n_words,) bool
            Rows that are read but never changed.
        sampling : Sampling
            From `prepare_sampling`.
        first_rate, last_rate : float
            The learning rate falls linearly from one to the other over these documents.
        seed : uint64
        """
        ...

    def hold_matrices(
        self,
        inputs: Floats,
        outputs: Floats,
        frozen_inputs: NDArray[np.bool_],
        frozen_outputs: NDArray[np.bool_],
        sampling: Sampling,
    ) -> HeldMatrices:
        """Keep the matrices where they are trained, for many calls; parameters as above."""
        ...


class HeldMatrices(Protocol):
    """The matrices of skip-gram on the device that trains them."""

    def train(
        self,
        tokens: Integers,
        document_offsets: Indices,
        first_rate: float,
        last_rate: float,
        seed: np.uint64,
    ) -> None:
        """As `TrainingKernels.train_skipgram`; the arrays may change only when they are read."""
        ...

    def read_back(self) -> None:
        """Bring the arrays that they were made of up to date."""
        ...


class Advanced(NamedTuple):
    """Where the restarts of a word have come.

    Attributes
    ----------
    directions : (n_restarts, n_senses, dim) float32
    objectives : (n_restarts,) float64
        Sums of squared distances; where lines are signed, of 1 - cosine.
    n_iter : (n_restarts,) int64
    """

    directions: Floats
    objectives: Doubles
    n_iter: Indices


class HeldContexts(Protocol):
    """The contexts of many words on a device; lists have one item a word."""

    def advance(
        self,
        sizes: Sequence[int],
        starts: Sequence[Floats],
        limits: Sequence[int],
        tol: float,
        plan: Callable[[int], int],
    ) -> list[Advanced]:
        """Iterate the restarts of all words until they have converged.

        Parameters
        ----------
        sizes
            How many contexts of each word are looked at, evenly spaced; all of them, or fewer.
        starts : (n_restarts, n_senses, dim) float32 each
            Unit rows; all have as many restarts.
        limits
            The most iterations of each word.
        tol : float
            A restart has converged when its objective moves by less than this per context.
        plan : callable
            Iteration -> products with C that its maximisation step may take.
        """
        ...

    def assign(self, directions: Sequence[Floats]) -> list[tuple[Integers, Floats]]:
        """Labels (n,) and gains (n,) of all contexts, as `SubspaceKernels.assign_contexts` does."""
        ...


class BlockKernels(Protocol):
    """K-Grassmeans for the contexts of many words in one launch: what a GPU needs to be busy."""

    def hold_contexts(self, bases: Sequence[Floats], signed: bool = False) -> HeldContexts:
        """Keep the contexts (n, rank, dim) of several words on the device.

        Parameters
        ----------
        signed : bool
            Whether they are lines with ends (rank 1), grouped by their cosine; a group's direction
            is then their mean.
        """
        ...

    def count_together(self, n_contexts: int, rank: int, dim: int, n_directions: int) -> int:
        """How many words of such sizes the memory of the device holds at once, 1 or more."""
        ...


class AttentionKernels(Protocol):
    """Leave-one-out attention: what learned contexts are made of."""

    def attend_places(
        self,
        queries: Floats,
        features: Halves,
        layer: int,
        passages: Integers,
        offsets: Indices,
        places: Integers,
        hidden: Integers,
        angles: Floats,
    ) -> Floats:
        """One layer's attention of places to all other words of their passages.

        Parameters
        ----------
        queries : (n, n_heads, size) float32
            Of the places, passage by passage, before they are turned by their place.
        features : (n_words, n_layers, 2, n_heads, size) float16
            Keys and values of words, before they are turned.
        layer : int
            Whose keys and values.
        passages : (n_passages, length) int32
            Rows of ``features``; -1 fills up at the end.
        offsets : (n_passages + 1,) int64
            Where the queries of each passage begin, and the end.
        places : (n,) int32
            Where each query stands in its passage; it does not attend to that place.
        hidden : (n,) int32
            Another place that it does not attend to, -1 for none.
        angles : (length, size / 2) float32
            By which the two halves of a head are turned at each place.

        Returns
        -------
        found : (n, n_heads, size) float32
            Mean values by attention; zeros where there is nothing to attend to.
        """
        ...

    def add_squares(self, inner: Floats, weights: Floats, sums: Floats) -> None:
        """Add ``square(max(inner, 0)) @ weights``, the second half of an inner layer.

        Parameters
        ----------
        inner : (n, n_inner) float32
        weights : (n_inner, dim) float32
        sums : (n, dim) float32
            Changed in place.
        """
        ...


class Kernels(
    AttentionKernels,
    TextKernels,
    PermutationKernels,
    PhraseKernels,
    SubspaceKernels,
    LabellingKernels,
    TrainingKernels,
    Protocol,
):
    """Everything that `grassmeans.kernels.get_kernels` gives."""
