"""Work over shards and words: the one place from which tasks go to other processes and threads.

They go to processes of this machine by joblib, or to the engine that `use_engine` has chosen.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, TypeVar

from grassmeans.engines import count_workers, find_engine, find_shared_place

if TYPE_CHECKING:
    from grassmeans.engines.on_dask import Machine

Result = TypeVar("Result")

_LOOK_SECONDS = 0.5
_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


def effective_workers(workers: int | None) -> int:
    """The number of workers to use: those of the engine, or all usable cores if none is given."""
    n_workers = count_workers(workers)
    engine = find_engine()
    return n_workers if engine is None else engine.n_workers


def stays_here(workers: int | None) -> bool:
    """Whether tasks run in this process, one after the other."""
    return find_engine() is None and count_workers(workers) == 1


def is_remote() -> bool:
    """Whether tasks go to an engine: they find in files what others would be given."""
    return find_engine() is not None


def list_machines() -> list[Machine]:
    """The machines of the engine; none without one."""
    engine = find_engine()
    return [] if engine is None else engine.machines


def map_tasks(
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    workers: int | None,
    *,
    machines: Iterable[str] | None = None,
) -> Iterator[Result]:
    """Yield ``function(*task)`` for every task, in the order of the tasks.

    Tasks are drawn lazily, a few ahead of the workers, so that a stream larger than memory works.
    With one worker and no engine everything happens in this process. ``machines`` are those of an
    engine on which the tasks should run, one each.
    """
    n_workers = count_workers(workers)
    engine = find_engine()
    if engine is not None:
        yield from engine.map(function, tasks, find_shared_place(), machines)
        return
    if n_workers == 1:
        for task in tasks:
            yield function(*task)
        return
    from grassmeans.engines.on_joblib import map_in_processes  # what one process does not need

    yield from map_in_processes(function, tasks, n_workers)


def end_with(parent: int, by_signal: bool) -> None:
    """Let this process end with its parent, ``by_signal`` even in the middle of a kernel."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_SECONDS)
        os._exit(1)

    if by_signal and sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)
    threading.Thread(target=watch, daemon=True).start()


def map_here(
    function: Callable[..., Result], tasks: Iterable[tuple[Any, ...]], n_threads: int
) -> Iterator[Result]:
    """As `map_tasks`, on threads of this process: for what shares a device, and waits for it."""
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            for task in tasks:
                waiting.append(pool.submit(copy_context().run, function, *task))
                if len(waiting) > n_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:  # of no use any more, after an error or an interruption
                future.cancel()
