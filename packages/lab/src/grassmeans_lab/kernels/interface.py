"""What the rivals need beside the kernels of the core, by the rules of its interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from grassmeans.arrays import Floats, Indices, Integers
from grassmeans.kernels.arguments import Sampling
from grassmeans.kernels.interface import Kernels

NO_ATOM = -1
PASSED_OVER = -2
"""Of a token that windows are cut without, in `count_neighbours`."""


@dataclass(frozen=True, slots=True)
class SparseCodes:
    """Which atoms make up each signal.

    Attributes
    ----------
    ids : (n_signals, sparsity) int32
        Rows of the atoms in the order they were chosen; `NO_ATOM` where fewer are needed.
    coefficients : (n_signals, sparsity) float32
        0 where there is no atom.
    """

    ids: Integers
    coefficients: Floats


class SenseRule(NamedTuple):
    """When multi-sense skip-gram opens a new sense of a word; all float32.

    Attributes
    ----------
    new_sense_below : float
        Where every cosine with a centre is smaller than this.
    concentration, sharpness : float
        Where the concentration is above 0, senses are drawn by a Chinese restaurant process
        instead: existing ones by size * exp(sharpness * cosine with the centre), a new one by
        concentration * exp(sharpness * cosine with the usual context).
    """

    new_sense_below: np.float32
    concentration: np.float32
    sharpness: np.float32


class MeanKernels(Protocol):
    """Contexts as weighted means of their words' vectors, and what words weigh."""

    def average_contexts(self, context_ids: Integers, vectors: Floats, weights: Floats) -> Floats:
        """The direction of each context's weighted mean.

        Parameters
        ----------
        context_ids : (n_contexts, width) int32
            Rows of the vectors, -1 for padding.
        vectors : (n_words, dim) float32
        weights : (n_words,) float32

        Returns
        -------
        means : (n_contexts, dim) float32
            Unit rows; zeros where a context has no word, or its words weigh nothing.
        """
        ...

    def measure_means(
        self, means: Floats, words: Integers, directions: Floats, sense_offsets: Indices
    ) -> Floats:
        """Distances (1 - cosine) / 2 of contexts to the senses of their words.

        Parameters
        ----------
        means : (n_contexts, dim) float32
            From `average_contexts`.
        words : (n_contexts,) int32
            Number of each context's word.
        directions : (n_directions, dim) float32
            Unit vectors, the senses of one word after the other.
        sense_offsets : (n_words + 1,) int64

        Returns
        -------
        distances : (n_contexts, most senses) float32
            In [0, 1]; NaN beyond a word's senses, and all along where the mean is zero.
        """
        ...

    def count_documents(self, tokens: Integers, document_offsets: Indices, n_types: int) -> Indices:
        """(n_types,) int64: in how many of the documents each token id occurs."""
        ...

    def count_neighbours(
        self,
        tokens: Integers,
        document_offsets: Indices,
        row_of_token: Integers,
        column_of_token: Integers,
        window: int,
        counts: Floats,
    ) -> None:
        """Add to ``counts`` how often words stand in the windows of others.

        Parameters
        ----------
        row_of_token : (n_types,) int32
            Row of each word whose neighbours are counted, -1 for others.
        column_of_token : (n_types,) int32
            Column of each word that counts as a neighbour, -1 for others; `PASSED_OVER` for words
            that windows are cut without, as if they were not there.
        window : int
            Words a side.
        counts : (n_rows, n_columns) float32
            Changed in place.
        """
        ...


class MultisenseKernels(Protocol):
    """Skip-gram for several senses a word, by the rules of the core's `TrainingKernels`."""

    def train_multisense(
        self,
        tokens: Integers,
        document_offsets: Indices,
        global_vectors: Floats,
        senses: Floats,
        centres: Floats,
        sizes: Indices,
        first_row: Indices,
        n_open: Integers,
        usual_context: Floats,
        rule: SenseRule,
        choosing: bool,
        sampling: Sampling,
        first_rate: float,
        last_rate: float,
        seed: np.uint64,
    ) -> int:
        """Train on consecutive documents; returns the number of centre words.

        Parameters
        ----------
        tokens : (n_tokens,) int32
            Rows of ``global_vectors``; others are passed over as if they were not there.
        document_offsets, first_rate, last_rate, seed
            As in `grassmeans.kernels.arguments.Stretch`.
        global_vectors : (n_words, dim) float32
        senses, centres : (n_rows, dim) float32
            Sense vectors, and the sums of the contexts that were given to them.
        sizes : (n_rows,) int64
            How many contexts that were.
        first_row : (n_words + 1,) int64
            The senses of word i lie in the rows ``first_row[i]:first_row[i + 1]``.
        n_open : (n_words,) int32
            How many of them are in use.
        usual_context : (dim,) float32
            A running mean of the directions of all contexts; only a drawing rule needs it.
        rule : SenseRule
            When a new sense is opened.
        choosing : bool
            False trains each word's first sense, as if it were the only one, and no centres.
        sampling : Sampling
            Every word's window serves for its context and its gradient alike; the words of one of
            its sides share their negatives.
        """
        ...


class DisambiguationKernels(Protocol):
    """Senses of the words of a text, each decided with a look at those decided before."""

    def disambiguate_words(
        self,
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
        """Distances (1 - cosine) / 2 of words to their senses, when each word is decided.

        Parameters
        ----------
        row_of_token : (n_types,) int32
            Rows of ``vectors``; -1 for words that contexts leave out.
        word_of_token : (n_types + 1,) int32
            Number of the word with senses that a token id is, -1 for none; the last is -1.
        vectors : (n_words, dim) float32
            Unit rows.
        directions : (n_directions, dim) float32
            Unit rows, the senses of one word after the other.
        sense_offsets : (n_words_with_senses + 1,) int64
        window : int
            Kept words a side.
        margin : float
            A sense whose cosine is larger than the others' by more than this stands for its word in
            contexts of words that are decided later.
        simple_first : bool
            Words with fewer senses are decided first, else all of them from left to right.

        Returns
        -------
        positions : (n,) int32
            Of the words with senses, in order.
        distances : (n, most senses) float32
            NaN beyond a word's senses, and all along where nothing stands around.
        """
        ...


class SparseCodingKernels(Protocol):
    """Vectors as sums of few atoms, and atoms that suit such sums better."""

    def code_signals(self, signals: Floats, atoms: Floats, sparsity: int) -> SparseCodes:
        """Code every signal by orthogonal matching pursuit.

        Parameters
        ----------
        signals : (n_signals, dim) float32
        atoms : (n_atoms, dim) float32
            Unit rows.
        sparsity : int
            Atoms a signal at most.
        """
        ...

    def find_residuals(self, signals: Floats, atoms: Floats, codes: SparseCodes) -> Floats:
        """(n_signals, dim) what the codes leave of the signals."""
        ...

    def improve_atoms(self, residuals: Floats, atoms: Floats, codes: SparseCodes) -> Indices:
        """Fit one atom after the other to the signals that use it; everything changes in place.

        Each atom becomes the best direction for the given coefficients, then its coefficients the
        best ones for that direction (approximate K-SVD): the sum of squared residuals never grows.

        Parameters
        ----------
        residuals : (n_signals, dim) float32
            Those of the codes.

        Returns
        -------
        n_users : (n_atoms,) int64
            How many signals use each atom. Atoms without any stay as they are.
        """
        ...


class RivalKernels(
    Kernels, MeanKernels, MultisenseKernels, DisambiguationKernels, SparseCodingKernels, Protocol
):
    """Everything that `grassmeans_lab.kernels.get_kernels` gives."""
