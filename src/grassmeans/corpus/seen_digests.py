"""A set of digests, eight bytes each: which texts of a corpus have been there.

A table of open addressing, at most two thirds full: 12 to 24 bytes a digest, where a set of
Python's takes 69 to 93. It is what `ingest` remembers of every document, and there may be many.
"""

from __future__ import annotations

import numpy as np

_SMALLEST = 1024
_FREE = 0


class SeenDigests:
    """Digests that have been added; they are taken as evenly spread, and searched by their bits."""

    def __init__(self) -> None:
        self._n_digests = 0
        self._has_zero = False  # which is what a free slot holds
        self._make(_SMALLEST)

    def __len__(self) -> int:
        return self._n_digests + self._has_zero

    @property
    def n_bytes(self) -> int:
        """The memory of the table."""
        return self._slots.nbytes

    def add(self, digest: int) -> bool:
        """Add a digest, a number of 64 bits with a sign; whether it is new."""
        if digest == _FREE:
            is_new = not self._has_zero
            self._has_zero = True
            return is_new
        if not self._put(digest):
            return False
        self._n_digests += 1
        if 3 * self._n_digests > 2 * len(self._slots):
            self._grow()
        return True

    def _put(self, digest: int) -> bool:
        slots, last = self._slots, self._last
        place = digest & last
        while (found := slots[place]) != _FREE:
            if found == digest:
                return False
            place = (place + 1) & last
        slots[place] = digest
        return True

    def _make(self, size: int) -> None:
        # Numbers are read faster from the memory of an array than from the array.
        self._slots = np.zeros(size, np.int64).data
        self._last = size - 1

    def _grow(self) -> None:
        known = self._slots
        self._make(2 * len(known))
        for digest in known:
            if digest != _FREE:
                self._put(digest)
