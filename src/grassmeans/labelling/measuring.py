"""First pass: the distances of every occurrence to the senses of its word, shard by shard.

The words of a model's inventory that a corpus has are the `Targets`, by their token ids. Distances
stay on disk, so that another threshold needs no second pass. Two files stand beside a labelled
shard's tokens. ``sense_positions.npy`` (n_occurrences,) int32 has the positions of the labelled
tokens in order; ``sense_distances.npy`` (n_occurrences, most senses) float16 their distances, NaN
beyond a word's senses and all along where a context was too poor. Labels are always decoded from
these rounded distances, so decoding again gives the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from grassmeans.arrays import Halves, Indices, Integers
from grassmeans.artifacts.checking import (
    MANIFEST,
    check_range,
    check_rising,
    open_array,
    read_json,
    read_text,
)
from grassmeans.artifacts.schema import (
    check_values,
    either,
    nothing,
    number,
    one_of,
    record,
    text,
    whole,
)
from grassmeans.artifacts.writing import write_array, write_bytes, write_json
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.pooled_forms import PooledForms
from grassmeans.corpus.shard import Shard, shard_folder
from grassmeans.corpus.vocabulary import UNKNOWN
from grassmeans.engines.parallel import map_here, map_tasks
from grassmeans.errors import ArtifactError, InputError
from grassmeans.geometry.distances import SenseLines
from grassmeans.models.model import SenseModel
from grassmeans.outputs.places import Building
from grassmeans.progress import progress_bar
from grassmeans.senses.decoding import DECODINGS
from grassmeans.senses.entries import MOST_SENSES
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.keys import decode_key

POSITIONS = "sense_positions.npy"
DISTANCES = "sense_distances.npy"

_WORDS = "sense_words.txt"
_N_SENSES = "sense_counts.npy"
_LABELLED_RULES = {
    "model": either(text, nothing),
    "model_digest": text,
    "decoding": one_of(*DECODINGS),
    "idk_threshold": either(number(0.0, 1.0), nothing, record({"confidence": number(0.0, 1.0)})),
    "sharpness": number(0.0),
} | dict.fromkeys(("n_words", "n_lexemes", "n_occurrences", "n_idk", "n_without_context"), whole())

_SHARDS_AT_ONCE = 4
"""On a device: it works for one while others are read, prepared and written."""


@dataclass(frozen=True, slots=True)
class Targets:
    """The words that have senses, and where they are in a corpus's vocabulary."""

    words: Sequence[str]  # their positions here are the "word numbers" of all other arrays
    n_senses: Indices  # (n_words,)
    # (n_types + 1,) number of the target that a token id is, -1 for none. The last entry is -1: it
    # belongs to tokens beyond the vocabulary, whose id is -1.
    word_of_token: Integers

    @property
    def max_senses(self) -> int:
        """The largest number of senses of a word."""
        return int(self.n_senses.max(initial=1))

    def save(self, folder: Path) -> None:
        """Write what `read_targets` needs into a labelled corpus."""
        write_bytes(folder / _WORDS, "\n".join(self.words).encode())
        write_array(folder / _N_SENSES, self.n_senses)


def find_targets(corpus: Corpus, model: SenseModel) -> Targets:
    """The words of a model in a corpus; an error where the two do not fit."""
    expected, found = model.tokenizer.to_dict(), corpus.tokenizer.to_dict()
    if expected != found:
        pairs = ", ".join(
            f"{name} is {found.get(name)!r}, the model's {expected.get(name)!r}"
            for name in sorted(set(expected) | set(found))
            if expected.get(name) != found.get(name)
        )
        raise InputError(
            f"the corpus {corpus.path.name} was split into words by another rule than the model's "
            f"({pairs}): ingest the text again with the model's options"
        )
    sense_counts = model.inventory.sense_counts
    words = list(sense_counts)
    ids = corpus.vocabulary.ids_of(words)
    known = ids != UNKNOWN
    word_of_token = np.full(len(corpus.vocabulary) + 1, -1, np.int32)
    word_of_token[ids[known]] = np.flatnonzero(known)
    pooled = model.pool_forms(corpus)
    if isinstance(pooled, PooledForms):
        numbers = {word: i for i, word in enumerate(words)}
        forms = corpus.vocabulary.ids_of(pooled.lemma_of)
        word_of_token[forms] = [numbers[lemma] for lemma in pooled.lemma_of.values()]
    if not (word_of_token >= 0).any():
        examples = ", ".join(map(repr, words[:3])) or "none at all"
        raise InputError(
            f"no word of the model ({examples}) occurs in the corpus {corpus.path.name}: "
            "are they of the same language?"
        )
    return Targets(words, np.fromiter(sense_counts.values(), np.int64), word_of_token)


