"""Files of lines on the disk, one for each step that a person made: a kill loses none of them.

A journal is held by one process. A line is on the disk before its step is answered; one without an
end is that of a step which was never answered, and is cut off. A file that cannot be used is set
aside (``.damaged``), never deleted.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from grassmeans.artifacts import writing
from grassmeans.artifacts.checking import parse_json
from grassmeans.artifacts.writing import encode_json, explain_write_errors
from grassmeans.errors import StorageError
from grassmeans.outputs.places import hold_file

Step = Mapping[str, Any]


def read_lines(path: Path) -> tuple[int, list[Any]]:
    """How many bytes of a journal are whole lines, and their values; the first is its head."""
    content = path.read_bytes()
    n_whole = content.rfind(b"\n") + 1
    lines = content[:n_whole].split(b"\n")[:-1]
    return n_whole, [parse_json(line, path) for line in lines]


class Journal:
    """A journal that is held by this process alone, a line for each step.

    `InputError` where another process holds it: ``holder`` is what it is called.
    """

    def __init__(self, path: Path, head: Step, lock: str, holder: str) -> None:
        self.path = path
        self.remarks: list[str] = []  # what was found when it was opened, for people
        self._head = encode_json(head) + b"\n"
        self._lock = hold_file(path.with_name(lock), lambda process: holder.format(process=process))
        self._file: IO[bytes] | None = None
        self._size = 0

    def append(self, step: Step) -> None:
        """Write a step to the disk, whole or, with a `StorageError`, not at all."""
        if self._file is None:
            raise StorageError(
                errno.EBADF, "the explorer is stopping: nothing is corrected any more"
            )
        line = encode_json(step) + b"\n"
        with explain_write_errors(self.path):
            try:
                write_all(self._file, line)
                os.fsync(self._file.fileno())
            except OSError:
                with contextlib.suppress(OSError):
                    self._file.truncate(self._size)
                raise
        self._size += len(line)

    def set_aside(self, reason: str) -> None:
        """Keep a file that cannot be used under another name, and say so."""
        self._end()
        number = 1
        while (kept := self.path.with_name(f"{self.path.name}.damaged-{number}")).exists():
            number += 1
        with explain_write_errors(self.path):
            os.replace(self.path, kept)
        why = reason.removesuffix(": build the folder again")
        self.remarks.append(f"a draft cannot be used: {why}; it is kept as {kept}")
        self._begin(0)

    def _begin(self, size: int) -> None:
        """Open the file for more lines after the first so many bytes; with its head where empty."""
        self._file = self.path.open("ab", buffering=0)
        self._file.truncate(size)
        if size == 0:
            write_all(self._file, self._head)
        self._size = size or len(self._head)
        os.fsync(self._file.fileno())
        writing.sync_to_disk(self.path.parent)

    def _end(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _let_go(self) -> None:
        """Let others have it."""
        self._end()
        Path(self._lock.name).unlink(missing_ok=True)
        self._lock.close()


def write_all(file: IO[bytes], content: bytes) -> None:
    """A file without a buffer may take a part at a time."""
    while content:
        content = content[file.write(content) :]
