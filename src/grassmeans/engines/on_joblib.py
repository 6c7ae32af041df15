"""Tasks on processes of this machine, by joblib: what `grassmeans.engines.parallel` sends there."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from joblib import Parallel, delayed
from joblib.parallel import LokyBackend, get_active_backend

from grassmeans.artifacts.temporaries import temporary_folder
from grassmeans.engines.parallel import end_with

Result = TypeVar("Result")

_MEMORY_DISK = Path("/dev/shm")
_MEMORY_BYTES = 2 << 30


def map_in_processes(
    function: Callable[..., Result], tasks: Iterable[tuple[Any, ...]], n_workers: int
) -> Iterator[Result]:
    """Yield ``function(*task)`` for every task, in order; tasks are drawn a few ahead."""
    pool = Parallel(
        n_jobs=n_workers,
        backend=_find_backend(),
        temp_folder=_array_folder(),
        return_as="generator",
        pre_dispatch="2*n_jobs",
        batch_size=1,
    )
    yield from pool(delayed(function)(*task) for task in tasks)


class _Processes(LokyBackend):  # type: ignore[misc]
    """joblib's processes, which end with this one."""

    def configure(self, *arguments: Any, **options: Any) -> Any:
        """Start them; returns how many there are."""
        # Linux sends its signal when the thread ends that has started a process.
        by_signal = threading.current_thread() is threading.main_thread()
        given = {"initializer": end_with, "initargs": (os.getpid(), by_signal)}
        return super().configure(*arguments, **given, **options)


def _find_backend() -> Any:
    """What joblib would take here: threads, or nothing, where a task has tasks of its own."""
    active, _ = get_active_backend()
    if type(active) is not LokyBackend:
        return active
    return _Processes(
        nesting_level=active.nesting_level, inner_max_num_threads=active.inner_max_num_threads
    )


@functools.cache
def _array_folder() -> str:
    """Where arrays lie that workers map, until this process ends; in memory if there is room."""
    place = os.environ.get("JOBLIB_TEMP_FOLDER")
    if not place and os.access(_MEMORY_DISK, os.W_OK):
        place = str(_MEMORY_DISK) if shutil.disk_usage(_MEMORY_DISK).free > _MEMORY_BYTES else None
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    return str(stack.enter_context(temporary_folder(Path(place) if place else None)))
