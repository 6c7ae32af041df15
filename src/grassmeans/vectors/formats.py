"""Read the files of other tools: word2vec text and binary, fastText ``.vec``, GloVe.

The format is found from a file's first bytes. In text files the last ``dim`` columns are the
numbers and what stands before them is the word, so words with spaces are read as they are, unless
they end in a number: such a row has one too many. Rows that are not sound are counted and left out,
and the line of the first one is named.
"""

from __future__ import annotations

import contextlib
import lzma
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import BinaryIO

import zstandard

from grassmeans.errors import InputError
from grassmeans.vectors.file_rows import (
    BLOCK_BYTES,
    LONGEST_WORD,
    LineReader,
    RowCollector,
    collect_block,
    collect_lines,
    collect_records,
    parse_numbers,
)
from grassmeans.vectors.word_vectors import WordVectors

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


class VectorFormat(Enum):
    """A file format of word vectors that can be read."""

    WORD2VEC_TEXT = "word2vec text"
    WORD2VEC_BINARY = "word2vec binary"
    GLOVE = "GloVe text"


def detect_format(path: str | Path) -> VectorFormat:
    """Find the format of a file of word vectors from its first bytes.

    `InputError` where it is none that can be read; says what to do for the ones that are known.
    """
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
        return VectorFormat.WORD2VEC_TEXT if text else VectorFormat.WORD2VEC_BINARY
    dim = _guess_dim(lines[:_LINES_TRIED])
    if dim >= 1 and any(_parses_as_row(line, dim) for line in lines):
        return VectorFormat.GLOVE
    raise InputError(
        f"{path} is no file of word vectors that can be read (word2vec text or binary, GloVe, "
        f"fastText .vec): it begins with {head[:40]!r}"
    )


def read_vectors_file(path: str | Path, *, limit: int | None = None) -> WordVectors:
    """Read a word2vec, GloVe or fastText ``.vec`` file, whichever it is.

    Parameters
    ----------
    limit : int, optional
        Read just the first so many words, or lines of text.
    """
    readers: dict[VectorFormat, Callable[..., WordVectors]] = {
        VectorFormat.WORD2VEC_TEXT: read_word2vec_text,
        VectorFormat.WORD2VEC_BINARY: read_word2vec_binary,
        VectorFormat.GLOVE: read_glove,
    }
    return readers[detect_format(path)](path, limit=limit)


def read_word2vec_text(path: str | Path, *, limit: int | None = None) -> WordVectors:
    """Read a word2vec text file: a header (words, dimensions), then a word and numbers a line.

    Lines with a wrong number of columns, with something that is no finite number, or with a word
    seen before are left out; a warning says how many.

    `InputError` where the header is missing or the number of lines is not what it says.
    """
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
    """Read a GloVe text file: a word and its numbers a line, no header.

    Parameters
    ----------
    dim : int, optional
        Number of dimensions; by default what most of the first lines have after the word.
    """
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
    """Read a word2vec binary file, with or without a newline after each vector.

    Words seen before, words that are not UTF-8 and vectors with NaN are left out; a warning says
    how many.

    `InputError` where the header is missing or the file ends before as many words as it says.
    """
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
        if wanted == expected:
            _check_end(rest, stream, path, expected)
    return collector.finish()


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


def _check_end(rest: bytes, stream: BinaryIO, path: Path, expected: int) -> None:
    if (rest + stream.read(64)).strip():
        raise InputError(
            f"{path} should hold {expected:,} words by its header, but more follows them: "
            "the file is damaged"
        )
