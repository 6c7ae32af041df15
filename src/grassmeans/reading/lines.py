"""Files on disk -> lines of text, each file in its own encoding.

A byte order mark is obeyed. Without one a file is UTF-8 where it can be; where it cannot, it is in
the encoding that the caller names, or in Windows-1252 (Latin-1 and more) where its bytes look like
a Western European language, which is remarked; or else it is passed over by name. Single bytes that
cannot be decoded are replaced and their lines counted; what is no text at all is passed over.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from grassmeans.reading.documents import InputFile
from grassmeans.reading.opening import read_blocks

MAX_LINE_BYTES = 1 << 22
_HEAD_BYTES = 1 << 16
# The four-byte marks come first: the little-endian one begins with the two-byte one.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
_UTF_8 = "utf-8"
_CONTROLS = bytes(set(range(1, 32)) - set(b"\t\n\v\f\r\x1a\x1b\x1c\x1d\x1e\x1f"))
_BINARY_SHARE = 0.01
_FOREIGN_SHARE = 0.25
_WESTERN = "cp1252"
# No Polish "\xb9\xb3", no Turkish "\xf0\xfe", no Czech "\xfd": they would be read as other letters.
_WESTERN_BYTES = (
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜßàáâãäåæçèéêëìíîïñòóôõöøùúûüÿŒœ€‚ƒ„…‘’“”•–—™¡¿«»°ªº§©®£·´½¼\xa0"
).encode(_WESTERN)
_WESTERN_SHARE = 0.95
_ASCII = bytes(range(128))


def find_encoding(head: bytes) -> str | None:
    """The encoding that a byte order mark names."""
    return next((name for mark, name in _MARKS if head.startswith(mark)), None)


def has_old_line_ends(head: bytes) -> bool:
    r"""Whether a file's lines end in ``\r`` alone, as far as its beginning tells."""
    sample = head[:_HEAD_BYTES]
    return b"\n" not in sample and b"\r" in sample[:-1]


@dataclass(frozen=True, slots=True)
class _Encoding:
    """How a file is decoded, and how from the first line on that cannot be so."""

    codec: str = _UTF_8
    fallback: str | None = None
    reason: str | None = None  # why it is not read at all
    is_guess: bool = False


def _choose_encoding(head: bytes, named: str | None) -> _Encoding:
    """Tell a file's encoding from its beginning and from what the caller has named."""
    sample = head[:_HEAD_BYTES]
    marked = find_encoding(sample)
    if marked is not None:
        return _Encoding(marked)
    is_wide = named is not None and _is_wide(named)
    if b"\0" in sample:
        return _Encoding(named) if named and is_wide else _Encoding(reason="binary file")
    # How many places are no UTF-8, and how many characters beyond ASCII are; the last may be cut.
    decoded = codecs.getincrementaldecoder(_UTF_8)(errors="replace").decode(sample)
    n_bad = decoded.count("\ufffd") - sample.count("\ufffd".encode())
    n_good = len(decoded) - len(decoded.encode("ascii", "ignore")) - n_bad
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls > _BINARY_SHARE * len(sample) and (n_bad or named is not None):
        return _Encoding(reason="binary file")
    if named is not None and not is_wide:
        # What looks like ASCII may be text of an encoding such as ISO-2022.
        has_escapes = sample.isascii() and sample.decode(named, "replace") != sample.decode("ascii")
        if n_bad > n_good or has_escapes:
            return _Encoding(named)
    if n_bad <= n_good:  # UTF-8, perhaps with some damage; ASCII may still turn out to be another
        fallback = _WESTERN if named is None or is_wide else named
        return _Encoding(fallback=fallback if n_good == 0 else None)
    if n_bad <= _FOREIGN_SHARE * len(sample) and _looks_western(sample):
        return _Encoding(_WESTERN, is_guess=True)
    return _Encoding(reason="text in another encoding than UTF-8 (name it as encoding=...)")


def _looks_western(content: bytes) -> bool:
    """Whether the bytes beyond ASCII are letters and signs of Western European text."""
    beyond = content.translate(None, _ASCII)
    strange = beyond.translate(None, _WESTERN_BYTES)
    return len(strange) <= (1 - _WESTERN_SHARE) * len(beyond)


