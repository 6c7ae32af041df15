"""A training by several processes, on several GPUs or machines: PyTorch's own distribution.

``torchrun`` starts the same command many times and tells each which one it is. A step's passages
are shared between them, and gradients are averaged before anything is changed, so that all have the
same network at any time and the settings mean what they mean in one process. The first one alone
writes.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, distributed

from grassmeans.errors import InputError


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
        return batch[self.number :: self.size]

    def average(self, parameters: Iterable[Tensor]) -> None:
        """Put the mean of all processes' gradients in the place of this one's."""
        gradients = [p.grad for p in parameters if p.grad is not None]
        joined = torch.cat([gradient.reshape(-1).float() for gradient in gradients])
        distributed.all_reduce(joined)
        joined /= self.size
        for gradient, mean in zip(
            gradients, joined.split([gradient.numel() for gradient in gradients]), strict=True
        ):
            gradient.copy_(mean.reshape(gradient.shape))

    def tell(self, value: Any = None) -> Any:
        """What the first process tells; it waits for nobody, and the others for it."""
        held = [value]
        distributed.broadcast_object_list(held)
        return held[0]


def count_ranks() -> int:
    """How many processes ``torchrun`` has started; 1 where it has not."""
    return int(os.environ.get("WORLD_SIZE", "1")) if "RANK" in os.environ else 1


@contextlib.contextmanager
def join_ranks(device: str) -> Iterator[Ranks | None]:
    """Join the processes that ``torchrun`` has started; None where it has not, or only one."""
    if count_ranks() == 1:
        yield None
        return
    if device == "cuda":
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    distributed.init_process_group("nccl" if device == "cuda" else "gloo")
    try:
        yield Ranks(distributed.get_rank(), distributed.get_world_size())
    finally:
        distributed.destroy_process_group()
