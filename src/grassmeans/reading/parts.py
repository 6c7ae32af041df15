"""Parts of large files, which workers read at the same time.

JSON lines can be cut at any byte, and MediaWiki dumps too: a part has the records whose beginning
lies in it, and reads on behind its end for the last one. Files compressed by bzip2 in many streams,
as Wikipedia's multistream dumps are, are cut between two streams. All others are read whole.

What comes out is exactly what reading the whole file gives. Where that cannot be promised (damaged
data, other encodings than UTF-8), `OddPartError` says so, and the file is read whole after
all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from grassmeans.errors import EngineError, InputError
from grassmeans.reading.documents import InputFile, RawDocument, ReadOptions, ReadReport
from grassmeans.reading.inputs import detect_format, find_foreign_kind, read_file
from grassmeans.reading.lines import is_plain_utf8
from grassmeans.reading.mediawiki import read_mediawiki_part
from grassmeans.reading.opening import (
    BLOCK_BYTES,
    find_archive_kind,
    read_head,
    read_streams,
)
from grassmeans.reading.records import read_json_part

PLAIN_BYTES, PACKED_BYTES = 1 << 26, 1 << 24
"""Of a part, of a file as it is and of a compressed one."""

_STREAM = re.compile(rb"BZh[1-9]1AY&SY")
_STREAM_BYTES = 10
_ODD = {"broken XML", "damaged compressed data", "unreadable file", "undecodable bytes"}

Block = tuple[bytes, bool]
"""Some bytes of a file's content, and whether they belong to the part."""


class OddPartError(Exception):
    """A part of a file that does not say by itself what reading the whole file gives."""


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file, or a part of one."""

    path: Path
    size: int  # of the file, in bytes: a worker that sees another one does not see this file
    # The bytes of the part.
    start: int
    end: int
    format: str = ""  # of a part; empty for a whole file

    @property
    def whole(self) -> FilePart:
        """The file that it is a part of."""
        return FilePart(self.path, self.size, 0, self.size)


def plan_parts(files: Iterable[Path], options: ReadOptions) -> list[FilePart]:
    """The parts of all files, in order; of most files one."""
    found: list[FilePart] = []
    for path in files:
        size = path.stat().st_size
        starts, name = _find_starts(path, size, options)
        ends = [*starts[1:], size]
        found += [FilePart(path, size, *span, name) for span in zip(starts, ends, strict=True)]
    return found


def _find_starts(path: Path, size: int, options: ReadOptions) -> tuple[list[int], str]:
    """Where parts of a file begin, and its format; only 0 where it cannot be cut."""
    whole = [0], ""
    if size < 2 * min(PLAIN_BYTES, PACKED_BYTES) or not path.is_file():
        return whole
    try:
        with path.open("rb") as file:
            magic = file.read(6)
            head = read_head(path)
            if find_archive_kind(head) or find_foreign_kind(head):
                return whole
            name = detect_format(path) if options.format == "auto" else options.format
            if name not in _PART_READERS or not is_plain_utf8(head, options.encoding, name):
                return whole
            if magic.startswith(b"BZh"):
                starts = _find_streams(file, size, PACKED_BYTES)
            elif magic == head[:6]:
                starts = list(range(0, max(size - PLAIN_BYTES // 2, 1), PLAIN_BYTES))
            else:
                return whole
    except OSError:  # the reader says what is wrong with it
        return whole
    return (starts, name) if len(starts) > 1 else whole


def _find_streams(file: BinaryIO, size: int, apart: int) -> list[int]:
    """Where streams of bzip2 begin, at least so many bytes apart."""
    starts = [0]
    while size - starts[-1] >= apart:
        place = starts[-1] + apart
        file.seek(place)
        held = b""
        while block := file.read(BLOCK_BYTES):
            held += block
            if found := _STREAM.search(held):
                starts.append(place + found.start())
                break
            place += max(len(held) - _STREAM_BYTES + 1, 0)
            held = held[1 - _STREAM_BYTES :]
        else:
            break
    return starts


def read_part(part: FilePart, options: ReadOptions, report: ReadReport) -> Iterator[RawDocument]:
    """The documents of a part; `EngineError` where this machine does not see the file."""
    try:
        size = part.path.stat().st_size
    except OSError as error:
        raise EngineError(f"a worker does not see {part.path}: {error.strerror}") from error
    if size != part.size:
        raise EngineError(
            f"a worker sees {part.path} with {size:,} bytes instead of {part.size:,}: all "
            "workers need the same files under the same paths, and unchanged ones"
        )
    file = InputFile(part.path, report, options)
    return _read_content(part, file) if part.format else read_file(file)


def _read_content(part: FilePart, file: InputFile) -> Iterator[RawDocument]:
    report, is_first = file.report, part.start == 0
    report.n_files += is_first
    report.n_bytes += part.end - part.start
    try:
        with part.path.open("rb") as content:
            is_packed = content.read(3) == b"BZh"
            blocks = (_read_streams if is_packed else _read_plain)(content, part)
            for document in _PART_READERS[part.format](file, blocks, is_first):
                yield from file.check(document)
    except (OSError, EOFError, ValueError, InputError) as error:
        raise OddPartError(str(error)) from error
    if report.remarks or _ODD & set(report.skipped):
        raise OddPartError("; ".join(report.describe()))


def _read_plain(file: BinaryIO, part: FilePart) -> Iterator[Block]:
    file.seek(part.start)
    left = part.end - part.start
    while left and (block := file.read(min(BLOCK_BYTES, left))):
        left -= len(block)
        yield block, True
    while block := file.read(BLOCK_BYTES):
        yield block, False


def _read_streams(file: BinaryIO, part: FilePart) -> Iterator[Block]:
    """The content of streams; those that begin in the part belong to it."""
    file.seek(part.start)
    for block, start in read_streams(file):
        yield block, start < part.end


_PART_READERS = {"jsonl": read_json_part, "mediawiki": read_mediawiki_part}
