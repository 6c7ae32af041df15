"""Archives (zip, tar) -> the files in them, one at a time.

A file of an archive is copied to a temporary folder, read there by the reader of its format, and
removed before the next one: no more than one is on disk, and none in memory. What is reported of it
carries the archive's name and its own.
"""

from __future__ import annotations

import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

import zstandard

from grassmeans.corpus.documents import ReadReport
from grassmeans.corpus.opening import open_bytes
from grassmeans.errors import InputError
from grassmeans.temporaries import temporary_folder

_TAR_MAGIC = slice(257, 262)
_DAMAGE = (
    zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, zstandard.ZstdError, OSError,
    NotImplementedError, RuntimeError,
)  # fmt: skip
"""What reading a damaged, encrypted or strangely packed archive may raise."""

_DOCUMENT_FILES = {
    "[Content_Types].xml": "Office document",
    "mimetype": "OpenDocument file or e-book",
    "META-INF/MANIFEST.MF": "Java archive",
}


class _MemberReport(ReadReport):
    """The report of a file in an archive: counts with the archive's, names by its own name."""

    def __init__(self, outer: ReadReport, place: Path, shown: str) -> None:
        super().__init__(skipped=outer.skipped, remarks=outer.remarks, examples=outer.examples)
        self._place = str(place)
        self._shown = shown

    def skip(self, reason: str, example: str = "") -> None:
        """Count one thing that was passed over."""
        super().skip(reason, self._rename(example))

    def remark(self, reason: str, example: str) -> None:
        """Count a thing that the user should know of."""
        super().remark(reason, self._rename(example))

    def _rename(self, text: str) -> str:
        return text.replace(self._place, self._shown)


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


def read_members(path: Path, kind: str, report: ReadReport) -> Iterator[tuple[Path, ReadReport]]:
    """Yield the files of an archive, each with a report that goes into the archive's.

    A file is gone when the next one is asked for. Hidden files are passed over, and those that do
    not fit into the temporary folder. A damaged archive ends early, with the damage counted.
    """
    members = _read_zip(path) if kind == "zip" else _read_tar(path)
    with temporary_folder() as folder:
        while True:
            try:
                member = next(members, None)
                place = None if member is None else _copy_member(member, folder)
            except _DAMAGE as error:
                report.skip("damaged archive", f"{path}: {error}")
                return
            if member is None:
                return
            shown = f"{path}/{member.name}"
            if place is None:
                report.skip("file too large for the temporary folder", shown)
                continue
            inner = _MemberReport(report, place, shown)
            yield place, inner
            report.n_files += inner.n_files
            report.n_documents += inner.n_documents
            report.n_bytes += member.packed
            place.unlink()


def _copy_member(member: _Member, folder: Path) -> Path | None:
    """Copy a file out of its archive; None where it is larger than the room that is left."""
    if member.size > shutil.disk_usage(folder).free:
        return None
    place = folder / PurePosixPath(member.name).name  # the name alone: paths may lead anywhere
    with member.open() as source, place.open("wb") as target:
        shutil.copyfileobj(source, target)
    return place


def _read_zip(path: Path) -> Iterator[_Member]:
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        for name, kind in _DOCUMENT_FILES.items():
            if name in names:
                raise InputError(f"{path} is an {kind}: save it as plain text first")
        for info in archive.infolist():
            if not info.is_dir() and not _is_hidden(info.filename):
                yield _Member(
                    info.filename,
                    info.file_size,
                    info.compress_size,
                    partial(archive.open, info),
                )


def _read_tar(path: Path) -> Iterator[_Member]:
    with open_bytes(path) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        size = path.stat().st_size
        seen = 0
        for info in archive:
            if info.isfile() and not _is_hidden(info.name):
                # How much of a compressed archive a file takes is not known.
                packed = min(info.size, size - seen)
                seen += packed
                yield _Member(
                    info.name,
                    info.size,
                    packed,
                    partial(_open_file, archive, info),
                )


def _open_file(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    stream = archive.extractfile(info)
    assert stream is not None  # only directories and links have none
    return stream


def _is_hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    is_hidden = any(part.startswith(".") and part not in (".", "..") for part in parts)
    return is_hidden or "__MACOSX" in parts or parts[-1:] in ((), (".",), ("..",))