class _LineDecoder:
    """Decodes the lines of one file."""

    def __init__(self, file: InputFile, encoding: _Encoding) -> None:
        self._file = file
        # Wide encodings have been turned into UTF-8, and the mark is gone.
        is_utf8 = encoding.codec == "utf-8-sig" or _is_wide(encoding.codec)
        self._codec = _UTF_8 if is_utf8 else encoding.codec
        self._fallback = encoding.fallback
        if encoding.is_guess:
            self._remark_guess()

    def decode(self, line: bytes) -> str:
        """The text of a line; the first one that says so changes the encoding of the rest."""
        try:
            text = line.decode(self._codec)
        except UnicodeDecodeError as error:
            fallback, self._fallback = self._fallback, None
            if fallback is None or (fallback == _WESTERN and not _looks_western(line)):
                self._file.report.skip("undecodable bytes", f"{self._file}: {error}")
            else:
                self._codec = fallback
                if fallback == _WESTERN:
                    self._remark_guess()
            return line.decode(self._codec, errors="replace")
        if self._fallback is not None and len(text) < len(line):
            self._fallback = None  # it is UTF-8, beyond ASCII
        return text

    def _remark_guess(self) -> None:
        reason = "no UTF-8, read as Windows-1252 (name another as encoding=...)"
        self._file.report.remark(reason, str(self._file))


def read_lines(
    file: InputFile, max_line: int = MAX_LINE_BYTES, *, skip_long: bool = False
) -> Iterator[str]:
    r"""Yield the lines of a text file without their ends (``\n``, ``\r\n``, or ``\r`` throughout).

    Longer ones than so many bytes are cut at white space, or passed over and counted.
    """
    blocks = read_blocks(file)
    head = next(blocks, b"")
    chosen = _choose_encoding(head, file.options.encoding)
    if chosen.reason is not None:
        file.report.skip(chosen.reason, str(file))
        return
    content: Iterator[bytes] = chain([head.removeprefix(codecs.BOM_UTF8)], blocks)
    if _is_wide(chosen.codec):
        content = narrow_blocks(chain([head], blocks), chosen.codec, file)
    first = next(content, b"")
    content = chain([first], content)
    unified = (block.replace(b"\r", b"\n") for block in content)
    decoder = _LineDecoder(file, chosen)
    splitter = LineSplitter(max_line, skip_long)
    for line in splitter.split(unified if has_old_line_ends(first) else content):
        yield decoder.decode(line).removesuffix("\r")
    splitter.report_skipped(file)


def is_plain_utf8(head: bytes, named: str | None, format_name: str) -> bool:
    """Whether a file can be cut at newlines and read as UTF-8, as far as its beginning tells."""
    if format_name == "mediawiki":
        return find_encoding(head) in (None, "utf-8-sig")
    chosen = _choose_encoding(head, named)
    is_utf8 = chosen.reason is None and chosen.codec in (_UTF_8, "utf-8-sig")
    return is_utf8 and not has_old_line_ends(head)


def _is_wide(encoding: str) -> bool:
    """Whether a newline takes more than one byte, so that bytes cannot be split into lines."""
    return codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))


def narrow_blocks(blocks: Iterable[bytes], encoding: str, file: InputFile) -> Iterator[bytes]:
    """Blocks of a wide encoding as UTF-8, which can be split at newline bytes."""
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for block in chain(blocks, [b""]):
        text = decoder.decode(block, final=not block)
        if "\ufffd" in text:
            file.report.skip("undecodable bytes", f"{file}: not valid {encoding}")
        yield text.encode("utf-8", errors="replace")


class LineSplitter:
    """Cuts blocks at newlines, holding at most one block and one line of the longest length."""

    def __init__(self, max_line: int, skip_long: bool) -> None:
        self._max_line = max_line
        self._skip_long = skip_long
        self.n_skipped = 0

    def report_skipped(self, file: InputFile) -> None:
        """Count the lines that were passed over for their length."""
        for _ in range(self.n_skipped):
            example = f"{file}: a line is longer than {self._max_line:,} bytes"
            file.report.skip("line too long", example)

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
