"""What every device offers: the contract and the reference of the kernels.

All functions take and give NumPy arrays, so those of different devices can be mixed. What they
take together is in `grassmeans.kernels.arguments`, with its shapes.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Booleans, Doubles, Floats, Halves, Indices, Integers
from grassmeans.kernels.arguments import (
    AttendingPlaces,
    EncoderLayers,
    Matrices,
    Permuted,
    PhraseTrie,
    RunningText,
    Sampling,
    SenseCounts,
    SenseTable,
    Stretch,
    Windows,
)


class TextKernels(Protocol):
    """Passes over running text, and the distances of all its occurrences to senses."""

    def gather_contexts(
        self, text: RunningText, positions: Indices, window: int, drop_repeats: bool = False
    ) -> Integers:
        """The nearest kept words, so many a side, of each occurrence, inside its document.

        Occurrences stand at ``positions`` (n,). Of contexts (n, 2 * window) the rows of the
        vectors are in text order, -1 where there is no word; the nearest ones stand on both sides
        of the middle. Other occurrences of the token at the position may be left out, too.
        """
        ...

    def find_windows(
        self, text: RunningText, positions: Indices, words: Integers, window: int
    ) -> Windows:
        """The windows of occurrences of targets ``words`` (n,) at ``positions`` (n,), rising."""
        ...

    def prepare_senses(self, table: SenseTable) -> SenseTable:
        """Put the arrays into the form that `measure_windows` takes."""
        ...

    def measure_windows(self, windows: Windows, part: slice, table: SenseTable) -> Floats:
        """Distances (n, most senses) of some occurrences to the senses of their words.

        NaN beyond a word's senses, and all along where the context has too few words. Parts are
        cut at multiples of `OCCURRENCE_BLOCK`.
        """
        ...

    def join_phrases(
        self, words: Integers, follows: Booleans, trie: PhraseTrie
    ) -> tuple[Integers, Integers]:
        """Find the longest phrase at every word, from left to right.

        ``words`` (n_tokens,) are numbers in the trie, -1 where no phrase has a token; ``follows``
        (n_tokens,) tells whether a phrase may go on from the token before. Gives the lengths
        (n_tokens,) of the phrases that begin at tokens, 1 for a token alone, 0 inside of a phrase;
        and their numbers (n_tokens,), -1 where there is none.
        """
        ...

    def permute_groups(
        self, counts: SenseCounts, n_permutations: int, stop_after: int, random_state: int
    ) -> Permuted:
        """Divide the documents of each word by chance, into groups as large as the real ones.

        What is compared is the mutual information of group and sense over the occurrences. So many
        divisions are tried, fewer where ``stop_after`` of them differ as much. Each word has random
        numbers of its own: the result does not depend on the number of threads.
        """
        ...


class SubspaceKernels(Protocol):
    """Contexts as subspaces, and the products that K-Grassmeans is made of."""

    def solve_subspaces(
        self, context_ids: Integers, vectors: Floats, rank: int, with_bases: bool = True
    ) -> tuple[Floats, Doubles, Doubles]:
        """Leading singular vectors and squared singular values of every context's word vectors.

        Of word ids (n, width), -1 for padding anywhere in a row, and vectors (n_words, dim). Gives
        bases (n, rank, dim), orthonormal rows, then rows of zeros where there are fewer independent
        words, or (0, rank, dim) where they are not wanted; the squared singular values (n, rank);
        and the sum of all of these (n,), which is not finite where a vector is not.
        """
        ...

    def assign_contexts(
        self, bases: Floats, directions: Floats
    ) -> tuple[Integers, Floats, Doubles]:
        """Expectation step of every restart, with the first product of its maximisation step.

        Of bases (n, rank, dim) and unit directions (n_restarts, n_senses, dim). Gives labels
        (n, n_restarts), the first of the nearest directions; gains (n, n_restarts), the squared
        projection on it, at most 1: the squared distance is 1 less this; and products
        (n_restarts, n_senses, dim), C_k u_k for every group.
        """
        ...

    def apply_groups(self, bases: Floats, labels: Integers, directions: Floats) -> Doubles:
        """C_k q_k for every restart and group that ``labels`` give; shapes as above."""
        ...

    def square_projections(self, bases: Floats, directions: Floats) -> Floats:
        """Squared projections of directions (n_directions, dim) on contexts: (n, n_directions)."""
        ...

    def project_own(
        self, bases: Floats, directions: Floats, offsets: Indices, words: Indices
    ) -> Floats:
        """Squared projections on every context of the directions of its own word.

        The directions (n_directions, dim) of one word after the other begin at ``offsets``
        (n_words + 1,); contexts are of ``words`` (n,). Gives (n, most directions of a word), NaN
        beyond a word's.
        """
        ...

    def multiply_bases(self, bases: Floats) -> Floats:
        """The inner products of each basis's rows, (n, rank, rank); NaN where any is."""
        ...


