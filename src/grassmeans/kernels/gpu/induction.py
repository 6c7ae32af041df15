"""K-Grassmeans (algorithm 2) of many words and all their restarts at once, on a device.

The steps are those of `grassmeans.senses.directions`, for a block of words: words with fewer
contexts are filled up with contexts of zeros, which lie at distance 1 from everything, and restarts
that have settled are no longer changed. Words whose restarts have all settled leave the block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

_BREAKDOWN = 1e-5  # of a product's length: what is left of it is rounding
_PRODUCT_BYTES = 1 << 31


class Assigned(NamedTuple):
    """What an expectation step finds for each word and restart.

    Attributes
    ----------
    labels : (n_words, n_contexts, n_restarts) int64
    gains : (n_words, n_contexts, n_restarts) float32
    products : (n_words, n_restarts, n_senses, dim) float32
        C_k u_k for every group; with signed lines their sum.
    """

    labels: Tensor
    gains: Tensor
    products: Tensor


@dataclass(slots=True)
class Block:
    """The contexts of several words.

    Attributes
    ----------
    bases : (n_words, n_contexts, rank, dim) float32
        Zeros beyond a word's contexts.
    sizes : (n_words,) int64
        How many contexts each has.
    signed : bool
        Whether contexts are lines with an end (rank 1), grouped by their cosine.
    """

    bases: Tensor
    sizes: Tensor
    signed: bool = False

    def take(self, words: Tensor) -> Block:
        """Some of the words."""
        return Block(self.bases[words], self.sizes[words], self.signed)

    @property
    def step(self) -> int:
        """Words whose products are held at once, for 100 directions."""
        _, n, rank, _ = self.bases.shape
        return max(1, _PRODUCT_BYTES // (400 * n * rank))

    def assign(self, directions: Tensor) -> Assigned:
        """The nearest direction (n_words, n_restarts, n_senses, dim) of each context."""
        parts = [
            self._assign(slice(i, i + self.step), directions[i : i + self.step])
            for i in range(0, len(self.bases), self.step)
        ]
        return Assigned(*(torch.cat(found) for found in zip(*parts, strict=True)))

    def _assign(self, part: slice, directions: Tensor) -> Assigned:
        bases = self.bases[part]
        n_words, n, rank, dim = bases.shape
        _, n_restarts, n_senses, _ = directions.shape
        rows = bases.view(n_words, n * rank, dim)
        products = torch.bmm(rows, directions.reshape(n_words, -1, dim).transpose(1, 2))
        shaped = products.view(n_words, n, rank, n_restarts, n_senses)
        squares = shaped[:, :, 0] if self.signed else shaped.square().sum(dim=2)
        gains, labels = squares.max(dim=3)
        chosen = torch.nn.functional.one_hot(labels, n_senses)[:, :, None].to(shaped.dtype)
        weights = chosen if self.signed else shaped.mul_(chosen)
        sums = torch.bmm(weights.reshape(n_words, n * rank, -1).transpose(1, 2), rows)
        gains = gains.clamp_(max=1.0)
        return Assigned(labels, gains, sums.view(n_words, n_restarts, n_senses, dim))

    def apply(self, labels: Tensor, directions: Tensor) -> Tensor:
        """C_k q_k of every group that the labels give, (n_words, n_restarts, n_senses, dim)."""
        parts = [
            self._apply(slice(i, i + self.step), labels, directions)
            for i in range(0, len(self.bases), self.step)
        ]
        return torch.cat(parts)

    def _apply(self, part: slice, labels: Tensor, directions: Tensor) -> Tensor:
        bases, own = self.bases[part], directions[part]
        n_words, n, rank, dim = bases.shape
        _, n_restarts, n_senses, _ = own.shape
        rows = bases.view(n_words, n * rank, dim)
        products = torch.bmm(rows, own.reshape(n_words, -1, dim).transpose(1, 2))
        chosen = torch.nn.functional.one_hot(labels[part], n_senses)[:, :, None]
        shaped = products.view(n_words, n, rank, n_restarts, n_senses).mul_(chosen)
        sums = torch.bmm(shaped.view(n_words, n * rank, -1).transpose(1, 2), rows)
        return sums.view(n_words, n_restarts, n_senses, dim)

    def objectives(self, gains: Tensor) -> Tensor:
        """(n_words, n_restarts) float64 sums of squared distances over the words' contexts."""
        there = torch.arange(gains.shape[1], device=gains.device) < self.sizes[:, None]
        return (1.0 - gains.double()).clamp_(min=0.0).mul_(there[:, :, None]).sum(dim=1)


class Advanced(NamedTuple):
    """Where restarts ended: directions, objectives (n_words, n_restarts), iterations."""

    directions: Tensor
    objectives: Tensor
    n_iter: Tensor


