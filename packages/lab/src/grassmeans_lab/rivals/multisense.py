"""Senses with a vector and a centre each, as multi-sense skip-gram trains them.

The vector that predicts the words of a window is that of a sense. The sense of an occurrence is
chosen by the mean of the window's global vectors and the senses' centres, the means of the contexts
given to them so far; how, and when a word gets a new sense, is what the methods differ in.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.schema import check_fields, whole
from grassmeans.artifacts.writing import digest_of
from grassmeans.vectors.similarity import inverse_norms
from grassmeans.vectors.training import Checkpoint, TrainingSettings
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.rivals.interface import (
    Material,
    RivalInducer,
    Windows,
    WindowSenses,
    is_kept,
    keep_work,
)
from grassmeans_lab.rivals.multisense_training import (
    MappedCorpus,
    SenseGrowth,
    TrainedSenses,
    map_corpus,
    train_senses,
)

KIND = "multi-sense vectors"

WARM_UP = 0.1
"""The share of the training before senses are chosen. Global vectors begin at random; senses that
are opened by such contexts group nothing, and one of them soon takes all contexts."""


class MultiSenseVectors(WindowSenses):
    """Senses with a vector and a centre each.

    Parameters
    ----------
    size_weight : float
        How much farther a sense is for each unit by which the logarithm of its size is below that
        of the word's largest sense.
    """

    def __init__(
        self,
        words: Iterable[str],
        windows: Windows,
        trained: TrainedSenses,
        size_weight: float = 0.0,
    ) -> None:
        vectors = windows.vectors
        self._rows = {word: row for word in words if (row := vectors.id_of(word)) is not None}
        self.words = tuple(self._rows)
        self.windows = windows
        self.trained = trained
        self._size_weight = size_weight

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

        Those of small senses are longer where sizes weigh. All zero for a word that could have one
        sense only: it keeps no centre. NaN where a context has no word.
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
            sizes = np.log(np.maximum(self.trained.sizes[self._span(word)], 1))
            apart = (1 - cosines) / 2 + self._size_weight * (sizes.max() - sizes)
            result = np.clip(apart, 0, 1).astype(np.float32)
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
class MultiSenseSkipGram(RivalInducer):
    """What these methods have in common: their training and its folder."""

    n_multi: int = 30_000
    words: Iterable[str] | None = None
    window: int = 5
    dim: int = 300
    negative: int = 5
    epochs: int = 5
    learning_rate: float = 0.025
    sample: float = 1e-3

    _max_senses_name: ClassVar[str]
    # Parameters that change nothing in the training.
    _settings_of_answers: ClassVar[frozenset[str]] = frozenset()

    @property
    def _size_weight(self) -> float:
        """Of `MultiSenseVectors`."""
        return 0.0

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
        check_fields(self, n_multi=whole(), **{self._max_senses_name: whole(1)})
        if material.folder is None:
            trained = self._train(material, settings)
        else:
            trained = self._open_or_train(material, settings, material.folder)
        windows = Windows.of(material, self.window, drop_function_words=False)
        chosen = self._choose_senses(trained)
        return MultiSenseVectors(material.words, windows, chosen, self._size_weight)

    def _choose_senses(self, trained: TrainedSenses) -> TrainedSenses:
        """Say which of the senses answer: all of them."""
        return trained

    def _open_or_train(
        self, material: Material, settings: TrainingSettings, folder: Path
    ) -> TrainedSenses:
        parameters = self.parameters()
        trained_by = {
            name: parameters[name] for name in parameters.keys() - self._settings_of_answers
        }
        identity = trained_by | {
            "method": self.name,
            "words": digest_of(self.words),
            "warm_up": WARM_UP,
            "random_state": material.random_state,
            "vocabulary": digest_of(material.vectors.words),
            "corpus": material.corpus.manifest["digest"],
        }
        if not is_kept(folder, KIND, identity):
            report: dict[str, Any] = {}
            with keep_work(folder, KIND, identity, report) as building:
                checkpoint = Checkpoint(building.scratch, digest_of(identity))
                trained = self._train(material, settings, checkpoint)
                trained.save(building.folder)
                report["words_by_senses"] = _count_words_by_senses(trained)
        return TrainedSenses.load(folder, len(material.vectors))

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


def _count_words_by_senses(trained: TrainedSenses) -> dict[str, int]:
    """How many words have one sense, two, and so on."""
    counts = np.bincount(trained.n_senses)
    return {str(number): int(counts[number]) for number in np.flatnonzero(counts)}


def _normalise(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length 1; zero rows stay zero."""
    return matrix * inverse_norms(matrix)[:, None]


def _average_senses(trained: TrainedSenses) -> NDArray[np.float32]:
    """(n_words, dim) the mean of each word's sense vectors, weighted by their sizes."""
    weights = np.maximum(trained.sizes, 1).astype(np.float32)
    starts = trained.first_row[:-1]
    sums = np.add.reduceat(trained.senses * weights[:, None], starts, axis=0)
    return np.asarray(sums / np.add.reduceat(weights, starts)[:, None], np.float32)
