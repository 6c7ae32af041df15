"""What is read from an artifact, checked before it is used: damage is one line that names the file.

An array's header is compared with the file's size and with the type and shape that are expected
before anything is mapped or allocated. Files that are read whole, and small ones that are mapped,
are compared with their digests when they are opened; `grassmeans.artifacts.digests.find_damage`
compares them all. Artifacts of releases that wrote no digests are checked in everything else.

Only regular files are read, and whole ones up to a size: a pipe or a device in the place of a file
would keep its reader waiting for ever.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import mmap
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from grassmeans.errors import ArtifactError

MANIFEST = "manifest.json"
CHECKSUMS = "checksums.txt"
TEMPORARY = ".partial-"
LARGEST_JSON = 1 << 28
"""Bytes of JSON, or of a list of digests, at most: hundreds of times what is usual."""
LARGEST_WHOLE = 1 << 33
"""Bytes of any other file that is read into memory, at most."""
SMALL_BYTES = 1 << 20
"""Mapped files of up to this size are compared with their digest when they are opened."""

_DEEPEST = 3  # folders between a file and the list of its artifact: shards/00000/
_ALIGNMENT = 16  # of an array's first number, in every release of NumPy
_LONGEST_HEADER = 10_000
_DEEPEST_JSON = 100
_HOLDERS = (dict, list)
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would be waited for
_DRIVE = re.compile(r"[A-Za-z]:")
_HEADER = re.compile(
    rb"\{'descr': '(?P<type>[<|](?:b1|[iu][1248]|f[248]))', "
    rb"'fortran_order': (?P<order>True|False), "
    rb"'shape': \((?P<shape>|[0-9]{1,18},|[0-9]{1,18}(?:, [0-9]{1,18})+)\), *\} *\n"
)
_BUILD_AGAIN = "build the folder again"


def damaged(path: Path, reason: str) -> ArtifactError:
    """The error of a file that cannot be used."""
    return ArtifactError(f"{path} is truncated or damaged ({reason}): {_BUILD_AGAIN}")


@contextlib.contextmanager
def open_file(path: Path) -> Iterator[BufferedReader]:
    """Open a file of an artifact for reading; what is no regular file is refused at once."""
    try:
        # The name as text: a mapped array keeps it, and workers open it by that.
        name, at_once = os.fspath(path), lambda p, flags: os.open(p, flags | _AT_ONCE)
        with open(name, "rb", opener=at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ArtifactError(f"{path} is no regular file: {_BUILD_AGAIN}")
            yield file
    except FileNotFoundError as error:
        raise ArtifactError(
            f"{path} is missing: the folder is incomplete, {_BUILD_AGAIN}"
        ) from error
    except OSError as error:
        raise ArtifactError(f"{path} cannot be read ({error.strerror or error})") from error


def read_bytes(path: Path, most: int = LARGEST_WHOLE) -> bytes:
    """Read a file of an artifact whole; one of more than ``most`` bytes is an error."""
    with open_file(path) as file:
        content = _read_whole(path, file, most)
    _compare(path, content)
    return content


def _read_whole(path: Path, file: BinaryIO, most: int) -> bytes:
    size = os.fstat(file.fileno()).st_size
    if size > most:
        raise damaged(path, f"{size:,} bytes, more than the {most:,} that such a file may have")
    return file.read(most)


def read_text(path: Path, errors: str = "strict", most: int = LARGEST_WHOLE) -> str:
    """Read a text file of an artifact, UTF-8."""
    try:
        return read_bytes(path, most).decode("utf-8", errors)
    except UnicodeDecodeError as error:
        raise damaged(path, f"not UTF-8: {error.reason} at byte {error.start}") from error


def read_json(path: Path) -> Any:
    """Read a JSON file of an artifact."""
    return parse_json(read_text(path, most=LARGEST_JSON), path)


def parse_json(text: str | bytes, path: Path) -> Any:
    """Plain values from JSON of a file."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"no usable JSON: {error}") from error
    # What can just be parsed is too deep for whatever goes through it afterwards.
    level = [found]
    for _ in range(_DEEPEST_JSON):
        inner = (v.values() if isinstance(v, dict) else v for v in level if isinstance(v, _HOLDERS))
        level = [value for values in inner for value in values if isinstance(value, _HOLDERS)]
        if not level:
            return found
    raise damaged(path, f"no usable JSON: nested more than {_DEEPEST_JSON} times")