def advance(
    block: Block,
    starts: Tensor,
    n_senses: Tensor,
    max_iter: int,
    tol: float,
    plan: Callable[[int], int],
) -> Advanced:
    """Iterate every restart until its objective moves by less than ``tol`` per context.

    Parameters
    ----------
    starts : (n_words, n_restarts, most senses, dim) float32
        Unit rows; zeros beyond a word's senses.
    n_senses : (n_words,) int64
        How many senses each word has.
    plan : callable
        Iteration -> how many products with C its maximisation step may take.
    """
    n_words, n_restarts = starts.shape[:2]
    device = starts.device
    result = Advanced(
        starts.clone(),
        torch.full((n_words, n_restarts), torch.inf, dtype=torch.float64, device=device),
        torch.zeros((n_words, n_restarts), dtype=torch.int64, device=device),
    )
    words = torch.arange(n_words, device=device)
    active = torch.ones((n_words, n_restarts), dtype=torch.bool, device=device)
    tried = starts
    for iteration in range(max_iter + 1):
        found = block.assign(tried)
        objectives = block.objectives(found.gains)
        moved = result.objectives[words] - objectives
        better = active & (moved > 0.0)
        result.objectives[words] = torch.where(better, objectives, result.objectives[words])
        result.directions[words] = torch.where(
            better[:, :, None, None], tried, result.directions[words]
        )
        result.n_iter[words] = torch.where(active, iteration, result.n_iter[words])
        active = better & (moved >= tol * block.sizes[:, None])
        going = torch.nonzero(active.any(dim=1)).flatten()
        if len(going) == 0 or iteration == max_iter:
            break
        if 4 * len(going) <= 3 * len(words):
            block, words, active = block.take(going), words[going], active[going]
            tried, n_senses = tried[going], n_senses[going]
            found = Assigned(*(x[going] for x in found))
        tried = _improve_directions(block, found, tried, plan(iteration))
        _relocate_empty_groups(block, found, tried, n_senses)
    return result


def _improve_directions(
    block: Block, found: Assigned, directions: Tensor, n_products: int
) -> Tensor:
    """Maximisation step: raise u'Cu / u'u of every group, warm-started at u."""
    improved = found.products.double()
    if n_products > 1 and not block.signed:
        basis, images = [_normalise(directions.double())], [improved]
        for _ in range(n_products - 1):
            fresh = _orthogonalise(images[-1], basis)
            basis.append(fresh)
            images.append(block.apply(found.labels, fresh.float()).double())
        q, cq = torch.stack(basis, dim=3), torch.stack(images, dim=3)
        small = q @ cq.transpose(3, 4)
        vectors = torch.linalg.eigh(small + small.transpose(3, 4))[1]
        improved = (vectors[..., None, :, -1] @ cq)[..., 0, :]
    # An empty group has C = 0: it keeps its direction, to be relocated.
    empty = ~improved.any(dim=3, keepdim=True)
    return torch.where(empty, directions, _normalise(improved).float())


def _orthogonalise(vectors: Tensor, basis: list[Tensor]) -> Tensor:
    """Unit vectors orthogonal to the basis; zeros where nothing but rounding is left."""
    rest = vectors
    for _ in range(2):
        for member in basis:
            rest = rest - (rest * member).sum(dim=3, keepdim=True) * member
    lengths = torch.linalg.norm(rest, dim=3, keepdim=True)
    enough = lengths > _BREAKDOWN * torch.linalg.norm(vectors, dim=3, keepdim=True)
    return torch.where(enough, _normalise(rest), 0.0)


def _relocate_empty_groups(
    block: Block, found: Assigned, directions: Tensor, n_senses: Tensor
) -> None:
    """Move the direction of an empty group to the context that fits its own group worst."""
    most = directions.shape[2]
    sizes = torch.zeros(directions.shape[:3], dtype=torch.int32, device=directions.device)
    labels = found.labels.transpose(1, 2)
    there = torch.arange(labels.shape[2], device=labels.device) < block.sizes[:, None]
    sizes.scatter_add_(2, labels, there[:, None].expand(labels.shape).int())
    asked = torch.arange(most, device=directions.device) < n_senses[:, None]
    empty = (sizes == 0) & asked[:, None]
    words, restarts, groups = torch.nonzero(empty, as_tuple=True)
    if len(words) == 0:
        return
    usable = block.bases[:, :, 0].any(dim=2)
    gains = found.gains.masked_fill(~usable[:, :, None], torch.inf).transpose(1, 2)
    poorest = gains.topk(min(most, gains.shape[2]), dim=2, largest=False)
    numbers = (empty.cumsum(dim=2) - 1)[words, restarts, groups]
    numbers = numbers.clamp_(max=poorest.values.shape[2] - 1)
    usable = poorest.values[words, restarts, numbers].isfinite()
    contexts = poorest.indices[words, restarts, numbers]
    lines = _normalise(block.bases[words, contexts, 0])
    before = directions[words, restarts, groups]
    directions[words, restarts, groups] = torch.where(usable[:, None], lines, before)


def _normalise(vectors: Tensor) -> Tensor:
    """Rows (last axis) of unit length; rows of zeros stay."""
    lengths = torch.linalg.norm(vectors, dim=-1, keepdim=True)
    return vectors / lengths.where(lengths > 0.0, 1.0)
