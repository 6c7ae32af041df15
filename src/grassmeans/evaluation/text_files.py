"""Small text files of test sets: UTF-8 lines with their numbers, for error messages."""

from __future__ import annotations

from pathlib import Path

from grassmeans.errors import InputError


def read_numbered_lines(path: Path) -> list[tuple[int, str]]:
    """Read the lines of a file that are not blank, each with its number, counted from 1.

    Raises
    ------
    InputError
        Where the file is missing, is not UTF-8 or holds nothing.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text ({error.reason} at {error.start})") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}; check the path") from error
    # Only line feeds end lines: contexts may hold other characters that str.splitlines cuts at.
    lines = [
        (number, line.rstrip("\r"))
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]
    if not lines:
        raise InputError(f"{path} is empty")
    return lines