class EncoderKernels(Protocol):
    """What networks that read passages are made of: attention and products with their matrices.

    Matrices of 8 bits meet rows that are rounded to 8 bits too, each by its largest number, also
    where a processor does not multiply bytes fast, so that answers are the same there. A row's
    result depends on nothing but its own passage, to the last bit where bytes are multiplied.
    """

    def attend_places(
        self, queries: Floats, features: Halves, layer: int, where: AttendingPlaces
    ) -> Floats:
        """One layer's attention of places to all other words of their passages.

        Queries (n, n_heads, size), and keys and values of all words as features
        (n_words, n_layers, 2, n_heads, size), come before they are turned by their places. Gives
        mean values by attention, in the queries' shape; zeros where there is nothing to attend to.
        """
        ...

    def add_squares(self, inner: Floats, weights: Floats, sums: Floats) -> None:
        """Add ``square(max(inner, 0)) @ weights`` to sums (n, dim): half of an inner layer.

        Of inner (n, n_inner) and weights (n_inner, dim).
        """
        ...

    def pack_matrices(self, codes: NDArray[np.uint8], scales: Floats) -> Any:
        """Matrices in the order in which products read them, to be kept.

        Of codes (n_matrices, n_out, n_in) and scales (n_matrices, n_out), a number is
        ``(code - 127.5) * scale``.
        """
        ...

    def add_products(self, rows: Floats, matrices: Any, number: int, sums: Floats) -> None:
        """Add to sums (n, n_out) rows (n, n_in) times one of the packed matrices, transposed."""
        ...

    def encode_passages(
        self,
        states: Floats,
        offsets: Indices,
        hidden: Integers,
        angles: Floats,
        layers: EncoderLayers,
    ) -> Floats:
        """The states of words after all layers of a self-attention encoder.

        A layer adds what attention finds, then what the inner layer makes of it. Each reads the
        states at a mean square of 1; so do the scores read the queries and keys of a head. The
        inner layer squares what is positive.

        States (n_tokens, dim) are of the words of all passages, one passage after the other, which
        begin at ``offsets`` (n_passages + 1,). Each has a place in ``hidden`` (n_passages,) that
        its others do not see, -1 for none. By ``angles`` (length, size / 2) the two halves of a
        head are turned at each place; passages are no longer. The size of heads is a multiple of 32
        where they are compiled.
        """
        ...

    def describe_products(self) -> str:
        """How products are computed here, in words."""
        ...


class TrainingKernels(Protocol):
    """Skip-gram with negative sampling.

    The matrices are changed in place, and several threads may change the same ones. The same seed
    gives the same draws on the same device; devices need not agree on them.
    """

    def prepare_sampling(
        self, keep: Floats, weights: Doubles, window: int, negative: int
    ) -> Sampling:
        """What trainings take; negatives are drawn in proportion to the weights (n_words,)."""
        ...

    def hold_matrices(self, matrices: Matrices, sampling: Sampling) -> HeldMatrices:
        """Keep the matrices where they are trained, for many calls."""
        ...


class HeldMatrices(Protocol):
    """The matrices of skip-gram on the device that trains them."""

    def train(self, stretch: Stretch) -> None:
        """Train on documents; the arrays may change only when they are read."""
        ...

    def read_back(self) -> None:
        """Bring the arrays that they were made of up to date."""
        ...


class Kernels(TextKernels, SubspaceKernels, EncoderKernels, TrainingKernels, Protocol):
    """Everything that `grassmeans.kernels.get_kernels` gives."""
