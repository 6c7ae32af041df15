"""Multi-sense skip-gram: sense vectors, global vectors and context centres, trained together.

What the kernel `train_multisense` does with a stretch of text is done here with a corpus; when a
word opens a new sense is a rule that each method has of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.checking import check_offsets, open_array
from grassmeans.artifacts.writing import write_array
from grassmeans.corpus.corpus import Corpus
from grassmeans.geometry.windows import rows_of_tokens
from grassmeans.kernels.arguments import Stretch
from grassmeans.vectors.training import (
    Checkpoint,
    ChunkTrainer,
    TokenShard,
    TrainingSettings,
    draw_matrix,
)
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.kernels import SenseRule, get_kernels

Matrix = NDArray[np.float32]

_ARRAYS = ("global_vectors", "senses", "centres", "sizes", "first_row")


@dataclass(frozen=True, slots=True)
class TrainedSenses:
    """What multi-sense skip-gram learns, the senses of a word in order of falling size.

    Attributes
    ----------
    global_vectors : (n_words, dim) float32
        One vector a word, for its part in contexts.
    senses : (n_rows, dim) float32
        A vector a sense.
    centres : (n_rows, dim) float32
        The mean of the contexts that were given to a sense; zero where a word could have one sense
        only, which needs none.
    sizes : (n_rows,) int64
        How many contexts that were, all epochs together.
    first_row : (n_words + 1,) int64
        The senses of word i lie in the rows ``first_row[i]:first_row[i + 1]``, one at least.
    """

    global_vectors: Matrix
    senses: Matrix
    centres: Matrix
    sizes: NDArray[np.int64]
    first_row: NDArray[np.int64]

    @classmethod
    def load(cls, folder: Path, n_words: int) -> TrainedSenses:
        """Open the senses of so many words; their arrays have to fit each other."""
        words = open_array(folder / "global_vectors.npy", np.float32, (n_words, None))
        dim = words.shape[1]
        centres = open_array(folder / "centres.npy", np.float32, (None, dim))
        rows = open_array(folder / "first_row.npy", np.int64, (n_words + 1,))
        check_offsets(folder / "first_row.npy", rows, len(centres))
        return cls(
            global_vectors=words,
            senses=open_array(folder / "senses.npy", np.float32, centres.shape),
            centres=centres,
            sizes=open_array(folder / "sizes.npy", np.int64, (len(centres),)),
            first_row=rows,
        )

    def save(self, folder: Path) -> None:
        """Write the arrays into a folder."""
        for name in _ARRAYS:
            write_array(folder / f"{name}.npy", getattr(self, name))

    def leave_out_small(self, min_share: float) -> TrainedSenses:
        """The same without senses that hold a smaller share of a word's contexts.

        A word keeps its largest sense.
        """
        starts = self.first_row[:-1]
        n_senses = np.diff(self.first_row)
        totals = np.repeat(np.add.reduceat(self.sizes, starts), n_senses)
        kept = np.asarray(self.sizes >= min_share * totals)
        kept[starts] = True  # the largest comes first
        first_row = np.concatenate([[0], np.cumsum(np.add.reduceat(kept.astype(np.int64), starts))])
        return TrainedSenses(
            self.global_vectors, self.senses[kept], self.centres[kept], self.sizes[kept], first_row
        )

    @property
    def n_senses(self) -> NDArray[np.int64]:
        """(n_words,) how many senses each word has."""
        return np.diff(self.first_row)


@dataclass(frozen=True, slots=True)
class SenseGrowth:
    """How many senses words may have, and when they get a new one.

    Parameters
    ----------
    capacities : (n_words,) int64
        The most senses each word may have.
    new_sense_below : float
        A new sense is opened where the context's cosine with every centre is smaller. Infinity
        gives each of a word's first contexts a sense of its own, until it has them all.
    warm_up : float
        The share of the training in which every word has one sense: global vectors say nothing
        yet.
    concentration, sharpness : float
        Of a Chinese restaurant process, which opens senses in place of ``new_sense_below`` where
        the concentration is above 0.
    """

    capacities: NDArray[np.int64]
    new_sense_below: float = math.inf
    warm_up: float = 0.0
    concentration: float = 0.0
    sharpness: float = 0.0

    @property
    def rule(self) -> SenseRule:
        """As the kernel takes it."""
        return SenseRule(
            np.float32(self.new_sense_below),
            np.float32(self.concentration),
            np.float32(self.sharpness),
        )


@dataclass(frozen=True, slots=True)
class _MappedShard:
    """A shard with token ids replaced by rows of the vectors."""

    shard: TokenShard
    row_of_token: NDArray[np.int32]

    @property
    def document_offsets(self) -> NDArray[np.int64]:
        return self.shard.document_offsets

    def read_tokens(self, start: int, end: int, epoch: int) -> NDArray[np.int32]:
        return self.row_of_token[self.shard.read_tokens(start, end, epoch)]


@dataclass(frozen=True, slots=True)
class MappedCorpus:
    """A corpus whose token ids are rows of some vectors.

    Attributes
    ----------
    counts : (n_words,) int64
        How often each row's word occurs.
    """

    shards: Sequence[TokenShard]
    counts: NDArray[np.int64]


def map_corpus(corpus: Corpus, vectors: WordVectors) -> MappedCorpus:
    """Read a corpus with the rows of vectors as token ids, -1 for words without a vector."""
    vocabulary = corpus.vocabulary
    rows = rows_of_tokens(corpus, vectors, drop_function_words=False)
    known = rows >= 0
    counts = np.zeros(len(vectors), np.int64)
    counts[rows[known]] = np.asarray(vocabulary.counts)[known]
    # The last entry is for the token id -1, words beyond the vocabulary.
    row_of_token = np.append(rows, -1).astype(np.int32)
    return MappedCorpus([_MappedShard(shard, row_of_token) for shard in corpus.shards], counts)


class MultiSenseTrainer(ChunkTrainer):
    """Trains sense vectors, global vectors and context centres together."""

    def __init__(
        self,
        corpus: MappedCorpus,
        growth: SenseGrowth,
        settings: TrainingSettings,
        workers: int | None,
    ) -> None:
        rng = np.random.default_rng(settings.random_state)
        self._growth = growth
        self._first_row = np.concatenate([[0], np.cumsum(growth.capacities)]).astype(np.int64)
        n_words, n_rows = len(growth.capacities), int(self._first_row[-1])
        # Both random, not zero: a context of zero vectors has no direction to choose a sense by.
        self._global_vectors = draw_matrix(n_words, settings.dim, rng)
        self._senses = draw_matrix(n_rows, settings.dim, rng)
        self._centres = np.zeros_like(self._senses)
        self._sizes = np.zeros(n_rows, np.int64)
        self._n_open = np.zeros(n_words, np.int32)
        self._usual_context = np.zeros(settings.dim, np.float32)
        arrays: dict[str, NDArray[Any]] = {
            "global_vectors": self._global_vectors,
            "senses": self._senses,
            "centres": self._centres,
            "sizes": self._sizes,
            "n_open": self._n_open,
            "usual_context": self._usual_context,
        }
        super().__init__(corpus.shards, corpus.counts, settings, workers, arrays)

    def _train_stretch(self, stretch: Stretch) -> None:
        get_kernels().train_multisense(
            stretch.tokens,
            stretch.document_offsets,
            self._global_vectors,
            self._senses,
            self._centres,
            self._sizes,
            self._first_row,
            self._n_open,
            self._usual_context,
            self._growth.rule,
            stretch.share_before >= self._growth.warm_up,
            self._sampling,
            stretch.first_rate,
            stretch.last_rate,
            stretch.seed,
        )

    def collect(self) -> TrainedSenses:
        """The senses in use, the largest of a word first; words never seen keep one."""
        n_senses = np.maximum(self._n_open, 1)
        first_row = np.concatenate([[0], np.cumsum(n_senses)]).astype(np.int64)
        word_of_row = np.repeat(np.arange(len(n_senses)), n_senses)
        rank = np.arange(first_row[-1]) - first_row[word_of_row]
        rows = self._first_row[word_of_row] + rank
        # Sorting is stable: of senses of the same size, the one opened first comes first.
        rows = rows[np.lexsort((-self._sizes[rows], word_of_row))]
        sizes = self._sizes[rows]
        centres = self._centres[rows] / np.maximum(sizes, 1)[:, None].astype(np.float32)
        return TrainedSenses(self._global_vectors, self._senses[rows], centres, sizes, first_row)


def train_senses(
    corpus: MappedCorpus,
    growth: SenseGrowth,
    settings: TrainingSettings,
    workers: int | None,
    checkpoint: Checkpoint | None = None,
) -> TrainedSenses:
    """Train multi-sense skip-gram, showing progress.

    One worker is exactly repeatable; several change the same matrices without locks and are not.
    """
    trainer = MultiSenseTrainer(corpus, growth, settings, workers)
    trainer.run("training senses", checkpoint=checkpoint)
    return trainer.collect()
