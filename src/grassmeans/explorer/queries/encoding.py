"""Bases of a word's occurrences. What a network has read is kept, and never read again.

Senses change with every correction and every turn of the dial; the bases of the same lines do not.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.explorer.caches import BoundedCache, Kept, bound_bytes
from grassmeans.explorer.limits import OutOfTimeError
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.work import Checkpoint

_AT_ONCE = 512
_WAIT = 0.2
_READING = threading.Lock()
"""Held while a network reads: two at once would take twice as long, and read the same."""


@dataclass(frozen=True, slots=True)
class EncodedLines:
    """Occurrences of a word as an encoder has read them.

    Attributes
    ----------
    positions : (n,) int64
        In text order.
    bases : (n, rank, dim) float32
    """

    positions: NDArray[np.int64]
    bases: NDArray[np.float32]

    @property
    def n_bytes(self) -> int:
        """Memory that they take."""
        return self.positions.nbytes + self.bases.nbytes

    def lacks(self, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(n,) which of the positions are not among these."""
        return ~np.isin(positions, self.positions, assume_unique=True)

    def join(self, positions: NDArray[np.int64], bases: NDArray[np.float32]) -> EncodedLines:
        """These and others."""
        both = np.concatenate([self.positions, positions])
        order = np.argsort(both, kind="stable")
        return EncodedLines(both[order], np.concatenate([self.bases, bases])[order])


_READ: Kept[BoundedCache[EncodedLines]] = bound_bytes(
    lambda memory: memory.line_bytes, lambda encoded: encoded.n_bytes
)


def encode_lines(
    opened: OpenModel,
    key: str,
    positions: NDArray[np.int64],
    checkpoint: Checkpoint,
    until: float = 1.0,
) -> NDArray[np.float32]:
    """(n, rank, dim) bases of a word's occurrences; those that are kept are not read again.

    Parameters
    ----------
    positions : (n,) int64
        In text order.
    until : float
        The share of all work that is done then.
    """
    corpus = opened.require_corpus("looking at lines")
    encoder = opened.base.encoder
    if not encoder.worth_keeping:
        return encoder.encode_at(corpus, positions)
    while not _READING.acquire(timeout=_WAIT):
        checkpoint(0.0)
    try:
        return _read_missing(opened, corpus, key, positions, checkpoint, until)
    finally:
        _READING.release()


def _read_missing(
    opened: OpenModel,
    corpus: Corpus,
    key: str,
    positions: NDArray[np.int64],
    checkpoint: Checkpoint,
    until: float,
) -> NDArray[np.float32]:
    encoder = opened.base.encoder
    empty = np.empty((0, encoder.shape.rank, encoder.vectors.dim), np.float32)
    known = _READ.of(opened)
    kept = known.get(key) or EncodedLines(np.empty(0, np.int64), empty)
    missing = positions[kept.lacks(positions)]
    parts = []
    try:
        for start in range(0, len(missing), _AT_ONCE):
            checkpoint(until * start / len(missing))
            parts.append(encoder.encode_at(corpus, missing[start : start + _AT_ONCE]))
    except OutOfTimeError as error:
        n_read = len(positions) - len(missing) + sum(map(len, parts))
        raise OutOfTimeError(
            f"{n_read:,} of {len(positions):,} lines are read so far, the rest takes longer than "
            "is given at once: ask again to go on, or for a smaller sample"
        ) from error
    finally:
        if parts:
            bases = np.concatenate(parts)
            kept = kept.join(missing[: len(bases)], bases)
            known.put(key, kept)
    return kept.bases[np.searchsorted(kept.positions, positions)]
