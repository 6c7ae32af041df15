"""The work of one training: its settings, the plan of chunks, the threads, the checkpoints.

A training is a fixed sequence of chunks (some documents of one shard in one epoch), each with its
own seed and its own stretch of the learning rate. Threads draw chunks in order and change the
matrices without locks; with one worker the result is exactly repeatable, also after a resume. A GPU
takes larger chunks, one after the other, and is itself the many threads.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats, Indices, Integers
from grassmeans.artifacts import schema
from grassmeans.artifacts.checking import open_array, read_json
from grassmeans.artifacts.schema import check_values, one_of, text, whole
from grassmeans.artifacts.writing import write_array, write_json
from grassmeans.engines import count_workers
from grassmeans.errors import InputError
from grassmeans.kernels import get_kernels
from grassmeans.kernels.arguments import Matrices, Stretch
from grassmeans.kernels.interface import HeldMatrices
from grassmeans.progress import Advance, progress_bar

CHUNK_TOKENS = 100_000
DEVICE_CHUNK_TOKENS = 2_000_000
"""On a GPU: each of some thousand windows at a time has many words before it."""

CHECKPOINT_SECONDS = 120.0
UNIGRAM_POWER = 0.75
LAST_RATE_SHARE = 1e-4
_STATE = "checkpoint.json"
MOST_EPOCHS = 10_000
SEED = whole(0, 2**63 - 1)
# Beyond these numbers memory or time would not be enough for any corpus.
_BOUNDS = {
    "dim": whole(1, 10_000),
    "window": whole(1, 1_000),
    "negative": whole(1, 1_000),
    "epochs": whole(1, MOST_EPOCHS),
    "random_state": SEED,
}
MOST_PARTS = 10_000


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
    """Ids in memory, (n_tokens,), with document offsets, (n_documents + 1,)."""

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


def plan_training(shards: Shards, epochs: int, chunk_tokens: int | None = None) -> Plan:
    """All chunks of a training, of ``chunk_tokens`` (`CHUNK_TOKENS`) or a document more."""
    size_wanted = chunk_tokens or CHUNK_TOKENS
    chunks: list[Chunk] = []
    before = 0
    for epoch in range(epochs):
        for number in range(len(shards)):
            offsets = np.asarray(shards[number].document_offsets)
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


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """What decides the result beside corpus and starting matrices; `SkipGram` explains it."""

    dim: int = 300
    window: int = 5
    negative: int = 5
    epochs: int = 5
    learning_rate: float = 0.025
    sample: float = 1e-3
    random_state: int = 0

    def __post_init__(self) -> None:
        schema.check_fields(self, **_BOUNDS)
        if schema.number(0.0, 1.0)(self.sample) or self.sample == 1:
            raise InputError(f"sample must lie in [0, 1), got {self.sample}")
        if schema.number(0.0)(self.learning_rate) or not self.learning_rate:
            raise InputError(f"learning_rate must be positive and finite, got {self.learning_rate}")

    @classmethod
    def of(cls, owner: object, **given: Any) -> Self:
        """The settings among the attributes of an estimator, but for those given."""
        names = {field.name for field in fields(cls)} - given.keys()
        return cls(**{name: getattr(owner, name) for name in names}, **given)


@dataclass(frozen=True, slots=True)
class Material:
    """What skip-gram learns from, counts (n_words,) with it, and the matrices that it changes."""

    shards: Shards
    counts: Indices
    matrices: Matrices
    settings: TrainingSettings


def draw_matrix(n_rows: int, dim: int, rng: np.random.Generator) -> Floats:
    """(n_rows, dim) small random vectors, as word2vec starts."""
    return (rng.random((n_rows, dim), dtype=np.float32) - np.float32(0.5)) / np.float32(dim)


def keep_probabilities(counts: Indices, sample: float) -> Floats:
    """Word2vec's subsampling: how probably an occurrence of each word stays."""
    if sample <= 0:
        return np.ones(len(counts), np.float32)
    ratio = sample * counts.sum() / np.maximum(counts, 1)
    return np.asarray(np.minimum(1.0, np.sqrt(ratio) + ratio).astype(np.float32))


