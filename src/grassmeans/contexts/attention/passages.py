"""Passages: the stretches of text that the network reads, with the places asked for in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Integers
from grassmeans.corpus.occurrences import Occurrences


@dataclass(frozen=True, slots=True)
class Passages:
    """Stretches of text with the places to be encoded in them.

    Attributes
    ----------
    ids : (n_passages, length) int32
        Of the encoder's words; -1 fills up at the end.
    offsets : (n_passages + 1,) int64
        Where the places of each passage begin, and the end.
    places : (n,) int32
    rows : (n,) int64
        Which occurrence each place is.
    """

    ids: Integers
    offsets: NDArray[np.int64]
    places: Integers
    rows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(n_passages,) how many words each has."""
        return np.asarray((self.ids >= 0).sum(axis=1), np.int64)


def cut_passages(
    occurrences: Occurrences,
    ids: Integers,
    length: int,
    own: int,
    at_once: int,
    first_row: int = 0,
) -> Iterator[Passages]:
    """Cut documents at fixed places, so that an answer depends on the text alone.

    Passages overlap: each has its own places in the middle, and as many on either side that belong
    to its neighbours. A short document is one passage.

    Parameters
    ----------
    ids : (n_words + 1,) int32
        The encoder's ids of the occurrences' words; the last one is that of unknown words.
    length : int
        Of a passage, at most.
    own : int
        Its own places.
    at_once : int
        Passages that are given together.
    first_row : int
        The row of the first occurrence.
    """
    margin = (length - own) // 2
    starts, ends = occurrences.document_bounds
    inside = occurrences.positions - starts
    whole = ends - starts <= length
    cells = np.where(whole, 0, inside // own)
    firsts = np.where(whole, starts, np.maximum(starts, starts + cells * own - margin))
    order = np.argsort(firsts, kind="stable")
    begins = np.flatnonzero(np.diff(firsts[order], prepend=-1))
    bounds = np.append(begins, len(order))
    for block in range(0, len(begins), at_once):
        edges = bounds[block : block + at_once + 1]
        rows = order[edges[0] : edges[-1]]
        heads = order[edges[:-1]]
        lasts = np.minimum(firsts[heads] + length, ends[heads])
        cut = firsts[heads, None] + np.arange(int((lasts - firsts[heads]).max()))
        there = cut < lasts[:, None]
        tokens = occurrences.tokens[np.where(there, cut, 0)]
        places = (occurrences.positions[rows] - firsts[rows]).astype(np.int32)
        found = np.where(there, ids[tokens], -1).astype(np.int32)
        yield Passages(found, edges - edges[0], places, rows + first_row)


def gather_passages(parts: Iterable[Passages], at_once: int) -> Iterator[Passages]:
    """The same passages, small groups of them put together."""
    pending: list[Passages] = []
    for part in parts:
        pending.append(part)
        if sum(map(len, pending)) >= at_once:
            yield _join(pending)
            pending = []
    if pending:
        yield _join(pending)


def _join(parts: Sequence[Passages]) -> Passages:
    if len(parts) == 1:
        return parts[0]
    length = max(part.ids.shape[1] for part in parts)
    ids = [np.pad(p.ids, ((0, 0), (0, length - p.ids.shape[1])), constant_values=-1) for p in parts]
    sizes = np.concatenate([np.diff(part.offsets) for part in parts])
    return Passages(
        np.concatenate(ids),
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([part.places for part in parts]),
        np.concatenate([part.rows for part in parts]),
    )
