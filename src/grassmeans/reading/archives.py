"""Archives (zip, tar) -> the files in them, one at a time.

A file of an archive is copied to a temporary folder, read there by the reader of its format, and
removed before the next one: no more than one is on disk, and none in memory. What is reported of it
carries the archive's name and its own.
"""

from __future__ import annotations

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
from typing import IO, BinaryIO, Self

import zstandard

from grassmeans.artifacts.temporaries import temporary_folder
from grassmeans.errors import InputError
from grassmeans.reading.documents import RawDocument, ReadReport
from grassmeans.reading.opening import open_bytes

_TAR_MAGIC = slice(257, 262)
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


class _MemberReport(ReadReport):
    """The report of a file in an archive: counts with the archive's, names by its own name."""

    def __init__(self, outer: ReadReport, rename: Callable[[str], str]) -> None:
        super().__init__(skipped=outer.skipped, remarks=outer.remarks, examples=outer.examples)
        self._rename = rename

    def skip(self, reason: str, example: str = "") -> None:
        """Count one thing that was passed over."""
        super().skip(reason, self._rename(example))

    def remark(self, reason: str, example: str) -> None:
        """Count a thing that the user should know of."""
        super().remark(reason, self._rename(example))


class Unpacked:
    """A file of an archive, in a temporary place whose name says nothing of it."""

    def __init__(self, path: Path, shown: Path, outer: ReadReport) -> None:
        self.path = path  # where it lies
        # The archive's path and its own in it: what people are told, and what its names tell.
        self.shown = shown
        # Of this file; what is passed over goes into that of the archive.
        self.report: ReadReport = _MemberReport(outer, self.rename)
        self._outer = outer

    def finish(self) -> None:
        """Count what was read of it with the rest."""
        self._outer.n_files += self.report.n_files
        self._outer.n_documents += self.report.n_documents

    def rename(self, text: str) -> str:
        """A text that tells of the file by its own name."""
        return text.replace(str(self.path), str(self.shown))

    def rename_document(self, document: RawDocument) -> RawDocument:
        """A document whose id, where it has none of its own, begins with the file's name."""
        if not document.id.startswith(self.path.name):
            return document
        return replace(document, id=self.shown.name + document.id.removeprefix(self.path.name))


@dataclass(frozen=True, slots=True)
class _Member:
    """A file of an archive; ``packed`` is how much of the archive it takes."""

    name: str
    size: int
    packed: int
    open: Callable[[], IO[bytes]]


def find_archive_kind(head: bytes) -> str | None:
    """``"zip"`` or ``"tar"`` (compressed or not) by the first bytes of a file's content."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    return "tar" if head[_TAR_MAGIC] == b"ustar" else None


def read_members(path: Path, kind: str, report: ReadReport) -> Iterator[Unpacked]:
    """Yield the files of an archive, each with a report that goes into the archive's.

    A file is gone when the next one is asked for. Hidden files are passed over. A file that cannot
    be unpacked, or does not fit into the temporary folder, is counted and takes no other along. An
    archive that is damaged ends early, with the damage counted.

    `InputError` where nothing could be unpacked.
    """
    failures: list[str] = []
    n_unpacked = 0
    with temporary_folder() as folder:
        for member, place in _unpack(path, kind, folder, report, failures):
            n_unpacked += 1
            unpacked = Unpacked(place, path / member.name.strip("/"), report)
            yield unpacked
            unpacked.finish()
            report.n_bytes += member.packed
            place.unlink()
    if not n_unpacked:
        reason = failures[0] if failures else "it holds no files (hidden ones do not count)"
        raise InputError(f"nothing could be read from {path}: {reason}")


def _unpack(
    path: Path, kind: str, folder: Path, report: ReadReport, failures: list[str]
) -> Iterator[tuple[_Member, Path]]:
    """Yield the files of an archive and where they lie; what fails is counted, and told of."""

    def fail(reason: str, name: str, error: object = None) -> None:
        example = f"{path}{name}" if error is None else f"{path}{name}: {error}"
        failures.append(f"{reason} ({example})")
        report.skip(reason, example)

    left = _find_limit(path)
    members = _read_zip(path) if kind == "zip" else _read_tar(path)
    while True:
        try:
            member = next(members, None)
        except InputError:
            raise
        except _DAMAGE as error:
            return fail("damaged archive", "", error)
        if member is None:
            return None
        left -= member.size
        if left < 0:
            return fail("damaged archive", "", _OPENS_TOO_FAR)
        try:
            place = _copy_member(member, folder)
        except _DAMAGE as error:
            is_full = isinstance(error, OSError) and error.errno in _FULL
            reason = _TOO_LARGE if is_full else "file of an archive that cannot be unpacked"
            fail(reason, f"/{member.name}", error)
            continue
        if place is None:
            fail(_TOO_LARGE, f"/{member.name}")
        else:
            yield member, place


def _find_limit(path: Path) -> int:
    """How many bytes an archive may open to: a few bytes can stand for terabytes of nothing."""
    return max(_ALWAYS_BYTES, _MOST_EXPANSION * path.stat().st_size)


def _copy_member(member: _Member, folder: Path) -> Path | None:
    """Copy a file out of its archive; None where it is larger than the room that is left."""
    if member.size > shutil.disk_usage(folder).free:
        return None
    # A member's name may lead anywhere, be too long or no name at all. Its endings tell the format.
    endings = PurePosixPath(member.name).suffixes[-2:]
    place = folder / f"{folder.name}{''.join(filter(_SUFFIX.fullmatch, endings))}"
    try:
        with member.open() as source, place.open("wb") as target:
            shutil.copyfileobj(source, target)
    except BaseException:
        place.unlink(missing_ok=True)
        raise
    return place


def _read_zip(path: Path) -> Iterator[_Member]:
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        for name, kind in _DOCUMENT_FILES.items():
            if name in names:
                raise InputError(f"{path} is an {kind}: save it as plain text first")
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
                yield _Member(info.name, info.size, packed, partial(_open_file, archive, info))


def _open_file(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    stream = archive.extractfile(info)
    assert stream is not None  # only directories and links have none
    return stream


def _is_hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    is_hidden = any(part.startswith(".") and part not in (".", "..") for part in parts)
    return is_hidden or "__MACOSX" in parts or parts[-1:] in ((), (".",), ("..",))
