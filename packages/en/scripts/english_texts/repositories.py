"""Files of a git repository, read from its newest commit: of a clone, or of a bare one."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryFile


class RepositoryError(Exception):
    """A folder is no git repository, or git cannot read it."""


def read_files(folder: Path, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """The wanted files as (path, content), in the order of paths; absent ones are left out."""
    listed = _run_git(folder, "ls-tree", "-r", "-z", "HEAD").decode("utf-8", "replace")
    files = []
    for line in listed.split("\0"):
        about, _, path = line.partition("\t")
        if path and about.split()[1] == "blob" and is_wanted(path):
            files.append((path, about.split()[2]))
    files.sort()
    with TemporaryFile() as names:
        # Names come from a file, not through a pipe: processes that are forked while this is read
        # would hold the pipe open, and git would wait for more.
        names.write("".join(f"{name}\n" for _, name in files).encode())
        names.seek(0)
        with subprocess.Popen(
            [*_git(folder), "cat-file", "--batch"], stdin=names, stdout=subprocess.PIPE
        ) as process:
            try:
                yield from _read_contents(process, [path for path, _ in files])
            finally:
                process.kill()


def _read_contents(
    process: subprocess.Popen[bytes], paths: list[str]
) -> Iterator[tuple[str, bytes]]:
    assert process.stdout is not None
    for path in paths:
        header = process.stdout.readline().split()
        if header[-1] == b"missing":
            continue
        content = process.stdout.read(int(header[2]))
        process.stdout.read(1)
        yield path, content


def decode_text(content: bytes) -> str:
    """The text of a file: UTF-8, or else Windows-1252, which nearly all other English files are."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _run_git(folder: Path, *arguments: str) -> bytes:
    done = subprocess.run([*_git(folder), *arguments], capture_output=True, check=False)
    if done.returncode:
        raise RepositoryError(
            f"{folder} is not a git repository that can be read: {done.stderr.decode().strip()}\n"
            "Expected a clone, or a bare repository (git clone, see SOURCES.md)."
        )
    return done.stdout


def _git(folder: Path) -> list[str]:
    inner = folder / ".git"
    return ["git", "--git-dir", str(inner if inner.exists() else folder)]
