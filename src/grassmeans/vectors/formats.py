"""Read the files of other tools: word2vec text and binary, fastText ``.vec``, GloVe.

The format is found from a file's first bytes. In text files the last ``dim`` columns are the
numbers and what stands before them is the word, so words with spaces are read as they are, unless
they end in a number: such a row has one too many. Rows that are not sound (a wrong number of
columns, no finite numbers, a word that is not UTF-8 or was seen before) are counted and left out,
and the line of the first one is named.
"""

from __future__ import annotations

import contextlib
import lzma
import re
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
import zstandard

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
_HEAD_BYTES = 1 << 20
_LINES_TRIED = 10  # how many first lines a guess at the format looks at
_REFUSED = {
    b"\x80": "is a Python pickle (gensim's own save format), which is never loaded because it "
    "can run any code: open it with gensim and export it with "
    "keyed_vectors.save_word2vec_format(path, binary=True)",
    b"\xba\x16\x4f\x2f": "is a fastText model: use its .vec file, or export the vectors with "
    "gensim (load_facebook_vectors, then save_word2vec_format)",
    b"\x93NUMPY": "is a NumPy array without words: build WordVectors(words, array) from it",
    b"PK\x03\x04": "is a zip archive: unpack it first",
    b"\x89HDF": "is an HDF5 file: export the vectors as word2vec or GloVe text",
}


def detect_format(path: str | Path) -> str:
    """The format of a file of word vectors; `InputError`, with advice, for what cannot be read."""
    path = Path(path)
    with _open_vectors_file(path) as stream:
        head = stream.read(_HEAD_BYTES)
    if not head.strip():
        raise InputError(f"{path} is empty: expected word vectors")
    for magic, explanation in _REFUSED.items():
        if head.startswith(magic):
            raise InputError(f"{path} {explanation}")
    lines = head.split(b"\n", _LINES_TRIED + 1)[: _LINES_TRIED + 1]
    header = _parse_header(lines[0])
    if header is not None:
        text = any(_parses_as_row(line, header[1]) for line in lines[1:])
        return "word2vec text" if text else "word2vec binary"
    dim = _guess_dim(lines[:_LINES_TRIED])
    if dim >= 1 and any(_parses_as_row(line, dim) for line in lines):
        return "GloVe text"
    raise InputError(
        f"{path} is no file of word vectors that can be read (word2vec text or binary, GloVe, "
        f"fastText .vec): it begins with {head[:40]!r}"
    )


def read_vectors_file(path: str | Path, *, limit: int | None = None) -> WordVectors:
    """Read a word2vec, GloVe or fastText ``.vec`` file; of ``limit`` words, or lines of text."""
    return _READERS[detect_format(path)](path, limit=limit)


def read_word2vec_text(path: str | Path, *, limit: int | None = None) -> WordVectors:
    """Read a word2vec text file: a header (words, dimensions), then a word and numbers a line."""
    path = Path(path)
    with _open_vectors_file(path) as stream:
        expected, dim = _read_header(stream, path)
        collector = RowCollector(path, dim, limit)
        collector.n_lines = 1
        collect_lines(LineReader(stream), collector)
    if collector.n_seen != min(expected, limit or expected):
        raise InputError(
            f"{path} should hold {expected:,} words by its header, found {collector.n_seen:,}: "
            "the file is cut or damaged"
        )
    return collector.finish()


def read_glove(
    path: str | Path, *, dim: int | None = None, limit: int | None = None
) -> WordVectors:
    """Read a GloVe text file: a word and ``dim`` numbers a line, by default as most lines have."""
    path = Path(path)
    with _open_vectors_file(path) as stream:
        lines = LineReader(stream)
        first = lines.take(_LINES_TRIED)
        dim = _guess_dim(first) if dim is None else dim
        if dim < 1:
            raise InputError(
                f"{path} should hold a word and its numbers a line, found {b' '.join(first)[:60]!r}"
            )
        collector = RowCollector(path, dim, limit)
        collect_block(first, collector)
        collect_lines(lines, collector)
    return collector.finish()


