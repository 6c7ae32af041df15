"""Object stores (S3, Google's, Azure's, ...) and other places with an address, by fsspec.

Nothing here computes on them: files are fetched before they are read.

The names in a store, and in the lists that lie there, are data: one that leaves its folder, or that
a disk could not tell from another one, is refused before anything is written.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import posixpath
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from grassmeans.artifacts.checking import is_plain_name
from grassmeans.artifacts.writing import (
    atomic_path,
    building_place,
    digest_of,
    explain_write_errors,
    find_manifest,
)
from grassmeans.engines.parallel import map_tasks
from grassmeans.errors import ArtifactError, InputError, MissingExtraError, StorageError
from grassmeans.outputs.places import refuse_address
from grassmeans.progress import progress_bar

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(?:::|://)")
_FETCHED = re.compile(r"[0-9]+-[0-9]+-[0-9a-f]{8}")
_BLOCK_BYTES = 1 << 24


def is_address(place: object) -> bool:
    """Whether a place is an address (``s3://bucket/file``) and no path."""
    return isinstance(place, str) and _ADDRESS.match(place) is not None


def open_store(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it.

    `MissingExtraError` where fsspec is not installed, `InputError` where the address is of a kind
    that it does not know or that needs a package of its own, or where it is one behind another
    (``simplecache::file://``): what such a chain reaches, its text does not tell.
    """
    if "::" in address:
        raise InputError(f"{address} is a chain of addresses: name the last of them alone")
    if importlib.util.find_spec("fsspec") is None:
        raise MissingExtraError("fsspec", "storage", f"reading {address}")
    import fsspec

    try:
        store, path = fsspec.core.url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise InputError(f"{address} cannot be opened: {error}") from error
    return store, str(path).rstrip("/")


@contextlib.contextmanager
def explain_store_errors(address: str) -> Iterator[None]:
    """Say in one line what a store says in many classes of errors."""
    try:
        yield
    except (InputError, ArtifactError, StorageError, MissingExtraError):
        raise
    except FileNotFoundError as error:
        raise InputError(f"there is nothing at {address}: check the address") from error
    except Exception as error:  # each store has errors of its own
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"{address} cannot be reached: {said}") from error


def list_files(address: str) -> list[str]:
    """The addresses of the files at an address: a file, a folder, or a pattern with ``*``."""
    with explain_store_errors(address):
        store, path = open_store(address)
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


@contextlib.contextmanager
def fetch_inputs(
    inputs: Iterable[str | Path], output: Path, workers: int | None = 1
) -> Iterator[list[str | Path]]:
    """Put files with addresses beside an output, where all workers see them; yields the paths.

    They go when the block ends well; an interrupted command finds them again. Files of this machine
    (``file://``) are read where they are.
    """
    given = list(inputs)
    place = Path(os.path.realpath(output)).with_name(f".{output.name}.inputs")
    if (
        find_manifest(output) is not None
        and not building_place(Path(os.path.realpath(output))).exists()
    ):
        _remove_fetched(place)  # of a run that was killed when its work was done
    if not any(map(is_address, given)):
        yield given
        return
    refuse_address(output)
    paths: list[str | Path] = []
    tasks: list[tuple[str, Path]] = []
    for number, source in enumerate(given):
        if not is_address(source):
            paths.append(source)
            continue
        for address in list_files(str(source)):
            if (local := find_local(address)) is not None:
                paths.append(local)
                continue
            # Files of one name stay apart: of several folders, and of before and after a change.
            version = f"{number}-{len(tasks)}-{_identify(address)}"
            path = place / version / posixpath.basename(address)
            tasks.append((address, path))
            paths.append(path)
    with progress_bar("fetching", len(tasks), unit="files") as advance:
        for _ in map_tasks(fetch_file, tasks, workers):
            advance()
    yield paths
    _remove_fetched(place)


def _remove_fetched(place: Path) -> None:
    """Delete what `fetch_inputs` put there, and nothing else."""
    for fetched in place.glob("*"):
        if _FETCHED.fullmatch(fetched.name):
            shutil.rmtree(fetched, ignore_errors=True)
    with contextlib.suppress(OSError):  # there is none, or a file of someone else is in it
        place.rmdir()


def _identify(address: str) -> str:
    """A short digest of what a store tells of a file: its size, time, version."""
    with explain_store_errors(address):
        store, path = open_store(address)
        return digest_of([address, store.ukey(path)])[:8]


def fetch_file(address: str, target: Path) -> None:
    """Copy a file from a store, whole or not at all; one that is there already stays."""
    with explain_store_errors(address):
        store, path = open_store(address)
        size = store.size(path)
        if target.exists() and target.stat().st_size == size:
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
    with explain_store_errors(address):
        store, path = open_store(address)
        store.makedirs(posixpath.dirname(path), exist_ok=True)
        with source.open("rb") as file, store.open(path, "wb") as target:
            shutil.copyfileobj(file, target, _BLOCK_BYTES)


def find_local(place: str | Path) -> Path | None:
    """The path of a place of this machine, which may have an address too; None for any other."""
    if not is_address(place):
        return Path(place)
    with explain_store_errors(str(place)):
        store, path = open_store(str(place))
    protocols = [store.protocol] if isinstance(store.protocol, str) else store.protocol
    return Path(path) if "file" in protocols else None