def map_bytes(path: Path) -> memoryview:
    """Map a file of an artifact into memory, read-only."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size == 0:
            return memoryview(b"")
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    if size <= SMALL_BYTES:
        _compare(path, content)
    return content


def open_array(
    path: Path, dtypes: Any, shape: Sequence[int | None], *, mapped: bool = True
) -> NDArray[Any]:
    """Open an array of one of the types and of a shape (None: any); mapped, read-only, or read."""
    allowed = [np.dtype(d) for d in (dtypes if isinstance(dtypes, list | tuple) else [dtypes])]
    with open_file(path) as file:
        found, dtype = _read_header(path, file)
        start, size = file.tell(), os.fstat(file.fileno()).st_size
        fits = [n in (None, m) for m, n in zip(found, shape, strict=False)]
        if dtype not in allowed or len(found) != len(shape) or not all(fits):
            wanted = ", ".join("n" if n is None else str(n) for n in shape)
            expected = f"expected {allowed[0]} of shape ({wanted})"
            raise damaged(path, f"it holds {dtype} of shape {found}, {expected}")
        n_bytes = math.prod(found) * dtype.itemsize
        if size != start + n_bytes or start % _ALIGNMENT:
            raise damaged(path, f"{size:,} bytes instead of {start + n_bytes:,}")
        is_mapped = mapped and n_bytes > 0  # nothing cannot be mapped
        if is_mapped and size > SMALL_BYTES:
            return np.memmap(file, dtype, "r", start, found)
        file.seek(0)
        content = bytearray(_read_whole(path, file, LARGEST_WHOLE))
        _compare(path, content)
        if is_mapped:
            return np.memmap(file, dtype, "r", start, found)
        return np.frombuffer(content, dtype, math.prod(found), start).reshape(found)


def _read_header(path: Path, file: BinaryIO) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of an array file as NumPy writes them, read up to the first number.

    Not by NumPy's own reader, which takes the header for Python and fails in many ways.
    """
    magic = file.read(8)
    sizes = {b"\x93NUMPY\x01\x00": 2, b"\x93NUMPY\x02\x00": 4}
    length = int.from_bytes(file.read(sizes.get(magic, 0)), "little")
    header = _HEADER.fullmatch(file.read(length)) if 0 < length <= _LONGEST_HEADER else None
    if header is None:
        raise damaged(path, "no usable array header")
    shape = tuple(int(n) for n in header["shape"].split(b",") if n.strip())
    if header["order"] == b"True" and len(shape) > 1:
        raise damaged(path, "its columns lie one after the other, not its rows")
    return shape, np.dtype(header["type"].decode())


def check_offsets(path: Path, offsets: NDArray[Any], end: int) -> None:
    """Refuse offsets that do not go from 0 to ``end`` without a step back."""
    if len(offsets) == 0 or int(offsets[0]) != 0 or int(offsets[-1]) != end:
        raise damaged(path, f"its offsets do not go from 0 to {end:,}")
    if np.any(offsets[1:] < offsets[:-1]):
        raise damaged(path, "its offsets are not in order")


def check_range(path: Path, values: NDArray[Any], smallest: int, end: int) -> None:
    """Refuse whole numbers outside ``smallest <= value < end``."""
    if values.size and not (smallest <= int(values.min()) and int(values.max()) < end):
        raise damaged(path, f"a number is not from {smallest} to {end - 1:,}")


def check_rising(path: Path, values: NDArray[Any]) -> None:
    """Refuse numbers of which one is not larger than the one before it."""
    if np.any(values[1:] <= values[:-1]):
        raise damaged(path, "its numbers are not in rising order")


def is_plain_name(name: str) -> bool:
    """Whether a name in a list or a store is that of a file below its folder, on every system."""
    try:
        os.fsencode(name)
    except UnicodeEncodeError:  # half a letter of UTF-16, which no file's name can hold
        return False
    return (
        not any(sign in name for sign in ("\0", "\n", "\\", "::"))
        and not _DRIVE.match(name)
        and not {"", ".", ".."} & set(name.split("/"))
    )


def has_file(path: Path) -> bool:
    """Whether an artifact has a file that not all have: by its list, or looked for without one."""
    for folder in islice(path.parents, _DEEPEST):
        if (folder / MANIFEST).exists():
            listed = find_list(folder)
            if listed is not None:
                return path.relative_to(folder).as_posix() in listed
            break
    return path.exists()


def _compare(path: Path, content: bytes | bytearray | memoryview) -> None:
    """Refuse a file whose content is not what its artifact's list says."""
    for folder in islice(path.parents, _DEEPEST):
        listed = find_list(folder)
        if listed is not None:
            expected = listed.get(path.relative_to(folder).as_posix())
            if expected is not None and hashlib.sha256(content).hexdigest() != expected:
                raise damaged(path, f"it is not what was written, by its digest in {CHECKSUMS}")
        if listed is not None or (folder / MANIFEST).exists():
            return


def find_list(folder: Path) -> Mapping[str, str] | None:
    """The digests of an artifact's files by their names; None where it has no list of them."""
    try:
        state = (folder / CHECKSUMS).stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ArtifactError(f"{folder / CHECKSUMS} cannot be read ({error.strerror})") from error
    return _read_list(folder / CHECKSUMS, state.st_mtime_ns, state.st_size, state.st_ino)


@lru_cache(maxsize=64)
def _read_list(path: Path, *_state: int) -> Mapping[str, str]:
    """Digests by name; ``_state`` tells one version of the file from the next."""
    with open_file(path) as file:
        return parse_list(_read_whole(path, file, LARGEST_JSON), path)


def parse_list(content: bytes, path: Path) -> dict[str, str]:
    """Digests by name from a list of digests."""
    try:
        lines = content.decode().split("\n")
    except UnicodeDecodeError as error:
        raise damaged(path, "not UTF-8") from error
    pairs = [line.partition("  ") for line in lines if line]
    if lines[-1] or not all(len(digest) == 64 and name for digest, _, name in pairs):
        raise damaged(path, "a line is no digest and name")
    for _, _, name in pairs:
        if not is_plain_name(name):
            raise damaged(path, f"{name!r} is no name of a file below it")
    return {name: digest for digest, _, name in pairs}
