"""First pass: the distances of every occurrence to the senses of its word, shard by shard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import read_json, write_json
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.ingest import shard_folder
from grassmeans.corpus.shard import Shard
from grassmeans.errors import InputError
from grassmeans.kernels import OCCURRENCE_BLOCK, get_kernels
from grassmeans.labelling.stored import write_distances
from grassmeans.labelling.targets import Targets
from grassmeans.outputs import Building
from grassmeans.parallel import map_tasks
from grassmeans.progress import progress_bar
from grassmeans.senses.model import SenseModel
from grassmeans.senses.settings import fewest_words
from grassmeans.subspaces import principal_subspaces

_OCCURRENCES_AT_ONCE = 64 * OCCURRENCE_BLOCK
_CONTEXTS_AT_ONCE = 4096


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
class Measure:
    """Distances from contexts whose words have one vector per token id.

    Attributes
    ----------
    vectors : (n_words, dim) float32
    directions : (n_directions, dim) float32
        The senses of one target after the other.
    sense_offsets : (n_targets + 1,) int64
    row_of_token : (n_types,) int32
        Row of each token id in the vectors; -1 for words that contexts leave out.
    word_of_token : (n_types + 1,) int32
        As in `Targets`.
    """

    vectors: NDArray[np.float32]
    directions: NDArray[np.float32]
    sense_offsets: NDArray[np.int64]
    row_of_token: NDArray[np.int32]
    word_of_token: NDArray[np.int32]
    window: int
    rank: int
    weighting: str
    drop_repeats: bool

    @property
    def max_senses(self) -> int:
        """The largest number of senses of a word."""
        return int(np.diff(self.sense_offsets).max())

    def find_distances(self, shard: Shard) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
        """Positions (n,) of the targets in a shard, and their distances (n, most senses)."""
        find = _measure_word_by_word if self.drop_repeats else _measure_text
        return find(shard, self)


def make_measure(corpus: Corpus, model: SenseModel, targets: Targets) -> Measure:
    """Collect the arrays; contexts leave out the model's function words, as in tagging."""
    rows = model.vectors.ids_of(corpus.vocabulary.words)
    function_ids = corpus.vocabulary.ids_of(sorted(model.rules.function_words))
    rows[function_ids[function_ids >= 0]] = -1
    directions = np.concatenate([model.inventory.directions(word) for word in targets.words])
    return Measure(
        vectors=model.vectors.vectors,
        directions=np.ascontiguousarray(directions, np.float32),
        sense_offsets=np.concatenate([[0], np.cumsum(targets.n_senses)]).astype(np.int64),
        row_of_token=rows,
        word_of_token=targets.word_of_token,
        window=model.rules.window,
        rank=model.rules.rank,
        weighting=model.rules.weighting,
        drop_repeats=model.rules.drop_repeats,
    )


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


def _measure_text(shard: Shard, measure: Measure) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
    """All occurrences in text order; neighbours share their products."""
    kernels = get_kernels()
    table = kernels.prepare_senses(
        measure.vectors,
        measure.directions,
        measure.sense_offsets,
        measure.rank,
        singular=measure.weighting == "singular",
        window=measure.window,
        fewest=fewest_words(measure.rank, measure.weighting),
    )
    found = kernels.find_occurrences(
        np.asarray(shard.tokens),
        np.asarray(shard.document_offsets),
        measure.row_of_token,
        measure.word_of_token,
        measure.window,
    )
    distances = np.empty((len(found.positions), measure.max_senses), np.float16)
    for start in range(0, len(distances), _OCCURRENCES_AT_ONCE):
        part = slice(start, start + _OCCURRENCES_AT_ONCE)
        measured = kernels.measure_distances(found, part, table, measure.window)
        poor = found.context_sizes(part) < table.fewest
        if np.any(np.isnan(measured[:, 0]) & ~poor):
            raise InputError(
                "some vectors of the model hold NaN or infinity: train them again, or leave those "
                "words out"
            )
        distances[part] = measured
    return found.positions, distances


def _measure_word_by_word(
    shard: Shard, measure: Measure
) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
    """Where a target's repeats are left out, contexts of different words do not overlap neatly."""
    tokens = np.asarray(shard.tokens)
    words = measure.word_of_token[tokens]
    positions = np.flatnonzero(words >= 0)
    distances = np.full((len(positions), measure.max_senses), np.nan, np.float16)
    # A word of a labelled corpus has several token ids; its repeats are left out under any of them.
    own = replace(measure, row_of_token=measure.row_of_token.copy())
    by_word = np.argsort(measure.word_of_token[:-1], kind="stable")
    ordered = measure.word_of_token[by_word]
    for rows in _occurrences_by_word(words[positions]):
        word = int(words[positions[rows[0]]])
        ids = by_word[slice(*np.searchsorted(ordered, (word, word + 1)))]
        own.row_of_token[ids] = -1
        contexts = gather_word(shard, positions[rows], own)
        own.row_of_token[ids] = measure.row_of_token[ids]
        first, end = (int(i) for i in measure.sense_offsets[word : word + 2])
        found = measure_contexts(contexts, measure.directions[first:end], measure)
        distances[rows, : end - first] = found
    return positions.astype(np.int32), distances


def _occurrences_by_word(words: NDArray[np.int32]) -> Iterator[NDArray[np.int64]]:
    """Rows of the same word, at most `_CONTEXTS_AT_ONCE` together."""
    order = np.argsort(words, kind="stable")
    bounds = np.flatnonzero(np.diff(words[order])) + 1
    for rows in np.split(order, bounds) if len(order) else ():
        for start in range(0, len(rows), _CONTEXTS_AT_ONCE):
            yield rows[start : start + _CONTEXTS_AT_ONCE]


def gather_word(shard: Shard, positions: NDArray[np.int64], measure: Measure) -> NDArray[np.int32]:
    """(n, 2 * window) context words of one word's occurrences."""
    return get_kernels().gather_contexts(
        np.asarray(shard.tokens),
        np.asarray(shard.document_offsets),
        measure.row_of_token,
        positions,
        measure.window,
        drop_repeats=measure.drop_repeats,
    )


def measure_contexts(
    contexts: NDArray[np.int32], directions: NDArray[np.float32], measure: Measure
) -> NDArray[np.float32]:
    """(n, n_senses) distances by way of the contexts' bases; NaN where there are too few words."""
    bases = principal_subspaces(
        contexts, measure.vectors, measure.rank, weighting=measure.weighting
    )
    kept = np.square(bases @ directions.T).sum(axis=1)
    distances: NDArray[np.float32] = np.sqrt(np.clip(1.0 - kept, 0.0, 1.0))
    fewest = fewest_words(measure.rank, measure.weighting)
    distances[np.count_nonzero(contexts >= 0, axis=1) < fewest] = np.nan
    return distances
