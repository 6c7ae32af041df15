"""Bounded work: so much at once, so much waiting, and for so long; it can be cancelled.

Queries call `checkpoint` between their steps. Numba kernels cannot be interrupted, so work ends at
the first checkpoint after it was cancelled or its time was up; a query that somebody calls himself
is never ended. Where a query cannot answer at once it calls `begin_long_work`: the server runs
queries in any thread up to there (`run_quickly`), and from there on within the bounds (`WorkPool`).
(AnyIO's `CapacityLimiter` bounds what runs, but not what waits, and cannot end a thread.)
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from grassmeans_explorer import limits
from grassmeans_explorer.limits import CancelledError, WorkLimits

Result = TypeVar("Result")

RUNNING, DONE, FAILED, CANCELLED = "running", "done", "failed", "cancelled"


class Checkpoint:
    """Called between the steps of a piece of work with the share that is done.

    The work has so many seconds from the first call on; None for no limit.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.progress = 0.0
        self._seconds = seconds
        self._deadline: float | None = None
        self._cancelled = threading.Event()

    def __call__(self, progress: float) -> None:
        """Go on, or raise `CancelledError` or `OutOfTimeError`."""
        if self._cancelled.is_set():
            raise CancelledError("the work was cancelled")
        now = time.monotonic()
        if self._deadline is None:
            self._deadline = now + (self._seconds if self._seconds is not None else float("inf"))
        elif now > self._deadline:
            raise limits.OutOfTimeError(
                f"the work took longer than {self._seconds:g} seconds: ask for less at once"
            )
        self.progress = progress

    def cancel(self) -> None:
        """Let the next call raise."""
        self._cancelled.set()


_UNLIMITED, _QUICK = Checkpoint(), Checkpoint()
_CURRENT: ContextVar[Checkpoint] = ContextVar("checkpoint", default=_UNLIMITED)


class LongWorkError(Exception):
    """A query that was to be quick is not."""


def checkpoint(progress: float) -> None:
    """Called by queries between their steps, with the share that is done: go on, or raise."""
    _CURRENT.get()(progress)


def begin_long_work() -> None:
    """Called by queries where they cannot answer at once; a quick one ends, `LongWorkError`."""
    if _CURRENT.get() is _QUICK:
        raise LongWorkError


def run_within(bounds: Checkpoint, query: Callable[..., Result], *args: Any, **kw: Any) -> Result:
    """Run a query whose checkpoints are these."""
    before = _CURRENT.set(bounds)
    try:
        return query(*args, **kw)
    finally:
        _CURRENT.reset(before)


def run_quickly(query: Callable[..., Result], *args: Any, **options: Any) -> Result:
    """Run a query; `LongWorkError` where it cannot answer at once."""
    return run_within(_QUICK, query, *args, **options)


@dataclass(slots=True, eq=False)
class Job:
    """A piece of work that runs or has run; its result is kept."""

    checkpoint: Checkpoint
    future: Future[Any]
    finished_at: float | None = None
    identifier: str = field(default_factory=lambda: secrets.token_urlsafe(12))

    @property
    def state(self) -> str:
        """``running`` (also while it waits), ``done``, ``failed`` or ``cancelled``."""
        if not self.future.done():
            return RUNNING
        if self.future.cancelled() or isinstance(self.future.exception(), CancelledError):
            return CANCELLED
        return FAILED if self.future.exception() is not None else DONE

    def cancel(self) -> None:
        """Take it from the queue, or let it end at its next checkpoint."""
        self.checkpoint.cancel()
        self.future.cancel()


class WorkPool:
    """Runs work in a few threads and refuses more than its bounds allow."""

    def __init__(self, bounds: WorkLimits) -> None:
        self._limits = bounds
        self._threads = ThreadPoolExecutor(bounds.at_once, thread_name_prefix="explorer-work")
        self._lock = threading.Lock()
        self._active = 0
        self._jobs: OrderedDict[str, Job] = OrderedDict()

    def submit(
        self, work: Callable[[], Result], seconds: float | None = None
    ) -> tuple[Checkpoint, Future[Result]]:
        """Start work, with a time of its own or the usual one, or queue it; `BusyError` if full."""
        with self._lock:
            if self._active >= self._limits.at_once + self._limits.waiting:
                raise limits.BusyError(
                    f"{self._limits.at_once} pieces of work run and {self._limits.waiting} wait "
                    "already: try again in a while",
                    retry_after=2,
                )
            self._active += 1
        bounds = Checkpoint(self._limits.seconds if seconds is None else seconds)
        future = self._threads.submit(run_within, bounds, _begin, work)
        future.add_done_callback(self._release)
        return bounds, future

    def start_job(self, work: Callable[[], Any], seconds: float | None = None) -> Job:
        """Start work whose result is fetched later, by the job's identifier."""
        with self._lock:
            self._forget_old_jobs(room=1)
            if len(self._jobs) >= self._limits.jobs:
                raise limits.BusyError(f"{len(self._jobs)} jobs run already: try again later", 5)
        job = Job(*self.submit(work, seconds))

        def note_end(ended: Future[Any]) -> None:
            job.finished_at = time.monotonic()
            if not ended.cancelled() and ended.exception() is None:
                job.checkpoint.progress = 1.0

        job.future.add_done_callback(note_end)
        with self._lock:
            self._jobs[job.identifier] = job
        return job

    def find_job(self, identifier: str) -> Job:
        """The job of an identifier; `NothingThereError` where it is unknown or forgotten."""
        with self._lock:
            self._forget_old_jobs()
            job = self._jobs.get(identifier)
        if job is None:
            raise limits.NothingThereError(
                "there is no such job: finished ones are forgotten after "
                f"{self._limits.job_seconds:g} seconds; start it again"
            )
        return job

    def shut_down(self) -> None:
        """Cancel everything."""
        with self._lock:
            jobs = list(self._jobs.values())
        for job in jobs:
            job.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _release(self, _: Future[Any]) -> None:
        with self._lock:
            self._active -= 1

    def _forget_old_jobs(self, room: int = 0) -> None:
        """Drop jobs that finished long ago, and as many finished ones as make the room wanted."""
        now = time.monotonic()
        excess = len(self._jobs) + room - self._limits.jobs
        for job in list(self._jobs.values()):
            if job.finished_at is None:
                continue
            if excess > 0 or now - job.finished_at > self._limits.job_seconds:
                del self._jobs[job.identifier]
                excess -= 1


def _begin(work: Callable[[], Result]) -> Result:
    checkpoint(0.0)
    return work()
