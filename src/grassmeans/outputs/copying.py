"""Artifacts, copied to an object store or from it: as a whole, and with their digests compared."""

from __future__ import annotations

import os
import posixpath
import unicodedata
import warnings
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from grassmeans.artifacts.checking import (
    CHECKSUMS,
    LARGEST_JSON,
    MANIFEST,
    damaged,
    is_plain_name,
    parse_json,
    parse_list,
)
from grassmeans.artifacts.digests import find_damage, list_inner_names
from grassmeans.artifacts.writing import read_manifest
from grassmeans.engines.parallel import map_tasks
from grassmeans.errors import ArtifactError, InputError
from grassmeans.outputs.ownership import list_marks
from grassmeans.outputs.places import output_folder
from grassmeans.outputs.stores import (
    explain_store_errors,
    fetch_file,
    find_local,
    is_address,
    names_in,
    open_store,
    send_file,
)
from grassmeans.progress import progress_bar

_FILES_AT_ONCE = 8
_NAMED = 5
_CLAIM = ".grassmeans-copy"  # at an address to which a copy is on its way


def _refuse_collisions(names: Iterable[str], place: object) -> None:
    """Refuse names of which a disk may take two for one, or one for a folder."""
    known: dict[str, str] = {}
    for name in names:
        other = known.setdefault(unicodedata.normalize("NFC", name).casefold(), name)
        if other != name:
            raise InputError(f"{place} holds {other!r} and {name!r}, one name on some disks")
    for key, name in known.items():
        folder = key
        while folder := posixpath.dirname(folder):
            if folder in known:
                raise InputError(f"{place} holds {known[folder]!r} as a file, and {name!r} in it")


def copy_artifact(
    source: str | Path,
    target: str | Path,
    *,
    overwrite: bool = False,
    workers: int | None = None,
    show_progress: bool | None = None,
) -> dict[str, Any]:
    """Copy an artifact between a disk and a store; its digests are compared.

    A folder of this machine is written as every output is, also where it has an address
    (``file://``). A store cannot rename: there the manifest goes first and comes last, so that an
    interrupted copy does not look like an artifact; the same call finishes it. Files at the address
    that are not the artifact's own, by its manifest and its list, stay; a warning names them.

    Parameters
    ----------
    source, target : path or address
        One of them an address.
    overwrite : bool
        Replace an artifact of the same kind.

    Returns
    -------
    dict
        The manifest.
    """
    if is_address(source) == is_address(target):
        raise InputError(
            "name one address (s3://bucket/corpus, say) and one folder of this machine"
        )
    for address in filter(is_address, (source, target)):
        if not str(address).rpartition("://")[2].strip("/"):
            raise InputError(f"{address} names no folder: add its path")
    place = find_local(target)
    if place is None:
        return _send_artifact(Path(source), str(target), overwrite, workers, show_progress)
    address = str(source) if is_address(source) else f"file://{os.path.realpath(source)}"
    return _fetch_artifact(address, place, overwrite, workers, show_progress)


def _fetch_artifact(
    address: str, target: Path, overwrite: bool, workers: int | None, show_progress: bool | None
) -> dict[str, Any]:
    manifest = _read_remote_manifest(address)
    if manifest is None:
        raise ArtifactError(f"{address} is no grassmeans folder: it has no {MANIFEST}")
    identity = [address, manifest]
    inputs, marks = [find_local(address)], list_marks(manifest["kind"], manifest)
    with output_folder(
        target, manifest["kind"], identity, inputs=inputs, fields=marks, overwrite=overwrite
    ) as building:
        names = [name for name in _list_names(address) if name != _CLAIM]
        _refuse_collisions(names, address)
        tasks = ((f"{address.rstrip('/')}/{name}", building.folder / name) for name in names)
        with progress_bar("copying", len(names), unit="files", show=show_progress) as advance:
            for _ in map_tasks(fetch_file, tasks, _count(workers)):
                advance()
        problems, _, _ = find_damage(building.folder)
        if problems:
            for path in building.folder.rglob("*"):
                if path.is_file():
                    path.unlink()  # which of them are good is not known
            raise ArtifactError(f"{problems[0]}: copy {address} again")
    return read_manifest(target)


def _send_artifact(
    source: Path, address: str, overwrite: bool, workers: int | None, show_progress: bool | None
) -> dict[str, Any]:
    manifest = read_manifest(source)
    problems, _, _ = find_damage(source)
    if problems:
        raise ArtifactError(f"{problems[0]}: {source} is not copied")
    _check_replaceable(address, manifest["kind"], overwrite)
    files = (path.as_posix() for path in source.rglob("*") if path.is_file())
    names = names_in(source.as_posix(), files, str(source))
    _refuse_collisions(names, source)
    foreign = _begin(address, source, names)
    # The manifest makes it whole, and the list of digests belongs to it.
    names.sort(key=lambda name: (name == MANIFEST, name == CHECKSUMS))
    tasks = [(source / name, f"{address.rstrip('/')}/{name}") for name in names]
    with progress_bar("copying", len(tasks), unit="files", show=show_progress) as advance:
        for _ in map_tasks(send_file, tasks[:-2], _count(workers)):
            advance()
        for task in tasks[-2:]:
            send_file(*task)
            advance()
    with explain_store_errors(address):
        store, path = open_store(address)
        store.rm_file(f"{path}/{_CLAIM}")
    if foreign:
        some = ", ".join(foreign[:_NAMED]) + (", ..." if len(foreign) > _NAMED else "")
        warnings.warn(
            f"{address} also holds files that are not the {manifest['kind']}'s, and they stay "
            f"({len(foreign):,}: {some})",
            stacklevel=3,
        )
    return manifest


