"""Steps of a long work, each with a folder of its own: what is done is not done again."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grassmeans.artifacts.checking import MANIFEST, read_json
from grassmeans.artifacts.writing import building_place, digest_of, write_json
from grassmeans.errors import InputError
from grassmeans.outputs.ownership import is_empty

_RECORD = "steps.json"

Make = Callable[..., object]
"""Writes the folder of a step, which is given as ``output``; may replace it with ``overwrite``."""


class Steps:
    """Takes steps in their order; each depends on its own inputs and on all steps before it.

    Parameters
    ----------
    folder : Path
        Where the steps' folders are, and a record of what each was made from.
    overwrite : bool
        Take a step anew that was taken with other inputs, and those after it; otherwise refuse.
    tell : callable
    """

    def __init__(self, folder: Path, *, overwrite: bool, tell: Callable[[str], None]) -> None:
        self._folder, self._overwrite, self._tell = folder, overwrite, tell
        self._digest = ""
        self._record: dict[str, Any] = {}
        if (folder / _RECORD).is_file():
            self._record = read_json(folder / _RECORD)
        elif folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise InputError(f"{folder} is in the way: move it to another place")
        elif not is_empty(folder):
            raise InputError(f"{folder} holds other things than steps: move it to another place")

    @property
    def is_new(self) -> bool:
        """Whether nothing but a corpus was made here yet."""
        return not set(self._record) - {"corpus"}

    def take(self, name: str, inputs: Any, make: Make) -> Path:
        """The folder of a step, made where it is not there yet; unfinished work is gone on with."""
        folder = self._folder / name
        self._digest = digest_of([self._digest, name, inputs])
        found = self._record.get(name, {})
        is_begun = folder.exists() or building_place(folder).exists()
        is_other = is_begun and found.get("digest") != self._digest
        if is_other and not self._overwrite:
            raise InputError(
                f"the step {name!r} in {self._folder} was taken with other inputs or options: "
                "start that command again, pass overwrite=True to take it anew, or choose another"
            )
        # Until a step was taken anew, its folder is the old one.
        replaces = is_other or (is_begun and found.get("replaces", False))
        is_whole = found.get("seconds") is not None or (folder / MANIFEST).exists()
        if is_begun and is_whole and not replaces:
            self._tell(f"{name}: is there")
            return folder
        self._write(name, {"digest": self._digest, "seconds": None, "replaces": replaces})
        started = time.perf_counter()
        try:
            make(output=folder, overwrite=replaces)
        except InputError:
            if not (folder.exists() or building_place(folder).exists()):
                self._write(name, None)
            raise
        seconds = round(time.perf_counter() - started, 1)
        self._write(name, {"digest": self._digest, "seconds": seconds})
        self._tell(f"{name}: {seconds:,.0f} s")
        return folder

    def _write(self, name: str, entry: dict[str, Any] | None) -> None:
        """Note what a step is made from before it is begun, and how long it took after it."""
        self._record.pop(name, None)
        self._record |= {} if entry is None else {name: entry}
        self._folder.mkdir(parents=True, exist_ok=True)
        if self._record:
            write_json(self._folder / _RECORD, self._record)
        else:
            (self._folder / _RECORD).unlink(missing_ok=True)
            if is_empty(self._folder):
                self._folder.rmdir()
