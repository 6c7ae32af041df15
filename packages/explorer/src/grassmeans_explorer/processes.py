"""Several processes that answer on one listening socket; one that dies is started again.

Where a system can fork, the application is made before: the processes then share its memory until
somebody writes to it, which nobody does. Elsewhere each makes its own, and what is mapped from
files is shared still. (Uvicorn's supervisor always makes it anew, and so does Gunicorn's by
default; neither ends the processes when it is killed itself.)
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from functools import partial
from multiprocessing import connection
from multiprocessing.process import BaseProcess
from typing import Any

import uvicorn
from anyio.to_thread import current_default_thread_limiter
from threadpoolctl import threadpool_limits

from grassmeans.engines import ONE_THREAD
from grassmeans.engines.parallel import end_with
from grassmeans.errors import GrassmeansError
from grassmeans_explorer.server import configure

BACKLOG = 1024
"""Connections that may wait until a process takes them."""

# macOS has it, but its libraries do not allow it.
_FORKS = "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin"
_THREADS = 2  # of a process for queries: while one computes, another one may read or write
_SOON_SECONDS = 5.0  # a process that ends so soon has not been able to begin
_MOST_SOON = 5  # so many of them in a row, and it is given up
_WAIT_SECONDS = 1.0  # before another one is started in their place
_STOP_SECONDS = 10.0  # for a process to end that was asked to


class Processes:
    """So many processes that serve an application; ``tell`` is given what people should know.

    ``make_app`` gives the application. Where processes are not forked it is sent to them, so that
    it has to be a function of a module, or a `functools.partial` of one.
    """

    def __init__(
        self,
        make_app: Callable[[], Any],
        listening: socket.socket,
        n_processes: int,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        _use_one_thread()
        if _FORKS:
            app = make_app()
            gc.collect()
            gc.freeze()  # the collector would write to every object, and so copy it
            make_app = partial(_give, app)
        self._context = multiprocessing.get_context("fork" if _FORKS else "spawn")
        self._work = make_app, listening, os.getpid()
        self._n_processes = n_processes
        self._tell = tell
        self._running: dict[BaseProcess, float] = {}  # when each was started
        self._n_soon = 0

    def run(self) -> None:
        """Serve until a KeyboardInterrupt, by which all processes are stopped."""
        try:
            for _ in range(self._n_processes):
                self._start()
            while True:
                ended = connection.wait([process.sentinel for process in self._running])
                for process in [p for p in self._running if p.sentinel in ended]:
                    self._replace(process)
        except KeyboardInterrupt:
            self._tell(self._stop())
        finally:
            self._stop()

    def _start(self) -> None:
        process = self._context.Process(target=_serve, args=self._work, daemon=True)  # type: ignore[attr-defined]
        process.start()
        self._running[process] = time.monotonic()

    def _replace(self, process: BaseProcess) -> None:
        """Start another process in the place of one that has ended."""
        process.join()
        lived = time.monotonic() - self._running.pop(process)
        how = describe_end(process.exitcode)
        self._n_soon = self._n_soon + 1 if lived < _SOON_SECONDS else 0
        if self._n_soon > _MOST_SOON:
            raise GrassmeansError(
                f"{self._n_soon} processes ended soon after they were started, the last one {how}: "
                "what is written above says why; is there enough memory?"
            )
        self._tell(f"process {process.pid} ended {how}: another one takes its place")
        if self._n_soon:
            time.sleep(_WAIT_SECONDS)
        self._start()

    def _stop(self) -> str:
        """Let all processes end, and say how many have."""
        stopping, late = list(self._running), 0
        for process in stopping:
            process.terminate()
        end = time.monotonic() + _STOP_SECONDS
        for process in stopping:
            process.join(max(0.0, end - time.monotonic()))
            if process.is_alive():
                late += 1
                process.kill()
                process.join()
        self._running = {}
        told = f"stopped: {len(stopping)} process{'es' if len(stopping) != 1 else ''} ended"
        return f"{told}, {late} of them only when killed" if late else told


def describe_end(code: int | None) -> str:
    """How a process has ended, by its exit code."""
    if code is not None and code < 0:
        return f"by signal {-code} ({signal.Signals(-code).name})"
    return f"with exit code {code}"


def _use_one_thread() -> None:
    """Compute with one thread in this process, and in those that it starts, from now on."""
    os.environ.update(ONE_THREAD)  # for what is not loaded yet
    threadpool_limits(1)
    if "numba" in sys.modules:
        sys.modules["numba"].config.NUMBA_NUM_THREADS = 1


def _give(app: Any) -> Any:
    return app


def _serve(make_app: Callable[[], Any], listening: socket.socket, parent: int) -> None:
    """What each process does, until it is asked to end or its parent is gone."""
    for number in (signal.SIGTERM, signal.SIGINT):  # not as the parent hears them
        signal.signal(number, signal.SIG_DFL)
    end_with(parent, by_signal=True)
    _use_one_thread()
    SharingServer(configure(make_app(), backlog=1)).run(sockets=[listening])


class SharingServer(uvicorn.Server):  # type: ignore[misc]
    """A server for one core that leaves connections to others that listen on the same socket.

    A server of asyncio takes as many of those that wait as its backlog allows, one after the other:
    most clients that come at once would be one process's. So that is 1, and the socket's is set
    again. Queries take turns on a few threads, where AnyIO's 40 would all compute at once on one
    core, and each have memory of its own.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        current_default_thread_limiter().total_tokens = _THREADS
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(BACKLOG)
