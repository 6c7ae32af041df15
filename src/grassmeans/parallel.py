"""Work over shards and words, through joblib.

The engine is joblib's: local processes by default, or whatever backend the caller has chosen with
``joblib.parallel_config`` (Ray and Dask register themselves as joblib backends).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from joblib import Parallel, delayed

from grassmeans.errors import InputError

Result = TypeVar("Result")


def effective_workers(workers: int | None) -> int:
    """The number of workers to use: all usable cores where none is given."""
    if workers is None:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    if workers < 1:
        raise InputError(f"workers must be 1 or more, got {workers}")
    return workers


def map_tasks(
    function: Callable[..., Result], tasks: Iterable[tuple[Any, ...]], workers: int | None
) -> Iterator[Result]:
    """Yield ``function(*task)`` for every task, in the order of the tasks.

    Tasks are drawn lazily, a few ahead of the workers, so that a stream larger than memory works.
    With one worker everything happens in this process.
    """
    n_workers = effective_workers(workers)
    if n_workers == 1:
        for task in tasks:
            yield function(*task)
        return
    pool = Parallel(n_jobs=n_workers, return_as="generator", pre_dispatch="2*n_jobs", batch_size=1)
    yield from pool(delayed(function)(*task) for task in tasks)
