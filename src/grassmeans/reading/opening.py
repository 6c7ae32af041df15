"""Files on disk -> blocks of bytes, whatever the compression; archives -> the files in them.

Compression is recognised by a file's first bytes, not by its name. A stream that is broken in the
middle keeps what was read before; the damage is counted in the report. A file of an archive (zip,
tar) is copied to a temporary folder, read there by the reader of its format, and removed before the
next one: no more than one is on disk, and none in memory.
"""

from __future__ import annotations

import bz2
import errno
import io
import lzma
import re
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, Self, cast

import zstandard

from grassmeans.artifacts.temporaries import temporary_folder
from grassmeans.errors import InputError
from grassmeans.reading.documents import InputFile

BLOCK_BYTES = 1 << 20
_HEAD_BYTES = 1 << 16
_PACKED_BYTES = 1 << 15
# Zstandard opens all that it is given at once, 128 KiB for every four bytes at most.
_ZSTANDARD_BYTES = 1 << 10
# Archives packed with `zstd --long=31` need this window; others allocate what they need.
_ZSTANDARD_WINDOW = 1 << 31
_XZ_MEMORY = 1 << 30


class _Stream:
    """A stream of gzip or a frame of zstandard, with the interface of those of `bz2` and `lzma`."""

    def __init__(self, stream: Any, *, is_bounded: bool) -> None:
        self._stream = stream
        self._is_bounded = is_bounded

    @property
    def eof(self) -> bool:
        return bool(self._stream.eof)

    @property
    def needs_input(self) -> bool:
        return not (self._is_bounded and self._stream.unconsumed_tail)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._stream.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if not self._is_bounded:
            return bytes(self._stream.decompress(data))
        return bytes(self._stream.decompress(self._stream.unconsumed_tail + data, max_length))


def _open_zstandard() -> _Stream:
    decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTANDARD_WINDOW)
    return _Stream(decompressor.decompressobj(), is_bounded=False)


def _choose_decompressor(magic: bytes) -> Callable[[], Any] | None:
    """What opens a file that begins like this; None where it is not compressed."""
    if magic.startswith(b"\x1f\x8b\x08"):
        return lambda: _Stream(zlib.decompressobj(wbits=31), is_bounded=True)
    if magic.startswith(b"BZh"):
        return bz2.BZ2Decompressor
    if magic.startswith(b"\xfd7zXZ\x00"):
        return partial(lzma.LZMADecompressor, memlimit=_XZ_MEMORY)
    skippable_frame = magic[1:4] == b"\x2a\x4d\x18" and 0x50 <= magic[0] <= 0x5F
    is_zstandard = magic.startswith(b"\x28\xb5\x2f\xfd") or skippable_frame
    return _open_zstandard if is_zstandard else None


class _DecompressingReader(io.RawIOBase):
    """The content of a compressed file, stream after stream (multistream bzip2, joined gzips).

    At most a block of it is held. EOFError where it ends inside a stream, after all before that.
    """

    def __init__(self, source: BinaryIO, make: Callable[[], Any]) -> None:
        self._source = source
        self._make = make
        self._packed_bytes = _ZSTANDARD_BYTES if make is _open_zstandard else _PACKED_BYTES
        self._stream: Any = None
        self._packed = b""
        self._output = memoryview(b"")
        self.stream_start = 0  # where the stream of what was read last begins in the file

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
            self.stream_start = self._source.tell() - len(self._packed)
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


def read_streams(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Blocks of what is packed by bzip2, and where the stream of each begins in the file."""
    reader = _DecompressingReader(file, bz2.BZ2Decompressor)
    while block := reader.read(BLOCK_BYTES):
        yield block, reader.stream_start


def open_bytes(path: Path | str) -> BinaryIO:
    """Open a file for reading bytes; gzip, bzip2, xz and zstandard are decompressed on the way."""
    return _open_streams(Path(path))[1]


def read_blocks(file: InputFile, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
    """Yield a file's content in blocks; a damaged file ends early, with the damage counted."""
    try:
        source, stream = _open_streams(file.path)
    except OSError as error:
        file.report.skip("unreadable file", f"{file}: {error.strerror}")
        return
    seen = 0
    with stream:
        while True:
            try:
                # One raw read a time, so that an error takes nothing along that came before it.
                block = cast("io.BufferedReader", stream).read1(block_bytes)
            except (EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError, OSError) as error:
                # bzip2 reports bad data by an OSError with no error number.
                is_damage = not isinstance(error, OSError) or error.errno is None
                reason = "damaged compressed data" if is_damage else "unreadable file"
                file.report.skip(reason, f"{file}: {error}")
                return
            position = source.tell()
            file.count_bytes(position - seen)
            seen = position
            if not block:
                return
            yield block


def read_head(path: Path, n_bytes: int = _HEAD_BYTES) -> bytes:
    """The first bytes of a file's content, fewer where it is shorter or damaged."""
    head = b""
    for block in read_blocks(InputFile(path), n_bytes):
        head += block
        if len(head) >= n_bytes:
            break
    return head[:n_bytes]


_DAMAGE = (
    zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, lzma.LZMAError,
    zstandard.ZstdError, struct.error, OSError, RuntimeError, ValueError, LookupError,
    ArithmeticError,
)  # fmt: skip
"""What reading a damaged, encrypted or strangely packed archive may raise."""

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_TOO_LARGE = "file too large for the temporary folder"
_MOST_EXPANSION, _ALWAYS_BYTES = 1_000, 1 << 30
"""An archive of text opens to less than so many times its size; small ones to so much at most."""
_OPENS_TOO_FAR = f"it opens to more than {_MOST_EXPANSION:,} times its size"
_LONGEST_HEADER = 1 << 20
_NAMING_TYPES = (
    tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
)  # fmt: skip
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}")