def read_targets(labelled: Corpus) -> Targets:
    """The words that have senses in a labelled corpus, by its own (lexeme) token ids."""
    require_labels(labelled)
    words = read_text(labelled.path / _WORDS).split("\n")
    n_senses = open_array(labelled.path / _N_SENSES, np.int64, (len(words),), mapped=False)
    check_range(labelled.path / _N_SENSES, n_senses, 0, MOST_SENSES + 1)
    numbers = {word: i for i, word in enumerate(words)}
    word_of_token = np.full(len(labelled.vocabulary) + 1, -1, np.int32)
    for i, key in enumerate(labelled.vocabulary.words):
        word, sense = decode_key(key)
        if sense is not None:
            number = numbers.get(word, -1)
            if number < 0 or sense > n_senses[number]:
                raise ArtifactError(
                    f"{labelled.path} is damaged: {key!r} is a sense of none of its words; "
                    "label the corpus again"
                )
            word_of_token[i] = number
    return Targets(words, n_senses, word_of_token)


def require_labels(corpus: Corpus) -> None:
    """Refuse a corpus that has no labels."""
    if not corpus.is_labelled:
        raise InputError(
            f"{corpus.path} is a corpus without labels: run `grassmeans label` on it first"
        )
    check_values(corpus.path / MANIFEST, corpus.manifest["labelled"], _LABELLED_RULES)


class ShardMeasure(Protocol):
    """A way to measure the distances of a shard's occurrences."""

    @property
    def shards_here(self) -> int:
        """How many shards this process measures at once; 0 where its workers measure them."""

    @property
    def word_of_token(self) -> Integers:
        """(n_types + 1,) as in `Targets`."""

    def find_distances(self, shard: Shard) -> tuple[Integers, Halves]:
        """Positions (n,) of the targets in a shard, and their distances (n, most senses)."""


@dataclass(frozen=True, slots=True)
class EncoderMeasure:
    """Distances by any kind of context."""

    corpus: Corpus  # whose shards are measured
    encoder: ContextEncoder
    lines: SenseLines  # of the targets, in their order
    word_of_token: Integers  # (n_types + 1,) as in `Targets`

    @property
    def shards_here(self) -> int:
        """Some on a GPU; one where the encoder keeps all cores busy by itself."""
        if self.encoder.uses_all_cores:
            return 1
        return 0 if self.encoder.device == "cpu" else _SHARDS_AT_ONCE

    def find_distances(self, shard: Shard) -> tuple[Integers, Halves]:
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
    lines = inventory.lines_of(targets.words)
    return EncoderMeasure(corpus, encoder, lines, targets.word_of_token)


def measure_corpus(
    corpus: Corpus,
    building: Building,
    measure: ShardMeasure,
    workers: int | None,
    show_progress: bool | None,
) -> None:
    """Write the distances of all shards; finished ones of an earlier run are taken over."""
    folder, scratch = building.folder, building.scratch
    tasks = (
        (shard, shard_folder(folder, number), scratch / f"{number:05d}.json", measure)
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
    write_array(folder / POSITIONS, positions)
    write_array(folder / DISTANCES, distances)
    write_json(done, {"n_occurrences": len(positions)})
    return len(positions)


@dataclass(frozen=True, slots=True)
class StoredDistances:
    """Distances of the labelled occurrences of a shard, memory-mapped."""

    positions: Integers  # (n_occurrences,)
    distances: Halves  # (n_occurrences, most senses)

    def __len__(self) -> int:
        return len(self.positions)

    def rows_within(self, start: int, end: int) -> slice:
        """The rows of the positions ``start:end``."""
        return slice(*np.searchsorted(self.positions, (start, end)).tolist())


def open_distances(folder: Path, n_tokens: int, max_senses: int) -> StoredDistances:
    """Open both files; an error where they are damaged or do not fit the shard."""
    positions = open_array(folder / POSITIONS, np.int32, (None,))
    distances = open_array(folder / DISTANCES, np.float16, (len(positions), max_senses))
    check_range(folder / POSITIONS, positions, 0, n_tokens)
    check_rising(folder / POSITIONS, positions)
    return StoredDistances(positions, distances)
