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
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from grassmeans.artifacts.checking import open_file
from grassmeans.artifacts.writing import atomic_path
from grassmeans.contexts.attention.mixing import Reader
from grassmeans.contexts.attention.optimising import Trainer
from grassmeans.contexts.attention.ranks import Ranks
from grassmeans.contexts.attention.reading import Ids
from grassmeans.contexts.attention.stored import N_SPECIAL
from grassmeans.errors import InputError
from grassmeans.progress import progress_bar

CHECKPOINT_SECONDS = 120.0
N_MEASURES = 10
"""How often the held-out loss is measured."""

MEASURED_SHARE = 0.1
"""So many passages are measured for one that was trained on since the last measurement: the time
for both is shared the same way or better, as a word is predicted once and nothing learned from it
(two thirds of the time of a step for 20,000 words on a CPU)."""

_RUN_AHEAD, _READ_AHEAD = 4, 2
_LOG = "log"


@dataclass(slots=True)
class _Log:
    """What has happened: steps, seconds, the losses since the last measurement, measurements.

    The seconds are those of all visits, an interrupted one up to its last checkpoint.
    """

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
    """A training from its first step, or from a checkpoint, to its end.

    Parameters
    ----------
    trainer : Trainer
    reader : Reader
    batch_passages : int
        Passages of a step.
    n_steps : int, optional
        The training ends after so many steps,
    seconds : float, optional
        or after so many seconds, those before an interruption included,
    started : float, optional
        counted from this reading of `time.perf_counter` on; from `run` by default.
    counts : (n_words,) int, optional
        How often words occur, for the loss of who knows nothing but that.
    ranks : Ranks, optional
        The processes that train together, each on its share of a step's passages.
    """

    def __init__(
        self,
        trainer: Trainer,
        reader: Reader,
        batch_passages: int,
        *,
        n_steps: int | None = None,
        seconds: float | None = None,
        started: float | None = None,
        counts: NDArray[np.int64] | None = None,
        ranks: Ranks | None = None,
    ) -> None:
        self._trainer = trainer
        self._ranks = ranks
        self._reader = reader
        self._batch_passages = batch_passages
        self._n_steps = n_steps
        self._most_seconds = seconds
        self._started = started
        self._counts = counts
        self._held_out = reader.held_out()
        self._log = _Log()
        # The device works behind; a few losses wait until it has got there.
        self._waiting: deque[Tensor] = deque()

    @property
    def progress(self) -> float:
        """Share of the training that is done."""
        if self._n_steps is not None:
            return self._log.step / self._n_steps
        assert self._most_seconds is not None
        return min(1.0, self._log.seconds / self._most_seconds)

    @property
    def tokens_seen(self) -> int:
        """Tokens of all steps."""
        return self._log.step * self._batch_passages * self._reader.passage

    def run(self, checkpoint: Path, show_progress: bool | None = None) -> dict[str, Any]:
        """Train to the end.

        Parameters
        ----------
        checkpoint : Path
            File to go on from where there is one; written every two minutes.

        Returns
        -------
        dict
            For a manifest: tokens seen, seconds, speed, losses in nats a word.
        """
        self._restore(checkpoint)
        is_first = self._ranks is None or self._ranks.is_first
        self._trainer.prepare(self._own_passages)
        log = self._log
        saved = time.perf_counter()
        began = (saved if self._started is None else self._started) - log.seconds
        log.seconds = self._agree(saved - began)
        batches = read_ahead(self._reader.batches(self._batch_passages, log.step))
        with (
            contextlib.closing(batches),
            progress_bar("training", 1.0, show=show_progress) as advance,
        ):
            advance(self.progress)
            while (before := self.progress) < 1 or not log.step:
                batch = next(batches)
                given = batch if self._ranks is None else self._ranks.share(batch)
                self._waiting.append(self._trainer.step(given, log.step, before))
                self._collect(_RUN_AHEAD)
                log.step += 1
                log.seconds = self._agree(time.perf_counter() - began)
                if int(N_MEASURES * self.progress) > log.n_measures:
                    self._measure()
                advance(self.progress - before, self._describe())
                if is_first and time.perf_counter() - saved >= CHECKPOINT_SECONDS:
                    self._save(checkpoint)
                    saved = time.perf_counter()
        if log.n_measures < N_MEASURES:  # the time was over before this visit's first step
            self._measure()
        return {
            "tokens_seen": self.tokens_seen,
            "seconds": round(log.seconds, 1),
            "tokens_per_second": round(self.tokens_seen / log.seconds),
            "loss": log.curve[-1]["loss"],
            "held_out_loss": log.curve[-1]["held_out_loss"],
            "frequency_loss": log.curve[-1].get("frequency_loss"),
            "curve": log.curve,
        }

    def _agree(self, seconds: float) -> float:
        """Where time ends a training, the first process's counts: all have the same steps."""
        if self._ranks is None or self._most_seconds is None:
            return seconds
        return float(self._ranks.tell(seconds))

    def _collect(self, n_left: int) -> None:
        """Add up the losses of all steps but the last ones, which the device may still work on."""
        while len(self._waiting) > n_left:
            loss = float(self._waiting.popleft())
            if not math.isfinite(loss):
                raise InputError(
                    "the training went astray (its loss is no number any more): take another seed, "
                    "or more tokens a batch"
                )
            self._log.losses += loss
            self._log.n_losses += 1

    @property
    def _own_passages(self) -> int:
        """Passages of a step that this process looks at."""
        own = range(self._batch_passages)
        return len(own if self._ranks is None else self._ranks.share(own))

    def _measure(self) -> None:
        """Write the losses down."""
        log = self._log
        self._collect(0)
        held_out, frequency = None, None
        if len(self._held_out) and (self._ranks is None or self._ranks.is_first):
            passages = self._sample_held_out()
            held_out = round(self._trainer.measure(passages, self._batch_passages), 4)
            frequency = None if self._counts is None else frequency_loss(passages, self._counts)
        log.curve.append(
            {
                "tokens_seen": self.tokens_seen,
                "loss": round(log.loss, 4),
                "held_out_loss": held_out,
                "frequency_loss": frequency,
            }
        )
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
            names = stored.keys()
            self._trainer.load({name: stored.get_tensor(name) for name in names})
            self._log = _Log(**json.loads(stored.metadata()[_LOG]))


def read_ahead(batches: Iterator[Any]) -> Generator[Any]:
    """The same batches, read by a thread while the device works on those before."""
    with ThreadPoolExecutor(1) as pool:
        waiting = deque(pool.submit(next, batches) for _ in range(_READ_AHEAD))
        while True:
            batch = waiting.popleft().result()
            waiting.append(pool.submit(next, batches))
            yield batch


def frequency_loss(passages: Ids, counts: NDArray[np.int64]) -> float | None:
    """The loss of who predicts every word of passages by how often it occurs, in nats a word.

    Parameters
    ----------
    counts : (n_words,) int64
        At least 1 each.
    """
    words = passages[passages >= N_SPECIAL] - N_SPECIAL
    if not len(words):
        return None
    return round(float(np.log(counts.sum() / counts[words]).mean()), 4)