def _check_replaceable(address: str, kind: str, overwrite: bool) -> None:
    """Refuse an address that holds anything but an artifact, or a copy, that may be replaced."""
    there = _read_remote_manifest(address)
    names = _list_names(address)
    if there is None and (not names or _CLAIM in names):
        return
    if there is None or not {"format_version", "grassmeans"} <= there.keys():
        raise InputError(f"{address} is not empty and not a grassmeans {kind}: choose another")
    if there["kind"] != kind:
        raise InputError(f"{address} holds a {there['kind']}: choose another address")
    if not overwrite:
        raise InputError(f"{address} exists already: choose another, or pass overwrite=True")


def _begin(address: str, source: Path, names: Collection[str]) -> list[str]:
    """Note that a copy is on its way, and remove what it will not replace.

    The manifest goes first: what is left of a folder must not look like a whole one. Returns the
    files at the address that are not of the artifact there.
    """
    there = set(_list_names(address))
    with explain_store_errors(address):
        store, path = open_store(address)
        own = _list_own_files(store, path, there)
        foreign = sorted(there - own - {_CLAIM})
        if in_the_way := sorted({*foreign} & {*names}):
            raise InputError(
                f"{in_the_way[0]} at {address} is not of the artifact there, by its list, and in "
                "the way: move it to another place"
            )
        store.makedirs(path, exist_ok=True)
        store.pipe_file(f"{path}/{_CLAIM}", "\n".join([*sorted(own | {*names}), ""]).encode())
        # Whatever the address is called: what is written there must not come out here.
        if any(source.rglob(_CLAIM)):
            store.rm_file(f"{path}/{_CLAIM}")
            raise InputError(f"{address} is {source}, an input, or lies in it: choose another")
        for name in sorted(own - {*names} | (own & {MANIFEST}), key=lambda n: n != MANIFEST):
            store.rm_file(f"{path}/{name}")
    return foreign


def _list_own_files(store: Any, path: str, there: Collection[str]) -> set[str]:
    """The files of the artifact at an address, and of a copy to it that was not finished.

    They are what its manifest, its list and those of the artifacts that it names inside say.
    """
    own: set[str] = set()
    if _CLAIM in there:
        place = f"{path}/{_CLAIM}"
        own |= {*_read_small(store, place).decode("utf-8", "replace").splitlines()}
        if not all(map(is_plain_name, own)):
            raise damaged(Path(place), "it names files that are not below it")
    folders = [""]
    while folders:
        folder = folders.pop()
        head, listing = (posixpath.join(folder, name) for name in (MANIFEST, CHECKSUMS))
        if head not in there:
            continue
        manifest = _parse_manifest(_read_small(store, f"{path}/{head}"), f"{path}/{head}")
        inner = list_inner_names(manifest, Path(path, head))
        folders += (posixpath.join(folder, name) for name in inner)
        own |= {head, listing}
        if listing in there:
            listed = parse_list(_read_small(store, f"{path}/{listing}"), Path(path, listing))
            own |= {posixpath.join(folder, name) for name in listed}
    return own & {*there}


def _read_small(store: Any, path: str) -> bytes:
    """A manifest or a list of a store."""
    with store.open(path, "rb") as file:
        content = bytes(file.read(LARGEST_JSON + 1))
    if len(content) > LARGEST_JSON:
        raise damaged(Path(path), f"more than the {LARGEST_JSON:,} bytes that it may have")
    return content


def _count(workers: int | None) -> int:
    """Workers wait for the network most of the time; some more than cores would do no harm."""
    return _FILES_AT_ONCE if workers is None else workers


def _list_names(address: str) -> list[str]:
    """The names of all files of a folder of a store, as seen from it."""
    with explain_store_errors(address):
        store, path = open_store(address)
        return names_in(path, store.find(path), address)


def _read_remote_manifest(address: str) -> dict[str, Any] | None:
    with explain_store_errors(address):
        store, path = open_store(address)
        place = f"{path}/{MANIFEST}"
        if not store.exists(place):
            return None
        return _parse_manifest(_read_small(store, place), f"{address}/{MANIFEST}")


def _parse_manifest(content: bytes, place: str) -> dict[str, Any]:
    manifest = parse_json(content.decode("utf-8", "replace"), Path(place))
    if not isinstance(manifest, dict) or not isinstance(manifest.get("kind"), str):
        raise ArtifactError(f"{place} is not a grassmeans manifest")
    return manifest
