"""Subspaces of contexts, and projections on them."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from grassmeans.arrays import Doubles, Floats, Indices, Integers


def negligible_share(width: int, dim: int) -> float:
    """Share of a context's largest squared singular value at which another one counts as zero.

    The rule of `numpy.linalg.matrix_rank` for a matrix (width, dim) in single precision, squared.
    """
    return (max(width, dim) * float(np.finfo(np.float32).eps)) ** 2


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
