"""Blocks of bytes -> lines of text: decoding, line ends, and lines too long to hold.

Text is UTF-8 unless a byte order mark or the caller says otherwise. Bytes that cannot be decoded
are replaced and their lines counted; a file that is no text at all is passed over.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from grassmeans.corpus.documents import ReadReport
from grassmeans.corpus.opening import read_blocks
from grassmeans.errors import InputError

MAX_LINE_BYTES = 1 << 22
_SAMPLE_BYTES = 1 << 16
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


def check_encoding(encoding: str | None) -> None:
    """Refuse an encoding that Python does not know."""
    if encoding is None:
        return
    try:
        codecs.lookup(encoding)
    except LookupError as error:
        raise InputError(
            f"unknown encoding {encoding!r}: give a name such as utf-8, latin-1, cp1251 or gb18030"
        ) from error


def find_wide_encoding(head: bytes) -> str | None:
    """The encoding that a byte order mark names, if it is UTF-16 or UTF-32."""
    return next((name for mark, name in _WIDE_MARKS if head.startswith(mark)), None)


def find_unreadable(head: bytes, *, encoding_known: bool = False) -> str | None:
    """Why the beginning of a file is not text that can be decoded; None where it is.

    UTF-16 and UTF-32, which are full of NULs, have to be ruled out before.
    """
    sample = head[:_SAMPLE_BYTES]
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
        return "text in another encoding than UTF-8 (name it with --encoding)"
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
