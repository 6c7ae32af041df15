"""Contexts as subspaces: rank-N uncentred PCA of each context's word vectors (section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grassmeans.arrays import Doubles, Floats, Integers
from grassmeans.artifacts.schema import check_arguments
from grassmeans.errors import InputError
from grassmeans.kernels import get_kernels

WEIGHTINGS = ("flat", "singular")


@dataclass(frozen=True, slots=True)
class ContextEnergies:
    """How much of each context a low-rank subspace keeps (figure 1a of the paper)."""

    squared_singular_values: Doubles  # (n_contexts, rank), largest first
    totals: Doubles  # (n_contexts,) the sum of all of them: the energy of the context

    @property
    def shares(self) -> Doubles:
        """Share of the energy kept by ranks 1..rank, (n_contexts, rank); NaN for no words."""
        kept = np.cumsum(self.squared_singular_values, axis=1)
        totals = np.where(self.totals > 0.0, self.totals, np.nan)
        return np.minimum(kept / totals[:, None], 1.0)


@check_arguments()
def principal_subspaces(
    context_ids: ArrayLike,
    vectors: ArrayLike,
    rank: int = 3,
    *,
    weighting: str = "flat",
    device: str = "cpu",
) -> Floats:
    """Orthonormal bases of the contexts' subspaces S(c) (algorithm 1).

    Parameters
    ----------
    context_ids : (n_contexts, width) integer
        Rows of ``vectors`` for each context's words, -1 for padding anywhere in the row. A context
        is a multiset: a repeated word counts as often as it occurs.
    vectors : (n_words, dim) float32
        Word vectors; a read-only memory map is fine. Other numeric types are converted.
    rank : int
        N, the dimension of the subspaces.
    weighting : {"flat", "singular"}
        ``"singular"`` multiplies row n by sigma_n / sigma_1, so that weak directions weigh less.
    device : str
        Where to compute.

    Returns
    -------
    bases : (n_contexts, rank, dim) float32
        Row n is the n-th principal component; its component of largest magnitude is positive.
        Contexts with fewer independent words than ``rank`` end with rows of zeros.
    """
    if weighting not in WEIGHTINGS:
        raise InputError(f"weighting must be one of {WEIGHTINGS}, got {weighting!r}")
    ids, table = _check_contexts(context_ids, vectors, rank)
    bases, squares, totals = get_kernels(device).solve_subspaces(ids, table, rank)
    _check_finite(totals)
    if weighting == "singular":
        largest = np.where(squares[:, :1] > 0.0, squares[:, :1], 1.0)
        bases *= np.sqrt(squares / largest).astype(np.float32)[:, :, None]
    return bases


def context_energies(
    context_ids: ArrayLike, vectors: ArrayLike, rank: int = 5, *, device: str = "cpu"
) -> ContextEnergies:
    """Squared singular values of each context's words; parameters as for `principal_subspaces`."""
    ids, table = _check_contexts(context_ids, vectors, rank)
    _, squares, totals = get_kernels(device).solve_subspaces(ids, table, rank, with_bases=False)
    _check_finite(totals)
    return ContextEnergies(squares, totals)


def _check_contexts(
    context_ids: ArrayLike, vectors: ArrayLike, rank: int
) -> tuple[Integers, Floats]:
    """Both arrays in the types the kernels take; `InputError` where that cannot be."""
    table: NDArray[Any] = np.asarray(vectors)
    if table.ndim != 2 or table.shape[1] == 0:
        raise InputError(f"vectors must have the shape (n_words, dim), got {table.shape}")
    if table.dtype.kind not in "fiu":
        raise InputError(f"vectors must be real numbers, got {table.dtype}")
    table = np.ascontiguousarray(table, dtype=np.float32)
    if isinstance(rank, bool) or not isinstance(rank, (int, np.integer)):
        raise InputError(f"rank must be a whole number, got {rank!r}")
    if not 1 <= rank <= table.shape[1]:
        raise InputError(
            f"rank must be between 1 and the vectors' dimension {table.shape[1]}, got {rank}"
        )
    ids = np.asarray(context_ids)
    if ids.ndim != 2:
        raise InputError(
            f"context_ids must have the shape (n_contexts, width), got {ids.shape}: "
            "pass one row of word ids per context, padded with -1"
        )
    if not np.issubdtype(ids.dtype, np.integer):
        if ids.size:
            raise InputError(f"context_ids must be integers, got {ids.dtype}: pass row numbers")
        ids = ids.astype(np.int32)
    if ids.size:
        lowest, highest = int(ids.min()), int(ids.max())
        if lowest < -1 or highest >= len(table) or highest > np.iinfo(np.int32).max:
            raise InputError(
                f"context_ids must be -1 (padding) or rows of vectors, 0 to {len(table) - 1}; "
                f"found {lowest} to {highest}: do the contexts and the vectors belong together?"
            )
    return np.ascontiguousarray(ids, dtype=np.int32), table


def _check_finite(totals: Doubles) -> None:
    """Every word's vector is part of its context's energy, so this finds NaN and infinity."""
    bad = np.flatnonzero(~np.isfinite(totals))
    if bad.size:
        raise InputError(
            f"{bad.size} contexts have words whose vectors hold NaN or infinity (the first is "
            f"context {bad[0]}): train the vectors again or leave those words out"
        )
