"""The word2vec binary format: a header line, then word, space and float32 numbers of each word."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

from grassmeans.artifacts import atomic_path
from grassmeans.errors import InputError
from grassmeans.vectors.collecting import RowCollector, open_vectors_file, read_header
from grassmeans.vectors.text_formats import (
    check_writable,
    encode_writable_words,
    open_for_writing,
)
from grassmeans.vectors.word_vectors import WordVectors

_BLOCK_BYTES = 1 << 24
_LONGEST_WORD = 1 << 16  # bytes without a space: beyond this the file is not what it seems


def read_word2vec_binary(path: str | Path, *, limit: int | None = None) -> WordVectors:
    """Read a word2vec binary file, with or without a newline after each vector.

    Words seen before, words that are not UTF-8 and vectors with NaN are left out; a warning says
    how many.

    Parameters
    ----------
    limit : int, optional
        Read just the first so many words.

    Raises
    ------
    InputError
        Where the header is missing or the file ends before as many words as it says.
    """
    path = Path(path)
    with open_vectors_file(path) as stream:
        expected, dim = read_header(stream, path)
        collector = RowCollector(path, dim, limit)
        wanted = min(expected, limit or expected)
        rest = b""
        while collector.n_seen < wanted:
            block = stream.read(_BLOCK_BYTES)
            rest = _collect_records(rest + block, collector, wanted)
            if collector.n_seen < wanted and (not block or len(rest) > _longest_record(dim)):
                raise InputError(
                    f"{path} should hold {expected:,} words of {dim} dimensions by its header, "
                    f"found {collector.n_seen:,}: the file is cut or damaged"
                )
        if wanted == expected:
            _check_end(rest, stream, path, expected)
    return collector.finish()


def write_word2vec_binary(
    vectors: WordVectors, path: str | Path, *, overwrite: bool = False
) -> None:
    """Write a word2vec binary file; white space in words becomes ``_``."""
    path = Path(path)
    check_writable(path, overwrite)
    with atomic_path(path) as temporary, open_for_writing(temporary, path) as file:
        file.write(b"%d %d\n" % (len(vectors), vectors.dim))
        for word, row in zip(encode_writable_words(vectors.words), vectors.vectors, strict=True):
            file.write(b"%s %s\n" % (word, row.astype("<f4", copy=False).tobytes()))


def _longest_record(dim: int) -> int:
    return _LONGEST_WORD + 4 * dim + 2


def _collect_records(buffer: bytes, collector: RowCollector, wanted: int) -> bytes:
    """Take every whole record from ``buffer``; give back what follows them."""
    width = 4 * collector.dim
    names: list[bytes] = []
    numbers = bytearray()
    position = 0
    while collector.n_seen + len(names) < wanted:
        space = buffer.find(b" ", position, position + _LONGEST_WORD)
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


def _check_end(rest: bytes, stream: BinaryIO, path: Path, expected: int) -> None:
    if (rest + stream.read(64)).strip():
        raise InputError(
            f"{path} should hold {expected:,} words by its header, but more follows them: "
            "the file is damaged"
        )
