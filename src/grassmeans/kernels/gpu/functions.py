"""The functions of `grassmeans.kernels.interface` on a device of PyTorch: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from grassmeans.arrays import Doubles, Floats, Indices, Integers
from grassmeans.kernels.arguments import Matrices, Sampling, SenseTable, Windows
from grassmeans.kernels.gpu import labelling, subspaces
from grassmeans.kernels.gpu.induction import Block, ContextBlock, count_words
from grassmeans.kernels.gpu.launching import to_tensor
from grassmeans.kernels.gpu.skipgram import DeviceTraining

_CONTEXTS_AT_ONCE = 1 << 18


class TensorKernels:
    """Kernels on one device; what is not here is the CPU's."""

    def __init__(self, device: str) -> None:
        self._device = torch.device(device)

    def _send(self, array: NDArray[np.generic]) -> Tensor:
        return to_tensor(array, self._device)

    def solve_subspaces(
        self, context_ids: Integers, vectors: Floats, rank: int, with_bases: bool = True
    ) -> tuple[Floats, Doubles, Doubles]:
        """See `grassmeans.kernels.interface`."""
        return subspaces.solve_subspaces(context_ids, vectors, rank, with_bases, self._device)

    def assign_contexts(
        self, bases: Floats, directions: Floats
    ) -> tuple[Integers, Floats, Doubles]:
        """See `grassmeans.kernels.interface`."""
        found = self._block(bases).assign(self._send(directions)[None])
        labels, gains, products, _ = (x[0].cpu().numpy() for x in found)
        return labels.astype(np.int32), gains, products.astype(np.float64)

    def apply_groups(self, bases: Floats, labels: Integers, directions: Floats) -> Doubles:
        """See `grassmeans.kernels.interface`."""
        groups = self._send(labels).long()[None]
        found = self._block(bases).apply(groups, self._send(directions)[None])
        return found[0].cpu().numpy().astype(np.float64)

    def _block(self, bases: Floats) -> Block:
        sizes = torch.tensor([len(bases)], device=self._device)
        return Block(self._send(bases)[None], sizes)

    def _send_parts(self, bases: Floats) -> Iterator[tuple[slice, Tensor]]:
        """Contexts, as many as a device holds at once, and which they are."""
        for start in range(0, len(bases), _CONTEXTS_AT_ONCE):
            part = slice(start, start + _CONTEXTS_AT_ONCE)
            yield part, self._send(bases[part])

    def square_projections(self, bases: Floats, directions: Floats) -> Floats:
        """See `grassmeans.kernels.interface`."""
        lines = self._send(directions)
        found = np.empty((len(bases), len(directions)), np.float32)
        for part, contexts in self._send_parts(bases):
            found[part] = (contexts @ lines.T).square_().sum(dim=1).cpu().numpy()
        return found

    def project_own(
        self, bases: Floats, directions: Floats, offsets: Indices, words: Indices
    ) -> Floats:
        """See `grassmeans.kernels.interface`."""
        lines = self._send(directions)
        most = int(np.diff(offsets).max(initial=1))
        found = np.full((len(bases), most), np.nan, np.float32)
        for part, contexts in self._send_parts(bases):
            firsts, ends = offsets[:-1][words[part]], offsets[1:][words[part]]
            for sense in range(most):
                there = firsts + sense < ends
                rows = self._send(np.where(there, firsts + sense, 0))
                products = torch.bmm(contexts, lines[rows][:, :, None])[:, :, 0]
                squares = products.square_().sum(dim=1).cpu().numpy()
                found[part, sense] = np.where(there, squares, np.nan)
        return found

    def multiply_bases(self, bases: Floats) -> Floats:
        """See `grassmeans.kernels.interface`."""
        n, rank, _ = bases.shape
        found = np.empty((n, rank, rank), np.float32)
        for part, contexts in self._send_parts(bases):
            found[part] = torch.bmm(contexts, contexts.transpose(1, 2)).cpu().numpy()
        return found

    def prepare_senses(self, table: SenseTable) -> SenseTable:
        """See `grassmeans.kernels.interface`."""
        return labelling.prepare_senses(table, self._device)

    def measure_windows(self, windows: Windows, part: slice, table: SenseTable) -> Floats:
        """See `grassmeans.kernels.interface`."""
        if not isinstance(table, labelling.DeviceTable):
            raise TypeError("the table must come from prepare_senses of the same device")
        return labelling.measure_windows(windows, part, table)

    def hold_matrices(self, matrices: Matrices, sampling: Sampling) -> DeviceTraining:
        """See `grassmeans.kernels.interface`."""
        return DeviceTraining(matrices, sampling, self._device)

    def hold_contexts(self, bases: Sequence[Floats], signed: bool = False) -> ContextBlock:
        """See `grassmeans.kernels.interface`."""
        return ContextBlock(bases, signed, self._device)

    def count_together(self, n_contexts: int, rank: int, dim: int, n_directions: int) -> int:
        """See `grassmeans.kernels.interface`."""
        return count_words(n_contexts, rank, dim, n_directions, self._device)


on_gpu = TensorKernels("cuda")
on_cpu = TensorKernels("cpu")
