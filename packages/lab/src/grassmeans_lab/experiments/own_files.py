"""The files that a report's folder got from us: only those are written anew.

``written.txt`` lists them with their digests, in the form of ``sha256sum``. A digest is in the list
before its file is there, so that a run that is killed in between knows its file again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from grassmeans.artifacts.checking import TEMPORARY
from grassmeans.artifacts.digests import digest_of_file
from grassmeans.artifacts.writing import write_bytes
from grassmeans.errors import InputError
from grassmeans.outputs.places import remove_leftovers

WRITTEN = "written.txt"
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_ELSEWHERE = "choose another folder, move it, or pass overwrite=True"


class OwnFiles:
    """What was written into a folder, and what may be written there.

    Parameters
    ----------
    overwrite : bool
        Replace files of the same names that others wrote, or changed.
    """

    def __init__(self, folder: Path, *, overwrite: bool = False) -> None:
        self.folder = folder
        self._overwrite = overwrite
        self._digests: dict[str, set[str]] = {}
        if not (folder / WRITTEN).exists():
            return
        for line in (folder / WRITTEN).read_text("utf-8", "replace").splitlines():
            found = _LINE.fullmatch(line)
            if found is not None:
                self._digests.setdefault(found[2], set()).add(found[1])
            elif not overwrite:
                raise InputError(f"{folder / WRITTEN} is no list of this command: {_ELSEWHERE}")
        remove_leftovers(folder.rglob(f"*{TEMPORARY}*"))

    def check(self, names: Iterable[str]) -> None:
        """`InputError` for a file that is there and that we did not write."""
        for name in names:
            path = self.folder / name
            if self._overwrite or not (path.exists() or path.is_symlink()):
                continue
            if not path.is_file() or digest_of_file(path) not in self._digests.get(name, ()):
                raise InputError(
                    f"{path} was not written by this command, or was changed since: {_ELSEWHERE}"
                )

    def write(self, name: str, content: bytes) -> None:
        """Write a file, in the place of an earlier one of ours."""
        self.check([name])
        before = self._digests.get(name, set())
        own = hashlib.sha256(content).hexdigest()
        self._digests[name] = before | {own}
        self._store()
        write_bytes(self.folder / name, content)
        self._digests[name] = {own}

    def _store(self) -> None:
        pairs = sorted((name, one) for name, digests in self._digests.items() for one in digests)
        write_bytes(self.folder / WRITTEN, "".join(f"{d}  {n}\n" for n, d in pairs).encode())