_DOCUMENT_FILES = {
    "[Content_Types].xml": "Office document",
    "mimetype": "OpenDocument file or e-book",
    "META-INF/MANIFEST.MF": "Java archive",
}


@dataclass(frozen=True, slots=True)
class _Member:
    """A file of an archive; ``packed`` is how much of the archive it takes."""

    name: str
    size: int
    packed: int
    open: Callable[[], IO[bytes] | None]


def find_archive_kind(head: bytes) -> str | None:
    """``"zip"`` or ``"tar"`` (compressed or not) by the first bytes of a file's content."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    return "tar" if head[257:262] == b"ustar" else None


def read_members(archive: InputFile, kind: str) -> Iterator[InputFile]:
    """Yield the files of an archive, each of which is gone when the next one is asked for.

    What cannot be unpacked is counted, and takes no other file along. `InputError` where nothing
    could be. Hidden files are passed over.
    """
    failures: list[str] = []

    def fail(reason: str, *where: object) -> None:
        example = f"{archive}{': '.join(map(str, where))}"
        failures.append(f"{reason} ({example})")
        archive.report.skip(reason, example)

    n_unpacked = 0
    left = _find_limit(archive.path)
    members = _read_zip(archive) if kind == "zip" else _read_tar(archive.path)
    with temporary_folder() as folder:
        while True:
            try:
                member = next(members, None)
            except InputError:
                raise
            except _DAMAGE as error:
                fail("damaged archive", "", error)
                break
            if member is None:
                break
            left -= member.size
            if left < 0:
                fail("damaged archive", "", _OPENS_TOO_FAR)
                break
            if member.size > shutil.disk_usage(folder).free:
                fail(_TOO_LARGE, f"/{member.name}")
                continue
            try:
                place = _copy_member(member, folder)
            except _DAMAGE as error:
                is_full = isinstance(error, OSError) and error.errno in _FULL
                reason = _TOO_LARGE if is_full else "file of an archive that cannot be unpacked"
                fail(reason, f"/{member.name}", error)
                continue
            n_unpacked += 1
            yield replace(archive, path=place, copy_of=archive.shown / member.name.strip("/"))
            archive.count_bytes(member.packed)
            place.unlink()
    if not n_unpacked:
        reason = failures[0] if failures else "it holds no files (hidden ones do not count)"
        raise InputError(f"nothing could be read from {archive}: {reason}")


def _find_limit(path: Path) -> int:
    """How many bytes an archive may open to: a few bytes can stand for terabytes of nothing."""
    return max(_ALWAYS_BYTES, _MOST_EXPANSION * path.stat().st_size)


def _copy_member(member: _Member, folder: Path) -> Path:
    """Copy a file out of its archive."""
    # A member's name may lead anywhere, be too long or no name at all. Its endings tell the format.
    endings = PurePosixPath(member.name).suffixes[-2:]
    place = folder / f"{folder.name}{''.join(filter(_SUFFIX.fullmatch, endings))}"
    try:
        source = member.open()
        assert source is not None  # only directories and links have none
        with source, place.open("wb") as target:
            shutil.copyfileobj(source, target)
    except BaseException:
        place.unlink(missing_ok=True)
        raise
    return place


def _read_zip(file: InputFile) -> Iterator[_Member]:
    with zipfile.ZipFile(file.path) as archive:
        names = set(archive.namelist())
        for name, kind in _DOCUMENT_FILES.items():
            if name in names:
                raise InputError(f"{file} is an {kind}: save it as plain text first")
        for info in archive.infolist():
            is_link = stat.S_ISLNK(info.external_attr >> 16)
            if not (is_link or info.filename.endswith("/") or _is_hidden(info.filename)):
                yield _Member(
                    info.filename, info.file_size, info.compress_size, partial(archive.open, info)
                )


class _TarHeader(tarfile.TarInfo):
    """A header that does not claim to be longer than any is: tarfile would read it into memory."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)
        if header.type in _NAMING_TYPES and header.size > _LONGEST_HEADER:
            raise tarfile.ReadError(f"a header claims to be {header.size:,} bytes long")
        return header


class _TarStream(io.RawIOBase):
    """The content of a tar file, which ends: tarfile passes over what is not there for ever."""

    def __init__(self, source: BinaryIO, limit: int) -> None:
        self._source = source
        self._left = limit
        self._has_ended = False

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        block = self._source.read(size)
        self._left -= len(block)
        if self._left < 0:
            raise EOFError(_OPENS_TOO_FAR)
        if not block and self._has_ended:
            raise EOFError("it ends inside a file")
        self._has_ended = not block
        return block


def _read_tar(path: Path) -> Iterator[_Member]:
    with (
        open_bytes(path) as source,
        _TarStream(source, _find_limit(path)) as stream,
        tarfile.open(fileobj=stream, mode="r|", tarinfo=_TarHeader) as archive,
    ):
        size = path.stat().st_size
        seen = 0
        for info in archive:
            if info.isfile() and not _is_hidden(info.name):
                # How much of a compressed archive a file takes is not known.
                packed = min(info.size, size - seen)
                seen += packed
                yield _Member(info.name, info.size, packed, partial(archive.extractfile, info))


def _is_hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    is_hidden = any(part.startswith(".") and part not in (".", "..") for part in parts)
    return is_hidden or "__MACOSX" in parts or parts[-1:] in ((), (".",), ("..",))
