"""Places with an address: object stores (S3, Google's, Azure's, ...), by fsspec.

A file is fetched or sent as a whole. The names in a store, and in the lists that lie there, are
data: one that leaves its folder is refused before anything is written.
"""

from __future__ import annotations

import contextlib
import posixpath
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from grassmeans.artifacts.checking import is_plain_name
from grassmeans.artifacts.writing import atomic_path, explain_write_errors
from grassmeans.engines.parallel import effective_workers, map_here, map_tasks
from grassmeans.errors import GrassmeansError, InputError, import_extra

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(?:::|://)")
_BLOCK_BYTES = 1 << 24
_FILES_AT_ONCE = 8
_FILES_A_TASK = 64


def is_address(place: object) -> bool:
    """Whether a place is an address (``s3://bucket/file``) and no path."""
    return isinstance(place, str) and _ADDRESS.match(place) is not None


@contextlib.contextmanager
def open_store(address: str) -> Iterator[tuple[Any, str]]:
    """The file system of an address and the path in it; errors of the block are told in one line.

    An address behind another one (``simplecache::file://``) is refused: what such a chain reaches,
    its text does not tell.
    """
    if "::" in address:
        raise InputError(f"{address} is a chain of addresses: name the last of them alone")
    fsspec = import_extra("fsspec", "storage", f"reading {address}")
    try:
        try:
            store, path = fsspec.core.url_to_fs(address)
        except (ImportError, ValueError) as error:
            raise InputError(f"{address} cannot be opened: {error}") from error
        yield store, str(path).rstrip("/")
    except GrassmeansError:
        raise
    except FileNotFoundError as error:
        raise InputError(f"there is nothing at {address}: check the address") from error
    except Exception as error:  # each store has errors of its own
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"{address} cannot be reached: {said}") from error


def list_files(address: str) -> list[str]:
    """The addresses of the files at an address: a file, a folder, or a pattern with ``*``."""
    with open_store(address) as (store, path):
        root = path
        if magic := re.search(r"[*?[]", path):
            found = [name for name in store.glob(path) if store.isfile(name)]
            root = posixpath.dirname(path[: magic.start()])
        elif store.isdir(path):
            found = store.find(path)
        else:
            found = [path] if store.exists(path) else []
            root = posixpath.dirname(path)
        names_in(root, found, address)
        shown = [n for n in sorted(found) if not posixpath.basename(n).startswith(".")]
        if not shown:
            raise InputError(f"there is no file at {address}: check the address")
        return [store.unstrip_protocol(name) for name in shown]


def names_in(folder: str, found: Iterable[str], address: str) -> list[str]:
    """The names of files as seen from their folder; an error where one leads out of it."""
    start = folder.rstrip("/") + "/"
    names = []
    for path in found:
        name = path.removeprefix(start)
        is_below = name != path or start == "/"
        if not (is_below and is_plain_name(name) and is_plain_name(unquote(name))):
            raise InputError(f"{address} holds {path!r}, no name of a file below it: rename it")
        names.append(name)
    return sorted(names)


def fetch_file(address: str, target: Path) -> None:
    """Copy a file from a store, whole or not at all; one that is there already stays."""
    with open_store(address) as (store, path):
        if target.exists() and target.stat().st_size == store.size(path):
            return
        with explain_write_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
        with (
            atomic_path(target) as temporary,
            store.open(path, "rb") as source,
            temporary.open("wb") as file,
        ):
            shutil.copyfileobj(source, file, _BLOCK_BYTES)


def send_file(source: Path, address: str) -> None:
    """Copy a file to a store."""
    with open_store(address) as (store, path):
        store.makedirs(posixpath.dirname(path), exist_ok=True)
        with source.open("rb") as file, store.open(path, "wb") as target:
            shutil.copyfileobj(file, target, _BLOCK_BYTES)


def find_local(place: str | Path) -> Path | None:
    """The path of a place of this machine, which may have an address too; None for any other."""
    if not is_address(place):
        return Path(place)
    with open_store(str(place)) as (store, path):
        protocols = [store.protocol] if isinstance(store.protocol, str) else store.protocol
        return Path(path) if "file" in protocols else None


def move_files(
    move: Callable[[Any, Any], None], tasks: Sequence[tuple[Any, Any]], workers: int | None
) -> Iterator[int]:
    """Do ``move(*task)`` for all of them; yields how many were done, again and again.

    A store answers late rather than slowly: where files are many, a worker has some at a time.
    """
    size = min(_FILES_A_TASK, -(-len(tasks) // (4 * effective_workers(workers)))) or 1
    batches = [(move, tasks[i : i + size]) for i in range(0, len(tasks), size)]
    yield from map_tasks(_move_batch, batches, workers)


def _move_batch(move: Callable[[Any, Any], None], tasks: Sequence[tuple[Any, Any]]) -> int:
    return len(list(map_here(move, tasks, min(_FILES_AT_ONCE, len(tasks)))))
