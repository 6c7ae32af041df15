"""What goes to a worker, and what the worker does with it.

A message holds a function's name, paths and small parameters. Arrays do not travel: those of any
size are written into the folder that all workers see, once, and mapped from there. What several
tasks have in common (a corpus, an encoder) is opened by a worker once, and kept for the next task.

Every run has a token in that folder. A worker that does not find it sees another file system; one
whose run has ended finds it no more, and changes nothing. A worker with other software would give
results that nobody else gets, and is refused.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import io
import os
import platform
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.writing import digest_of_array, digest_of_bytes, write_array, write_while
from grassmeans.errors import EngineError, GrassmeansError
from grassmeans.version import __version__

SMALL_ARRAY_BYTES = 1 << 14
"""Larger arrays are read from files."""
TOKEN_SECONDS = 15.0
"""How long a worker looks for the token: other machines may see a new file only after a while."""

_TOKEN = ".engine-"
_ARRAYS = "arrays"
_KEPT_OBJECTS = 12
_PLAIN = (str, bytes, int, float, bool, type(None), Path, list, tuple, dict, np.ndarray)
_PACKAGE = Path(__file__).parents[1]
_COMPUTES = ("numpy", "scipy", "numba")


@functools.cache
def describe_software() -> dict[str, str]:
    """Names and versions of everything that results depend on; of our own code also a digest."""
    versions = {name: importlib.import_module(name).__version__ for name in _COMPUTES}
    return {
        "grassmeans": f"{__version__} (code {digest_of_code(_PACKAGE)})",
        "Python": ".".join(platform.python_version_tuple()[:2]),
        **versions,
    }


def digest_of_code(package: Path) -> str:
    """A short digest of all files of a package that are run, and of their places in it."""
    found = hashlib.sha256()
    sources = (path for kind in ("*.py", "*.cu") for path in package.rglob(kind))
    for name, path in sorted((path.relative_to(package).as_posix(), path) for path in sources):
        content = path.read_bytes()
        found.update(f"{name}\n{len(content)}\n".encode() + content)
    return found.hexdigest()[:12]


def refuse_other_software(worker: str, there: Mapping[str, str], here: Mapping[str, str]) -> None:
    """Raise `EngineError` where a worker would compute something else than this process."""
    differences = [
        f"{name} {there[name]} in place of {version}"
        for name, version in here.items()
        if there.get(name, version) != version
    ]
    if differences:
        raise EngineError(
            f"the worker {worker} has {', '.join(differences)}: its results would differ; install "
            "the same everywhere, and start the workers again"
        )


@dataclass(frozen=True, slots=True)
class Place:
    """A folder that all workers see, and the token of the run that works there."""

    folder: Path
    token: str

    @classmethod
    def prepare(cls, folder: Path) -> Place:
        """Put a new token into a folder; those of earlier runs go, and their tasks with them."""
        folder = folder.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob(f"{_TOKEN}*"):
            old.unlink(missing_ok=True)
        place = cls(folder, secrets.token_hex(8))
        place.fence.write_text(place.token, encoding="utf-8")
        return place

    @property
    def fence(self) -> Path:
        """The file without which nothing is written any more."""
        return self.folder / f"{_TOKEN}{self.token}"

    def check(self) -> None:
        """Raise `EngineError` where this process does not see the folder."""
        until = time.monotonic() + TOKEN_SECONDS
        while True:
            with contextlib.suppress(OSError):
                os.listdir(self.folder)  # asks a network's file system for what is new
                if self.fence.read_text(encoding="utf-8") == self.token:
                    return
            if time.monotonic() > until:
                raise EngineError(
                    f"the worker on {platform.node()} does not see {self.folder}: all workers need "
                    "the folders of inputs and output under the same paths (a shared disk)"
                )
            time.sleep(0.2)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument, pickled; ``kept`` is the name under which a worker keeps it."""

    content: bytes
    kept: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A task on its way to a worker."""

    call: tuple[Argument, ...]  # the function first
    place: Place | None
    software: dict[str, str] = field(default_factory=describe_software)

    @property
    def n_bytes(self) -> int:
        """What the network carries, almost."""
        return sum(len(part.content) for part in self.call)


class Packer:
    """Makes messages of calls; what follows each other in calls is pickled once."""

    def __init__(self, place: Place | None) -> None:
        self._place = place
        self._before: tuple[tuple[Any, Argument], ...] = ()
        # Arrays by their number in memory; they are held, so that the number stays theirs.
        self._parked: OrderedDict[int, tuple[NDArray[Any], Path]] = OrderedDict()

    def pack(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Message:
        """The message of a call."""
        known = {id(value): packed for value, packed in self._before}
        values = (function, *arguments)
        self._before = tuple((v, known.get(id(v)) or self._pickle(v)) for v in values)
        return Message(tuple(packed for _, packed in self._before), self._place)

    def _pickle(self, value: Any) -> Argument:
        target = io.BytesIO()
        _Pickler(target, self._park).dump(value)
        content = target.getvalue()
        return Argument(content, None if isinstance(value, _PLAIN) else digest_of_bytes(content))

    def _park(self, array: NDArray[Any]) -> Path | None:
        """The file of an array; None where it goes with the message."""
        if self._place is None or array.nbytes <= SMALL_ARRAY_BYTES or array.dtype.hasobject:
            return None
        if id(array) not in self._parked:
            path = self._place.folder / _ARRAYS / f"{digest_of_array(array)}-{array.ndim}.npy"
            if not path.exists():
                path.parent.mkdir(exist_ok=True)
                write_array(path, array)
            self._parked[id(array)] = (array, path)
            if len(self._parked) > _KEPT_OBJECTS:
                self._parked.popitem(last=False)
        return self._parked[id(array)][1]


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickles values, but for arrays that lie in a file."""

    def __init__(self, target: io.BytesIO, park: Callable[[NDArray[Any]], Path | None]) -> None:
        super().__init__(target)
        self._park = park

    def reducer_override(self, value: Any) -> Any:
        """How pickle takes a value apart; as ever, where it is no large array."""
        if type(value) in (np.ndarray, np.memmap) and (path := self._park(value)) is not None:
            return _map_array, (path,)
        return super().reducer_override(value)


def _map_array(path: Path) -> NDArray[Any]:
    array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    return array


_lock = threading.Lock()
_opened: OrderedDict[str, Any] = OrderedDict()
_seen: set[Place] = set()


def answer(message: Message) -> Any:
    """Do a task on a worker, whose threads take turns; its result, or its error for people."""
    with _lock:
        try:
            return _run(message)
        except GrassmeansError as error:
            return error


def _run(message: Message) -> Any:
    refuse_other_software(f"on {platform.node()}", describe_software(), message.software)
    place = message.place
    if place is not None and place not in _seen:
        place.check()
        _seen.add(place)
    with write_while(None if place is None else place.fence):
        function, *arguments = map(_open_argument, message.call)
        return function(*arguments)


def _open_argument(argument: Argument) -> Any:
    if argument.kept is None:
        return cloudpickle.loads(argument.content)
    if argument.kept not in _opened:
        _opened[argument.kept] = cloudpickle.loads(argument.content)
        if len(_opened) > _KEPT_OBJECTS:
            _opened.popitem(last=False)
    _opened.move_to_end(argument.kept)
    return _opened[argument.kept]
