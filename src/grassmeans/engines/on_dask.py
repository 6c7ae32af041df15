"""Workers of a Dask cluster: one of this machine, or one that is there already.

Dask's futures are used as they are. Its scheduler gives the task of a lost worker to another one;
joblib's Dask backend would scatter arguments onto one worker and lose them with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import dask
import distributed

from grassmeans.engines import ONE_THREAD
from grassmeans.engines.messages import (
    Message,
    Packer,
    Place,
    answer,
    describe_software,
    refuse_other_software,
)
from grassmeans.errors import EngineError, GrassmeansError, InputError

Result = TypeVar("Result")

CONNECT_SECONDS = 8.0
RECONNECT_SECONDS = 10.0
NO_WORKERS_SECONDS = 60.0
_MOST_TIMES = 5
# Tasks a worker that are sent before their answers are asked for: none waits for the network.
_AHEAD = 3
_LOOK_SECONDS = 1.0
_FETCH_SECONDS = 60.0
_KEPT = "what is finished is kept"
# The last one is what Dask's client says in place of the first where both sides come too late.
_NO_ANSWER = (
    distributed.CancelledError, distributed.comm.CommClosedError, TimeoutError, UnboundLocalError
)  # fmt: skip
# Workers of this machine look at themselves a hundred times a second otherwise.
_CALM = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "2s",
}
_CERTIFICATES = {"ca": "tls_ca_file", "cert": "tls_client_cert", "key": "tls_client_key"}
_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Machine:
    """One of the machines that workers are on."""

    name: str
    n_workers: int


@dataclass(slots=True)
class _Sent:
    """A task that is under way; it may be sent again, for it does the same again."""

    message: Message
    where: dict[str, Any]
    future: Any = None
    n_times: int = 0
    is_done: threading.Event = field(default_factory=threading.Event)


class DaskEngine:
    """Workers of a Dask cluster, and the way to them.

    A task that a lost worker had is done by another one; a task that ends with an error is not done
    again. Answers come in the order of the tasks.

    The address is that of the scheduler, HOST:PORT or tls://HOST:PORT; without it so many workers
    of this machine are started, for this machine alone.
    """

    def __init__(self, address: str, workers: int) -> None:
        target, security = _read_address(address)
        self.address = address.partition("?")[0]
        self._places: dict[Path, Place] = {}
        self._cluster: Any = None
        self._looked = -_LOOK_SECONDS
        self._workers: Mapping[str, Any] = {}
        with _quiet_logs():
            if not address:
                self._cluster = _start_cluster(workers)
            try:
                if not self._cluster:
                    _call(target, security or distributed.Security())
                self._client = distributed.Client(
                    self._cluster or target,
                    timeout=CONNECT_SECONDS,
                    set_as_default=False,
                    security=security,
                )
            except (OSError, ValueError) as error:
                raise EngineError(
                    f"no Dask scheduler answers at {self.address}: start one with "
                    "'dask scheduler' and workers with 'dask worker HOST:PORT', or check the "
                    f"address{' and the certificates' if security else ''}"
                ) from error
            except (MemoryError, OverflowError) as error:
                # Dask reads the first bytes of an answer as lengths, also those of "HTTP/1.1 400".
                raise EngineError(
                    f"what answers at {self.address} is no Dask scheduler: give the address that "
                    "'dask scheduler' prints after tcp://, not that of its pages"
                ) from error
        try:
            self._find_workers()
        except BaseException:
            self.close()
            raise

    def _find_workers(self) -> None:
        """Wait for the first workers, and see that they run what this process runs."""
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except Exception as error:
            raise EngineError(
                f"the Dask scheduler at {self.address or 'this machine'} has no workers: start "
                f"some with 'dask worker {self.address or 'HOST:PORT'} --nthreads 1'"
            ) from error
        with _quiet_logs():
            described = self._client.run(describe_software, on_error="return")
        for worker, found in described.items():
            if isinstance(found, OSError):  # it has gone since
                continue
            there = found if isinstance(found, dict) else {"grassmeans": f"unusable ({found})"}
            refuse_other_software(worker, there, describe_software())

    @property
    def n_workers(self) -> int:
        """How many workers there are now; never less than one."""
        return max(1, len(self._look()))

    @property
    def machines(self) -> list[Machine]:
        """The machines that they are on."""
        hosts = Counter(worker["host"] for worker in self._look().values())
        return [Machine(host, number) for host, number in sorted(hosts.items())]

    def _look(self) -> Mapping[str, Any]:
        """The workers that the scheduler knows, asked for once a second at most."""
        if time.monotonic() - self._looked >= _LOOK_SECONDS:
            with contextlib.suppress(Exception):  # the next wait says what is wrong
                self._workers = self._client.scheduler_info(n_workers=-1)["workers"]
            self._looked = time.monotonic()
        return self._workers

    def map(
        self,
        function: Callable[..., Result],
        tasks: Iterable[tuple[Any, ...]],
        shared: Path | None,
        machines: Iterable[str | None] | None = None,
    ) -> Iterator[Result]:
        """Yield ``function(*task)`` for every task, in their order; tasks are drawn as needed.

        ``shared`` is a folder that all workers see, for arrays and the token of the run;
        ``machines`` say where each task should run.
        """
        packer = Packer(None if shared is None else self._prepare(shared))
        wanted = iter(machines or ())
        sent: deque[_Sent] = deque()
        try:
            for task in tasks:
                machine = next(wanted, None)
                where = {"workers": [machine], "allow_other_workers": True} if machine else {}
                sent.append(_Sent(packer.pack(function, task), where))
                self._submit(sent[-1])
                if len(sent) >= _AHEAD * self.n_workers:
                    yield self._wait(sent[0])
                    sent.popleft()
            while sent:
                yield self._wait(sent[0])
                sent.popleft()
        finally:
            for task_left in sent:  # nobody waits for its answer any more
                with contextlib.suppress(Exception):
                    task_left.future.release()  # the scheduler drops what nobody wants

    def _prepare(self, folder: Path) -> Place:
        place = self._places.get(folder)
        if place is None or not place.fence.exists():
            place = self._places[folder] = Place.prepare(folder)
        return place

    def _submit(self, sent: _Sent) -> None:
        sent.n_times += 1
        if sent.n_times > _MOST_TIMES or not self._is_connected():
            raise self._lost()
        sent.is_done.clear()
        try:
            sent.future = self._client.submit(answer, sent.message, pure=False, **sent.where)
            sent.future.add_done_callback(lambda _: sent.is_done.set())
        except Exception as error:
            raise self._lost() from error

    def _wait(self, sent: _Sent) -> Any:
        """The result of a task, or its error; `EngineError` where there will never be one."""
        empty_since: float | None = None
        while True:
            if not sent.is_done.wait(_LOOK_SECONDS):
                if sent.future.status in ("lost", "cancelled"):
                    self._submit(sent)
                elif not self._is_connected():
                    raise self._lost()
                empty_since = self._watch_workers(empty_since)
                continue
            try:
                found = sent.future.result(timeout=_FETCH_SECONDS)
            except distributed.KilledWorker as error:
                raise EngineError(
                    f"the same task ended {error.allowed_failures + 1} workers, for lack of memory "
                    f"most likely: start workers with more of it, and the command again; {_KEPT}"
                ) from error
            except _NO_ANSWER:  # it went with its worker, or with the scheduler
                self._submit(sent)
                continue
            if isinstance(found, GrassmeansError):
                raise found
            return found

    def _is_connected(self) -> bool:
        """Whether there is a scheduler; one that comes back soon enough counts."""
        until = time.monotonic() + RECONNECT_SECONDS
        while self._client.status != "running":
            if self._client.status == "closed" or time.monotonic() > until:
                return False
            time.sleep(0.1)
        return True

    def _watch_workers(self, empty_since: float | None) -> float | None:
        """Since when there have been no workers; an error where nobody comes back."""
        if self._look():
            return None
        now = time.monotonic()
        if empty_since is not None and now - empty_since > NO_WORKERS_SECONDS:
            raise EngineError(
                f"all workers are gone: start some, and then the same command again; {_KEPT}"
            )
        return now if empty_since is None else empty_since

    def _lost(self) -> EngineError:
        return EngineError(
            f"the Dask scheduler {self.address or 'of this machine'} is gone: start it and its "
            f"workers, and then the same command again; {_KEPT}"
        )

    def close(self) -> None:
        """Leave the workers; those that were started for it go."""
        with _quiet_logs(), contextlib.suppress(Exception):
            self._client.close(timeout=2)
            if self._cluster is not None:
                self._cluster.close(timeout=5)


def _read_address(address: str) -> tuple[str, Any]:
    """A scheduler's address as Dask writes it, and certificates where it is to be reached by TLS.

    ``tls://HOST:PORT?ca=FILE&cert=FILE&key=FILE`` names them; those that are not named are those of
    Dask's own configuration.
    """
    place, _, options = address.partition("?")
    if not place.startswith("tls://"):
        if options:
            raise InputError(f"{place} takes no certificates: write tls:// in place of dask://")
        return f"tcp://{place.removeprefix('tcp://')}", None
    given = dict(parse_qsl(options, keep_blank_values=True))
    if unknown := sorted(given.keys() - _CERTIFICATES.keys()):
        raise InputError(f"{place} has no option {unknown[0]!r}: expected ca, cert or key")
    files = {name: Path(path).expanduser() for name, path in given.items()}
    for name, path in files.items():
        if not path.is_file():
            raise InputError(f"there is no file {path} (the {name} of {place})")
    security = distributed.Security(
        require_encryption=True, **{_CERTIFICATES[name]: str(path) for name, path in files.items()}
    )
    for name, field_name in _CERTIFICATES.items():
        if getattr(security, field_name) is None:
            raise InputError(
                f"{place} needs certificates and has no {name}: write "
                f"{place}?ca=FILE&cert=FILE&key=FILE, or name them in Dask's configuration"
            )
    return place, security


def _call(address: str, security: Any) -> None:
    """See that a scheduler answers: Dask's client waits for ever where somebody only listens."""

    async def call() -> None:
        arguments = security.get_connection_args("client")
        calling = distributed.comm.connect(address, timeout=CONNECT_SECONDS, **arguments)
        (await asyncio.wait_for(calling, CONNECT_SECONDS)).abort()

    with ThreadPoolExecutor(1) as thread:  # a notebook's own thread has a loop already
        thread.submit(asyncio.run, call()).result()


def _start_cluster(workers: int) -> Any:
    dask.config.set(_CALM)
    try:
        return distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host=_LOOPBACK,  # who reaches a scheduler can run anything: nobody from outside
            dashboard_address=f"{_LOOPBACK}:0",
            silence_logs=logging.CRITICAL,
            env=ONE_THREAD,
        )
    except (OSError, RuntimeError) as error:
        raise EngineError(
            f"{workers} workers of Dask could not be started on this machine ({error}); a script "
            "of your own must begin its work under if __name__ == '__main__'"
        ) from error


@contextlib.contextmanager
def _quiet_logs() -> Any:
    """Dask's own log lines say in many what an error says in one."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)
