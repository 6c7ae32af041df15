"""Folders for what a block needs and nobody after it.

A process that is killed cannot delete its own. Each folder holds a file that its process has
locked; the system frees the lock with the process, and whoever makes the next folder deletes those
whose locks are free. Numbers of processes would not do: machines and containers may share a disk.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # a system without these locks: what a killed process left stays
    fcntl = None  # type: ignore[assignment]

_PREFIX, _LOCK, _FILES = ".grassmeans-", "lock", "files"


@contextlib.contextmanager
def temporary_folder(place: Path | None = None) -> Iterator[Path]:
    """Make a folder in ``place`` (where temporary files go, by default) until the block ends."""
    place = Path(tempfile.gettempdir()) if place is None else place
    _delete_leftovers(place)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    try:
        with (folder / "new").open("w") as lock:
            if _take(lock.fileno()):
                os.rename(folder / "new", folder / _LOCK)  # never seen before it is held
            (folder / _FILES).mkdir()
            yield folder / _FILES
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _delete_leftovers(place: Path) -> None:
    for left in place.glob(f"{_PREFIX}*/{_LOCK}"):
        with contextlib.suppress(OSError), left.open("r+") as lock:
            if _take(lock.fileno()):
                shutil.rmtree(left.parent, ignore_errors=True)


def _take(lock: int) -> bool:
    """Whether a lock was free, and is ours now."""
    try:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another's, or a file system without locks
        return False
    return fcntl is not None
