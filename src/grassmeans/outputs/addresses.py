"""Places with an address: object stores (S3, Google's, Azure's, ...), by fsspec.

A file is fetched or sent as a whole. The names in a store, and in the lists that lie there, are
data: one that leaves its folder is refused before anything is written.
"""

from __future__ import annotations

import contextlib
import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from grassmeans.artifacts.checking import is_plain_name
from grassmeans.artifacts.writing import atomic_path, digest_of, explain_write_errors
from grassmeans.engines.parallel import effective_workers, map_here, map_tasks
from grassmeans.errors import GrassmeansError, InputError, MissingExtraError, import_extra

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(?:::|://)")
_MAGIC = re.compile(r"[*?[]")
_FILES_AT_ONCE = 8
_FILES_A_TASK = 64
_NAME_BYTES = 255  # of a file or folder, on all disks


@dataclass(frozen=True, slots=True)
class _Kind:
    """What one kind of store needs."""

    package: str
    extra: str
    credentials: str


_S3 = _Kind("s3fs", "s3", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE")
_GOOGLE = _Kind("gcsfs", "gs", "GOOGLE_APPLICATION_CREDENTIALS")
_AZURE = _Kind(
    "adlfs", "az", "AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT_NAME and a key"
)
_KINDS = {"s3": _S3, "s3a": _S3, "gs": _GOOGLE, "gcs": _GOOGLE}
_KINDS |= dict.fromkeys(("az", "abfs", "abfss", "adl"), _AZURE)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a store as its list has it: nobody has to ask for it once more."""

    address: str
    n_bytes: int | None
    state: str
    """A digest of what changes with the file: its size, time, version."""


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
    store, path = _connect(address)
    try:
        store.invalidate_cache()  # others write there too
        yield store, path
    except GrassmeansError:
        raise
    except FileNotFoundError as error:
        raise _explain_absence(address, store, path) from error
    except Exception as error:  # each store has errors of its own
        raise _explain(address, error) from error


def _connect(address: str) -> tuple[Any, str]:
    fsspec = import_extra("fsspec", "storage", f"reading {address}")
    kind = _find_kind(address)
    try:
        store, path = fsspec.core.url_to_fs(address)
    except ImportError as error:
        if kind is not None:
            raise MissingExtraError(kind.package, kind.extra, f"reading {address}") from error
        raise InputError(f"{address} cannot be opened: {error}") from error
    except ValueError as error:
        needs = "" if kind is None else f"; its credentials: {kind.credentials}"
        raise InputError(f"{address} cannot be opened: {error}{needs}") from error
    except Exception as error:
        raise _explain(address, error) from error
    return store, str(path).rstrip("/")


def _find_kind(address: str) -> _Kind | None:
    return _KINDS.get(address.partition("://")[0].lower())


def _explain(address: str, error: Exception) -> InputError:
    """An error of a store in one line."""
    said, kind = " ".join(str(error).split())[:200] or type(error).__name__, _find_kind(address)
    if kind is not None and "Credential" in type(error).__name__:
        return InputError(f"{address} needs credentials ({said}): set {kind.credentials}")
    if isinstance(error, PermissionError):
        return InputError(f"{address} may not be read or written ({said}): check the credentials")
    return InputError(f"{address} cannot be reached: {said}")


def _explain_absence(address: str, store: Any, path: str) -> InputError:
    """What is missing: a file, or the bucket that it would be in."""
    bucket = path.partition("/")[0]
    with contextlib.suppress(Exception):
        if _find_kind(address) is not None and not store.exists(bucket):
            return InputError(f"there is no bucket {bucket!r} for {address}: check the address")
    return InputError(f"there is nothing at {address}: check the address")


def has_no_folders(store: Any) -> bool:
    """Whether files have keys and lie in no folders, as in S3, Google's and Azure's stores."""
    return bool(getattr(store, "async_impl", False))


def find_files(address: str) -> list[StoredFile]:
    """The files at an address: a file, a folder, or a pattern with ``*``."""
    with open_store(address) as (store, path):
        root = path
        if magic := _MAGIC.search(path):
            listed = store.glob(path, detail=True)
            found = {name: info for name, info in listed.items() if info.get("type") != "directory"}
            root = posixpath.dirname(path[: magic.start()])
        elif _find_kind(address) is not None or store.isdir(path):
            found = list_below(store, path)  # of a file in a bucket it is that file
            root = posixpath.dirname(path) if [*found] == [path] else path
        else:
            found = {path: store.info(path)} if store.exists(path) else {}
            root = posixpath.dirname(path)
        names_in(root, found, address)
        shown = [n for n in sorted(found) if not posixpath.basename(n).startswith(".")]
        if not shown:
            raise _explain_absence(address, store, path)
        # A few stores list names alone.
        infos = {name: found[name] or store.info(name) for name in shown}
        return [
            StoredFile(
                store.unstrip_protocol(name),
                info.get("size"),
                digest_of([name, *sorted(f"{field}: {value}" for field, value in info.items())]),
            )
            for name, info in infos.items()
        ]


def list_below(store: Any, path: str) -> dict[str, dict[str, Any]]:
    """All files below a folder of a store, and what is known of each.

    Some programs mark a folder by an empty file, whose key ends in ``/``: it is none.
    """
    found = store.find(path, detail=True)
    marks = {
        name
        for name, info in found.items()
        if name.endswith("/") and not info.get("size") and info.get("type") == "file"
    }
    return {name: info for name, info in found.items() if name not in marks}


def names_in(folder: str, found: Iterable[str], address: str) -> list[str]:
    """The names of files as seen from their folder; an error where one leads out of it."""
    start = folder.rstrip("/") + "/"
    names = []
    for path in found:
        name = path.removeprefix(start)
        is_below = name != path or start == "/"
        if not (is_below and is_plain_name(name) and is_plain_name(unquote(name))):
            raise InputError(f"{address} holds {path!r}, no name of a file below it: rename it")
        if any(unicodedata.category(letter) == "Cc" for letter in name):
            raise InputError(f"{address} holds {path!r}, with control characters: rename it")
        if any(len(part.encode()) > _NAME_BYTES for part in name.split("/")):
            raise InputError(
                f"{address} holds a name of more than {_NAME_BYTES} bytes, which no disk takes "
                f"({name[:40]}...): rename it"
            )
        names.append(name)
    return sorted(names)


def fetch_file(address: str, target: Path, n_bytes: int | None = None) -> None:
    """Copy a file from a store, whole or not at all; one of so many bytes that is there stays."""
    if n_bytes is not None and target.exists() and target.stat().st_size == n_bytes:
        return
    with open_store(address) as (store, path):
        with explain_write_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(target) as temporary:
            store.get_file(path, str(temporary))
            if n_bytes is not None and temporary.stat().st_size < n_bytes:
                raise InputError(f"{address} ended early, or was changed meanwhile: start again")


def send_file(source: Path, address: str) -> None:
    """Copy a file to a store."""
    with open_store(address) as (store, path):
        if not has_no_folders(store):
            store.makedirs(posixpath.dirname(path), exist_ok=True)
        store.put_file(str(source), path)


def remove_files(store: Any, paths: Sequence[str]) -> None:
    """Delete files of a store, many with one request where it can do that."""
    # What takes many takes patterns too: a name that looks like one goes alone.
    alone = [path for path in paths if _MAGIC.search(path) or not has_no_folders(store)]
    if together := sorted({*paths} - {*alone}):
        store.rm(together)
    for path in alone:
        store.rm_file(path)


def find_local(place: str | Path) -> Path | None:
    """The path of a place of this machine, which may have an address too; None for any other."""
    if not is_address(place):
        return Path(place)
    with open_store(str(place)) as (store, path):
        protocols = [store.protocol] if isinstance(store.protocol, str) else store.protocol
        return Path(path) if "file" in protocols else None


def move_files(
    move: Callable[..., None], tasks: Sequence[tuple[Any, ...]], workers: int | None
) -> Iterator[int]:
    """Do ``move(*task)`` for all of them; yields how many were done, again and again.

    A store answers late rather than slowly: where files are many, a worker has some at a time.
    """
    size = min(_FILES_A_TASK, -(-len(tasks) // (4 * effective_workers(workers)))) or 1
    batches = [(move, tasks[i : i + size]) for i in range(0, len(tasks), size)]
    yield from map_tasks(_move_batch, batches, workers)


def _move_batch(move: Callable[..., None], tasks: Sequence[tuple[Any, ...]]) -> int:
    return len(list(map_here(move, tasks, min(_FILES_AT_ONCE, len(tasks)))))
