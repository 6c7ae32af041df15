"""MSSG and NP-MSSG (Neelakantan et al. 2014): sense vectors trained together with their contexts.

Skip-gram in which the vector that predicts the window's words is that of a sense. The sense of an
occurrence is the one whose centre, the mean of the contexts given to it so far, has the largest
cosine with the mean of the window's global vectors. MSSG gives the most frequent words a fixed
number of senses; NP-MSSG opens a new sense where the cosine with every centre is small.

What differs from the publication, or is left open there:

- senses are chosen after the first tenth of the training; until then every word has one;
- the next contexts of a word open its senses (MacQueen's online k-means): of centres that begin
  at nothing or at random, the first one to be used is soon the nearest to everything;
- the window is drawn anew at every word, as in skip-gram, for the choice of the sense and for the
  gradient alike; decoding takes the whole window;
- the training is plain gradient descent with a falling rate, as for our word vectors, and the
  words of one side of a window share their negatives.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import digest_of, write_array
from grassmeans.checked import check_offsets, open_array
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.geometry.contexts import rows_of_tokens
from grassmeans.laboratory.kernels import get_kernels
from grassmeans.laboratory.rivals.interface import (
    Material,
    RivalInducer,
    Windows,
    WindowSenses,
    is_kept,
    keep_work,
)
from grassmeans.vectors.similarity import inverse_norms
from grassmeans.vectors.training import (
    Checkpoint,
    ChunkTrainer,
    Stretch,
    TokenShard,
    TrainingSettings,
    check_integers,
    draw_matrix,
)
from grassmeans.vectors.word_vectors import WordVectors

KIND = "multi-sense vectors"
DEFAULT_NEW_SENSE_BELOW = 0.3
"""The publication has -0.5, for vectors of another training (stop words left out, one negative,
AdaGrad). Global vectors trained here share a direction, as those of skip-gram do: contexts of one
word have cosines around 0.7 (one word a side) to 0.9 (five) with their mean. Of those with one word
a side, about one in a hundred is below 0.4 and hardly any below 0.2."""

WARM_UP = 0.1
"""The share of the training before senses are chosen. Global vectors begin at random; senses that
are opened by such contexts group nothing, and one of them soon takes all contexts."""

_ARRAYS = ("global_vectors", "senses", "centres", "sizes", "first_row")

Matrix = NDArray[np.float32]


class MultiSenseVectors(WindowSenses):
    """Senses with a vector and a centre each."""

    def __init__(self, words: Iterable[str], windows: Windows, trained: TrainedSenses) -> None:
        vectors = windows.vectors
        self._rows = {word: row for word in words if (row := vectors.id_of(word)) is not None}
        self.words = tuple(self._rows)
        self.windows = windows
        self.trained = trained

    @cached_property
    def space(self) -> WordVectors:
        """The mean of each word's sense vectors, weighted by how often they were chosen.

        Global vectors are the other side of skip-gram and cannot be compared with sense vectors.
        """
        vectors = self.windows.vectors
        merged = _average_senses(self.trained)
        return WordVectors(vectors.words, merged, vectors.counts, check=False)

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    def n_senses(self, word: str) -> int:
        """How many senses a word has; one where it could not have more."""
        return len(self.trained.sizes[self._span(word)])

    def measure(self, word: str, context_ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """Distances (1 - cosine) / 2 from context means to the centres of the senses.

        All zero for a word that could have one sense only: it keeps no centre. NaN where a context
        has no word.
        """
        centres = self.trained.centres[self._span(word)]
        present = context_ids >= 0
        global_vectors = self.trained.global_vectors
        # One position after another: all vectors of many contexts at once would be large.
        sums = np.zeros((len(context_ids), global_vectors.shape[1]), np.float32)
        for position in range(context_ids.shape[1]):
            rows = np.flatnonzero(present[:, position])
            sums[rows] += global_vectors[context_ids[rows, position]]
        if len(centres) == 1 and not centres.any():
            result = np.zeros((len(context_ids), 1), np.float32)
        else:
            cosines = _normalise(sums) @ _normalise(centres).T
            result = np.clip((1 - cosines) / 2, 0, 1).astype(np.float32)
        result[~present.any(axis=1)] = np.nan
        return result

    def sense_vectors(self, word: str) -> NDArray[np.float32]:
        """(n_senses, dim) the vectors of a word's senses, the most frequent first."""
        return np.array(self.trained.senses[self._span(word)])

    def _span(self, word: str) -> slice:
        self.require(word)
        first_row = self.trained.first_row
        row = self._rows[word]
        return slice(int(first_row[row]), int(first_row[row + 1]))


