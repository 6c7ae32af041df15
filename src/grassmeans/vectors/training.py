"""The work of one skip-gram training: the plan of chunks, the threads, the checkpoints.

A training is a fixed sequence of chunks (some documents of one shard in one epoch), each with its
own seed and its own stretch of the learning rate. Threads draw chunks in order and change the
matrices without locks; with one worker the result is exactly repeatable, also after a resume.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import open_array, read_json, write_array, write_json
from grassmeans.errors import InputError
from grassmeans.kernels import get_kernels
from grassmeans.progress import Advance

CHUNK_TOKENS = 100_000
CHECKPOINT_SECONDS = 120.0
UNIGRAM_POWER = 0.75
LAST_RATE_SHARE = 1e-4
_STATE = "checkpoint.json"

Matrix = NDArray[np.float32]


class TokenShard(Protocol):
    """What the trainer reads of a corpus: shards of ids with document offsets."""

    def read_tokens(self, start: int, end: int, epoch: int) -> NDArray[np.int32]:
        """The word ids of the positions ``start:end``; they may be drawn anew in every epoch."""

    @property
    def document_offsets(self) -> NDArray[np.int64]:
        """(n_documents + 1,) where each document begins, and the end."""


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """Everything that decides the result, apart from the corpus and the starting matrices."""

    window: int
    negative: int
    epochs: int
    learning_rate: float
    sample: float
    seed: int


@dataclass(frozen=True, slots=True)
class _Chunk:
    epoch: int
    shard: int
    first_document: int
    last_document: int
    number: int
    tokens_before: int
    n_tokens: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """The documents of one chunk, as the kernels take them; the rate falls from first to last.

    ``share_before`` is the share of the training that lies before them.
    """

    tokens: NDArray[np.int32]
    document_offsets: NDArray[np.int64]
    share_before: float
    first_rate: float
    last_rate: float
    seed: np.uint64


@dataclass(slots=True)
class Matrices:
    """The two matrices of skip-gram, each (n_words, dim), and the rows that stay as they are."""

    inputs: Matrix
    outputs: Matrix
    frozen_inputs: NDArray[np.bool_]
    frozen_outputs: NDArray[np.bool_]


def keep_probabilities(counts: NDArray[np.int64], sample: float) -> NDArray[np.float32]:
    """Word2vec's subsampling: how probably an occurrence of each word stays."""
    if sample <= 0:
        return np.ones(len(counts), np.float32)
    ratio = sample * counts.sum() / np.maximum(counts, 1)
    keep: NDArray[np.float32] = np.minimum(1.0, np.sqrt(ratio) + ratio).astype(np.float32)
    return keep


def _plan_chunks(shards: Sequence[TokenShard], epochs: int) -> list[_Chunk]:
    chunks: list[_Chunk] = []
    before = 0
    for epoch in range(epochs):
        for number, shard in enumerate(shards):
            offsets = np.asarray(shard.document_offsets)
            first = 0
            while first < len(offsets) - 1:
                goal = offsets[first] + CHUNK_TOKENS
                last = max(int(np.searchsorted(offsets, goal)), first + 1)
                last = min(last, len(offsets) - 1)
                size = int(offsets[last] - offsets[first])
                chunks.append(_Chunk(epoch, number, first, last, len(chunks), before, size))
                before += size
                first = last
    return chunks


