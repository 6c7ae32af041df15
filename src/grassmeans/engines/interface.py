"""What an engine has to do: take messages, give their answers, say how many workers there are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from grassmeans.engines.messages import Answer, Message, Packer, Place

Result = TypeVar("Result")

_AHEAD = 3
"""Tasks a worker that are sent before their answers are asked for: none waits for the network."""


@dataclass(frozen=True, slots=True)
class Machine:
    """One of the machines that workers are on."""

    name: str
    n_workers: int


class Engine(ABC):
    """Workers somewhere, and the way to them.

    A task that a lost worker had is done by another one; a task that ends with an error is not done
    again. Answers come in the order of the tasks.
    """

    def __init__(self) -> None:
        self._places: dict[Path, Place] = {}

    @property
    @abstractmethod
    def n_workers(self) -> int:
        """How many workers there are now; never less than one."""

    @property
    @abstractmethod
    def machines(self) -> list[Machine]:
        """The machines that they are on."""

    @abstractmethod
    def send(self, message: Message, machine: str | None = None) -> Any:
        """Give a task to a worker, of a machine if possible; returns what `wait` takes."""

    @abstractmethod
    def wait(self, sent: Any) -> Answer:
        """The answer to a task; `EngineError` where there will never be one."""

    @abstractmethod
    def forget(self, sent: list[Any]) -> None:
        """Tasks whose answers nobody waits for any more."""

    @abstractmethod
    def close(self) -> None:
        """Leave the workers; those that were started for it go."""

    def map(
        self,
        function: Callable[..., Result],
        tasks: Iterable[tuple[Any, ...]],
        shared: Path | None,
        machines: Iterable[str | None] | None = None,
    ) -> Iterator[Result]:
        """Yield ``function(*task)`` for every task, in their order; tasks are drawn as needed.

        Parameters
        ----------
        shared : Path, optional
            A folder that all workers see, for arrays and the token of the run.
        machines : iterable of str, optional
            Where each task should run.
        """
        packer = Packer(None if shared is None else self._prepare(shared))
        wanted = iter(machines) if machines is not None else None
        sent: deque[Any] = deque()
        try:
            for task in tasks:
                place = None if wanted is None else next(wanted, None)
                sent.append(self.send(packer.pack(function, task), place))
                if len(sent) >= _AHEAD * self.n_workers:
                    yield self.wait(sent[0]).open()
                    sent.popleft()
            while sent:
                yield self.wait(sent[0]).open()
                sent.popleft()
        finally:
            self.forget(list(sent))

    def _prepare(self, folder: Path) -> Place:
        place = self._places.get(folder)
        if place is None or not place.fence.exists():
            place = self._places[folder] = Place.prepare(folder)
        return place
