"""What may be written over: no input, and of the results only those that are as we wrote them.

A folder is ours by its manifest's seal and by the digests of the files that it lists: whatever a
person put there or changed is kept, and named.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from grassmeans.artifacts.checking import CHECKSUMS, MANIFEST, find_list, read_json
from grassmeans.artifacts.digests import digest_of_file, list_inner_names
from grassmeans.artifacts.writing import SEAL, find_manifest, read_manifest
from grassmeans.errors import ArtifactError, InputError
from grassmeans.progress import progress_bar

Paths = Iterable[str | Path | None]
"""What a work reads; None is passed over."""

_MARKS = {"corpus": ("labelled", "merged"), "vectors": ("lexemes",), "model": ("edited",)}
_LONG_BYTES = 1 << 28  # of which the digests take about a second
_YOURSELF = "move it to another place or delete it yourself, then start again"


def check_inputs(path: str | Path, inputs: Paths, *, into: bool = False) -> None:
    """Refuse to write over what is read, over what holds it, or into an artifact that is read.

    A new file may come into another folder that is read: texts, or a test set. With ``into`` files
    only come into ``path``, which may then hold what is read.
    """
    place = Path(os.path.realpath(path))
    for source in (Path(os.path.realpath(given)) for given in inputs if given is not None):
        if place == source:
            raise InputError(f"{path} is an input of this command: choose another place")
        if place in source.parents and not into:
            raise InputError(f"{path} holds {source.name}, an input: choose another place")
        if source in place.parents and (place.is_file() or find_manifest(source) is not None):
            raise InputError(f"{path} lies in {source.name}, an input: choose another place")


def list_marks(kind: str, manifest: Mapping[str, Any]) -> list[str]:
    """The fields of a manifest that tell a result from others of its kind: ``labelled``, say."""
    return [name for name in _MARKS.get(kind, ()) if name in manifest]


@dataclass(frozen=True, slots=True)
class Rules:
    """What may be replaced; see `grassmeans.outputs.places.output_folder`."""

    kind: str
    fields: Collection[str]
    overwrite: bool
    grows: Mapping[str, Any] | None


def check_replaceable(path: Path, rules: Rules, *, deep: bool = True) -> None:
    """Refuse a folder that holds anything but an artifact that may be replaced."""
    if is_empty(path):
        return
    manifest, kind = find_manifest(path), rules.kind
    if manifest is None:
        raise InputError(f"{path} is not empty and not a grassmeans {kind}: choose another")
    others = [f"{kind} without {name!r}" for name in rules.fields if name not in manifest]
    marks = [name for name in list_marks(kind, manifest) if name not in rules.fields]
    others += [f"{kind} with {name!r}" for name in marks]
    if manifest["kind"] != kind:
        others = [manifest["kind"]]
    if others:
        raise InputError(
            f"{path} is of another kind ({others[0]}) and is never replaced by this command: "
            "choose another"
        )
    grows = rules.grows
    may_grow = grows is not None and all(manifest.get(n) == value for n, value in grows.items())
    if not (rules.overwrite or may_grow):
        raise InputError(f"{path} exists already: choose another, or pass overwrite=True")
    if deep:
        _check_own(path)


def _check_own(folder: Path) -> None:
    """Refuse to replace an artifact that is not as it was written, or holds a file of others."""
    own = _list_own(folder)
    found = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
    for path in sorted(found):
        if path not in own:
            raise InputError(
                f"{folder} holds {path.relative_to(folder)}, which is not a part of it, and is not "
                "replaced: move that file to another place, then start again"
            )
    listed = {path: digest for path, digest in own.items() if digest is not None}
    if gone := sorted(path for path in listed if not path.is_file()):
        raise InputError(f"{gone[0]} is missing, so {folder} is not replaced: {_YOURSELF}")
    n_bytes = sum(path.stat().st_size for path in listed)
    show = None if n_bytes >= _LONG_BYTES else False
    with progress_bar(f"checking {folder.name}", n_bytes, unit="bytes", show=show) as advance:
        for path, digest in listed.items():
            about = path.stat()
            state = (about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino)
            if _digest_once(path, *state) != digest:
                raise InputError(
                    f"{path} was changed after it was written, so {folder} is not replaced: "
                    f"{_YOURSELF}"
                )
            advance(about.st_size)


def _list_own(folder: Path) -> dict[Path, str | None]:
    """The files that an artifact and those in it name as theirs, with their digests."""
    manifest = folder / MANIFEST
    try:
        is_sealed = SEAL in read_manifest(folder)
        listed, inner = find_list(folder), list_inner_names(read_json(manifest), manifest)
    except ArtifactError as error:
        raise InputError(f"{folder} is not replaced ({error}): {_YOURSELF}") from error
    if not is_sealed or listed is None:
        raise InputError(
            f"{folder} has no list of its files, as those of older releases, and is not replaced: "
            f"{_YOURSELF}"
        )
    own: dict[Path, str | None] = {manifest: None, folder / CHECKSUMS: None}
    own |= {folder / name: digest for name, digest in listed.items()}
    for name in inner:
        own |= _list_own(folder / name)
    return own


@lru_cache(maxsize=1 << 17)
def _digest_once(path: Path, *_state: int) -> str:
    """The digest of a file, of which ``_state`` tells one version from the next."""
    return digest_of_file(path)


def is_empty(folder: Path) -> bool:
    """Whether there is no folder, or nothing in it."""
    return not folder.exists() or not any(folder.iterdir())
