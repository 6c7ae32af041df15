"""Files on disk -> blocks of bytes, whatever the compression -> lines of text.

Compression is recognised by a file's first bytes, not by its name. A stream that is broken in the
middle keeps what was read before; the damage is counted in the report. Text is UTF-8 unless a byte
order mark or the caller says otherwise. Bytes that cannot be decoded are replaced and their lines
counted; a file that is no text at all is passed over.
"""

from __future__ import annotations

import bz2
import codecs
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Protocol, cast

import zstandard

from grassmeans.artifacts import find_manifest
from grassmeans.corpus.documents import ReadReport
from grassmeans.errors import InputError

BLOCK_BYTES = 1 << 20
_HEAD_BYTES = 1 << 16
# Small, because a few bytes of a hostile or very regular file can open to megabytes.
_PACKED_BYTES = 1 << 13
MAX_LINE_BYTES = 1 << 22
# The four-byte marks come first: the little-endian one begins with the two-byte one.
_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes(set(range(1, 32)) - set(b"\t\n\v\f\r\x1a\x1b\x1c\x1d\x1e\x1f"))
_BINARY_SHARE = 0.01
_FOREIGN_SHARE = 0.1


def list_inputs(paths: Sequence[Path | str] | Path | str) -> list[Path]:
    """The files to read: those named, and those in the folders named, sorted.

    In folders, hidden files, the folders that grassmeans writes and the index files of MediaWiki
    dumps are passed over. A file that is reached twice is listed once.
    """
    named = [paths] if isinstance(paths, str | Path) else list(paths)
    if not named:
        raise InputError("no input was given: name at least one file or folder of text")
    found: dict[Path, Path] = {}
    for path in map(Path, named):
        if not path.exists():
            raise InputError(f"there is no file or folder at {path}: check the path")
        files = _walk_folder(path) if path.is_dir() else [path]
        if not files:
            raise InputError(f"the folder {path} holds no files to read (hidden ones do not count)")
        for file in files:
            found.setdefault(file.resolve(), file)
    return list(found.values())


def _walk_folder(folder: Path) -> list[Path]:
    files: list[Path] = []
    for place, subfolders, names in os.walk(folder):
        if find_manifest(Path(place)) is not None:
            subfolders.clear()
            continue
        subfolders[:] = [name for name in subfolders if not name.startswith(".")]
        files.extend(
            Path(place, name)
            for name in names
            if not name.startswith(".") and "multistream-index" not in name
        )
    return sorted(file for file in files if file.is_file())


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def _make_zstd() -> _Decompressor:
    # Archives packed with `zstd --long=31` need this window; others allocate what they need.
    return cast(
        "_Decompressor", zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()
    )


def _choose_decompressor(magic: bytes) -> Callable[[], _Decompressor] | None:
    """What opens a file that begins like this; None where it is not compressed."""
    if magic.startswith(b"\x1f\x8b\x08"):
        return lambda: zlib.decompressobj(wbits=31)
    if magic.startswith(b"BZh"):
        return bz2.BZ2Decompressor
    if magic.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMADecompressor
    skippable_frame = magic[1:4] == b"\x2a\x4d\x18" and 0x50 <= magic[0] <= 0x5F
    if magic.startswith(b"\x28\xb5\x2f\xfd") or skippable_frame:
        return _make_zstd
    return None


class _DecompressingReader(io.RawIOBase):
    """The content of a compressed file, stream after stream (multistream bzip2, joined gzips).

    It raises EOFError where the file ends inside a stream, after everything before is delivered.
    """

    def __init__(self, source: BinaryIO, make: Callable[[], _Decompressor]) -> None:
        self._source = source
        self._make = make
        self._stream: _Decompressor | None = None
        self._packed = b""
        self._output = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        target = memoryview(cast("bytearray", buffer)).cast("B")
        while not self._output:
            self._packed = self._packed or self._source.read(_PACKED_BYTES)
            if not self._packed:
                if self._stream is not None:
                    raise EOFError("the file ends inside a compressed stream")
                return 0
            self._decompress_next()
        size = min(len(target), len(self._output))
        target[:size] = self._output[:size]
        self._output = self._output[size:]
        return size

    def _decompress_next(self) -> None:
        if self._stream is None:
            self._packed = self._packed.lstrip(b"\0")  # padding between streams
            if not self._packed:
                return
            self._stream = self._make()
        packed, self._packed = self._packed, b""
        self._output = memoryview(self._stream.decompress(packed))
        if self._stream.eof:
            self._packed = self._stream.unused_data
            self._stream = None

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


def find_wide_encoding(head: bytes) -> str | None:
    """The encoding that a byte order mark names, if it is UTF-16 or UTF-32."""
    return next((name for mark, name in _WIDE_MARKS if head.startswith(mark)), None)