@dataclass(kw_only=True, eq=False)
class _MultiSenseSkipGram(RivalInducer):
    """What MSSG and NP-MSSG have in common: their training and its folder."""

    n_multi: int = 30_000
    words: Iterable[str] | None = None
    window: int = 5
    dim: int = 300
    negative: int = 5
    epochs: int = 5
    learning_rate: float = 0.025
    sample: float = 1e-3

    _max_senses_name: ClassVar[str]

    def __post_init__(self) -> None:
        self.words = None if self.words is None else tuple(self.words)

    @abstractmethod
    def _grow(self, capacities: NDArray[np.int64]) -> SenseGrowth:
        """Say how the words with these capacities open their senses."""

    def induce(self, material: Material) -> MultiSenseVectors:
        """Train on the corpus, or open what was trained on it before.

        The training does not depend on ``material.words``: other words may be asked for later of
        the same folder. It is exactly repeatable with one worker.

        `InputError` where a parameter is out of range, or the folder holds another training.
        """
        settings = TrainingSettings.of(self, random_state=material.random_state)
        check_integers(self, n_multi=0, **{self._max_senses_name: 1})
        if material.folder is None:
            trained = self._train(material, settings)
        else:
            trained = self._open_or_train(material, settings, material.folder)
        windows = Windows.of(material, self.window, drop_function_words=False)
        return MultiSenseVectors(material.words, windows, trained)

    def _open_or_train(
        self, material: Material, settings: TrainingSettings, folder: Path
    ) -> TrainedSenses:
        identity = self.parameters() | {
            "method": self.name,
            "words": digest_of(self.words),
            "warm_up": WARM_UP,
            "random_state": material.random_state,
            "vocabulary": digest_of(material.vectors.words),
            "corpus": material.corpus.manifest["digest"],
        }
        if not is_kept(folder, KIND, identity):
            with keep_work(folder, KIND, identity) as building:
                checkpoint = Checkpoint(building.scratch, digest_of(identity))
                trained = self._train(material, settings, checkpoint)
                for name in _ARRAYS:
                    write_array(building.folder / f"{name}.npy", getattr(trained, name))
        return _open_senses(folder, len(material.vectors))

    def _train(
        self, material: Material, settings: TrainingSettings, checkpoint: Checkpoint | None = None
    ) -> TrainedSenses:
        corpus = map_corpus(material.corpus, material.vectors)
        growth = self._grow(self._find_capacities(corpus, material.vectors))
        return train_senses(corpus, growth, settings, material.workers, checkpoint)

    def _find_capacities(self, corpus: MappedCorpus, vectors: WordVectors) -> NDArray[np.int64]:
        """(n_words,) the most senses of each word: those of the list, or the most frequent."""
        most = getattr(self, self._max_senses_name)
        capacities = np.ones(len(vectors), np.int64)
        if self.words is not None:
            rows = vectors.ids_of(self.words)
            capacities[rows[rows >= 0]] = most
        else:
            order = np.argsort(-corpus.counts, kind="stable")
            capacities[order[: self.n_multi]] = most
        return capacities


@dataclass(kw_only=True, eq=False)
class MSSG(_MultiSenseSkipGram):
    """Multi-sense skip-gram with a fixed number of senses.

    Parameters
    ----------
    n_senses : int, default 3
        Senses of a multi-sense word. A word that is seen less often has fewer.
    n_multi : int, default 30000
        The so many most frequent words are multi-sense, all others have one sense.
    words : iterable of str, optional
        These words are multi-sense instead of the most frequent ones.
    window : int, default 5
        Words a side, after subsampling.
    negative : int, default 5
        Negatives for each word of the window; the words of a side share them.
    learning_rate : float, default 0.025
        Falls linearly to (almost) nothing.
    sample : float, default 1e-3
        Subsampling of frequent words; 0 turns it off.
    """

    name: ClassVar[str] = "mssg"
    _max_senses_name = "n_senses"

    n_senses: int = 3

    def _grow(self, capacities: NDArray[np.int64]) -> SenseGrowth:
        return SenseGrowth(capacities, math.inf, WARM_UP)


@dataclass(kw_only=True, eq=False)
class NPMSSG(_MultiSenseSkipGram):
    """Multi-sense skip-gram in which each word finds its number of senses.

    Parameters
    ----------
    max_senses : int, default 10
        No word gets more.
    new_sense_below : float
        A context opens a new sense where its cosine with every centre of the word is smaller than
        this (lambda).
    n_multi, words, window, dim, negative, epochs, learning_rate, sample
        As for `MSSG`.
    """

    name: ClassVar[str] = "np-mssg"
    _max_senses_name = "max_senses"

    max_senses: int = 10
    new_sense_below: float = DEFAULT_NEW_SENSE_BELOW

    def induce(self, material: Material) -> MultiSenseVectors:
        """Train on the corpus, or open what was trained on it before; as `MSSG`."""
        if math.isnan(self.new_sense_below):
            raise InputError("new_sense_below must be a number, got NaN")
        return super().induce(material)

    def _grow(self, capacities: NDArray[np.int64]) -> SenseGrowth:
        return SenseGrowth(capacities, self.new_sense_below, WARM_UP)


def _normalise(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length 1; zero rows stay zero."""
    return matrix * inverse_norms(matrix)[:, None]


def _average_senses(trained: TrainedSenses) -> NDArray[np.float32]:
    """(n_words, dim) the mean of each word's sense vectors, weighted by their sizes."""
    weights = np.maximum(trained.sizes, 1).astype(np.float32)
    starts = trained.first_row[:-1]
    sums = np.add.reduceat(trained.senses * weights[:, None], starts, axis=0)
    return np.asarray(sums / np.add.reduceat(weights, starts)[:, None], np.float32)


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


def _open_senses(folder: Path, n_words: int) -> TrainedSenses:
    """Senses of so many words, whose arrays fit each other."""
    words = open_array(folder / "global_vectors.npy", np.float32, (n_words, None))
    dim = words.shape[1]
    centres = open_array(folder / "centres.npy", np.float32, (None, dim))
    rows = open_array(folder / "first_row.npy", np.int64, (n_words + 1,))
    check_offsets(folder / "first_row.npy", rows, len(centres))
    return TrainedSenses(
        global_vectors=words,
        senses=open_array(folder / "senses.npy", np.float32, centres.shape),
        centres=centres,
        sizes=open_array(folder / "sizes.npy", np.int64, (len(centres),)),
        first_row=rows,
    )


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
    """

    capacities: NDArray[np.int64]
    new_sense_below: float
    warm_up: float = 0.0


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
        arrays: dict[str, NDArray[Any]] = {
            "global_vectors": self._global_vectors,
            "senses": self._senses,
            "centres": self._centres,
            "sizes": self._sizes,
            "n_open": self._n_open,
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
            self._growth.new_sense_below,
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
