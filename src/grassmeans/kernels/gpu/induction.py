"""The steps of K-Grassmeans (algorithm 2) for many words and all their restarts, on a device.

They are those of `grassmeans.clustering.directions` and `rays`, for a block of words: words with
fewer contexts are filled up with contexts of zeros, which lie at distance 1 from everything, and
restarts that have settled are no longer changed. Words whose restarts have all settled leave the
block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from grassmeans.arrays import Floats, Integers
from grassmeans.kernels.blocks import Advanced, Reached
from grassmeans.kernels.gpu.launching import to_tensor

_BREAKDOWN = 1e-5  # of a product's length: what is left of it is rounding
_PRODUCT_BYTES = 1 << 31
_BLOCK_BYTES = 1 << 33


class Assigned(NamedTuple):
    """What an expectation step finds for each word and restart.

    Products are C_k u_k for every group, with signed lines their sum; objectives are sums of
    squared distances, or of 1 - cosine, over the words' contexts.
    """

    labels: Tensor  # (n_words, n_contexts, n_restarts) int64
    gains: Tensor  # (n_words, n_contexts, n_restarts) float32
    products: Tensor  # (n_words, n_restarts, n_senses, dim) float32
    objectives: Tensor  # (n_words, n_restarts) float64


@dataclass(slots=True)
class Block:
    """The contexts of several words."""

    bases: Tensor  # (n_words, n_contexts, rank, dim) float32, zeros beyond a word's contexts
    sizes: Tensor  # (n_words,) int64 how many contexts each has
    signed: bool = False  # whether they are lines with an end (rank 1), grouped by their cosine

    def take(self, words: Tensor | slice) -> Block:
        """Some of the words."""
        return Block(self.bases[words], self.sizes[words], self.signed)

    def assign(self, directions: Tensor, n_senses: Tensor | None = None) -> Assigned:
        """The nearest direction (n_words, n_restarts, most senses, dim) of each context.

        A word has the first ``n_senses`` (n_words,) of them, or all.
        """
        parts = [
            self._assign(part, directions[part], None if n_senses is None else n_senses[part])
            for part in self._cut(directions)
        ]
        return Assigned(*(torch.cat(found) for found in zip(*parts, strict=True)))

    def _assign(self, part: slice, directions: Tensor, n_senses: Tensor | None) -> Assigned:
        shaped, rows = self._multiply(part, directions)
        squares = shaped[:, :, 0] if self.signed else shaped.square().sum(dim=2)
        numbers = torch.arange(directions.shape[2], device=directions.device)
        if n_senses is not None:
            absent = numbers >= n_senses[:, None]
            squares = squares.masked_fill(absent[:, None, None], -torch.inf)
        gains, labels = squares.max(dim=3)
        chosen = labels[..., None] == numbers
        weights = chosen.to(shaped.dtype) if self.signed else shaped.mul_(chosen[:, :, None])
        gains.clamp_(max=1.0)
        there = torch.arange(gains.shape[1], device=gains.device) < self.sizes[part, None]
        objectives = (1.0 - gains.double()).clamp_(min=0.0).mul_(there[:, :, None]).sum(dim=1)
        return Assigned(labels, gains, _sum_rows(weights, rows, directions), objectives)

    def apply(self, labels: Tensor, directions: Tensor) -> Tensor:
        """C_k q_k of every group that the labels give, (n_words, n_restarts, n_senses, dim)."""
        numbers = torch.arange(directions.shape[2], device=directions.device)
        found = []
        for part in self._cut(directions):
            shaped, rows = self._multiply(part, directions[part])
            shaped.mul_((labels[part, ..., None] == numbers)[:, :, None])
            found.append(_sum_rows(shaped, rows, directions[part]))
        return torch.cat(found)

    def _cut(self, directions: Tensor) -> list[slice]:
        """Words whose products are held at once."""
        n_words, n, rank, _ = self.bases.shape
        step = max(1, _PRODUCT_BYTES // (4 * n * rank * directions[0, ..., 0].numel()))
        return [slice(i, i + step) for i in range(0, n_words, step)]

    def _multiply(self, part: slice, directions: Tensor) -> tuple[Tensor, Tensor]:
        """Products (n_words, n, rank, n_restarts, n_senses); the rows (n_words, n * rank, dim)."""
        bases = self.bases[part]
        n_words, n, rank, dim = bases.shape
        rows = bases.view(n_words, n * rank, dim)
        products = torch.bmm(rows, directions.reshape(n_words, -1, dim).transpose(1, 2))
        return products.view(n_words, n, rank, *directions.shape[1:3]), rows


def _sum_rows(weights: Tensor, rows: Tensor, directions: Tensor) -> Tensor:
    """Rows (n_words, n * rank, dim) added up by their weights, in the directions' shape."""
    flat = weights.reshape(*rows.shape[:2], -1)
    return torch.bmm(flat.transpose(1, 2), rows).view(directions.shape)


