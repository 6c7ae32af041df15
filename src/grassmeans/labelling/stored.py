"""Distances of a shard's occurrences on disk: another threshold needs no second pass.

Two files stand beside a labelled shard's tokens. ``sense_positions.npy`` (n_occurrences,) int32 has
the positions of the labelled tokens in order; ``sense_distances.npy`` (n_occurrences, most senses)
float16 their distances, NaN beyond a word's senses and all along where a context was too poor.
Labels are always decoded from these rounded distances, so decoding again gives the same result.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import open_array, write_array
from grassmeans.errors import ArtifactError

POSITIONS = "sense_positions.npy"
DISTANCES = "sense_distances.npy"


@dataclass(frozen=True, slots=True)
class StoredDistances:
    """Distances of the labelled occurrences of a shard, memory-mapped.

    Attributes
    ----------
    positions : (n_occurrences,) int32
    distances : (n_occurrences, most senses) float16
    """

    positions: NDArray[np.int32]
    distances: NDArray[np.float16]

    def __len__(self) -> int:
        return len(self.positions)


def write_distances(
    folder: Path, positions: NDArray[np.int32], distances: NDArray[np.float16]
) -> None:
    """Write both files."""
    write_array(folder / POSITIONS, positions)
    write_array(folder / DISTANCES, distances)


def open_distances(folder: Path, n_tokens: int, max_senses: int) -> StoredDistances:
    """Open both files; an error where they are damaged or do not fit the shard."""
    positions = open_array(folder / POSITIONS)
    distances = open_array(folder / DISTANCES)
    if positions.dtype != np.int32 or positions.ndim != 1:
        raise damaged(folder, f"{POSITIONS} holds {positions.dtype} of {positions.shape}")
    if distances.dtype != np.float16 or distances.shape != (len(positions), max_senses):
        raise damaged(
            folder,
            f"{DISTANCES} holds {distances.dtype} of {distances.shape}, expected float16 of "
            f"{(len(positions), max_senses)}",
        )
    inside = len(positions) == 0 or (positions[0] >= 0 and positions[-1] < n_tokens)
    if not inside or np.any(positions[1:] <= positions[:-1]):
        raise damaged(folder, f"{POSITIONS} is not in order, or reaches beyond the tokens")
    return StoredDistances(positions, distances)


def damaged(folder: Path, what: str) -> ArtifactError:
    """The error of a shard whose distances cannot be used."""
    return ArtifactError(f"{folder} is damaged: {what}; label the corpus again")
