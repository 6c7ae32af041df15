"""Files on disk -> blocks of bytes, whatever the compression.

Compression is recognised by a file's first bytes, not by its name. A stream that is broken in the
middle keeps what was read before; the damage is counted in the report.
"""

from __future__ import annotations

import bz2
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

import zstandard

from grassmeans.artifacts import schema
from grassmeans.artifacts.writing import find_manifest
from grassmeans.errors import InputError
from grassmeans.reading.documents import ReadReport

BLOCK_BYTES = 1 << 20
_HEAD_BYTES = 1 << 16
_PACKED_BYTES = 1 << 15
# Zstandard opens all that it is given at once, 128 KiB for every four bytes at most.
_ZSTANDARD_BYTES = 1 << 10
_XZ_MEMORY = 1 << 30
_FOLDER_LINK = "link to a folder (name the folder itself)"
_LOST_LINK = "link that leads nowhere"


def list_inputs(
    paths: Sequence[Path | str] | Path | str, report: ReadReport | None = None
) -> list[Path]:
    """The files to read: those named, and those in the folders named, sorted.

    In folders, hidden files, the folders that grassmeans writes and the index files of MediaWiki
    dumps are passed over. A file that is reached twice is listed once. Folders that cannot be read
    are counted in the report; without one they are an error.
    """
    found: dict[Path, Path] = {}
    for path in map(Path, check_paths(paths)):
        if not path.exists():
            if path.is_symlink():
                raise InputError(f"{path} is a link that leads nowhere: check where it leads")
            raise InputError(f"there is no file or folder at {path}: check the path")
        files = _walk_folder(path, report) if path.is_dir() else [path]
        if not files:
            raise InputError(f"the folder {path} holds no files to read (hidden ones do not count)")
        for file in files:
            found.setdefault(file.resolve(), file)
    return list(found.values())


def check_paths(paths: Any) -> list[Path | str]:
    """One path or several as a list; `InputError` where something else is among them, or none."""
    given = [paths] if isinstance(paths, str | Path) else paths
    if isinstance(given, bytes | Mapping) or not isinstance(given, Iterable):
        raise InputError(f"the input must be a path or several, got {schema.shorten(paths)}")
    named = list(given)
    if not named:
        raise InputError("no input was given: name at least one file or folder of text")
    for path in named:
        if schema.path(path) is not None:
            raise InputError(f"an input must be the path of a file or folder, got {path!r}")
    return named


def _walk_folder(folder: Path, report: ReadReport | None) -> list[Path]:
    def tell(error: OSError) -> None:
        # What cannot be read is named, not left out: half a corpus looks like a whole one.
        if report is None or Path(error.filename) == folder:
            raise InputError(f"cannot read the folder {error.filename}: {error.strerror}")
        report.skip("unreadable folder", f"{error.filename}: {error.strerror}")

    files: list[Path] = []
    for place, subfolders, names in os.walk(folder, onerror=tell):
        if find_manifest(Path(place)) is not None:
            subfolders.clear()
            continue
        subfolders[:] = [name for name in subfolders if not name.startswith(".")]
        links = [Path(place, name) for name in subfolders if Path(place, name).is_symlink()]
        found = [
            Path(place, name)
            for name in names
            if not name.startswith(".") and "multistream-index" not in name
        ]
        files += [file for file in found if file.is_file()]
        lost = [file for file in found if file.is_symlink() and not file.exists()]
        if report is not None:
            for reason, passed_over in ((_FOLDER_LINK, links), (_LOST_LINK, lost)):
                for link in passed_over:
                    report.skip(reason, str(link))
    return sorted(files)


class _Decompressor(Protocol):
    """One compressed stream, as the objects of `bz2` and `lzma` are."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Gzip:
    """A gzip stream that gives no more than it is asked for."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not self._stream.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + data, max_length)


