"""Text files with one word and its numbers a line: word2vec, fastText ``.vec``, GloVe.

Reading: the last ``dim`` columns are the numbers, what stands before them is the word, so words
with spaces are read as they are. Writing: these formats cannot tell a space in a word from the
one between columns, so every ASCII white space in a word is written as ``_``.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import atomic_path
from grassmeans.errors import InputError
from grassmeans.vectors.collecting import RowCollector, open_vectors_file, read_header
from grassmeans.vectors.word_vectors import WordVectors

LINES_TRIED = 10  # how many first lines a guess at the format looks at

_BLOCK_BYTES = 1 << 24
_WHITE_SPACE = re.compile(r"[ \t\n\r\v\f]")
_COMPRESSED: dict[str, Callable[[Path, str], Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}


def read_word2vec_text(path: str | Path, *, limit: int | None = None) -> WordVectors:
    """Read a word2vec text file: a header (words, dimensions), then a word and numbers a line.

    Lines with a wrong number of columns, with something that is no finite number, or with a word
    seen before are left out; a warning says how many.

    Parameters
    ----------
    limit : int, optional
        Read just the first so many lines.

    Raises
    ------
    InputError
        Where the header is missing or the number of lines is not what it says.
    """
    path = Path(path)
    with open_vectors_file(path) as stream:
        expected, dim = read_header(stream, path)
        collector = RowCollector(path, dim, limit)
        _collect_lines(stream, collector)
    if collector.n_seen != min(expected, limit or expected):
        raise InputError(
            f"{path} should hold {expected:,} words by its header, found {collector.n_seen:,}: "
            "the file is cut or damaged"
        )
    return collector.finish()


def read_fasttext_vec(path: str | Path, *, limit: int | None = None) -> WordVectors:
    """Read a fastText ``.vec`` file, which has the word2vec text format."""
    return read_word2vec_text(path, limit=limit)


def read_glove(
    path: str | Path, *, dim: int | None = None, limit: int | None = None
) -> WordVectors:
    """Read a GloVe text file: a word and its numbers a line, no header.

    Parameters
    ----------
    dim : int, optional
        Number of dimensions; by default what most of the first lines have after the word.
    limit : int, optional
        Read just the first so many lines.
    """
    path = Path(path)
    with open_vectors_file(path) as stream:
        first = stream.readlines(_BLOCK_BYTES)
        dim = guess_dim(first) if dim is None else dim
        if dim < 1:
            raise InputError(
                f"{path} should hold a word and its numbers a line, found {b''.join(first)[:60]!r}"
            )
        collector = RowCollector(path, dim, limit)
        _collect_block(first, collector)
        _collect_lines(stream, collector)
    return collector.finish()


def write_word2vec_text(vectors: WordVectors, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a word2vec text file; numbers keep every bit of float32.

    White space in words becomes ``_``. ``.gz``, ``.bz2`` and ``.xz`` names are compressed.
    """
    _write_text(vectors, Path(path), overwrite, header=True)


def write_glove(vectors: WordVectors, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a GloVe text file: as `write_word2vec_text`, without the header."""
    _write_text(vectors, Path(path), overwrite, header=False)


def encode_writable_words(words: list[str]) -> Iterator[bytes]:
    """Yield the words as word2vec and GloVe files can hold them, white space replaced by ``_``.

    Raises
    ------
    InputError
        For an empty word, one that is not valid Unicode, and two words that become the same.
    """
    changed = {word: _WHITE_SPACE.sub("_", word) for word in words if _WHITE_SPACE.search(word)}
    if changed:
        written: dict[str, str] = {}
        for word in words:
            form = changed.get(word, word)
            if form in written:
                raise InputError(
                    f"{written[form]!r} and {word!r} would both be written as {form!r}, for "
                    "the format has no white space in words: remove one of them"
                )
            written[form] = word
    for row, word in enumerate(words):
        if not word:
            raise InputError(f"the word in row {row} is empty: the format cannot hold it")
        try:
            yield changed.get(word, word).encode("utf-8")
        except UnicodeEncodeError as error:
            raise InputError(
                f"the word {word!r} (row {row}) is not valid Unicode: the format cannot hold it"
            ) from error


def open_for_writing(path: Path, named: Path) -> IO[bytes]:
    """Open ``path`` for bytes, compressed as the suffix of ``named`` says."""
    opener = _COMPRESSED.get(named.suffix.lower())
    return cast("IO[bytes]", opener(path, "wb")) if opener else path.open("wb")


def check_writable(path: Path, overwrite: bool) -> None:
    """Refuse to replace a file unless told to."""
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file to write")
    if path.exists() and not overwrite:
        raise InputError(f"{path} exists already: choose another, or pass --overwrite")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent} to write {path.name} into")


def guess_dim(lines: list[bytes]) -> int:
    """Count the columns after the word in most of the first lines; 0 where there are none."""
    columns = Counter(len(line.split()) - 1 for line in lines[:LINES_TRIED] if not line.isspace())
    return max(columns, key=lambda dim: (columns[dim], -dim), default=0)


def parses_as_row(line: bytes, dim: int) -> bool:
    """Whether a line is a word and ``dim`` numbers."""
    parts = line.rsplit(None, dim)
    return len(parts) == dim + 1 and _parse_numbers(parts[1:], dim) is not None


def _collect_lines(stream: BinaryIO, collector: RowCollector) -> None:
    while collector.wanted != 0 and (lines := stream.readlines(_BLOCK_BYTES)):
        _collect_block(lines, collector)


def _collect_block(lines: Iterable[bytes], collector: RowCollector) -> None:
    """Parse many lines with one call; line by line only where something in them is wrong."""
    filled = (line for line in lines if not line.isspace())
    rows = [_split_line(line, collector.dim) for line in islice(filled, collector.wanted)]
    matrix = _parse_numbers([numbers for _, numbers in rows], len(rows) * collector.dim)
    whole = all(numbers.count(b" ") == collector.dim - 1 for _, numbers in rows)
    if matrix is not None and whole:
        collector.add([word for word, _ in rows], matrix.reshape(-1, collector.dim))
        return
    for word, numbers in rows:
        row = _parse_numbers([numbers], collector.dim)
        if row is None:
            text = f"{word.decode('utf-8', 'replace')} {numbers[:60].decode('utf-8', 'replace')}"
            collector.skip(f"not a word and {collector.dim} numbers", repr(text.strip()))
        else:
            collector.add([word], row[None, :])


def _split_line(line: bytes, dim: int) -> tuple[bytes, bytes]:
    """Split a line into its word and its numbers, these with one space between them."""
    line = line.rstrip()
    if line.count(b" ") == dim and b"  " not in line and b"\t" not in line:
        word, _, numbers = line.partition(b" ")
        return word, numbers
    word, *columns = line.rsplit(None, dim)
    return word, b" ".join(columns)


def _parse_numbers(texts: list[bytes], expected: int) -> NDArray[np.float32] | None:
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


def _write_text(vectors: WordVectors, path: Path, overwrite: bool, *, header: bool) -> None:
    check_writable(path, overwrite)
    row_format = b" ".join([b"%.9g"] * vectors.dim)  # nine digits give back every float32
    with atomic_path(path) as temporary, open_for_writing(temporary, path) as file:
        if header:
            file.write(b"%d %d\n" % (len(vectors), vectors.dim))
        for word, row in zip(encode_writable_words(vectors.words), vectors.vectors, strict=True):
            file.write(b"%s %s\n" % (word, row_format % tuple(row.tolist())))
