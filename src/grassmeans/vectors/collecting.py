"""Gather words and vectors while a foreign file is read, counting what has to be left out."""

from __future__ import annotations

import contextlib
import lzma
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import zstandard
from numpy.typing import NDArray

from grassmeans.errors import InputError
from grassmeans.vectors.similarity import Float32Array
from grassmeans.vectors.word_vectors import WordVectors

_FIRST_CAPACITY = 4_096


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
        self._ids: dict[str, int] = {}
        self._vectors: Float32Array = np.empty((_FIRST_CAPACITY, dim), dtype=np.float32)
        self._skipped: Counter[str] = Counter()
        self._first_skipped = ""

    @property
    def wanted(self) -> int | None:
        """Rows still to be looked at, None where there is no limit."""
        return None if self.limit is None else max(0, self.limit - self.n_seen)

    def skip(self, reason: str, example: str) -> None:
        """Count one row that is left out; the first one becomes the example."""
        self.n_seen += 1
        self._count_skipped(reason, example)

    def add(self, names: list[bytes], rows: NDArray[np.float32]) -> None:
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
                self._count_skipped("word not UTF-8", repr(name))
                continue
            if not word:
                self._count_skipped("no word", f"row {self.n_seen - len(names) + row + 1}")
            elif not finite[row]:
                self._count_skipped("NaN or infinity", repr(word))
            elif word in self._ids:
                self._count_skipped("word seen before", repr(word))
            else:
                self._ids[word] = len(self._ids)
                kept.append(row)
        self._append(rows if len(kept) == len(rows) else rows[kept])

    def finish(self) -> WordVectors:
        """Give the vectors back; warn where rows were left out."""
        n_words = len(self._ids)
        if n_words == 0:
            raise InputError(f"{self.path} holds no usable word vectors{self._describe_skipped()}")
        if self._skipped:
            warnings.warn(f"{self.path}{self._describe_skipped()}", UserWarning, stacklevel=3)
        self._vectors.resize((n_words, self.dim), refcheck=False)
        return WordVectors(list(self._ids), self._vectors, check=False)

    def _append(self, rows: NDArray[np.float32]) -> None:
        end = len(self._ids)
        start = end - len(rows)
        if end > len(self._vectors):
            # resize grows in place where the system can: no second copy of a large matrix
            capacity = max(end, len(self._vectors) * 3 // 2)
            self._vectors.resize((capacity, self.dim), refcheck=False)
        self._vectors[start:end] = rows

    def _count_skipped(self, reason: str, example: str) -> None:
        if not self._skipped:
            self._first_skipped = f"{reason}: {example[:80]}"
        self._skipped[reason] += 1

    def _describe_skipped(self) -> str:
        if not self._skipped:
            return ""
        reasons = ", ".join(f"{reason} {n:,}" for reason, n in self._skipped.most_common())
        return (
            f": {self._skipped.total():,} of {self.n_seen:,} rows left out ({reasons}); "
            f"the first: {self._first_skipped}"
        )


@contextlib.contextmanager
def open_vectors_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file, compressed or not, for reading bytes."""
    from grassmeans.corpus.opening import open_bytes

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


def parse_header(line: bytes) -> tuple[int, int] | None:
    """Give the words and dimensions that a word2vec header names, None where it is not one."""
    parts = line.split()
    if len(parts) != 2 or not all(part.isdigit() and len(part) <= 15 for part in parts):
        return None
    n_words, dim = int(parts[0]), int(parts[1])
    return (n_words, dim) if dim >= 1 else None


def read_header(stream: BinaryIO, path: Path) -> tuple[int, int]:
    """Read the first line, which must be a word2vec header."""
    line = stream.readline(256)
    header = parse_header(line)
    if header is None:
        raise InputError(
            f"{path} does not begin with a word2vec header (two whole numbers: words, "
            f"dimensions) but with {line[:60]!r}; for a file without header use the GloVe format"
        )
    if header[1] > 1_000_000:
        raise InputError(f"{path}: the header says {header[1]:,} dimensions: the file is damaged")
    return header