def find_unreadable(head: bytes, *, encoding_known: bool = False) -> str | None:
    """Why the beginning of a file is not text that can be decoded; None where it is.

    UTF-16 and UTF-32, which are full of NULs, have to be ruled out before.
    """
    sample = head[:_HEAD_BYTES]
    if b"\0" in sample:
        return "binary file"
    undecodable = 0
    if not encoding_known:
        decoded = sample.decode("utf-8", errors="replace")
        undecodable = decoded.count("\ufffd") - sample.count(b"\xef\xbf\xbd")
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls > _BINARY_SHARE * len(sample) and (encoding_known or undecodable):
        return "binary file"
    if undecodable > _FOREIGN_SHARE * len(sample):
        return "text in another encoding than UTF-8 (name it as encoding=...)"
    return None


def read_lines(
    path: Path,
    report: ReadReport,
    *,
    encoding: str | None = None,
    max_line: int = MAX_LINE_BYTES,
    skip_long: bool = False,
) -> Iterator[str]:
    r"""Yield the lines of a text file without their ends (``\n`` or ``\r\n``).

    Parameters
    ----------
    encoding : str, optional
        By default UTF-8, or what a byte order mark says.
    max_line : int
        The longest line in bytes. A longer one is cut into pieces, at white space where there is
        some, so that memory stays bounded.
    skip_long : bool
        Pass over longer lines, and count them, instead of cutting them.
    """
    blocks = _read_text_blocks(path, report, encoding)
    codec = "utf-8" if encoding is None or _is_wide(encoding) else encoding
    splitter = _LineSplitter(max_line, skip_long)
    for line in splitter.split(blocks):
        try:
            text = line.decode(codec)
        except UnicodeDecodeError as error:
            report.skip("undecodable bytes", f"{path}: {error}")
            text = line.decode(codec, errors="replace")
        yield text.removesuffix("\r")
    for _ in range(splitter.n_skipped):
        report.skip("line too long", f"{path}: a line is longer than {max_line:,} bytes")


def _is_wide(encoding: str) -> bool:
    """Whether a newline takes more than one byte, so that bytes cannot be split into lines."""
    return codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))


def _read_text_blocks(path: Path, report: ReadReport, encoding: str | None) -> Iterator[bytes]:
    """Blocks that can be split at newline bytes: wide encodings come out as UTF-8."""
    blocks = read_blocks(path, report)
    head = next(blocks, b"")
    wide = encoding if encoding and _is_wide(encoding) else find_wide_encoding(head)
    if wide is not None:
        yield from _narrow_blocks(chain([head], blocks), wide, path, report)
        return
    reason = find_unreadable(head, encoding_known=encoding is not None)
    if reason is not None:
        report.skip(reason, str(path))
        return
    yield head.removeprefix(codecs.BOM_UTF8)
    yield from blocks


def _narrow_blocks(
    blocks: Iterable[bytes], encoding: str, path: Path, report: ReadReport
) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for block in chain(blocks, [b""]):
        text = decoder.decode(block, final=not block)
        if "\ufffd" in text:
            report.skip("undecodable bytes", f"{path}: not valid {encoding}")
        yield text.encode("utf-8", errors="replace")


class _LineSplitter:
    """Cuts blocks at newlines, holding at most one block and one line of the longest length."""

    def __init__(self, max_line: int, skip_long: bool) -> None:
        self._max_line = max_line
        self._skip_long = skip_long
        self.n_skipped = 0

    def split(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield lines, or pieces of lines that are too long."""
        held: list[bytes] = []
        n_held = 0
        is_cut = False  # whether part of the line has gone already
        for block in blocks:
            *ended, rest = block.split(b"\n")
            for part in ended:
                line = b"".join([*held, part]) if held else part
                yield from self._end_line(line, is_cut)
                held, n_held, is_cut = [], 0, False
            if is_cut and self._skip_long:
                continue
            held.append(rest)
            n_held += len(rest)
            if n_held > self._max_line:
                *pieces, last = self._shorten(b"".join(held)) or [b""]
                yield from pieces
                held, n_held, is_cut = [last], len(last), True
        if n_held:
            yield from self._end_line(b"".join(held), is_cut)

    def _end_line(self, line: bytes, is_cut: bool) -> list[bytes]:
        if not is_cut and len(line) <= self._max_line:
            return [line]
        if is_cut and self._skip_long:
            return []
        # A blank rest must not look like a blank line.
        return [piece for piece in self._shorten(line) if piece.strip()]

    def _shorten(self, line: bytes) -> list[bytes]:
        """The pieces of a long line, none where such lines are passed over."""
        if self._skip_long:
            self.n_skipped += 1
            return []
        pieces = []
        start = 0
        while len(line) - start > self._max_line:
            end = line.rfind(b" ", start + 1, start + self._max_line + 1)
            if end < 0:
                end = start + self._max_line
                while line[end] & 0xC0 == 0x80 and end > start + 1:  # inside a UTF-8 character
                    end -= 1
            pieces.append(line[start:end])
            start = end
        return [*pieces, line[start:]]
