"""What is trained on, and in which order: the chunks of a training, some documents each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from grassmeans.arrays import Indices, Integers

CHUNK_TOKENS = 100_000
DEVICE_CHUNK_TOKENS = 2_000_000
"""On a GPU: each of some thousand windows at a time has many words before it."""


class TokenShard(Protocol):
    """What the trainer reads of a corpus: shards of ids with document offsets."""

    def read_tokens(self, start: int, end: int, epoch: int) -> Integers:
        """The word ids of the positions ``start:end``; they may be drawn anew in every epoch."""

    @property
    def document_offsets(self) -> Indices:
        """(n_documents + 1,) where each document begins, and the end."""


Shards = Sequence[TokenShard] | Mapping[int, TokenShard]
"""By their numbers; not all of them where only some chunks are trained."""


@dataclass(frozen=True, slots=True)
class MemoryShard:
    """Ids in memory.

    Attributes
    ----------
    tokens : (n_tokens,) int32
    document_offsets : (n_documents + 1,) int64
    """

    tokens: Integers
    document_offsets: Indices

    def read_tokens(self, start: int, end: int, epoch: int) -> Integers:
        """The ids of the positions ``start:end``, the same in every epoch."""
        return self.tokens[start:end]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some documents of one shard in one epoch."""

    epoch: int
    shard: int
    first_document: int
    last_document: int
    number: int
    tokens_before: int
    n_tokens: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Chunks in the order of a training, all or some of them, and the tokens of the training."""

    chunks: Sequence[Chunk]
    n_tokens: int


def plan_training(
    shards: Sequence[TokenShard], epochs: int, chunk_tokens: int | None = None
) -> Plan:
    """All chunks of a training, of ``chunk_tokens`` (`CHUNK_TOKENS`) or a document more."""
    size_wanted = chunk_tokens or CHUNK_TOKENS
    chunks: list[Chunk] = []
    before = 0
    for epoch in range(epochs):
        for number, shard in enumerate(shards):
            offsets = np.asarray(shard.document_offsets)
            first = 0
            while first < len(offsets) - 1:
                goal = offsets[first] + size_wanted
                last = max(int(np.searchsorted(offsets, goal)), first + 1)
                last = min(last, len(offsets) - 1)
                size = int(offsets[last] - offsets[first])
                chunks.append(Chunk(epoch, number, first, last, len(chunks), before, size))
                before += size
                first = last
    return Plan(chunks, before)