class ChunkTrainer(ABC):
    """Goes through shards chunk by chunk, in threads; what is trained is a subclass's matter.

    Parameters
    ----------
    shards : sequence of TokenShard
    counts : (n_words,) int64
        How often each word occurs: for subsampling and for the choice of negatives.
    settings : TrainingSettings
    workers : int
    """

    def __init__(
        self,
        shards: Sequence[TokenShard],
        counts: NDArray[np.int64],
        settings: TrainingSettings,
        workers: int,
    ) -> None:
        self._shards = shards
        self._settings = settings
        self._workers = workers
        self._chunks = _plan_chunks(shards, settings.epochs)
        self._n_tokens = sum(chunk.n_tokens for chunk in self._chunks)
        self._keep = keep_probabilities(counts, settings.sample)
        kernels = get_kernels()
        negatives = counts.astype(np.float64) ** UNIGRAM_POWER
        self._threshold, self._alias = kernels.alias_table(negatives)
        self._table = kernels.sigmoid_table()
        self._stopping = threading.Event()

    @property
    def n_tokens(self) -> int:
        """Tokens to go through, all epochs together."""
        return self._n_tokens

    @abstractmethod
    def _train_stretch(self, stretch: Stretch) -> None:
        """Change the matrices by the documents of one chunk."""

    def _run_batches(self, next_chunk: int, advance: Advance) -> Iterator[tuple[int, bool]]:
        """Train from a chunk on; gives the next chunk after every batch, and at an interrupt.

        After an interrupt (the second value is then true) `KeyboardInterrupt` is raised.
        """
        for batch in _batched(self._chunks[next_chunk:], 40 * self._workers):
            done = self._run_batch(batch, advance)
            next_chunk += done
            interrupted = done < len(batch)
            yield next_chunk, interrupted
            if interrupted:
                raise KeyboardInterrupt

    def _run_batch(self, batch: Sequence[_Chunk], advance: Advance) -> int:
        """Train the chunks in order; returns how many were done before an interrupt."""
        done = 0
        try:
            if self._workers == 1:
                for chunk in batch:
                    self._train(chunk)
                    done += 1
                    advance(chunk.n_tokens)
                return done
            with ThreadPoolExecutor(self._workers) as pool:
                try:
                    for chunk, _ in zip(batch, pool.map(self._train, batch), strict=True):
                        done += 1
                        advance(chunk.n_tokens)
                except KeyboardInterrupt:
                    self._stopping.set()
                    raise
        except KeyboardInterrupt:
            return done
        return done

    def _train(self, chunk: _Chunk) -> None:
        if self._stopping.is_set():
            return
        shard = self._shards[chunk.shard]
        offsets = np.asarray(shard.document_offsets[chunk.first_document : chunk.last_document + 1])
        start, end = int(offsets[0]), int(offsets[-1])
        seeds = np.random.SeedSequence([self._settings.seed, chunk.number])
        self._train_stretch(
            Stretch(
                tokens=np.ascontiguousarray(shard.read_tokens(start, end, chunk.epoch)),
                document_offsets=offsets - start,
                share_before=chunk.tokens_before / max(self._n_tokens, 1),
                first_rate=self._rate_at(chunk.tokens_before),
                last_rate=self._rate_at(chunk.tokens_before + chunk.n_tokens),
                seed=seeds.generate_state(1, np.uint64)[0],
            )
        )

    def _rate_at(self, tokens: int) -> float:
        share = 1.0 - tokens / max(self._n_tokens, 1)
        return self._settings.learning_rate * max(share, LAST_RATE_SHARE)


class Trainer(ChunkTrainer):
    """Trains the matrices of skip-gram on shards, from the beginning or from a checkpoint."""

    def __init__(
        self,
        shards: Sequence[TokenShard],
        counts: NDArray[np.int64],
        matrices: Matrices,
        settings: TrainingSettings,
        workers: int,
    ) -> None:
        super().__init__(shards, counts, settings, workers)
        self._matrices = matrices

    def run(self, checkpoint: Checkpoint | None, advance: Advance) -> None:
        """Train to the end; on an interrupt the chunks under way are finished and saved."""
        first = checkpoint.restore(self._matrices) if checkpoint is not None else 0
        advance(sum(chunk.n_tokens for chunk in self._chunks[:first]))
        saved = time.monotonic()
        for next_chunk, interrupted in self._run_batches(first, advance):
            due = time.monotonic() - saved > CHECKPOINT_SECONDS
            if checkpoint is not None and (interrupted or due) and next_chunk < len(self._chunks):
                checkpoint.save(self._matrices, next_chunk)
                saved = time.monotonic()

    def _train_stretch(self, stretch: Stretch) -> None:
        settings, matrices = self._settings, self._matrices
        get_kernels().train_skipgram(
            stretch.tokens,
            stretch.document_offsets,
            matrices.inputs,
            matrices.outputs,
            matrices.frozen_inputs,
            matrices.frozen_outputs,
            self._keep,
            self._threshold,
            self._alias,
            self._table,
            settings.window,
            settings.negative,
            stretch.first_rate,
            stretch.last_rate,
            stretch.seed,
        )


def _batched(chunks: Sequence[_Chunk], size: int) -> Iterator[list[_Chunk]]:
    iterator = iter(chunks)
    while batch := list(islice(iterator, size)):
        yield batch


class Checkpoint:
    """Matrices and the next chunk, in two alternating sets of files so that one is always whole."""

    def __init__(self, folder: Path, identity: str) -> None:
        self._folder = folder
        self._identity = identity
        folder.mkdir(parents=True, exist_ok=True)

    def restore(self, matrices: Matrices) -> int:
        """Load the matrices in place where there is a checkpoint; returns the next chunk."""
        if not (self._folder / _STATE).exists():
            return 0
        state = read_json(self._folder / _STATE)
        if state["identity"] != self._identity:
            raise InputError(
                f"{self._folder} holds a checkpoint of another corpus or other settings: "
                "delete it, or choose another output"
            )
        for name, matrix in (("inputs", matrices.inputs), ("outputs", matrices.outputs)):
            matrix[:] = open_array(self._folder / f"{name}-{state['slot']}.npy")
        return int(state["next_chunk"])

    def save(self, matrices: Matrices, next_chunk: int) -> None:
        """Write the other set of files, then point to it."""
        path = self._folder / _STATE
        slot = 1 - read_json(path)["slot"] if path.exists() else 0
        for name, matrix in (("inputs", matrices.inputs), ("outputs", matrices.outputs)):
            write_array(self._folder / f"{name}-{slot}.npy", matrix)
        write_json(path, {"identity": self._identity, "slot": slot, "next_chunk": next_chunk})
