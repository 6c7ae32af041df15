"""Subspaces of contexts on a device: Gram matrices, leading eigenpairs, bases.

Contexts of up to `MOST_WORDS` words go through the kernels of ``sources/subspaces.cu``; wider ones,
and bases too large for registers, through plain tensors. What is dependent and what is done again
in double precision is decided as on the CPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from grassmeans.arrays import Doubles, Floats, Integers
from grassmeans.kernels.arguments import negligible_share
from grassmeans.kernels.gpu.launching import (
    Launch,
    Program,
    can_launch,
    copy_back,
    load_program,
    send_table,
    to_tensor,
)

MOST_WORDS = 32
"""Of a context that the kernels take: a thread holds the lower half of its Gram matrix."""

_MOST_PARTS = 24  # float4 of a basis that a thread holds
_CONTEXTS_AT_ONCE = 1 << 19
_PLAIN_BYTES = 1 << 29
_REDUCE_THREADS, _SOLVE_THREADS = 128, 64  # as in eigenpairs.cu
_FOUR_LANES = 20  # the widest contexts whose matrices four threads hold; eight hold others


class Solved(NamedTuple):
    """Eigenpairs of the Gram matrices of contexts."""

    coefficients: Tensor  # (rank, width, n) float32 of words, divided by the singular value
    values: Tensor  # (rank, n) float64 squared singular values, zero where words are dependent
    totals: Tensor  # (n,) float64 the sum of all of them


def find_program(table: Tensor, width: int, rank: int) -> Program | None:
    """The kernels for a shape; None where plain tensors must do."""
    row4 = table.shape[1] // 4
    parts = -(-row4 // 32) * rank
    if width > MOST_WORDS or parts > _MOST_PARTS or not can_launch(table.device):
        return None
    return load_program(table.device, "subspaces", WIDTH=width, RANK=rank, ROW4=row4)


def fit_width(width: int, rank: int) -> int:
    """The width that kernels are compiled for: fewer different ones."""
    return max(4, -(-max(width, rank) // 4) * 4)


def solve_subspaces(
    context_ids: Integers, vectors: Floats, rank: int, with_bases: bool, device: torch.device
) -> tuple[Floats, Doubles, Doubles]:
    """See `grassmeans.kernels.interface`."""
    n, dim = len(context_ids), vectors.shape[1]
    bases = np.empty((n if with_bases else 0, rank, dim), np.float32)
    squares, totals = np.zeros((n, rank)), np.zeros(n)
    table = send_table(vectors, device)
    tolerance = negligible_share(context_ids.shape[1], dim)
    for start in range(0, n, _CONTEXTS_AT_ONCE):
        part = slice(start, start + _CONTEXTS_AT_ONCE)
        ids = to_tensor(context_ids[part], device, np.int32)
        solved, found = span_contexts(ids, table, rank, tolerance, with_bases=with_bases)
        squares[part] = solved.values.T.cpu().numpy()
        totals[part] = solved.totals.cpu().numpy()
        if found is not None:
            copy_back(found[:, :, :dim], bases[part])
    return bases, squares, totals


def span_contexts(
    ids: Tensor, table: Tensor, rank: int, tolerance: float, *, with_bases: bool = True
) -> tuple[Solved, Tensor | None]:
    """Eigenpairs of contexts on the device, and their bases (n, rank, filled dim) where wanted.

    Of ids (n, width) int32, -1 for padding, and the table (n_words, filled dim) of `send_table`.
    """
    width = fit_width(ids.shape[1], rank)
    if width > ids.shape[1]:
        ids = torch.nn.functional.pad(ids, (0, width - ids.shape[1]), value=-1)
    ids = ids.contiguous()
    program = find_program(table, width, rank)
    if program is None:
        return _span_plainly(ids, table, rank, tolerance, with_bases)
    n = len(ids)
    grams = torch.empty((width * (width + 1) // 2, n), device=ids.device)
    tiles = width // 4
    threads = -(-tiles * (tiles + 1) // 2 // 32) * 32
    program.launch("multiply_contexts", Launch(n, max(32, threads)), table, ids, n, grams)
    n_words = (ids >= 0).sum(dim=1, dtype=torch.int32)
    solved, poor = _solve_grams(program, grams, n_words, rank, tolerance)
    again = torch.nonzero(poor).flatten()
    if len(again):
        solve_again(program, solved, again, ids[again], table, tolerance)
    if not with_bases:
        return solved, None
    bases = torch.empty((n, rank, table.shape[1]), device=ids.device)
    warps = Launch(-(-n // 4), 128)
    program.launch("write_bases", warps, table, ids, n, solved.coefficients, solved.values, bases)
    return solved, bases


class Reduced(NamedTuple):
    """Gram matrices in tridiagonal form, for n contexts; they are divided by a power of two."""

    entries: Tensor
    """(width * (width + 1) / 2, n) float32 or float64: diagonal, what is below it, reflectors."""
    factors: Tensor  # (width, n) of the same type, of the reflectors
    sizes: Tensor  # (n,) int32 words of each context
    totals: Tensor  # (n,) float64 traces of the matrices

    @classmethod
    def make_room(
        cls, width: int, n: int, device: torch.device, dtype: torch.dtype = torch.float32
    ) -> Reduced:
        """Where the kernels write."""
        return cls(
            torch.empty((width * (width + 1) // 2, n), device=device, dtype=dtype),
            torch.empty((width, n), device=device, dtype=dtype),
            torch.empty(n, dtype=torch.int32, device=device),
            torch.empty(n, dtype=torch.float64, device=device),
        )


def plan_reducing(width: int, n: int) -> Launch:
    """How the kernels start that make matrices tridiagonal."""
    lanes = 4 if width <= _FOUR_LANES else 8
    return Launch(-(-n * lanes // _REDUCE_THREADS), _REDUCE_THREADS)


def solve_reduced(
    program: Program, reduced: Reduced, rank: int, tolerance: float
) -> tuple[Solved, Tensor]:
    """Leading eigenpairs, and (n,) uint8 for which contexts single precision cannot tell."""
    width, n = reduced.factors.shape
    device = reduced.totals.device
    coefficients = torch.empty((rank, width, n), device=device)
    values = torch.empty((rank, n), dtype=torch.float64, device=device)
    poor = torch.empty(n, dtype=torch.uint8, device=device)
    program.launch(
        "solve_single" if reduced.entries.dtype == torch.float32 else "solve_double",
        Launch(-(-n // _SOLVE_THREADS), _SOLVE_THREADS),
        *(*reduced, n, tolerance, coefficients, values, poor),
    )
    return Solved(coefficients, values, reduced.totals), poor


def _solve_grams(
    program: Program, grams: Tensor, n_words: Tensor, rank: int, tolerance: float
) -> tuple[Solved, Tensor]:
    """The same from Gram matrices (width * (width + 1) / 2, n), in their precision."""
    n_pairs, n = grams.shape
    width = int((2 * n_pairs) ** 0.5)
    room = Reduced.make_room(width, n, grams.device, grams.dtype)
    name = "reduce_single" if grams.dtype == torch.float32 else "reduce_double"
    launch = plan_reducing(width, n)
    program.launch(name, launch, grams, n, room.entries, room.factors, room.totals)
    return solve_reduced(program, room._replace(sizes=n_words), rank, tolerance)


def solve_again(
    program: Program, solved: Solved, again: Tensor, ids: Tensor, table: Tensor, tolerance: float
) -> None:
    """Solve some contexts, given by ids (k, width), from Gram matrices in double precision."""
    rank, width, _ = solved.coefficients.shape
    lower = torch.tril_indices(width, width, device=ids.device)
    for start in range(0, len(again), _plain_contexts(ids, table)):
        part = slice(start, start + _plain_contexts(ids, table))
        rows = _take_rows(ids[part], table)
        grams = (rows @ rows.transpose(1, 2))[:, lower[0], lower[1]].T.contiguous()
        n_words = (ids[part] >= 0).sum(dim=1, dtype=torch.int32)
        found, _ = _solve_grams(program, grams, n_words, rank, tolerance)
        for whole, some in zip(solved, found, strict=True):
            whole[..., again[part]] = some


def _plain_contexts(ids: Tensor, table: Tensor) -> int:
    """Contexts whose words' vectors are held at once, in double precision."""
    return max(1, _PLAIN_BYTES // (8 * ids.shape[1] * table.shape[1]))


def _take_rows(ids: Tensor, table: Tensor) -> Tensor:
    """(n, width, filled dim) float64 vectors of the contexts' words; zeros where there is none."""
    rows = table[ids.clamp(min=0).long()].double()
    return rows.masked_fill_((ids < 0)[:, :, None], 0.0)


class Precise(NamedTuple):
    """Some contexts in double precision, for each of a few thousand."""

    part: slice  # which ones
    rows: Tensor  # (n, width, filled dim) the vectors of their words
    coefficients: Tensor  # (n, rank, width), values and totals as in `Solved`
    values: Tensor  # (n, rank)
    totals: Tensor  # (n,)


def solve_precisely(ids: Tensor, table: Tensor, rank: int, tolerance: float) -> Iterator[Precise]:
    """Eigenpairs of contexts of any width with plain tensors in double precision."""
    step = _plain_contexts(ids, table)
    for start in range(0, len(ids), step):
        part = slice(start, start + step)
        rows = _take_rows(ids[part], table)
        grams = rows @ rows.transpose(1, 2)
        totals = grams.diagonal(dim1=1, dim2=2).sum(dim=1)
        grams.masked_fill_(~totals.isfinite()[:, None, None], 0.0)
        values, vectors = torch.linalg.eigh(grams)
        values = values[:, -rank:].flip(1).clamp_(min=0.0)
        vectors = vectors[:, :, -rank:].flip(2)
        used = values > tolerance * values[:, :1]
        n_words = (ids[part] >= 0).sum(dim=1)
        used &= torch.arange(rank, device=ids.device) < n_words[:, None]
        scales = values.masked_fill(~used, torch.inf).rsqrt()
        found = (vectors * scales[:, None]).transpose(1, 2)
        yield Precise(part, rows, found, values.masked_fill(~used, 0.0), totals)


def _span_plainly(
    ids: Tensor, table: Tensor, rank: int, tolerance: float, with_bases: bool
) -> tuple[Solved, Tensor | None]:
    """As `span_contexts`, with plain tensors in double precision."""
    n, width = ids.shape
    solved = Solved(
        torch.empty((rank, width, n), device=ids.device),
        torch.empty((rank, n), dtype=torch.float64, device=ids.device),
        torch.empty(n, dtype=torch.float64, device=ids.device),
    )
    bases = torch.empty((n, rank, table.shape[1]), device=ids.device) if with_bases else None
    for some in solve_precisely(ids, table, rank, tolerance):
        solved.coefficients[:, :, some.part] = some.coefficients.permute(1, 2, 0).float()
        solved.values[:, some.part] = some.values.T
        solved.totals[some.part] = some.totals
        if bases is not None:
            spanned = some.coefficients @ some.rows
            flipped = -spanned.amin(dim=2) > spanned.amax(dim=2)
            bases[some.part] = torch.where(flipped[:, :, None], -spanned, spanned).float()
    return solved, bases