class ChunkTrainer(ABC):
    """Goes through shards chunk by chunk, in threads; what is trained is a subclass's matter.

    Counts, (n_words,), are for subsampling and for the choice of negatives; ``arrays`` is what the
    training changes, by the names that checkpoints give it. Without a plan all chunks are trained.
    """

    def __init__(
        self,
        shards: Shards,
        counts: Indices,
        settings: TrainingSettings,
        workers: int | None,
        arrays: Mapping[str, NDArray[Any]],
        plan: Plan | None = None,
    ) -> None:
        self._shards = shards
        self._settings = settings
        self._workers = count_workers(workers)
        self._arrays = arrays
        if plan is None:
            plan = plan_training(shards, settings.epochs)
        self._chunks, self._n_tokens = plan.chunks, plan.n_tokens
        self._sampling = get_kernels().prepare_sampling(
            keep_probabilities(counts, settings.sample),
            counts.astype(np.float64) ** UNIGRAM_POWER,
            settings.window,
            settings.negative,
        )
        self._stopping = threading.Event()

    @abstractmethod
    def _train_stretch(self, stretch: Stretch) -> None:
        """Change the arrays by the documents of one chunk."""

    def _begin(self) -> None:  # noqa: B027 (most train the arrays where they are)
        """Called once the arrays are as training starts from them."""

    def _read_back(self) -> None:  # noqa: B027
        """Bring the arrays up to date, where they are trained elsewhere."""

    def run(
        self,
        description: str = "training",
        *,
        checkpoint: Checkpoint | None = None,
        show_progress: bool | None = None,
    ) -> None:
        """Train to the end, from the beginning or from a checkpoint.

        On an interrupt the chunks under way are finished and saved, and `KeyboardInterrupt` is
        raised; after the last chunk there is nothing to interrupt.
        """
        done = checkpoint.restore(self._arrays) if checkpoint is not None else 0
        self._begin()
        saved = time.monotonic()
        bar = progress_bar(description, self._n_tokens, unit="words", show=show_progress)
        with bar as advance:
            advance(sum(chunk.n_tokens for chunk in self._chunks[:done]))
            while batch := self._chunks[done : done + 40 * self._workers]:
                n_trained, interrupted = self._run_batch(batch, advance)
                done += n_trained
                due = interrupted or time.monotonic() - saved > CHECKPOINT_SECONDS
                if checkpoint is not None and due and done < len(self._chunks):
                    self._read_back()
                    checkpoint.save(self._arrays, done)
                    saved = time.monotonic()
                if interrupted and done < len(self._chunks):
                    raise KeyboardInterrupt
        self._read_back()

    def _run_batch(self, batch: Sequence[Chunk], advance: Advance) -> tuple[int, bool]:
        """Train the chunks in order: how many were done, and whether an interrupt came."""
        done = 0
        try:
            if self._workers == 1:
                for chunk in batch:
                    self._train(chunk)
                    done += 1
                    advance(chunk.n_tokens)
                return done, False
            with ThreadPoolExecutor(self._workers) as pool:
                try:
                    for chunk, _ in zip(batch, pool.map(self._train, batch), strict=True):
                        done += 1
                        advance(chunk.n_tokens)
                except KeyboardInterrupt:
                    self._stopping.set()
                    raise
        except KeyboardInterrupt:
            return done, True
        return done, False

    def _train(self, chunk: Chunk) -> None:
        if self._stopping.is_set():
            return
        shard = self._shards[chunk.shard]
        offsets = np.asarray(shard.document_offsets[chunk.first_document : chunk.last_document + 1])
        start, end = int(offsets[0]), int(offsets[-1])
        seeds = np.random.SeedSequence([self._settings.random_state, chunk.number])
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
    """Trains the matrices of skip-gram on shards, on the CPU or another device."""

    def __init__(
        self, material: Material, workers: int | None, plan: Plan | None = None, device: str = "cpu"
    ) -> None:
        shards, settings, matrices = material.shards, material.settings, material.matrices
        arrays = {"inputs": matrices.inputs, "outputs": matrices.outputs}
        if device != "cpu":
            workers = 1
            plan = plan or plan_training(shards, settings.epochs, DEVICE_CHUNK_TOKENS)
        super().__init__(shards, material.counts, settings, workers, arrays, plan)
        self._kernels = get_kernels(device)
        self._matrices = matrices
        self._held: HeldMatrices

    def _begin(self) -> None:
        self._held = self._kernels.hold_matrices(self._matrices, self._sampling)

    def _read_back(self) -> None:
        self._held.read_back()

    def _train_stretch(self, stretch: Stretch) -> None:
        self._held.train(stretch)


def refuse_other_training(folder: Path, state: Mapping[str, Any], identity: str) -> None:
    """`InputError` where the state in a folder is not that of this training."""
    if state["identity"] != identity:
        raise InputError(
            f"{folder} holds a checkpoint of another corpus or other settings: "
            "delete it, or choose another output"
        )


class Checkpoint:
    """Arrays and the next chunk, in two alternating sets of files so that one is always whole."""

    def __init__(self, folder: Path, identity: str) -> None:
        self._folder = folder
        self._identity = identity
        folder.mkdir(parents=True, exist_ok=True)

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> int:
        """Load the arrays in place where there is a checkpoint; returns the next chunk."""
        if not (self._folder / _STATE).exists():
            return 0
        state = self._read_state()
        refuse_other_training(self._folder, state, self._identity)
        for name, array in arrays.items():
            path = self._folder / f"{name}-{state['slot']}.npy"
            array[:] = open_array(path, array.dtype, array.shape)
        return int(state["next_chunk"])

    def _read_state(self) -> dict[str, Any]:
        path = self._folder / _STATE
        state: dict[str, Any] = read_json(path)
        check_values(path, state, {"identity": text, "slot": one_of(0, 1), "next_chunk": whole()})
        return state

    def save(self, arrays: Mapping[str, NDArray[Any]], next_chunk: int) -> None:
        """Write the other set of files, then point to it."""
        path = self._folder / _STATE
        slot = 1 - self._read_state()["slot"] if path.exists() else 0
        for name, array in arrays.items():
            write_array(self._folder / f"{name}-{slot}.npy", array)
        write_json(path, {"identity": self._identity, "slot": slot, "next_chunk": next_chunk})
