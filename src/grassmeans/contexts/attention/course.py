"""The course of a training: step after step, with progress, measurements and checkpoints."""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from grassmeans.arrays import Indices, Integers
from grassmeans.artifacts.checking import open_file
from grassmeans.artifacts.writing import atomic_path
from grassmeans.contexts.attention.optimising import Trainer
from grassmeans.contexts.attention.reading import Reader
from grassmeans.contexts.attention.stored import N_SPECIAL
from grassmeans.errors import InputError
from grassmeans.progress import progress_bar

if TYPE_CHECKING:
    from grassmeans.contexts.attention.training import EncoderSettings

CHECKPOINT_SECONDS = 120.0
N_MEASURES = 10  # how often the held-out loss is measured
MEASURED_SHARE = 0.1
"""So many passages are measured for one that was trained on since the last measurement, which takes
such a share of the time or less: a word is predicted once, and nothing learned from it."""

_WORTH_COMPILING = 100_000_000
"""Tokens from which on compiling gains more than the half minute that it takes."""

_MINUTES_WORTH_COMPILING = 2
_WRITING_SHARE, _MOST_WRITING_SECONDS = 0.1, 60.0
"""Of the time given: what is kept for the end, when lines are levelled and all is written."""

_RUN_AHEAD, _READ_AHEAD = 4, 2
_LOG = "log"


@dataclass(frozen=True, slots=True)
class CourseLength:
    """How long a training is, in steps of so many passages, and whether compiling is worth it.

    It ends after ``n_steps``, or after ``seconds``, those before an interruption included, counted
    from a reading of `time.perf_counter` on; from `Course.run` by default.
    """

    batch_passages: int
    n_steps: int | None = None
    seconds: float | None = None
    started: float | None = None
    is_long: bool = False

    @classmethod
    def plan(
        cls, settings: EncoderSettings, n_passages: int, started: float | None
    ) -> CourseLength:
        """That of a training on so many passages, by epochs or by the clock."""
        assert settings.batch_tokens is not None
        batch_passages = settings.batch_tokens // settings.passage
        if settings.epochs is not None:
            n_steps = max(1, round(settings.epochs * n_passages / batch_passages))
            is_long = n_steps * batch_passages * settings.passage >= _WORTH_COMPILING
            return cls(batch_passages, n_steps, is_long=is_long)
        assert settings.minutes is not None
        seconds = 60 * settings.minutes
        seconds -= min(_WRITING_SHARE * seconds, _MOST_WRITING_SECONDS)
        is_long = settings.minutes >= _MINUTES_WORTH_COMPILING
        return cls(batch_passages, None, seconds, started, is_long)


@dataclass(slots=True)
class _Log:
    """What has happened, in all visits; an interrupted one counts up to its last checkpoint."""

    step: int = 0
    seconds: float = 0.0
    losses: float = 0.0
    n_losses: int = 0
    n_measures: int = 0
    measured_at: int = 0
    curve: list[dict[str, float | None]] = field(default_factory=list)

    @property
    def loss(self) -> float:
        """The mean loss since the last measurement."""
        return self.losses / max(self.n_losses, 1)


