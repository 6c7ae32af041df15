"""First pass: the distances of every occurrence to the senses of its word, shard by shard.

They stay on disk, so that another threshold needs no second pass. Two files stand beside a labelled
shard's tokens. ``sense_positions.npy`` (n_occurrences,) int32 has the positions of the labelled
tokens in order; ``sense_distances.npy`` (n_occurrences, most senses) float16 their distances, NaN
beyond a word's senses and all along where a context was too poor. Labels are always decoded from
these rounded distances, so decoding again gives the same result.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.checking import check_range, check_rising, open_array, read_json
from grassmeans.artifacts.schema import check_values, whole
from grassmeans.artifacts.writing import write_array, write_json
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.ingest import shard_folder
from grassmeans.corpus.shard import Shard
from grassmeans.engines.parallel import map_here, map_tasks
from grassmeans.geometry.distances import SenseLines
from grassmeans.labelling.targets import Targets
from grassmeans.outputs.places import Building
from grassmeans.progress import progress_bar
from grassmeans.senses.inventory import SenseInventory

_SHARDS_AT_ONCE = 4
"""On a device: it works for one while others are read, prepared and written."""


class ShardMeasure(Protocol):
    """A way to measure the distances of a shard's occurrences."""

    @property
    def shards_here(self) -> int:
        """How many shards this process measures at once; 0 where its workers measure them."""
        ...

    @property
    def word_of_token(self) -> NDArray[np.int32]:
        """(n_types + 1,) as in `Targets`."""
        ...

    def find_distances(self, shard: Shard) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
        """Positions (n,) of the targets in a shard, and their distances (n, most senses)."""
        ...


@dataclass(frozen=True, slots=True)
class EncoderMeasure:
    """Distances by any kind of context."""

    corpus: Corpus  # whose shards are measured
    encoder: ContextEncoder
    lines: SenseLines  # of the targets, in their order
    word_of_token: NDArray[np.int32]  # (n_types + 1,) as in `Targets`

    @property
    def shards_here(self) -> int:
        """Some on a GPU; one where the encoder keeps all cores busy by itself."""
        if self.encoder.uses_all_cores:
            return 1
        return 0 if self.encoder.device == "cpu" else _SHARDS_AT_ONCE

    def find_distances(self, shard: Shard) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
        """Positions (n,) of the targets in a shard, and their distances (n, most senses)."""
        words = self.word_of_token[np.asarray(shard.tokens)]
        positions = np.flatnonzero(words >= 0)
        occurrences = self.corpus.occurrences_in(shard, positions)
        distances = self.encoder.measure_for_labels(occurrences, words[positions], self.lines)
        return positions.astype(np.int32), distances.astype(np.float16)


def make_measure(
    corpus: Corpus, encoder: ContextEncoder, inventory: SenseInventory, targets: Targets
) -> EncoderMeasure:
    """The measure of the senses that an inventory has for the targets."""
    lines = SenseLines.collect(inventory.directions(word) for word in targets.words)
    return EncoderMeasure(corpus, encoder, lines, targets.word_of_token)


def measure_corpus(
    corpus: Corpus,
    building: Building,
    measure: ShardMeasure,
    workers: int | None,
    show_progress: bool | None,
) -> None:
    """Write the distances of all shards; finished ones of an earlier run are taken over."""
    tasks = (
        (
            shard,
            shard_folder(building.folder, number),
            building.scratch / f"{number:05d}.json",
            measure,
        )
        for number, shard in enumerate(corpus.shards)
    )
    is_target = measure.word_of_token[:-1] >= 0
    total = int(np.asarray(corpus.vocabulary.counts)[is_target].sum())
    with progress_bar("measuring", total, unit="occurrences", show=show_progress) as advance:
        if measure.shards_here:
            measured = map_here(measure_shard, tasks, measure.shards_here)
        else:
            measured = map_tasks(measure_shard, tasks, workers)
        for n_occurrences in measured:
            advance(n_occurrences)


def measure_shard(source: Shard, folder: Path, done: Path, measure: ShardMeasure) -> int:
    """Write a shard's distances, or take them over; returns the number of occurrences.

    The file ``done`` tells that they are whole.
    """
    if done.exists():
        kept = read_json(done)
        check_values(done, kept, {"n_occurrences": whole()})
        return int(kept["n_occurrences"])
    folder.mkdir(parents=True, exist_ok=True)
    positions, distances = measure.find_distances(source)
    write_distances(folder, positions, distances)
    write_json(done, {"n_occurrences": len(positions)})
    return len(positions)


POSITIONS = "sense_positions.npy"
DISTANCES = "sense_distances.npy"


@dataclass(frozen=True, slots=True)
class StoredDistances:
    """Distances of the labelled occurrences of a shard, memory-mapped."""

    positions: NDArray[np.int32]  # (n_occurrences,)
    distances: NDArray[np.float16]  # (n_occurrences, most senses)

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
    positions = open_array(folder / POSITIONS, np.int32, (None,))
    distances = open_array(folder / DISTANCES, np.float16, (len(positions), max_senses))
    check_range(folder / POSITIONS, positions, 0, n_tokens)
    check_rising(folder / POSITIONS, positions)
    return StoredDistances(positions, distances)
