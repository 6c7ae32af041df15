"""Dask: a cluster on this machine, or one that is there already.

Dask's futures are used as they are. Its scheduler gives the task of a lost worker to another one;
joblib's Dask backend would scatter arguments onto one worker and lose them with it.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import dask
import distributed

from grassmeans.engines.interface import Engine, Machine
from grassmeans.engines.messages import Answer, Message, answer
from grassmeans.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Mapping

CONNECT_SECONDS = 10.0
RECONNECT_SECONDS = 10.0
NO_WORKERS_SECONDS = 60.0
_MOST_TIMES = 5
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
_THREADS = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(slots=True)
class _Sent:
    """A task that is under way; it may be sent again, for it does the same again."""

    message: Message
    where: dict[str, Any]
    future: Any = None
    n_times: int = 0
    is_done: threading.Event = field(default_factory=threading.Event)


class DaskEngine(Engine):
    """Workers of a Dask cluster.

    Parameters
    ----------
    address : str
        Of the scheduler, HOST:PORT; without it workers of this machine are started.
    workers : int
        So many, where they are started.
    """

    def __init__(self, address: str, workers: int) -> None:
        super().__init__()
        self.address = address
        self._cluster: Any = None
        self._looked = -_LOOK_SECONDS
        self._workers: Mapping[str, Any] = {}
        with _quiet_logs():
            if not address:
                self._cluster = _start_cluster(workers)
            target = self._cluster or f"tcp://{address.removeprefix('tcp://')}"
            try:
                self._client = distributed.Client(
                    target, timeout=CONNECT_SECONDS, set_as_default=False
                )
            except (OSError, ValueError) as error:
                raise EngineError(
                    f"no Dask scheduler answers at {address}: start one with "
                    "'dask scheduler' and workers with 'dask worker HOST:PORT', or check the "
                    "address"
                ) from error
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except Exception as error:
            self.close()
            raise EngineError(
                f"the Dask scheduler at {address or 'this machine'} has no workers: start some "
                f"with 'dask worker {address or 'HOST:PORT'} --nthreads 1'"
            ) from error

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

    def send(self, message: Message, machine: str | None = None) -> _Sent:
        """Give a task to a worker, of a machine if possible; returns what `wait` takes."""
        where: dict[str, Any] = {}
        if machine is not None:
            where = {"workers": [machine], "allow_other_workers": True}
        sent = _Sent(message, where)
        self._submit(sent)
        return sent

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

    def wait(self, sent: _Sent) -> Answer:
        """The answer to a task; `EngineError` where there will never be one."""
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
                found: Answer = sent.future.result(timeout=_FETCH_SECONDS)
                return found
            except distributed.KilledWorker as error:
                raise EngineError(
                    f"the same task ended {error.allowed_failures + 1} workers, for lack of memory "
                    f"most likely: start workers with more of it, and the command again; {_KEPT}"
                ) from error
            except _NO_ANSWER:  # it went with its worker, or with the scheduler
                self._submit(sent)

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

    def forget(self, sent: list[_Sent]) -> None:
        """Tasks whose answers nobody waits for any more."""
        for task in sent:
            with contextlib.suppress(Exception):
                task.future.release()  # the scheduler drops what nobody wants

    def close(self) -> None:
        """Leave the workers; those that were started for it go."""
        with _quiet_logs(), contextlib.suppress(Exception):
            self._client.close(timeout=2)
            if self._cluster is not None:
                self._cluster.close(timeout=5)


def _start_cluster(workers: int) -> Any:
    dask.config.set(_CALM)
    try:
        return distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",  # wherever there is room
            silence_logs=logging.CRITICAL,
            env=_THREADS,
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
