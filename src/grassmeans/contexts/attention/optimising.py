"""One step of a training: the loss of a batch of passages, and what it changes.

A step depends on its number, its batch and the seed alone, so that a training can be taken up
after any of them. Matrices are trained with Muon, everything else with AdamW.

Several processes, on several GPUs or machines, may take it together (`Ranks`): ``torchrun`` starts
the same command many times and tells each which one it is. A step's passages are shared between
them, and gradients are averaged before anything is changed, so that all have the same network at
any time and the settings mean what they mean in one process. The first one alone writes.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, distributed
from torch.nn import functional

from grassmeans.arrays import Floats, Indices, Integers
from grassmeans.contexts.attention.network import (
    LeaveOneOutNetwork,
    find_seen,
    is_alone,
    send,
)
from grassmeans.contexts.attention.scopes import draw_scopes, number_documents
from grassmeans.contexts.attention.stored import BOUNDARY_ID, N_SPECIAL
from grassmeans.errors import InputError

MATRIX_RATE, VECTOR_RATE = 0.03, 0.004
"""Largest learning rates: of Muon for the matrices, of AdamW for everything else."""

WARM_UP = 0.03
"""Share of a training in which the rates rise; they fall to 0 in the rest, both linearly."""

_VECTORS = ("vectors", "bias", "start")  # what is not a matrix that turns one vector into another
_NEVER = -20.0  # the logarithm of almost nothing
_LOGITS_AT_ONCE = {"cpu": 2**25, "cuda": 2**28}


class Muon(torch.optim.Optimizer):  # type: ignore[misc]
    """Momentum whose steps have all singular values near one (Jordan et al. 2024).

    Parameters are stacks of matrices (the last two axes), orthogonalised one by one, by products
    in ``dtype``.
    """

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float,
        momentum: float = 0.95,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__(list(params), {"lr": lr, "momentum": momentum})
        self._dtype = dtype

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def step(self, closure: Callable[[], float] | None = None) -> None:
        """Make one step."""
        for group in self.param_groups:
            for weights in group["params"]:
                state = self.state[weights]
                if not state:
                    state["momentum"] = torch.zeros_like(weights)
                momentum = state["momentum"]
                momentum.lerp_(weights.grad, 1 - group["momentum"])
                update = orthogonalise(weights.grad.lerp(momentum, group["momentum"]), self._dtype)
                rows, columns = weights.shape[-2:]
                weights.add_(update, alpha=-group["lr"] * math.sqrt(max(1.0, rows / columns)))


def orthogonalise(matrices: Tensor, dtype: torch.dtype = torch.float32, n_steps: int = 5) -> Tensor:
    """Bring all singular values of a stack of matrices near 1, by Newton-Schulz steps.

    The odd polynomial of degree 5 rises as steeply as it can at 0 and stays near 1 beyond: values
    end between about 0.7 and 1.2, which serves as well as exact ones.
    """
    a, b, c = 3.4445, -4.7750, 2.0315
    x = matrices.to(dtype)
    is_tall = x.shape[-2] > x.shape[-1]
    x = x.mT if is_tall else x
    x = x / (torch.linalg.matrix_norm(x.float(), keepdim=True).to(x.dtype) + 1e-7)
    for _ in range(n_steps):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return (x.mT if is_tall else x).to(matrices.dtype)


class _CrossEntropy(torch.autograd.Function):  # type: ignore[misc]
    """Weighted sum of -log P(target), a chunk of places at a time.

    The gradients are found in the forward pass, while a chunk's probabilities are at hand: those
    of all places would need gigabytes. The gradient of a place's logits is P - onehot(target).
    """

    @staticmethod
    def forward(
        ctx: Any,
        directions: Tensor,
        vectors: Tensor,
        bias: Tensor,
        targets: Tensor,
        weights: Tensor,
    ) -> Tensor:
        dtype = directions.dtype
        table, shift = vectors.to(dtype), bias.to(dtype)
        loss = torch.zeros((), device=directions.device)
        d_directions = torch.empty_like(directions)
        d_vectors, d_bias = torch.zeros_like(vectors), torch.zeros_like(bias)
        n_rows = max(1, _LOGITS_AT_ONCE[directions.device.type] // len(table))
        for first in range(0, len(targets), n_rows):
            rows = slice(first, first + n_rows)
            target, weight = targets[rows, None], weights[rows, None].to(dtype)
            p = torch.addmm(shift, directions[rows], table.T).softmax(-1)
            hits = p.gather(1, target).float().clamp_min(1e-37)
            loss -= (hits.log() * weights[rows, None]).sum()
            if ctx.needs_input_grad[0]:
                p.scatter_add_(1, target, torch.full_like(target, -1, dtype=dtype))
                d_directions[rows] = (p @ table) * weight
                d_vectors += p.T @ (directions[rows] * weight)
                d_bias += (p.T @ weight)[:, 0]
        ctx.save_for_backward(d_directions, d_vectors, d_bias)
        return loss

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        d_directions, d_vectors, d_bias = ctx.saved_tensors
        scaled = d_directions * grad.to(d_directions.dtype)
        return scaled, d_vectors * grad, d_bias * grad, None, None


def prediction_loss(network: LeaveOneOutNetwork, directions: Tensor, ids: Tensor) -> Tensor:
    """Mean cross entropy, in nats, of the words of ids (...) by directions (..., dim)."""
    words, weights = _find_targets(ids)
    loss: Tensor = _CrossEntropy.apply(
        directions.flatten(0, -2), network.word_vectors, network.bias, words, weights
    )
    return loss


def estimate_loss(
    network: LeaveOneOutNetwork, directions: Tensor, ids: Tensor, drawn: Tensor, chances: Tensor
) -> Tensor:
    """The same against a sample of the words only, at a fraction of the cost.

    A place chooses between its own word and the drawn ones. Where a word y had the chance q(y) to
    be drawn, y is the place's own with a probability in proportion to P(y) / q(y). Words ``drawn``
    (n,) are numbers, and chances (n_words,) those of all words.
    """
    words, weights = _find_targets(ids)
    directions = directions.flatten(0, -2).float()
    shift = network.bias - chances.log()
    vectors = network.word_vectors
    own = (functional.embedding(words, vectors) * directions).sum(-1) + shift[words]
    others = torch.addmm(shift[drawn], directions, vectors[drawn].T)
    others = others.masked_fill(words[:, None] == drawn, -torch.inf)
    total = torch.logsumexp(torch.cat((own[:, None], others), 1), 1)
    return ((total - own) * weights).sum()


def _find_targets(ids: Tensor) -> tuple[Tensor, Tensor]:
    """(n,) word at each place, and (n,) its share in the mean: none where there is no word."""
    words = ids.flatten() - N_SPECIAL
    weights = (words >= 0).float()
    return words.clamp_min(0), weights / weights.sum().clamp_min(1)


@dataclass(frozen=True, slots=True)
class Shortcuts:
    """What steps leave out where computing is dear: most words, and places of frequent words."""

    chances: Floats  # (n_words,) to be among those that a place chooses from
    preferences: Floats  # (n_ids,) logarithms of how much places are preferred to be predicted
    share: float  # of a passage's places that are predicted

    @classmethod
    def from_counts(
        cls, counts: Indices, n_drawn: int, share: float, common: float = 1e-4
    ) -> Shortcuts:
        """By how often words occur.

        A word of more than ``common`` of the tokens is preferred less, by the square root of
        ``common`` over its share, as skip-gram passes over frequent words.
        """
        shares = counts / counts.sum()
        words = np.minimum(0.0, np.log(common / shares) / 2)
        specials = np.full(N_SPECIAL, _NEVER)
        preferences = np.concatenate([specials, words]).astype(np.float32)
        return cls(draw_chances(counts, n_drawn), preferences, share)

    def draw_words(self, rng: np.random.Generator) -> Indices:
        """(n,) words to choose from."""
        return np.flatnonzero(rng.random(len(self.chances)) < self.chances)

    def draw_places(self, ids: Integers, rng: np.random.Generator) -> Indices:
        """(n_passages, n_places) places to predict, drawn without replacement (Gumbel's noise)."""
        n_places = max(1, round(self.share * ids.shape[1]))
        scores = self.preferences[ids] + rng.gumbel(size=ids.shape)
        return np.argsort(-scores, axis=1)[:, :n_places]


def draw_chances(counts: Indices, n_drawn: int) -> Floats:
    """(n_words,) how probably each word is drawn, so that about ``n_drawn`` of them are.

    Words are drawn as if by their counts to the power of 3/4, as skip-gram draws its negatives,
    but none of them twice: the most frequent ones are almost always there.
    """
    if n_drawn >= len(counts):
        return np.ones(len(counts), np.float32)
    weights = counts / counts.sum()
    weights **= 0.75
    few, many = 0.0, 1.0 / weights.min() * 50  # with the larger one every word is drawn
    for _ in range(60):
        middle = (few + many) / 2
        is_enough = -np.expm1(-middle * weights).sum() >= n_drawn
        few, many = (few, middle) if is_enough else (middle, many)
    return np.asarray(-np.expm1(-many * weights), np.float32)


def learning_rate(progress: float) -> float:
    """Share of the largest rate: up linearly, then down to 0."""
    return max(0.0, min(1.0, progress / WARM_UP + 1e-3, (1 - progress) / (1 - WARM_UP)))


@dataclass(frozen=True, slots=True)
class Ranks:
    """Which of how many processes this is."""

    number: int
    size: int

    @property
    def is_first(self) -> bool:
        """Whether this is the one that writes."""
        return self.number == 0

    def check(self, batch_passages: int) -> None:
        """Refuse steps that have no passage for some processes."""
        if batch_passages < self.size:
            raise InputError(
                f"a step has {batch_passages} passages, too few for {self.size} processes: take "
                "more tokens a step (batch_tokens=...)"
            )

    def share(self, batch: Any) -> Any:
        """The rows of a batch that are this process's."""
        return batch if self.size == 1 else batch[self.number :: self.size]

    def average(self, parameters: Iterable[Tensor]) -> None:
        """Put the mean of all processes' gradients in the place of this one's."""
        if self.size == 1:
            return
        gradients = [p.grad for p in parameters if p.grad is not None]
        joined = torch.cat([gradient.reshape(-1).float() for gradient in gradients])
        distributed.all_reduce(joined)
        joined /= self.size
        means = joined.split([gradient.numel() for gradient in gradients])
        for gradient, mean in zip(gradients, means, strict=True):
            gradient.copy_(mean.reshape(gradient.shape))

    def tell(self, value: Any = None) -> Any:
        """What the first process tells; it waits for nobody, and the others for it."""
        held = [value]
        if self.size > 1:
            distributed.broadcast_object_list(held)
        return held[0]


ALONE = Ranks(0, 1)


def count_ranks() -> int:
    """How many processes ``torchrun`` has started; 1 where it has not."""
    return int(os.environ.get("WORLD_SIZE", "1")) if "RANK" in os.environ else 1


@contextlib.contextmanager
def join_ranks(device: str) -> Iterator[Ranks]:
    """Join the processes that ``torchrun`` has started, where it has."""
    if count_ranks() == 1:
        yield ALONE
        return
    if device == "cuda":
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    distributed.init_process_group("nccl" if device == "cuda" else "gloo")
    try:
        yield Ranks(distributed.get_rank(), distributed.get_world_size())
    finally:
        distributed.destroy_process_group()


class Trainer:
    """A network, on its device, and what its training remembers from step to step."""

    def __init__(
        self,
        network: Any,
        seed: int,
        shortcuts: Shortcuts | None = None,
        compiled: bool = False,
        ranks: Ranks = ALONE,
    ) -> None:
        self.network, self.ranks = network, ranks
        self.pace = 1.0  # of the learning rates
        self._seed, self._shortcuts, self._compiled = seed, shortcuts, compiled
        self._device = network.vectors.device
        self._encode: Any = torch.compile(network, dynamic=False) if compiled else network
        named = dict(network.named_parameters())
        others = [named.pop(name) for name in _VECTORS if name in named]
        self._optimisers: list[Any] = [
            Muon(named.values(), MATRIX_RATE, dtype=network.compute_dtype),
            torch.optim.AdamW(
                others, VECTOR_RATE, (0.9, 0.98), eps=1e-10, weight_decay=0.0, fused=True
            ),
        ]

    def prepare(self, n_passages: int) -> None:
        """Compile, where that was asked for, which takes long and belongs to no step."""
        if not self._compiled:
            return
        ids = np.zeros((n_passages, self.network.shape.passage), np.int32)
        try:
            self._try_loss(ids).backward()
        except RuntimeError:  # there is no compiler here: the network itself does the same, slower
            self._encode = self.network
        self.network.zero_grad(set_to_none=True)

    def _try_loss(self, ids: Integers) -> Tensor:
        """Any loss of passages of the usual size, for the compiler."""
        return self._find_loss(ids, 0)

    def step(self, batch: Any, number: int, progress: float) -> Tensor:
        """Learn from a batch, at this share of the training; the loss before the step."""
        rate = self.pace * learning_rate(progress)
        for optimiser, most in zip(self._optimisers, (MATRIX_RATE, VECTOR_RATE), strict=True):
            optimiser.param_groups[0]["lr"] = rate * most
        loss = self._find_loss(batch, number)
        loss.backward()
        self.ranks.average(self.network.parameters())
        for optimiser in self._optimisers:
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        return loss.detach()

    def _find_loss(self, ids: Any, number: int) -> Tensor:
        scopes = draw_scopes(ids, np.random.default_rng([self._seed, number, 1]))
        given, seen, wanted = self._look(ids, scopes)
        if self._shortcuts is None:
            return prediction_loss(self.network, self._encode(given, seen), wanted)
        rng = np.random.default_rng([self._seed, number])
        drawn = self._put(self._shortcuts.draw_words(rng))
        places = self._put(self._shortcuts.draw_places(ids, rng))
        words, rows = np.unique(ids, return_inverse=True)
        features = self.network.word_features(self._put(words).long())
        rows = self._put(rows.reshape(ids.shape))
        near = seen.gather(2, places[:, None, :, None].expand(-1, -1, -1, ids.shape[1]))
        directions = self._encode(rows, near, features, places)
        chances = self._put(self._shortcuts.chances)
        return estimate_loss(self.network, directions, wanted.gather(1, places), drawn, chances)

    def _look(self, ids: Integers, scopes: Integers) -> tuple[Tensor, Tensor, Tensor]:
        """Ids on the device, what places see there, and the words that are to be predicted."""
        given = self._put(ids).long()
        seen = find_seen(given, self._put(scopes), itself=False)
        return given, seen, given.masked_fill(is_alone(seen), BOUNDARY_ID)

    def _put(self, array: NDArray[Any]) -> Tensor:
        return send(array, self._device)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def measure(self, passages: Any, at_once: int) -> float:
        """The mean cross entropy of all words of passages, so many passages at once."""
        total, n_words = 0.0, 0
        for start in range(0, len(passages), at_once):
            part = passages[start : start + at_once]
            ids, seen, wanted = self._look(part, number_documents(part))
            n = int((wanted >= N_SPECIAL).sum())
            total += n * float(prediction_loss(self.network, self.network(ids, seen), wanted))
            n_words += n
        return total / max(n_words, 1)

    def state(self) -> dict[str, Tensor]:
        """What is needed to take the training up again."""
        found = {f"network.{name}": p.data for name, p in self.network.named_parameters()}
        for i, optimiser in enumerate(self._optimisers):
            for number, kept in optimiser.state_dict()["state"].items():
                found |= {f"{i}.{number}.{name}": value for name, value in kept.items()}
        return {name: value.contiguous() for name, value in found.items()}

    def load(self, state: Mapping[str, Tensor]) -> None:
        """Take up a training where `state` left it."""
        self.network.load_state_dict(
            {name.removeprefix("network."): v for name, v in state.items() if "network." in name}
        )
        for i, optimiser in enumerate(self._optimisers):
            kept: dict[int, dict[str, Tensor]] = {}
            for name, value in state.items():
                owner, number, what = name.split(".") if name.count(".") == 2 else ("", "0", "")
                if owner == str(i):
                    kept.setdefault(int(number), {})[what] = value.clone()
            optimiser.load_state_dict(optimiser.state_dict() | {"state": kept})
