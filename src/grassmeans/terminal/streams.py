"""Where text leaves a command: standard output and error that take any text, or say why not.

A stream that was closed before the command began, a device that is full and a locale that lacks
letters must not end in a traceback, nor in a result that is lost without a word.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from typing import Literal, TextIO

_WRITE_FAILED = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}


def open_streams() -> None:
    """Have three standard streams: what is closed is empty, or cannot be written to.

    Letters that a locale's encoding lacks are written as escapes.
    """
    if sys.stdin is None:
        sys.stdin = _reopen(0, "r", os.O_RDONLY)
    if sys.stdout is None:
        # Open for reading alone, so that a result cannot be lost there: writing is an error.
        sys.stdout = _reopen(1, "w", os.O_RDONLY)
    if sys.stderr is None:
        sys.stderr = _reopen(2, "w", os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _reopen(number: int, mode: Literal["r", "w"], flags: int) -> TextIO:
    """The null device as the stream of a number, so that no other file comes to have it."""
    opened = os.open(os.devnull, flags)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    return open(number, mode, encoding="utf-8", closefd=False)


def give_up_output() -> None:
    """Write nothing more: Python must not try again at its end what has failed."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_unicode(stream: TextIO) -> bool:
    """Whether a stream can hold every letter."""
    return (stream.encoding or "").lower().replace("-", "").startswith("utf")


def describe_os_error(error: OSError) -> str:
    """One line about a file, or about the output where no file is named."""
    reason = error.strerror or str(error)
    if error.filename is not None:
        return f"{error.filename}: {reason}"
    if error.errno == errno.EBADF:
        return "standard output is closed: send it to a file, or to /dev/null"
    if error.errno in _WRITE_FAILED:
        return f"the output cannot be written: {reason}"
    return reason
