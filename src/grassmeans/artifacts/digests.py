"""The digests of an artifact's files, by which its manifest binds them together.

Every artifact has a list of them in the form that ``sha256sum --check`` reads. A manifest holds the
digests of that list and of the manifests inside its folder, so that no part can be exchanged for
another one's.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from grassmeans.artifacts.checking import (
    CHECKSUMS,
    MANIFEST,
    TEMPORARY,
    damaged,
    find_list,
    is_plain_name,
    open_file,
    read_json,
)
from grassmeans.errors import ArtifactError

INNER = "holds"
"""The field of a manifest that names the artifacts inside its folder."""
PARTS = "parts"
"""The field of a manifest with the digests of its list and of the manifests inside its folder."""


def list_parts(folder: Path) -> tuple[list[str], list[str]]:
    """The files of an artifact, without its manifest and its list, and the artifacts inside it.

    Both by their names in it; the artifacts inside have lists of their own.
    """
    files: list[str] = []
    inner: list[str] = []
    for place, subfolders, names in os.walk(folder):
        start = "" if place == str(folder) else f"{Path(place).relative_to(folder).as_posix()}/"
        own = [name for name in subfolders if Path(place, name, MANIFEST).exists()]
        inner += (start + name for name in own)
        subfolders[:] = [name for name in subfolders if name not in own]
        known = () if start else (MANIFEST, CHECKSUMS)
        files += (start + name for name in names if TEMPORARY not in name and name not in known)
    return sorted(files), sorted(inner)


def digest_of_file(path: Path) -> str:
    """The SHA-256 of a file's content."""
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def make_checksums(folder: Path) -> bytes:
    """The list of the digests of an artifact's files, in the form of ``sha256sum``."""
    names = filter(is_plain_name, list_parts(folder)[0])
    return "".join(f"{digest_of_file(folder / name)}  {name}\n" for name in names).encode()


def bind_parts(folder: Path) -> dict[str, Any]:
    """The fields of a manifest that bind an artifact's list, and the artifacts inside, to it."""
    _, inner = list_parts(folder)
    names = [CHECKSUMS, *(f"{name}/{MANIFEST}" for name in inner)]
    parts = {PARTS: {name: digest_of_file(folder / name) for name in names}}
    return parts | ({INNER: inner} if inner else {})


def list_inner_names(manifest: Mapping[str, Any], path: Path) -> list[str]:
    """The artifacts that a manifest says are inside its folder; older releases did not say."""
    named = manifest.get(INNER, [])
    if isinstance(named, list) and all(isinstance(n, str) and is_plain_name(n) for n in named):
        return named
    raise damaged(path, f"{INNER!r} does not name folders in it")


def find_exchanged(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    """What an artifact's small files, and the names of the others, tell of damage; a line each.

    Cheap enough for every opening: no file is read but its list and the manifests inside.
    """
    path = folder / MANIFEST
    parts = manifest.get(PARTS, {})
    if not isinstance(parts, dict) or not all(map(is_plain_name, parts)):
        raise damaged(path, f"{PARTS!r} does not name files in it")
    inner = [f"{name}/{MANIFEST}" for name in list_inner_names(manifest, path)]
    problems = _find_missing(folder, sorted({*inner, *parts}))
    for name, digest in parts.items() if not problems else ():
        if digest_of_file(folder / name) != digest:
            problems.append(f"{folder / name} is not the one that {path} was written with")
    return problems + _find_missing(folder, find_list(folder) or ())


def _find_missing(folder: Path, names: Iterable[str]) -> list[str]:
    """Which of some files are not there, or no regular files; each folder is looked into once."""
    places: dict[str, set[str]] = {}
    for name in names:
        place, _, last = name.rpartition("/")
        places.setdefault(place, set()).add(last)
    problems = []
    for place, own in places.items():
        for last in sorted(own - _list_regular(folder / place)):
            path = folder / place / last
            what = "no regular file" if os.path.lexists(path) else "missing"
            problems.append(f"{path} is {what}")
    return problems


def _list_regular(folder: Path) -> set[str]:
    found = set()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):  # a link to itself
                    found |= {entry.name} if entry.is_file() else set()
    except (FileNotFoundError, NotADirectoryError):
        return set()
    except OSError as error:
        raise ArtifactError(f"{folder} cannot be read ({error.strerror or error})") from error
    return found


def find_damage(folder: Path) -> tuple[list[str], int, int]:
    """Compare all files of an artifact, and of those inside it, with their digests.

    Returns the problems, a line each; how many files were compared; and how many have no digest:
    those of artifacts that older releases wrote.
    """
    problems: list[str] = []
    n_compared = n_unknown = 0
    for path in sorted(folder.rglob(MANIFEST)):
        place, manifest = path.parent, read_json(path)
        listed = find_list(place)
        problems += find_exchanged(place, manifest) if isinstance(manifest, dict) else []
        present, _ = list_parts(place)
        if listed is None:
            n_unknown += len(present)
            continue
        n_unknown += len(set(present) - listed.keys())
        n_compared += len(listed)
        problems += [
            f"{place / name} is not what was written"
            for name, digest in listed.items()
            if (place / name).is_file() and digest_of_file(place / name) != digest
        ]
    return problems, n_compared, n_unknown