@dataclass(slots=True)
class BlockSteps:
    """The steps of the words of a block: `grassmeans.kernels.blocks.RestartSteps`."""

    block: Block
    n_senses: Tensor  # (n_words,) int64
    limits: Tensor  # (n_words, 1) int64
    rows: Tensor  # (n_words,) int64

    @property
    def sizes(self) -> Tensor:
        """(n_words, 1) int64 contexts."""
        return self.block.sizes[:, None]

    def where(self, chosen: Tensor, first: Any, second: Tensor) -> Tensor:
        """PyTorch's."""
        return torch.where(chosen, first, second)

    def assign(self, directions: Tensor) -> Assigned:
        """The nearest of the directions (n_words, n_restarts, most senses, dim)."""
        return self.block.assign(directions, self.n_senses)

    def choose(self, active: Tensor) -> Tensor | slice | None:
        """The words with a restart that goes on; all of them where they are most."""
        going_on = torch.nonzero(active.any(dim=1)).flatten()
        if len(going_on) == 0:
            return None
        # To leave a few words out costs a copy of all others.
        return going_on if 4 * len(going_on) <= 3 * len(active) else slice(None)

    def take(self, going_on: Tensor | slice, found: Assigned) -> tuple[BlockSteps, Assigned]:
        """Some of the words."""
        block = self.block.take(going_on)
        numbers = (x[going_on] for x in (self.n_senses, self.limits, self.rows))
        return BlockSteps(block, *numbers), Assigned(*(x[going_on] for x in found))

    def improve(self, found: Assigned, directions: Tensor, n_products: int) -> Tensor:
        """Raise u'Cu / u'u of every group, warm-started at u; with signed lines take the mean."""
        improved = found.products.double()
        if n_products > 1 and not self.block.signed:
            basis, images = [_normalise(directions.double())], [improved]
            for _ in range(n_products - 1):
                fresh = _orthogonalise(images[-1], basis)
                basis.append(fresh)
                images.append(self.block.apply(found.labels, fresh.float()).double())
            q, cq = torch.stack(basis, dim=3), torch.stack(images, dim=3)
            small = q @ cq.transpose(3, 4)
            vectors = torch.linalg.eigh(small + small.transpose(3, 4))[1]
            improved = (vectors[..., None, :, -1] @ cq)[..., 0, :]
        # An empty group has C = 0: it keeps its direction, to be relocated.
        empty = ~improved.any(dim=3, keepdim=True)
        return torch.where(empty, directions, _normalise(improved).float())

    def relocate(self, found: Assigned, directions: Tensor) -> None:
        """Move the direction of an empty group to the context that fits its own group worst."""
        most = directions.shape[2]
        sizes = torch.zeros(directions.shape[:3], dtype=torch.int32, device=directions.device)
        labels = found.labels.transpose(1, 2)
        there = torch.arange(labels.shape[2], device=labels.device) < self.block.sizes[:, None]
        sizes.scatter_add_(2, labels, there[:, None].expand(labels.shape).int())
        asked = torch.arange(most, device=directions.device) < self.n_senses[:, None]
        empty = (sizes == 0) & asked[:, None]
        words, restarts, groups = torch.nonzero(empty, as_tuple=True)
        if len(words) == 0:
            return
        usable = self.block.bases[:, :, 0].any(dim=2)
        gains = found.gains.masked_fill(~usable[:, :, None], torch.inf).transpose(1, 2)
        poorest = gains.topk(min(most, gains.shape[2]), dim=2, largest=False)
        numbers = (empty.cumsum(dim=2) - 1)[words, restarts, groups]
        numbers = numbers.clamp_(max=poorest.values.shape[2] - 1)
        usable = poorest.values[words, restarts, numbers].isfinite()
        contexts = poorest.indices[words, restarts, numbers]
        lines = _normalise(self.block.bases[words, contexts, 0])
        before = directions[words, restarts, groups]
        directions[words, restarts, groups] = torch.where(usable[:, None], lines, before)


