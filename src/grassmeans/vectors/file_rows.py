"""Rows of a file of word vectors, text or binary -> words and a matrix; bad ones are counted."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.errors import InputError
from grassmeans.reading.documents import ReadReport
from grassmeans.reading.lines import LineSplitter
from grassmeans.vectors.word_vectors import WordVectors

BLOCK_BYTES = 1 << 24
LONGEST_WORD = 1 << 16  # bytes without a space: beyond this the file is not what it seems
_LONGEST_LINE = 1 << 24  # bytes: a million numbers
_LINES_AT_ONCE = 16_384
_NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_FIRST_CAPACITY = 1 << 20  # numbers


class RowCollector:
    """Words and vectors of one file; bad rows are counted, not kept.

    Parameters
    ----------
    path : path
        Named in messages.
    dim : int
    limit : int, optional
        Rows to look at, kept or not.
    """

    def __init__(self, path: Path, dim: int, limit: int | None = None) -> None:
        if limit is not None and limit < 1:
            raise InputError(f"limit must be 1 or more words, got {limit}")
        self.path = path
        self.dim = dim
        self.limit = limit
        self.n_seen = 0
        self.n_lines = 0  # of the file, that were read
        self._ids: dict[str, int] = {}
        self._vectors: Floats = np.empty((_FIRST_CAPACITY // dim + 1, dim), np.float32)
        self._report = ReadReport()

    @property
    def wanted(self) -> int | None:
        """Rows still to be looked at, None where there is no limit."""
        return None if self.limit is None else max(0, self.limit - self.n_seen)

    def skip(self, reason: str, example: str) -> None:
        """Count one row that is left out; the first one becomes the example."""
        self.n_seen += 1
        self._report.skip(reason, example)

    def add(self, names: list[bytes], rows: Floats) -> None:
        """Keep the rows that are sound: finite, the word is UTF-8 and not seen before.

        Parameters
        ----------
        names : list of bytes, length n
        rows : (n, dim)
        """
        self.n_seen += len(names)
        finite = np.logical_and.reduce(np.isfinite(rows), axis=1)
        kept = []
        for row, name in enumerate(names):
            try:
                word = name.decode("utf-8")
            except UnicodeDecodeError:
                self._report.skip("word not UTF-8", repr(name))
                continue
            if not word:
                self._report.skip("no word", f"row {self.n_seen - len(names) + row + 1}")
            elif not finite[row]:
                self._report.skip("NaN or infinity", repr(word))
            elif word in self._ids:
                self._report.skip("word seen before", repr(word))
            else:
                self._ids[word] = len(self._ids)
                kept.append(row)
        self._append(rows if len(kept) == len(rows) else rows[kept])

    def finish(self) -> WordVectors:
        """Give the vectors back; warn where rows were left out."""
        n_words = len(self._ids)
        if n_words == 0:
            raise InputError(f"{self.path} holds no usable word vectors{self._describe_skipped()}")
        if self._report.skipped:
            warnings.warn(f"{self.path}{self._describe_skipped()}", UserWarning, stacklevel=3)
        self._vectors.resize((n_words, self.dim), refcheck=False)
        return WordVectors(list(self._ids), self._vectors, check=False)

    def _append(self, rows: Floats) -> None:
        end = len(self._ids)
        start = end - len(rows)
        if end > len(self._vectors):
            # resize grows in place where the system can: no second copy of a large matrix
            capacity = max(end, len(self._vectors) * 3 // 2)
            self._vectors.resize((capacity, self.dim), refcheck=False)
        self._vectors[start:end] = rows

    def _describe_skipped(self) -> str:
        skipped = self._report.skipped
        if not skipped:
            return ""
        reasons = ", ".join(f"{reason} {n:,}" for reason, n in skipped.most_common())
        first, example = next(iter(self._report.examples.items()))
        return (
            f": {skipped.total():,} of {self.n_seen:,} rows left out ({reasons}); "
            f"the first: {first}: {example[:80]}"
        )


class LineReader:
    """Lines of a stream; those that no vector needs are passed over, so that memory is bounded."""

    def __init__(self, stream: BinaryIO) -> None:
        self._splitter = LineSplitter(_LONGEST_LINE, skip_long=True)
        self._lines = self._splitter.split(iter(lambda: stream.read(BLOCK_BYTES), b""))

    def take(self, n_lines: int) -> list[bytes]:
        """The next lines, of which there may be fewer, and about a block of bytes at most."""
        found: list[bytes] = []
        n_bytes = 0
        for line in islice(self._lines, n_lines):
            found.append(line)
            n_bytes += len(line)
            if n_bytes >= BLOCK_BYTES:
                break
        return found

    def take_skipped(self) -> int:
        """How many lines were too long since the last time."""
        n_skipped, self._splitter.n_skipped = self._splitter.n_skipped, 0
        return n_skipped


def collect_lines(reader: LineReader, collector: RowCollector) -> None:
    """Take the rows of all lines that are wanted."""
    while collector.wanted != 0 and (lines := reader.take(_LINES_AT_ONCE)):
        collect_block(lines, collector)
    for _ in range(reader.take_skipped()):
        collector.skip("line too long", f"a line of more than {_LONGEST_LINE:,} bytes")


def collect_block(lines: Sequence[bytes], collector: RowCollector) -> None:
    """Parse many lines with one call; line by line only where something in them is wrong."""
    numbered = enumerate(lines, start=collector.n_lines + 1)
    collector.n_lines += len(lines)
    filled = ((number, line) for number, line in numbered if line and not line.isspace())
    rows = [
        (number, *_split_line(line, collector.dim))
        for number, line in islice(filled, collector.wanted)
    ]
    matrix = parse_numbers([numbers for _, _, numbers in rows], len(rows) * collector.dim)
    whole = all(
        numbers.count(b" ") == collector.dim - 1 and not _ends_in_number(word)
        for _, word, numbers in rows
    )
    if matrix is not None and whole:
        collector.add([word for _, word, _ in rows], matrix.reshape(-1, collector.dim))
        return
    for number, word, numbers in rows:
        row = parse_numbers([numbers], collector.dim)
        if row is None or _ends_in_number(word):
            text = f"{word.decode('utf-8', 'replace')} {numbers[:60].decode('utf-8', 'replace')}"
            example = f"line {number}: {text.strip()!r}"
            collector.skip(f"not a word and {collector.dim} numbers", example)
        else:
            collector.add([word], row[None, :])


def _ends_in_number(word: bytes) -> bool:
    """Whether what stands before the numbers is a word and one number more."""
    parts = word.split()
    return len(parts) > 1 and _NUMBER.fullmatch(parts[-1]) is not None


def _split_line(line: bytes, dim: int) -> tuple[bytes, bytes]:
    """Split a line into its word and its numbers, these with one space between them."""
    line = line.rstrip()
    if line.count(b" ") == dim and b"  " not in line and b"\t" not in line:
        word, _, numbers = line.partition(b" ")
        return word, numbers
    word, *columns = line.rsplit(None, dim)
    return word, b" ".join(columns)


def parse_numbers(texts: list[bytes], expected: int) -> Floats | None:
    """Exactly ``expected`` numbers separated by white space, or None."""
    text = b" ".join(texts)
    try:
        with warnings.catch_warnings():
            # numpy before 2.3 only warns where the text does not end with a number
            warnings.simplefilter("error", DeprecationWarning)
            numbers = np.fromstring(text.decode("ascii"), dtype=np.float32, sep=" ")
    except (ValueError, DeprecationWarning):
        return None
    return numbers if numbers.size == expected else None


def collect_records(buffer: bytes, collector: RowCollector, wanted: int) -> bytes:
    """Take every whole record from ``buffer``; give back what follows them."""
    width = 4 * collector.dim
    names: list[bytes] = []
    numbers = bytearray()
    position = 0
    while collector.n_seen + len(names) < wanted:
        space = buffer.find(b" ", position, position + LONGEST_WORD)
        end = space + 1 + width
        if space < 0 or end > len(buffer):
            break
        # The original tool ends each vector with a newline, which then stands before the word.
        names.append(buffer[position:space].lstrip(b"\n"))
        numbers += buffer[space + 1 : end]
        position = end
    rows = np.frombuffer(numbers, dtype="<f4").astype(np.float32, copy=False)
    collector.add(names, rows.reshape(-1, collector.dim))
    return buffer[position:]
