"""Ray: workers of this machine, or of the cluster that it belongs to."""

from __future__ import annotations

import contextlib
import logging
import os
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from grassmeans.engines.interface import Engine, Machine
from grassmeans.engines.messages import Answer, Message, answer
from grassmeans.errors import EngineError

_RETRIES = 3
_LOOK_SECONDS = 1.0
_KEPT = "what is finished is kept"


class RayEngine(Engine):
    """Workers that Ray starts.

    Parameters
    ----------
    address : str
        Of Ray's client server, HOST:PORT; without it the cluster that ``RAY_ADDRESS`` names, or
        workers of this machine.
    workers : int
        So many, where they are started.
    """

    def __init__(self, address: str, workers: int) -> None:
        super().__init__()
        self.address = address
        known = f"ray://{address}" if address else os.environ.get("RAY_ADDRESS")
        started: dict[str, Any] = (
            {"address": known} if known else {"num_cpus": workers, "include_dashboard": False}
        )
        try:
            ray.init(logging_level=logging.ERROR, log_to_driver=False, **started)
        except (OSError, ValueError, RuntimeError) as error:
            raise EngineError(
                f"no Ray cluster answers at {known or 'this machine'} ({error}): start one with "
                "'ray start --head', or check the address"
            ) from error
        self._answer = ray.remote(num_cpus=1, max_retries=_RETRIES)(answer)

    @property
    def n_workers(self) -> int:
        """How many tasks can run at once; never less than one."""
        return max(1, int(ray.cluster_resources().get("CPU", 1)))

    @property
    def machines(self) -> list[Machine]:
        """The machines that they are on."""
        nodes = [node for node in ray.nodes() if node["Alive"]]
        return [Machine(n["NodeID"], max(1, int(n["Resources"].get("CPU", 1)))) for n in nodes]

    def send(self, message: Message, machine: str | None = None) -> Any:
        """Give a task to a worker, of a machine if possible; returns what `wait` takes."""
        if machine is None:
            return self._answer.remote(message)
        where = NodeAffinitySchedulingStrategy(machine, soft=True)
        return self._answer.options(scheduling_strategy=where).remote(message)

    def wait(self, sent: Any) -> Answer:
        """The answer to a task; `EngineError` where there will never be one."""
        errors = ray.exceptions
        try:
            found: Answer = ray.get(sent)
            return found
        except errors.RayTaskError as error:
            raise error.cause from error
        except errors.WorkerCrashedError as error:
            raise EngineError(
                f"the same task ended {_RETRIES + 1} workers, for lack of memory most likely: give "
                f"them more of it, and start the command again; {_KEPT}"
            ) from error
        except (errors.RayError, ConnectionError) as error:
            raise EngineError(
                f"the Ray cluster is gone: start it, and then the same command again; {_KEPT}"
            ) from error

    def forget(self, sent: list[Any]) -> None:
        """Tasks whose answers nobody waits for any more."""
        for task in sent:
            with contextlib.suppress(Exception):
                ray.cancel(task, force=True)

    def close(self) -> None:
        """Leave the workers; those that were started for it go."""
        with contextlib.suppress(Exception):
            ray.shutdown()