class ContextBlock:
    """The contexts (n, rank, dim) of several words on a device, one array a word."""

    def __init__(self, bases: Sequence[Floats], signed: bool, device: torch.device) -> None:
        _, rank, dim = bases[0].shape
        most = max(map(len, bases))
        held = torch.zeros((len(bases), most, rank, dim), device=device)
        for word, own in enumerate(bases):
            held[word, : len(own)] = to_tensor(own, device, np.float32)
        self._device = device
        self._sizes = [len(own) for own in bases]
        self._block = Block(held, torch.tensor(self._sizes, device=device), signed)

    def begin(
        self, sizes: Sequence[int], starts: Sequence[Floats], limits: Sequence[int]
    ) -> tuple[BlockSteps, Reached]:
        """See `grassmeans.kernels.blocks.HeldContexts`."""
        begun, n_senses = self._send_directions(starts)
        most = torch.tensor(list(limits), device=self._device)[:, None]
        rows = torch.arange(len(begun), device=self._device)
        nowhere = torch.full(begun.shape[:2], torch.inf, dtype=torch.float64, device=self._device)
        n_iter = torch.zeros(begun.shape[:2], dtype=torch.int64, device=self._device)
        steps = BlockSteps(self._sample(sizes), n_senses, most, rows)
        return steps, Reached(begun, nowhere, n_iter)

    def read(self, reached: Reached, history: Sequence[Tensor]) -> list[Advanced]:
        """See `grassmeans.kernels.blocks.HeldContexts`."""
        directions, n_iter = reached.directions.cpu().numpy(), reached.n_iter.cpu().numpy()
        objectives = torch.stack(list(history), dim=1).cpu().numpy()
        return [Advanced(*word) for word in zip(directions, objectives, n_iter, strict=True)]

    def assign(self, directions: Sequence[Floats]) -> list[tuple[Integers, Floats]]:
        """See `grassmeans.kernels.blocks.HeldContexts`."""
        lines, n_senses = self._send_directions([own[None] for own in directions])
        found = self._block.assign(lines, n_senses)
        labels = found.labels[:, :, 0].int().cpu().numpy()
        gains = found.gains[:, :, 0].cpu().numpy()
        return [(labels[word, :size], gains[word, :size]) for word, size in enumerate(self._sizes)]

    def _send_directions(self, directions: Sequence[Floats]) -> tuple[Tensor, Tensor]:
        """(n_words, n_restarts, most senses, dim), zeros beyond a word's; and how many it has."""
        numbers = [own.shape[1] for own in directions]
        n_restarts, _, dim = directions[0].shape
        filled = np.zeros((len(directions), n_restarts, max(numbers), dim), np.float32)
        for word, own in enumerate(directions):
            filled[word, :, : own.shape[1]] = own
        return to_tensor(filled, self._device), torch.tensor(numbers, device=self._device)

    def _sample(self, sizes: Sequence[int]) -> Block:
        """Evenly spaced contexts of every word, so many of each."""
        if list(sizes) == self._sizes:
            return self._block
        wanted = torch.tensor(list(sizes), device=self._device)[:, None]
        places = torch.arange(max(sizes), device=self._device)
        rows = torch.minimum(places, wanted - 1) * self._block.sizes[:, None] // wanted
        words = torch.arange(len(sizes), device=self._device)[:, None]
        bases = self._block.bases[words, rows]
        bases.masked_fill_((places >= wanted)[:, :, None, None], 0.0)
        return Block(bases, wanted[:, 0], self._block.signed)


def count_words(
    n_contexts: int, rank: int, dim: int, n_directions: int, device: torch.device
) -> int:
    """How many words of such sizes are grouped at once, 1 or more."""
    room = _BLOCK_BYTES
    if device.type == "cuda":
        room = min(room, torch.cuda.mem_get_info(device)[0] // 2)
    # Contexts, a sample of them, and those of words that go on; what directions need beside.
    each = 12 * n_contexts * rank * dim + 16 * n_contexts * n_directions + 64 * n_directions * dim
    return max(1, room // each)


def _orthogonalise(vectors: Tensor, basis: list[Tensor]) -> Tensor:
    """Unit vectors orthogonal to the basis; zeros where nothing but rounding is left."""
    rest = vectors
    for _ in range(2):
        for member in basis:
            rest = rest - (rest * member).sum(dim=3, keepdim=True) * member
    lengths = torch.linalg.norm(rest, dim=3, keepdim=True)
    enough = lengths > _BREAKDOWN * torch.linalg.norm(vectors, dim=3, keepdim=True)
    return torch.where(enough, _normalise(rest), 0.0)


def _normalise(vectors: Tensor) -> Tensor:
    """Rows (last axis) of unit length; rows of zeros stay."""
    lengths = torch.linalg.norm(vectors, dim=-1, keepdim=True)
    return vectors / lengths.where(lengths > 0.0, 1.0)