class Course:
    """A training to its end; counts (n_words,) are of who predicts words by these alone."""

    def __init__(
        self, trainer: Trainer, reader: Reader, length: CourseLength, counts: Indices | None = None
    ) -> None:
        self._trainer, self._ranks = trainer, trainer.ranks
        self._reader = reader
        self._length = length
        self._counts = counts
        self._held_out = reader.held_out()
        self._log = _Log()
        # The device works behind; a few losses wait until it has got there.
        self._waiting: deque[Tensor] = deque()

    @property
    def progress(self) -> float:
        """Share of the training that is done."""
        if self._length.n_steps is not None:
            return self._log.step / self._length.n_steps
        assert self._length.seconds is not None
        return min(1.0, self._log.seconds / self._length.seconds)

    @property
    def tokens_seen(self) -> int:
        """Tokens of all steps."""
        return self._log.step * self._length.batch_passages * self._reader.passage

    def run(self, checkpoint: Path, show_progress: bool | None = None) -> dict[str, Any]:
        """Train to the end, from a checkpoint if there is one; what a manifest tells of it."""
        try:
            self._take_steps(checkpoint, show_progress)
        except torch.cuda.OutOfMemoryError as error:
            batch_tokens = self._length.batch_passages * self._reader.passage
            raise InputError(
                "the memory of the GPU is too small for this: take fewer tokens a step "
                f"(batch_tokens=..., now {batch_tokens}) or smaller vectors (dim=...)"
            ) from error
        seconds, last = self._log.seconds, self._log.curve[-1]
        return {
            "tokens_seen": self.tokens_seen,
            "seconds": round(seconds, 1),
            "tokens_per_second": round(self.tokens_seen / seconds),
            **{name: last.get(name) for name in ("loss", "held_out_loss", "frequency_loss")},
            "curve": self._log.curve,
        }

    def _take_steps(self, checkpoint: Path, show_progress: bool | None) -> None:
        self._restore(checkpoint)
        self._trainer.prepare(self._own_passages)
        log = self._log
        saved = time.perf_counter()
        began = (saved if self._length.started is None else self._length.started) - log.seconds
        log.seconds = self._agree(saved - began)
        batches = read_ahead(self._reader.batches(self._length.batch_passages, log.step))
        with (
            contextlib.closing(batches),
            progress_bar("training", 1.0, show=show_progress) as advance,
        ):
            advance(self.progress)
            while (before := self.progress) < 1 or not log.step:
                batch = next(batches)
                given = self._ranks.share(batch)
                self._waiting.append(self._trainer.step(given, log.step, before))
                self._collect(_RUN_AHEAD)
                log.step += 1
                log.seconds = self._agree(time.perf_counter() - began)
                if int(N_MEASURES * self.progress) > log.n_measures:
                    self._measure()
                advance(self.progress - before, self._describe())
                if self._ranks.is_first and time.perf_counter() - saved >= CHECKPOINT_SECONDS:
                    self._save(checkpoint)
                    saved = time.perf_counter()
        if log.n_measures < N_MEASURES:  # the time was over before this visit's first step
            self._measure()

    def _agree(self, seconds: float) -> float:
        """Where time ends a training, the first process's counts: all have the same steps."""
        return seconds if self._length.seconds is None else float(self._ranks.tell(seconds))

    def _collect(self, n_left: int) -> None:
        """Add up the losses of all steps but the last ones, which the device may still work on."""
        while len(self._waiting) > n_left:
            loss = float(self._waiting.popleft())
            if not math.isfinite(loss):
                astray = "the training went astray (its loss is no number any more)"
                raise InputError(f"{astray}: take another seed, or more tokens a batch")
            self._log.losses += loss
            self._log.n_losses += 1

    @property
    def _own_passages(self) -> int:
        """Passages of a step that this process looks at."""
        return len(self._ranks.share(range(self._length.batch_passages)))

    def _measure(self) -> None:
        """Write the losses down."""
        log = self._log
        self._collect(0)
        held_out, frequency = None, None
        if len(self._held_out) and self._ranks.is_first:
            passages = self._sample_held_out()
            held_out = round(self._trainer.measure(passages, self._length.batch_passages), 4)
            frequency = None if self._counts is None else frequency_loss(passages, self._counts)
        losses = {"held_out_loss": held_out, "frequency_loss": frequency}
        log.curve.append({"tokens_seen": self.tokens_seen, "loss": round(log.loss, 4), **losses})
        log.losses, log.n_losses, log.measured_at = 0.0, 0, log.step
        log.n_measures = int(N_MEASURES * self.progress)

    def _sample_held_out(self) -> Any:
        """Held-out passages, from everywhere, for `MEASURED_SHARE` of the work since the last."""
        n_trained = (self._log.step - self._log.measured_at) * self._own_passages
        n = min(max(1, int(MEASURED_SHARE * n_trained)), len(self._held_out))
        return self._held_out[np.arange(n) * len(self._held_out) // n]

    def _describe(self) -> str:
        log = self._log
        parts = [f"{self.tokens_seen / log.seconds:,.0f} tokens/s"]
        if log.n_losses:
            parts.append(f"loss {log.loss:.3f}")
        if log.curve and log.curve[-1]["held_out_loss"] is not None:
            parts.append(f"held out {log.curve[-1]['held_out_loss']:.3f}")
        return ", ".join(parts)

    def _save(self, checkpoint: Path) -> None:
        self._collect(0)
        with atomic_path(checkpoint) as temporary:
            save_file(self._trainer.state(), temporary, {_LOG: json.dumps(asdict(self._log))})

    def _restore(self, checkpoint: Path) -> None:
        if not checkpoint.exists():
            return
        with open_file(checkpoint), safe_open(checkpoint, framework="pt") as stored:
            self._trainer.load({name: stored.get_tensor(name) for name in list(stored.keys())})
            self._log = _Log(**json.loads(stored.metadata()[_LOG]))


def read_ahead(batches: Iterator[Any]) -> Generator[Any]:
    """The same batches, read by a thread while the device works on those before."""
    with ThreadPoolExecutor(1) as pool:
        waiting = deque(pool.submit(next, batches) for _ in range(_READ_AHEAD))
        while True:
            batch = waiting.popleft().result()
            waiting.append(pool.submit(next, batches))
            yield batch


def frequency_loss(passages: Integers, counts: Indices) -> float | None:
    """The loss, in nats a word, of who knows nothing but counts (n_words,), 1 or more each."""
    words = passages[passages >= N_SPECIAL] - N_SPECIAL
    if not len(words):
        return None
    return round(float(np.log(counts.sum() / counts[words]).mean()), 4)
