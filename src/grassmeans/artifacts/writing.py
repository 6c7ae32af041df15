"""Folders that hold results: a manifest, plain arrays and text, never pickle.

Everything is written to a temporary name and renamed when it is whole and on the disk, so that
neither a killed run nor a power cut leaves half a file that looks complete.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.checking import CHECKSUMS, MANIFEST, SMALL_BYTES, TEMPORARY, read_json
from grassmeans.artifacts.digests import INNER, PARTS, bind_parts, find_exchanged, make_checksums
from grassmeans.errors import ArtifactError, StorageError
from grassmeans.version import __version__

SEAL = "manifest_digest"
"""Field of a manifest with the digest of all its other fields."""

Value = TypeVar("Value")

_FULL_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_CANNOT_WRITE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENAMETOOLONG}
# Windows syncs what is open for writing alone.
_TO_SYNC = os.O_RDONLY if os.name == "posix" else os.O_RDWR
_CANNOT_SYNC = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EBADF}
_BUILDING = ".building"
_HEAD_BYTES = 1 << 16
_ARRAYS = {".npy", ".bin"}
_READ_ONLY = 0o444


@contextlib.contextmanager
def explain_write_errors(path: Path) -> Iterator[None]:
    """Turn the operating system's write errors into ones that say what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL_DISK:
            raise StorageError(
                error.errno,
                f"the disk (or the quota) is full while writing {path}: free some space and start "
                "the same command again; finished parts are kept",
            ) from error
        if error.errno in _CANNOT_WRITE:
            raise StorageError(
                error.errno, f"cannot write {path}: {error.strerror}; choose another place"
            ) from error
        raise


_fence: ContextVar[Path | None] = ContextVar("fence", default=None)


def write_while(fence: Path | None) -> contextlib.AbstractContextManager[None]:
    """Let files come to their names only as long as ``fence`` is there.

    A worker may outlive the run that its task belongs to, and another run may use the same folder:
    it takes the fence of the first one away.
    """
    return set_within(_fence, fence)


@contextlib.contextmanager
def set_within(variable: ContextVar[Value], value: Value) -> Iterator[None]:
    """Let a variable have a value until the block ends."""
    before = variable.set(value)
    try:
        yield
    finally:
        variable.reset(before)


@contextlib.contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path``; rename it to ``path`` when the block ends well."""
    # Not the process alone: two threads of one may write the same file.
    unique = f"{os.getpid()}-{secrets.token_hex(4)}"
    temporary = path.with_name(f"{path.name}{TEMPORARY}{unique}")
    with explain_write_errors(path):
        try:
            yield temporary
            sync_to_disk(temporary)
            fence = _fence.get()
            if fence is not None and not fence.exists():
                told = f"the run that {path} belongs to has ended: it is left"
                raise StorageError(errno.ESTALE, told)
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def sync_to_disk(path: Path) -> None:
    """Let a file or folder be on the disk before what follows, come a power cut."""
    try:
        descriptor = os.open(path, _TO_SYNC)
    except PermissionError:  # folders, on some systems, and what can only be read
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise
    finally:
        os.close(descriptor)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file atomically."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as indented JSON, atomically."""
    write_bytes(path, encode_json(value, indent=2) + b"\n")


def encode_json(value: Any, indent: int | None = None) -> bytes:
    """JSON in UTF-8; what that cannot hold (a file's name may be any bytes) as JSON's escapes."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return text.encode("utf-8", "backslashreplace")


def write_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array as ``.npy``, atomically."""
    content = np.ascontiguousarray(array)
    if content.dtype.hasobject:
        raise TypeError("an array of objects could only be stored as pickle")
    header = np.lib.format.header_data_from_array_1_0(content)
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        # Not ndarray.tofile, whose error on a full disk does not say so.
        file.write(content.reshape(-1).view(np.uint8).data if content.size else b"")


def share_file(source: Path, target: Path) -> None:
    """Make ``target`` a copy of ``source``, or the same file where it is a large array.

    Who changes a shared file in one folder changes it in the other: it can only be read from then
    on. Whatever a person might open in an editor is copied. We ourselves replace files, and never
    change one in place.
    """
    if target.exists() and target.samefile(source):
        return  # of an interrupted run; a link that is renamed to another of its file stays
    with atomic_path(target) as temporary:
        if not _link(source, temporary):
            shutil.copyfile(source, temporary)


def _link(source: Path, target: Path) -> bool:
    """Make a link, and both read-only; whether that is right for such a file and could be done."""
    # On other systems than POSIX's, what can only be read cannot be deleted either.
    is_array = source.suffix in _ARRAYS and source.stat().st_size > SMALL_BYTES
    if os.name != "posix" or not is_array:
        return False
    try:
        os.link(source, target)
        target.chmod(_READ_ONLY)
    except OSError:  # another disk, a file system without links, or a file of someone else
        target.unlink(missing_ok=True)
        return False
    return True


