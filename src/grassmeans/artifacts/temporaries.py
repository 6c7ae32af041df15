"""Folders for what a block needs and nobody after it, and the locks by which it is known.

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
except ImportError:  # what a killed process left stays; two runs at once are not noticed
    fcntl = None  # type: ignore[assignment]

_PREFIX, _LOCK, _FILES = ".grassmeans-", "lock", "files"


@contextlib.contextmanager
def temporary_folder(place: Path | None = None) -> Iterator[Path]:
    """Make a folder in ``place`` (where temporary files go, by default) until the block ends."""
    place = Path(tempfile.gettempdir()) if place is None else place
    for left in place.glob(f"{_PREFIX}*/{_LOCK}"):
        with contextlib.suppress(OSError), left.open("r+") as lock:
            if lock_file(lock.fileno()):
                shutil.rmtree(left.parent, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    try:
        with (folder / "new").open("w") as lock:
            if lock_file(lock.fileno()):
                os.rename(folder / "new", folder / _LOCK)  # never seen before it is held
            (folder / _FILES).mkdir()
            yield folder / _FILES
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def lock_file(descriptor: int) -> bool | None:
    """Whether the lock of a file was free, and is ours now; None where there are no locks."""
    try:
        if fcntl is None:
            return None
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True
