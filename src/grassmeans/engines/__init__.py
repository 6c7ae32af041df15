"""Where tasks run that are too many for one process: the machines of a cluster, by Dask.

Nothing but `parallel` sends tasks, and a task is a function of a module with paths and small
parameters: `messages` says what goes over the network and what happens on a worker. Which engine is
used is chosen here: once, around everything that is to run on it.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from grassmeans.artifacts.schema import MOST_WORKERS, shorten, whole
from grassmeans.artifacts.writing import set_within
from grassmeans.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from grassmeans.engines.on_dask import DaskEngine

EngineChoice: TypeAlias = "str | DaskEngine | None"
"""An engine by its name, one that is open, or None for whatever is used around."""

ONE_THREAD = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""The environment of a process that computes on one core, and leaves the others to its like."""

_chosen: ContextVar[DaskEngine | None] = ContextVar("engine", default=None)
_shared: ContextVar[Path | None] = ContextVar("shared", default=None)


@contextlib.contextmanager
def use_engine(engine: EngineChoice, workers: int | None = None) -> Iterator[None]:
    """Let everything inside the block that has many tasks run on an engine.

    Parameters
    ----------
    engine : str, DaskEngine or None
        ``"local"``: processes of this machine, by joblib, as without any engine. ``"dask"``: a
        Dask cluster on this machine, for this block. ``"dask://HOST:PORT"``: the one whose
        scheduler is there. ``"tls://HOST:PORT"``: the same, encrypted; its certificates are those
        of Dask's configuration, or ``"tls://HOST:PORT?ca=FILE&cert=FILE&key=FILE"``.
        None: whatever is used around the block.
    workers : int or None
        So many are started, where some are; all cores by default.

    Raises
    ------
    MissingExtraError
        Where Dask is not installed.
    EngineError
        Where nobody answers at the address, or workers run other software than this process.
    """
    if engine is None:
        yield
        return
    if not isinstance(engine, str) and not hasattr(engine, "n_workers"):
        raise InputError(f"engine must be a name, an Engine or None; got {shorten(engine)}")
    opened = _open_engine(engine, workers) if isinstance(engine, str) else engine
    try:
        with set_within(_chosen, opened):
            yield
    finally:
        if opened is not None and opened is not engine:
            opened.close()


def _open_engine(name: str, workers: int | None) -> DaskEngine | None:
    if name == "local":
        return None
    kind, colon, address = name.partition("://")
    if name != "dask" and not (kind in ("dask", "tls") and colon and address):
        raise InputError(
            f"unknown engine {name!r}: expected local, dask, dask://HOST:PORT or tls://HOST:PORT"
        )
    for needed in ("distributed", "cloudpickle"):
        if importlib.util.find_spec(needed) is None:
            raise MissingExtraError(needed, "cluster", f"the engine {name!r}")
    from grassmeans.engines.on_dask import DaskEngine

    return DaskEngine(name if kind == "tls" else address, count_workers(workers))


def find_engine() -> DaskEngine | None:
    """The engine that is used here; None for the processes of this machine."""
    return _chosen.get()


def count_workers(workers: int | None) -> int:
    """The number of workers to start: all usable cores where none is given."""
    if workers is None and hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    if workers is None:
        return os.cpu_count() or 1
    if expected := whole(1, MOST_WORKERS)(workers):
        raise InputError(f"workers must be {expected}; got {shorten(workers)}")
    return workers


def share_place(folder: Path) -> AbstractContextManager[None]:
    """Let what is too large for messages go through a folder that all workers see."""
    return set_within(_shared, folder)


def find_shared_place() -> Path | None:
    """The folder of the innermost `share_place`."""
    return _shared.get()
