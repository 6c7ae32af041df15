"""What a kill would leave: a folder as it is before each change that a process makes in it.

A process that is killed leaves the files as they are at that moment, without what is still in its
buffers. So in place of killing a run n times, one run is watched: before each of its changes to the
file system the folder is copied, and once more with a file cut in half that is being written.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from grassmeans.artifacts.checking import TEMPORARY

_CHANGES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.truncate", "os.link"}
_WRITING = os.O_WRONLY | os.O_RDWR


def hold_tight(begun: Path) -> int:
    """A task that lets nothing else happen in its process, as a kernel does: for hours."""
    begun.touch()
    return sum(range(10**13))


class _Watch:
    """One for all, as an audit hook cannot be taken off again."""

    def __init__(self) -> None:
        self.on_change: Callable[[str, str], None] | None = None
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.on_change is None:
            return
        if event == "open":
            _, mode, flags = arguments
            writes = bool(set(mode) & set("wax+")) if isinstance(mode, str) else False
            if not (writes or (isinstance(flags, int) and flags & _WRITING)):
                return
        elif event not in _CHANGES:
            return
        told, self.on_change = self.on_change, None  # our own copying is not a change
        try:
            told(event, str(arguments[0]))
        finally:
            self.on_change = told


_watch: list[_Watch] = []


def record_kills(action: Callable[[], object], folder: Path, copies: Path) -> list[Path]:
    """Run ``action``; copies of ``folder`` as kills at different moments would have left it.

    Returns
    -------
    list of Path
        Copies in the order of the moments, no two neighbours alike.
    """
    if not _watch:
        _watch.append(_Watch())
    states: list[Path] = []
    seen: list[dict[str, bytes]] = []
    written: list[Path] = []

    def copy(cut: Path | None = None) -> None:
        state = {
            str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"folder"
            for path in sorted(folder.rglob("*"))
        }
        if cut is not None:
            name = str(cut.relative_to(folder))
            state[name] = state[name][: len(state[name]) // 2]
        if seen and state == seen[-1]:
            return
        seen[:] = [state]
        place = copies / f"{len(states):04d}"
        shutil.copytree(folder, place, copy_function=_copy_or_share)
        if cut is not None:
            (place / name).unlink()
            (place / name).write_bytes(state[name])
        _rename_temporaries(place)
        states.append(place)

    def on_change(event: str, path: str) -> None:
        if written and written[0].is_file() and written[0].stat().st_size > 1:
            copy(cut=written[0])
        written.clear()
        copy()
        if event == "open" and Path(path).is_relative_to(folder):
            written.append(Path(path))

    _watch[0].on_change = on_change
    try:
        action()
    finally:
        _watch[0].on_change = None
    copy()
    return states


def _copy_or_share(source: str, target: str) -> None:
    """A file that is shared with another folder is shared after a kill too."""
    if Path(source).stat().st_nlink > 1:
        os.link(source, target)
    else:
        shutil.copy2(source, target)


def _rename_temporaries(folder: Path) -> None:
    """This process lives on; the one that was killed does not."""
    ended = subprocess.Popen([sys.executable, "-S", "-c", ""]) if not _ended else None
    if ended is not None:
        ended.wait()
        _ended.append(ended.pid)
    for path in folder.rglob(f"*{TEMPORARY}{os.getpid()}-*"):
        path.rename(path.with_name(path.name.replace(f"{os.getpid()}-", f"{_ended[0]}-")))


_ended: list[int] = []
