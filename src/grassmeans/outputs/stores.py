"""Object stores (S3, Google's, Azure's, ...) and other places with an address, by fsspec.

Nothing here computes on them: files are fetched before they are read, and artifacts are copied as a
whole, with their digests compared.

The names in a store, and in the lists that lie there, are data: one that leaves its folder, or that
a disk could not tell from another one, is refused before anything is written.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
import re
import shutil
import unicodedata
import warnings
from collections.abc import Collection, Iterable, Iterator
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
from grassmeans.artifacts.writing import building_place, digest_of, find_manifest, read_manifest
from grassmeans.errors import ArtifactError, GrassmeansWarning, InputError
from grassmeans.outputs.addresses import (
    fetch_file,
    find_files,
    find_local,
    has_no_folders,
    is_address,
    list_below,
    move_files,
    names_in,
    open_store,
    remove_files,
    send_file,
)
from grassmeans.outputs.ownership import list_marks
from grassmeans.outputs.places import output_folder, refuse_address
from grassmeans.progress import progress_bar

_FETCHED = re.compile(r"[0-9]+-[0-9]+-[0-9a-f]{8}")
_NAMED = 5
_CLAIM = ".grassmeans-copy"  # at an address to which a copy is on its way
_SENDING = "sending-"  # a line of it: the artifact of which files were sent, and no other


@contextlib.contextmanager
def fetch_inputs(
    inputs: Iterable[str | Path], output: Path, workers: int | None = 1
) -> Iterator[list[str | Path]]:
    """Put files with addresses beside an output, where all workers see them; yields the paths.

    They go when the block ends well; an interrupted command finds them again. Files of this machine
    (``file://``) are read where they are.
    """
    given, target = list(inputs), Path(os.path.realpath(output))
    place = target.with_name(f".{output.name}.inputs")
    if find_manifest(output) is not None and not building_place(target).exists():
        _remove_fetched(place)  # of a run that was killed when its work was done
    if not any(map(is_address, given)):
        yield given
        return
    refuse_address(output)
    paths: list[str | Path] = []
    tasks: list[tuple[str, Path, int | None]] = []
    for number, source in enumerate(given):
        if not is_address(source):
            paths.append(source)
        for file in find_files(str(source)) if is_address(source) else ():
            if (local := find_local(file.address)) is not None:
                paths.append(local)
                continue
            # Files of one name stay apart: of several folders, and of before and after a change.
            version = f"{number}-{len(tasks)}-{file.state[:8]}"
            target = place / version / posixpath.basename(file.address)
            tasks.append((file.address, target, file.n_bytes))
            paths.append(target)
    with progress_bar("fetching", len(tasks), unit="files") as advance:
        for number in move_files(fetch_file, tasks, workers):
            advance(number)
    yield paths
    _remove_fetched(place)


def _remove_fetched(place: Path) -> None:
    """Delete what `fetch_inputs` put there, and nothing else."""
    for fetched in place.glob("*"):
        if _FETCHED.fullmatch(fetched.name):
            shutil.rmtree(fetched, ignore_errors=True)
    with contextlib.suppress(OSError):  # there is none, or a file of someone else is in it
        place.rmdir()


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

    One of ``source`` and ``target`` is an address. Only an artifact of the same kind is replaced,
    and with ``overwrite``. Returns the manifest.
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
        with open_store(address) as (store, path):
            store.info(path)  # says so where there is nothing, or no such bucket
        raise ArtifactError(f"{address} is no grassmeans folder: it has no {MANIFEST}")
    kind, identity, inputs = manifest["kind"], [address, manifest], [find_local(address)]
    marks = list_marks(kind, manifest)
    with output_folder(
        target, kind, identity, inputs=inputs, fields=marks, overwrite=overwrite, keep_failed=True
    ) as building:  # a store that does not answer any more may answer later
        sizes = _list_sizes(address)
        names = [name for name in sizes if name != _CLAIM]
        _refuse_collisions(names, address)
        start = address.rstrip("/")
        tasks = [(f"{start}/{name}", building.folder / name, sizes[name]) for name in names]
        with progress_bar("copying", len(names), unit="files", show=show_progress) as advance:
            for number in move_files(fetch_file, tasks, workers):
                advance(number)
        if problems := find_damage(building.folder)[0]:
            for file in building.folder.rglob("*"):
                if file.is_file():
                    file.unlink()  # which of them are good is not known
            raise ArtifactError(f"{problems[0]}: copy {address} again")
    return read_manifest(target)


def _send_artifact(
    source: Path, address: str, overwrite: bool, workers: int | None, show_progress: bool | None
) -> dict[str, Any]:
    manifest = read_manifest(source)
    if problems := find_damage(source)[0]:
        raise ArtifactError(f"{problems[0]}: {source} is not copied")
    _check_replaceable(address, manifest["kind"], overwrite)
    files = (path.as_posix() for path in source.rglob("*") if path.is_file())
    names = names_in(source.as_posix(), files, str(source))
    _refuse_collisions(names, source)
    foreign, sent = _begin(address, source, names, digest_of(manifest))
    # The manifest makes it whole, and the list of digests belongs to it.
    last = [name for name in (CHECKSUMS, MANIFEST) if name in names]
    tasks = {name: (source / name, f"{address.rstrip('/')}/{name}") for name in names}
    first = [task for name, task in tasks.items() if name not in {*last, *sent}]
    with progress_bar("copying", len(tasks), unit="files", show=show_progress) as advance:
        advance(len({*sent} - {*last}))
        for number in move_files(send_file, first, workers):
            advance(number)
        for name in last:
            send_file(*tasks[name])
            advance()
    with open_store(address) as (store, path):
        store.rm_file(f"{path}/{_CLAIM}")
    if foreign:
        some = ", ".join(foreign[:_NAMED]) + (", ..." if len(foreign) > _NAMED else "")
        warnings.warn(
            f"{address} also holds files that are not the {manifest['kind']}'s, and they stay "
            f"({len(foreign):,}: {some})",
            GrassmeansWarning,
            stacklevel=3,
        )
    return manifest


def _check_replaceable(address: str, kind: str, overwrite: bool) -> None:
    """Refuse an address that holds anything but an artifact, or a copy, that may be replaced."""
    there = _read_remote_manifest(address)
    names = _list_sizes(address)
    if there is None and (not names or _CLAIM in names):
        return
    if there is None or not {"format_version", "grassmeans"} <= there.keys():
        raise InputError(f"{address} is not empty and not a grassmeans {kind}: choose another")
    if there["kind"] != kind:
        raise InputError(f"{address} holds a {there['kind']}: choose another address")
    if not overwrite:
        raise InputError(f"{address} exists already: choose another, or pass overwrite=True")


def _begin(
    address: str, source: Path, names: Collection[str], identity: str
) -> tuple[list[str], list[str]]:
    """Note that a copy is on its way, and remove what it replaces.

    Returns what is foreign there, and which files the same copy has sent before it was interrupted.
    """
    sizes = _list_sizes(address)
    there = {*sizes}
    with open_store(address) as (store, path):
        own = _list_own_files(store, path, there)
        foreign = sorted(there - own - {_CLAIM})
        if in_the_way := sorted({*foreign} & {*names}):
            raise InputError(
                f"{in_the_way[0]} at {address} is not of the artifact there, by its list, and in "
                "the way: move it to another place"
            )
        if not has_no_folders(store):
            store.makedirs(path, exist_ok=True)
        claim = f"{path}/{_CLAIM}"
        mark = f"{_SENDING}{identity}"
        claimed = _read_claim(store, path) if _CLAIM in there else []
        goes_on = mark in claimed and MANIFEST not in there and CHECKSUMS in names
        listed = sorted(own | {*names})
        store.pipe_file(claim, _write_claim([mark] * goes_on + listed))
        # Whatever the address is called: what is written there must not come out here.
        if any(source.rglob(_CLAIM)):
            store.rm_file(claim)
            raise InputError(f"{address} is {source}, an input, or lies in it: choose another")
        if MANIFEST in own:
            store.rm_file(f"{path}/{MANIFEST}")  # before the others: what is left is no artifact
        old = own - {MANIFEST} - ({*names} if goes_on else set())
        remove_files(store, [f"{path}/{name}" for name in sorted(old)])
        if not goes_on:  # from here on all that is there was sent by this copy
            store.pipe_file(claim, _write_claim([mark, *listed]))
        sent = own & {*names} if goes_on else set()
    return foreign, sorted(n for n in sent if sizes[n] == (source / n).stat().st_size)


def _read_claim(store: Any, path: str) -> list[str]:
    return _read_small(store, f"{path}/{_CLAIM}").decode("utf-8", "replace").splitlines()


def _write_claim(lines: Iterable[str]) -> bytes:
    return "\n".join([*lines, ""]).encode()


def _list_own_files(store: Any, path: str, there: Collection[str]) -> set[str]:
    """The files of the artifact at an address, by its lists, and of an unfinished copy."""
    own: set[str] = set()
    if _CLAIM in there:
        own |= {*_read_claim(store, path)}
        if not all(map(is_plain_name, own)):
            raise damaged(Path(path, _CLAIM), "it names files that are not below it")
    folders = [""]
    while folders:
        folder = folders.pop()
        head, listing = (posixpath.join(folder, name) for name in (MANIFEST, CHECKSUMS))
        if head not in there:
            continue
        manifest = _read_manifest(store, f"{path}/{head}", f"{path}/{head}")
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


def _list_sizes(address: str) -> dict[str, int | None]:
    """All files of a folder of a store by their names, as seen from it, and their bytes."""
    with open_store(address) as (store, path):
        found = list_below(store, path)
        sizes = {name: info.get("size") for name, info in found.items()}
        return {name: sizes[f"{path}/{name}"] for name in names_in(path, found, address)}


def _read_remote_manifest(address: str) -> dict[str, Any] | None:
    with open_store(address) as (store, path):
        place = f"{path}/{MANIFEST}"
        return (
            _read_manifest(store, place, f"{address}/{MANIFEST}") if store.exists(place) else None
        )


def _read_manifest(store: Any, path: str, name: str) -> dict[str, Any]:
    manifest = parse_json(_read_small(store, path).decode("utf-8", "replace"), Path(name))
    if not isinstance(manifest, dict) or not isinstance(manifest.get("kind"), str):
        raise ArtifactError(f"{name} is not a grassmeans manifest")
    return manifest


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