def read_word2vec_binary(path: str | Path, *, limit: int | None = None) -> WordVectors:
    """Read a word2vec binary file, with or without a newline after each vector."""
    path = Path(path)
    with _open_vectors_file(path) as stream:
        expected, dim = _read_header(stream, path)
        collector = RowCollector(path, dim, limit)
        wanted = min(expected, limit or expected)
        rest, longest_record = b"", LONGEST_WORD + 4 * dim + 2
        while collector.n_seen < wanted:
            block = stream.read(BLOCK_BYTES)
            rest = collect_records(rest + block, collector, wanted)
            if collector.n_seen < wanted and (not block or len(rest) > longest_record):
                raise InputError(
                    f"{path} should hold {expected:,} words of {dim} dimensions by its header, "
                    f"found {collector.n_seen:,}: the file is cut or damaged"
                )
        if wanted == expected and (rest + stream.read(64)).strip():
            raise InputError(
                f"{path} should hold {expected:,} words by its header, but more follows them: "
                "the file is damaged"
            )
    return collector.finish()


_READERS: dict[str, Callable[..., WordVectors]] = {
    "word2vec text": read_word2vec_text,
    "word2vec binary": read_word2vec_binary,
    "GloVe text": read_glove,
}


@contextlib.contextmanager
def _open_vectors_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file, compressed or not, for reading bytes."""
    from grassmeans.reading.opening import open_bytes

    if path.is_dir():
        raise InputError(f"{path} is a folder, a file of word vectors is needed here")
    if not path.exists():
        raise InputError(f"there is no file at {path}: check the path")
    try:
        with open_bytes(path) as stream:
            yield stream
    except (EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError) as error:
        raise InputError(f"{path} is damaged compressed data ({error}): get it again") from error
    except OSError as error:  # bzip2 reports bad data so, too
        reason = error.strerror or f"damaged compressed data: {error}"
        raise InputError(f"cannot read {path}: {reason}") from error


def _parse_header(line: bytes) -> tuple[int, int] | None:
    """Give the words and dimensions that a word2vec header names, None where it is not one."""
    parts = line.split()
    if len(parts) != 2 or not all(part.isdigit() and len(part) <= 15 for part in parts):
        return None
    n_words, dim = int(parts[0]), int(parts[1])
    return (n_words, dim) if dim >= 1 else None


def _read_header(stream: BinaryIO, path: Path) -> tuple[int, int]:
    """Read the first line, which must be a word2vec header."""
    line = stream.readline(256)
    header = _parse_header(line)
    if header is None:
        raise InputError(
            f"{path} does not begin with a word2vec header (two whole numbers: words, "
            f"dimensions) but with {line[:60]!r}; for a file without header use the GloVe format"
        )
    if header[1] > 1_000_000:
        raise InputError(f"{path}: the header says {header[1]:,} dimensions: the file is damaged")
    return header


def _guess_dim(lines: list[bytes]) -> int:
    """Count the columns after the word in most of the first lines; 0 where there are none."""
    columns = Counter(len(line.split()) - 1 for line in lines[:_LINES_TRIED] if line.strip())
    return max(columns, key=lambda dim: (columns[dim], -dim), default=0)


def _parses_as_row(line: bytes, dim: int) -> bool:
    """Whether a line is a word and ``dim`` numbers."""
    parts = line.rsplit(None, dim)
    return len(parts) == dim + 1 and parse_numbers(parts[1:], dim) is not None


class RowCollector:
    """Words and vectors of one file; bad rows are counted, not kept.

    The path is named in messages; at most ``limit`` rows are looked at, kept or not.
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
        """Keep the rows (n, dim) that are sound: finite, the word is UTF-8 and not seen before."""
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
        end = len(self._ids)
        if end > len(self._vectors):
            # resize grows in place where the system can: no second copy of a large matrix
            capacity = max(end, len(self._vectors) * 3 // 2)
            self._vectors.resize((capacity, self.dim), refcheck=False)
        self._vectors[end - len(kept) : end] = rows if len(kept) == len(rows) else rows[kept]

    def finish(self) -> WordVectors:
        """Give the vectors back; warn where rows were left out."""
        n_words = len(self._ids)
        if n_words == 0:
            raise InputError(f"{self.path} holds no usable word vectors{self._describe_skipped()}")
        if self._report.skipped:
            warnings.warn(f"{self.path}{self._describe_skipped()}", UserWarning, stacklevel=3)
        self._vectors.resize((n_words, self.dim), refcheck=False)
        return WordVectors(list(self._ids), self._vectors, check=False)

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
    """Lines of a stream; too long ones are passed over, so that memory is bounded."""

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