def write_manifest(
    folder: Path, kind: str, version: int, fields: dict[str, Any], *, created: bool = True
) -> None:
    """Write the manifest, which makes the folder a whole artifact; call it last."""
    head: dict[str, Any] = {"kind": kind, "format_version": version, "grassmeans": __version__}
    if created:
        head["created"] = datetime.now(UTC).isoformat(timespec="seconds")
    with explain_write_errors(folder):
        checksums = make_checksums(folder)
    write_bytes(folder / CHECKSUMS, checksums)
    # Fields may come from another artifact's manifest, which was bound to other parts.
    own = {name: value for name, value in fields.items() if name not in (INNER, PARTS)}
    manifest = head | own | bind_parts(folder)
    write_json(folder / MANIFEST, manifest | {SEAL: _seal(manifest)})


def _seal(manifest: Mapping[str, Any]) -> str:
    """The digest of a manifest as it is read back from JSON."""
    plain = json.loads(json.dumps(manifest, ensure_ascii=False))
    return digest_of({name: value for name, value in plain.items() if name != SEAL})


def read_manifest(folder: Path, kind: str | None = None, *versions: int) -> dict[str, Any]:
    """Read a folder's manifest and check that it is of the expected kind and versions."""
    if not folder.exists():
        advice = "check the path"
        if building_place(folder).exists():
            advice = "the run that makes it has not ended; if it was stopped, start it again"
        raise ArtifactError(f"there is no {kind or 'folder'} at {folder}: {advice}")
    if not folder.is_dir() or not (folder / MANIFEST).exists():
        raise ArtifactError(
            f"{folder} is not a grassmeans {kind or 'folder'}: it has no {MANIFEST}"
        )
    manifest = read_json(folder / MANIFEST)
    if not isinstance(manifest, dict) or not isinstance(manifest.get("kind"), str):
        raise ArtifactError(f"{folder / MANIFEST} is not a grassmeans manifest")
    if kind is not None and manifest["kind"] != kind:
        raise ArtifactError(f"{folder} holds a {manifest['kind']}, but a {kind} is needed here")
    if versions and manifest.get("format_version") not in versions:
        known = " or ".join(map(str, versions))
        raise ArtifactError(
            f"{folder} has format version {manifest.get('format_version')}, this release reads "
            f"version {known}: build it again, or use the release that wrote it "
            f"({manifest.get('grassmeans', 'unknown')})"
        )
    if SEAL in manifest and manifest[SEAL] != _seal(manifest):
        raise ArtifactError(
            f"{folder / MANIFEST} was changed after it was written: build the folder again, or "
            f"take {SEAL!r} out of it if the change is meant"
        )
    if problems := find_exchanged(folder, manifest):
        raise ArtifactError(
            f"{problems[0]}: build the folder again, or copy it from where it is whole"
        )
    return manifest


def find_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a folder that this program wrote; None for any other folder."""
    try:
        manifest = read_json(folder / MANIFEST)
    except (ArtifactError, OSError):
        return None
    head = {"kind": str, "format_version": int, "grassmeans": str}
    is_ours = isinstance(manifest, dict) and all(
        isinstance(manifest.get(name), known) for name, known in head.items()
    )
    return manifest if is_ours else None


def building_place(folder: Path) -> Path:
    """Where a folder is built until it is whole; see `grassmeans.outputs.places`."""
    return folder.with_name(f".{folder.name}{_BUILDING}")


def building_target(work: Path) -> Path:
    """The folder that is built in a `building_place`."""
    return work.with_name(work.name[1:].removesuffix(_BUILDING))


def digest_of(value: Any) -> str:
    """A short digest of plain parameters (JSON-serialisable), stable between runs."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.blake2b(text.encode("utf-8", "backslashreplace"), digest_size=12).hexdigest()


def identify_file(path: Path) -> dict[str, Any]:
    """What tells a file from another of the same name: size, time, and a digest of its head."""
    about = path.stat()
    identity: dict[str, Any] = {"name": path.name, "size": about.st_size, "time": about.st_mtime_ns}
    # What is read from a pipe is gone; what cannot be read is the reader's affair.
    if path.is_file():
        with contextlib.suppress(OSError), path.open("rb") as file:
            identity["head"] = digest_of_bytes(file.read(_HEAD_BYTES))
    return identity


def digest_of_array(array: NDArray[Any]) -> str:
    """A short digest of an array's content."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return digest_of_bytes(flat.view(np.uint8).data if flat.size else b"")


def digest_of_bytes(*parts: bytes | memoryview) -> str:
    """A short digest of bytes."""
    state = hashlib.blake2b(digest_size=12)
    for part in parts:
        state.update(part)
    return state.hexdigest()
