"""Lines of occurrences that were encoded before, kept on disk.

To encode is nearly all of the work; with other settings of the grouping, or after an interruption,
it need not be done again. What is kept belongs to one corpus and one encoder, of whose digests the
folder's name is made. Files are added and never changed, so that several processes may do so.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats
from grassmeans.artifacts.checking import open_array
from grassmeans.artifacts.writing import digest_of, digest_of_array, write_array

Places = NDArray[np.int64]

_PLACES, _LINES = ".positions.npy", ".lines.npy"


class LineCache:
    """Lines by the positions of their occurrences.

    Parameters
    ----------
    folder : Path
        Of all caches; this one has a folder of its own in it.
    identity : plain values
        What lines depend on: the corpus and the encoder.
    dim : int
    """

    def __init__(self, folder: Path, identity: Any, dim: int) -> None:
        self.folder = folder / digest_of(identity)
        self._dim = dim
        self._parts: list[tuple[Places, NDArray[np.float16]]] = []
        for path in sorted(self.folder.glob(f"*{_PLACES}")):
            places = np.asarray(open_array(path, np.int64, (None,)))
            lines = path.with_name(path.name.replace(_PLACES, _LINES))
            self._parts.append((places, open_array(lines, np.float16, (len(places), dim))))

    def read(self, positions: Places) -> tuple[NDArray[np.bool_], Floats]:
        """(n,) which of the positions are here, and (n, dim) their lines; zeros for the others."""
        known = np.zeros(len(positions), np.bool_)
        lines = np.zeros((len(positions), self._dim), np.float32)
        for places, stored in self._parts:
            rows = np.minimum(np.searchsorted(places, positions), len(places) - 1)
            here = (places[rows] == positions) & ~known
            lines[here] = stored[rows[here]]
            known |= here
        return known, lines

    def write(self, positions: Places, lines: Floats) -> None:
        """Keep the lines of positions, which are in text order."""
        if not len(positions):
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        name = digest_of_array(positions)
        kept = lines.astype(np.float16)
        # The positions come last: a part without them is none.
        write_array(self.folder / f"{name}{_LINES}", kept)
        write_array(self.folder / f"{name}{_PLACES}", positions)
        self._parts.append((positions, kept))