class _Zstandard:
    """A frame of zstandard, which gives all that a few bytes hold, 32 MiB at most."""

    needs_input = True

    def __init__(self) -> None:
        # Archives packed with `zstd --long=31` need this window; others allocate what they need.
        self._stream = zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()

    @property
    def eof(self) -> bool:
        return bool(self._stream.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._stream.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return bytes(self._stream.decompress(data))


def _make_xz() -> _Decompressor:
    return lzma.LZMADecompressor(memlimit=_XZ_MEMORY)


def _choose_decompressor(magic: bytes) -> Callable[[], _Decompressor] | None:
    """What opens a file that begins like this; None where it is not compressed."""
    if magic.startswith(b"\x1f\x8b\x08"):
        return _Gzip
    if magic.startswith(b"BZh"):
        return bz2.BZ2Decompressor
    if magic.startswith(b"\xfd7zXZ\x00"):
        return _make_xz
    skippable_frame = magic[1:4] == b"\x2a\x4d\x18" and 0x50 <= magic[0] <= 0x5F
    if magic.startswith(b"\x28\xb5\x2f\xfd") or skippable_frame:
        return _Zstandard
    return None


class _DecompressingReader(io.RawIOBase):
    """The content of a compressed file, stream after stream (multistream bzip2, joined gzips).

    No more than a block of it is held, whatever a few bytes open to. It raises EOFError where the
    file ends inside a stream, after everything before is delivered.
    """

    def __init__(self, source: BinaryIO, make: Callable[[], _Decompressor]) -> None:
        self._source = source
        self._make = make
        self._packed_bytes = _ZSTANDARD_BYTES if make is _Zstandard else _PACKED_BYTES
        self._stream: _Decompressor | None = None
        self._packed = b""
        self._output = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        target = memoryview(cast("bytearray", buffer)).cast("B")
        while not self._output:
            if not self._decompress_next():
                return 0
        size = min(len(target), len(self._output))
        target[:size] = self._output[:size]
        self._output = self._output[size:]
        return size

    def _decompress_next(self) -> bool:
        """Whether there is more of the file."""
        if self._stream is None:
            found = self._packed or self._source.read(self._packed_bytes)
            self._packed = found.lstrip(b"\0")  # padding between streams
            if not self._packed:
                return bool(found)
            self._stream = self._make()
        packed, self._packed = self._packed, b""
        if not packed and self._stream.needs_input:
            packed = self._source.read(self._packed_bytes)
        self._output = memoryview(self._stream.decompress(packed, BLOCK_BYTES))
        if self._stream.eof:
            self._packed = self._stream.unused_data
            self._stream = None
        elif not packed and not self._output:
            raise EOFError("the file ends inside a compressed stream")
        return True

    def close(self) -> None:
        self._source.close()
        super().close()


def _open_streams(path: Path) -> tuple[BinaryIO, BinaryIO]:
    """The file itself (its position shows the progress) and the stream of its content."""
    source = path.open("rb")
    magic = source.read(6)
    source.seek(0)
    make = _choose_decompressor(magic)
    if make is None:
        return source, source
    return source, io.BufferedReader(_DecompressingReader(source, make), BLOCK_BYTES)


def open_bytes(path: Path | str) -> BinaryIO:
    """Open a file for reading bytes; gzip, bzip2, xz and zstandard are decompressed on the way."""
    return _open_streams(Path(path))[1]


def read_blocks(path: Path, report: ReadReport, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
    """Yield a file's content in blocks; a damaged file ends early, with the damage counted."""
    try:
        source, stream = _open_streams(path)
    except OSError as error:
        report.skip("unreadable file", f"{path}: {error.strerror}")
        return
    seen = 0
    with stream:
        while True:
            try:
                # One raw read a time, so that an error takes nothing along that came before it.
                block = cast("io.BufferedReader", stream).read1(block_bytes)
            except (EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError) as error:
                report.skip("damaged compressed data", f"{path}: {error}")
                return
            except OSError as error:  # bzip2 reports bad data so, with no error number
                reason = "damaged compressed data" if error.errno is None else "unreadable file"
                report.skip(reason, f"{path}: {error}")
                return
            position = source.tell()
            report.n_bytes += position - seen
            seen = position
            if not block:
                return
            yield block


def read_head(path: Path, n_bytes: int = _HEAD_BYTES) -> bytes:
    """The first bytes of a file's content, fewer where it is shorter or damaged."""
    head = b""
    for block in read_blocks(path, ReadReport(), n_bytes):
        head += block
        if len(head) >= n_bytes:
            break
    return head[:n_bytes]
