"""Reisinger and Mooney 2010: contexts as bags of weighted words, a prototype a cluster.

A context is a sparse vector with a dimension a word: how often the word stands in the window, times
its inverse document frequency. The contexts of a word are grouped by spherical k-means, which is a
mixture of von Mises-Fisher distributions with equal concentrations and hard assignments. The
prototypes of a word are the centres of its groups, with the heaviest of their words only.

What differs from the publication, or is left open there:

- the words that contexts are made of are the most frequent ones that are no function words; the
  publication takes all, pruned by weight. Vectors of 146,000 dimensions could not be kept for the
  words that senses are compared with, see ``n_features``;
- the number of clusters is the same for all words; the publication also tries several numbers at
  once and clusters that all words share;
- windows hold five kept words a side, as for Huang et al., who compare themselves with this method.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.senses.samples import word_seeds
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.kernels import PASSED_OVER, get_kernels
from grassmeans_lab.rivals.cosine_senses import find_centres
from grassmeans_lab.rivals.huang import inverse_document_frequencies
from grassmeans_lab.rivals.interface import (
    ContextInducer,
    Material,
    Windows,
    WindowSenses,
    check_at_least_one,
    map_words,
)

_COMPARED_WORDS = 20_000
"""Of so many frequent words vectors are made that prototypes can be compared with."""


@dataclass(frozen=True, slots=True)
class Features:
    """The words that sparse vectors have a dimension for.

    Attributes
    ----------
    rows : (n_features,) int32
        Their rows in the word vectors.
    columns : (n_words,) int32
        Column of each row of the word vectors, -1 for words that are no feature.
    weights : (n_features,) float32
        Inverse document frequencies.
    """

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    weights: NDArray[np.float32]

    @classmethod
    def choose(cls, material: Material, n_features: int) -> Features:
        """The most frequent words of the corpus with a vector that are no function words."""
        corpus, vectors = material.corpus, material.vectors
        vocabulary = corpus.vocabulary
        order = np.argsort(-np.asarray(vocabulary.counts), kind="stable").tolist()
        words = (vocabulary.words[i] for i in order)
        usable = (word for word in words if word in vectors and word not in corpus.function_words)
        rows = vectors.ids_of(word for word, _ in zip(usable, range(n_features), strict=False))
        columns = np.full(len(vectors), -1, np.int32)
        columns[rows] = np.arange(len(rows))
        return cls(rows, columns, inverse_document_frequencies(corpus, vectors)[rows])

    def weigh(self, context_ids: NDArray[np.int32]) -> csr_array:
        """(n_contexts, n_features) unit rows of tf-idf; zeros where a context has no feature.

        Parameters
        ----------
        context_ids : (n_contexts, width) int32
            Rows of the word vectors, -1 for padding.
        """
        columns = np.where(context_ids >= 0, self.columns[context_ids], -1)
        places = np.nonzero(columns >= 0)
        found = columns[places]
        shape = (len(context_ids), len(self.rows))
        return scale_rows(csr_array((self.weights[found], (places[0], found)), shape))


def scale_rows(rows: csr_array) -> csr_array:
    """The same sparse rows at length 1; rows of zeros stay zero."""
    rows.sum_duplicates()
    lengths = np.sqrt(rows.multiply(rows).sum(axis=1))
    scales = 1.0 / np.where(lengths > 0.0, lengths, 1.0)
    data = rows.data * np.repeat(scales, np.diff(rows.indptr))
    return csr_array((data.astype(np.float32), rows.indices, rows.indptr), rows.shape)


def prune_rows(rows: NDArray[np.float32], n_kept: int) -> csr_array:
    """Keep the largest values of each row, (n, n_features), and scale it to length 1."""
    if n_kept < rows.shape[1]:
        limits = np.partition(rows, -n_kept, axis=1)[:, -n_kept, None]
        rows = np.where(rows >= limits, rows, np.float32(0.0))
    return scale_rows(csr_array(rows))


class PrototypeVectors(WindowSenses):
    """Prototypes of words; the distance of a context is 1 - cosine.

    Parameters
    ----------
    prototypes : mapping
        Word -> (n_senses, n_features) sparse unit rows, those of larger clusters first.
    corpus : Corpus
        Where vectors of whole words are counted, once they are asked for.
    n_kept : int
        Features of such a vector.
    """

    def __init__(
        self,
        prototypes: Mapping[str, csr_array],
        windows: Windows,
        features: Features,
        corpus: Corpus,
        n_kept: int,
    ) -> None:
        self.words = tuple(prototypes)
        self.windows = windows
        self._prototypes = prototypes
        self._features = features
        self._corpus = corpus
        self._n_kept = n_kept

    def __contains__(self, word: object) -> bool:
        return word in self._prototypes

    def n_senses(self, word: str) -> int:
        """The number of prototypes."""
        self.require(word)
        return int(self._prototypes[word].shape[0])

    def measure(self, word: str, context_ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """(n, n_senses), NaN where a context has no feature that weighs anything."""
        self.require(word)
        contexts = self._features.weigh(context_ids)
        cosines = (contexts @ self._prototypes[word].T).toarray()
        found: NDArray[np.float32] = np.clip(1.0 - cosines, 0.0, 1.0).astype(np.float32)
        found[contexts.multiply(contexts).sum(axis=1) == 0.0] = np.nan
        return found

    def sense_vectors(self, word: str) -> NDArray[np.float32]:
        """(n_senses, n_features) the prototypes."""
        self.require(word)
        dense: NDArray[np.float32] = self._prototypes[word].toarray()
        return dense

    @cached_property
    def space(self) -> WordVectors:
        """Vectors of whole words, made as prototypes are: those with senses, and frequent ones."""
        corpus, vectors = self._corpus, self.windows.vectors
        words = list(dict.fromkeys([*self.words, *vectors.words[:_COMPARED_WORDS]]))
        rows = np.full(len(vectors), -1, np.int32)
        rows[vectors.ids_of(words)] = np.arange(len(words))
        counts = np.zeros((len(words), len(self._features.rows)), np.float32)
        of_token = vectors.ids_of(corpus.vocabulary.words)
        known = of_token >= 0
        left_out = np.array([word in self.windows.left_out for word in corpus.vocabulary.words])
        columns = np.where(known, self._features.columns[of_token], PASSED_OVER)
        columns[left_out] = PASSED_OVER
        for shard in corpus.shards:
            get_kernels().count_neighbours(
                np.asarray(shard.tokens),
                np.asarray(shard.document_offsets),
                np.where(known & ~left_out, rows[of_token], -1).astype(np.int32),
                columns.astype(np.int32),
                self.windows.shape.window,
                counts,
            )
        counts *= self._features.weights
        return WordVectors(words, prune_rows(counts, self._n_kept).toarray(), check=False)


@dataclass(eq=False)
class PrototypeSenses(ContextInducer):
    """Clusters of tf-idf contexts, and their centres as prototypes.

    Parameters
    ----------
    n_senses : int
        Clusters a word; words with fewer contexts have no senses.
    window : int
        Kept words a side.
    n_features : int
        Contexts are made of so many words.
    n_kept : int
        A prototype keeps so many features, the heaviest.
    n_init : int
        Restarts of spherical k-means.
    """

    name: ClassVar[str] = "reisinger-mooney"

    n_senses: int = 10
    window: int = 5
    _: KW_ONLY
    n_features: int = 5_000
    n_kept: int = 200
    n_init: int = 5
    # Those chosen last, and for which corpus and vectors: a test set asks word by word.
    _chosen: tuple[tuple[str, int], Features] | None = field(default=None, init=False, repr=False)

    def induce(self, material: Material) -> PrototypeVectors:
        """Cluster the contexts of each word."""
        self._check_parameters()
        windows = Windows.of(material, self.window)
        features = self._choose_features(material)
        prototypes = map_words(_PrototypeFinder(self, features), material, windows)
        return self._collect(prototypes, windows, features, material)

    def induce_from(
        self, word: str, occurrences: Occurrences, material: Material
    ) -> PrototypeVectors | None:
        """Cluster these contexts; None where fewer than ``n_senses`` of them have features."""
        self._check_parameters()
        windows = Windows.of(material, self.window)
        features = self._choose_features(material)
        rng = np.random.default_rng(word_seeds(word, material.random_state))
        found = _PrototypeFinder(self, features)(word, windows.read(occurrences), rng)
        if found is None:
            return None
        return self._collect({word: found}, windows, features, material)

    def _choose_features(self, material: Material) -> Features:
        key = (material.corpus.manifest["digest"], id(material.vectors))
        if self._chosen is None or self._chosen[0] != key:
            self._chosen = (key, Features.choose(material, self.n_features))
        return self._chosen[1]

    def _collect(
        self,
        prototypes: Mapping[str, csr_array],
        windows: Windows,
        features: Features,
        material: Material,
    ) -> PrototypeVectors:
        return PrototypeVectors(prototypes, windows, features, material.corpus, self.n_kept)

    def _check_parameters(self) -> None:
        check_at_least_one(
            n_senses=self.n_senses,
            window=self.window,
            n_features=self.n_features,
            n_kept=self.n_kept,
            n_init=self.n_init,
        )


@dataclass(frozen=True)
class _PrototypeFinder:
    """Finds the prototypes of one word after another; can be sent to a worker."""

    method: PrototypeSenses
    features: Features

    def __call__(
        self, word: str, context_ids: NDArray[np.int32], rng: np.random.Generator
    ) -> csr_array | None:
        """(n_senses, n_features), those of larger clusters first; None: too few contexts."""
        contexts = self.features.weigh(context_ids)
        contexts = contexts[np.flatnonzero(np.diff(contexts.indptr))]
        if contexts.shape[0] < self.method.n_senses:
            return None
        # Most features never stand near this word: centres need no place for them.
        used, places = np.unique(contexts.indices, return_inverse=True)
        narrow = csr_array((contexts.data, places, contexts.indptr), (contexts.shape[0], len(used)))
        centres = find_centres(narrow, self.method.n_senses, n_init=self.method.n_init, rng=rng)
        pruned = prune_rows(centres, self.method.n_kept)
        shape = (len(centres), len(self.features.rows))
        return csr_array((pruned.data, used[pruned.indices], pruned.indptr), shape)
