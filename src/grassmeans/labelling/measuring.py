"""First pass: the distances of every occurrence to the senses of its word, shard by shard."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import read_json, write_json
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.ingest import shard_folder
from grassmeans.corpus.shard import Shard
from grassmeans.geometry.distances import SenseLines
from grassmeans.geometry.encoder import ContextEncoder
from grassmeans.labelling.stored import write_distances
from grassmeans.labelling.targets import Targets
from grassmeans.outputs import Building
from grassmeans.parallel import map_tasks
from grassmeans.progress import progress_bar
from grassmeans.senses.inventory import SenseInventory


class ShardMeasure(Protocol):
    """A way to measure the distances of a shard's occurrences."""

    @property
    def word_of_token(self) -> NDArray[np.int32]:
        """(n_types + 1,) as in `Targets`."""
        ...

    def find_distances(self, shard: Shard) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
        """Positions (n,) of the targets in a shard, and their distances (n, most senses)."""
        ...


@dataclass(frozen=True, slots=True)
class EncoderMeasure:
    """Distances by any kind of context.

    Attributes
    ----------
    corpus : Corpus
        Whose shards are measured.
    lines : SenseLines
        Of the targets, in their order.
    word_of_token : (n_types + 1,) int32
        As in `Targets`.
    """

    corpus: Corpus
    encoder: ContextEncoder
    lines: SenseLines
    word_of_token: NDArray[np.int32]

    def find_distances(self, shard: Shard) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
        """Positions (n,) of the targets in a shard, and their distances (n, most senses)."""
        words = self.word_of_token[np.asarray(shard.tokens)]
        positions = np.flatnonzero(words >= 0)
        occurrences = self.corpus.occurrences_in(shard, positions)
        distances = self.encoder.measure(occurrences, words[positions], self.lines)
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
            shard.folder,
            shard_folder(building.folder, number),
            building.scratch / f"{number:05d}.json",
            measure,
        )
        for number, shard in enumerate(corpus.shards)
    )
    is_target = measure.word_of_token[:-1] >= 0
    total = int(np.asarray(corpus.vocabulary.counts)[is_target].sum())
    with progress_bar("measuring", total, unit="occurrences", show=show_progress) as advance:
        for n_occurrences in map_tasks(measure_shard, tasks, workers):
            advance(n_occurrences)


def measure_shard(source: Path, folder: Path, done: Path, measure: ShardMeasure) -> int:
    """Write a shard's distances, or take them over; returns the number of occurrences.

    Parameters
    ----------
    done : Path
        The file that tells that they are whole.
    """
    if done.exists():
        return int(read_json(done)["n_occurrences"])
    folder.mkdir(parents=True, exist_ok=True)
    positions, distances = measure.find_distances(Shard(source))
    write_distances(folder, positions, distances)
    write_json(done, {"n_occurrences": len(positions)})
    return len(positions)
