"""k-means on the means of context vectors: what subspaces must be compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.errors import InputError
from grassmeans.geometry.windows import DEFAULT_WINDOW
from grassmeans.senses.samples import word_seeds
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.rivals.interface import (
    ContextInducer,
    Material,
    Windows,
    WindowSenses,
    check_at_least_one,
    map_words,
)

_ROWS_AT_ONCE = 1_024  # a block of contexts with all their vectors stays in tens of megabytes


def mean_contexts(
    context_ids: NDArray[np.int32],
    vectors: NDArray[np.float32],
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """The weighted mean of the vectors of each context's words.

    Parameters
    ----------
    context_ids : (n_contexts, width) int32
        Rows of the vectors, -1 for padding.
    vectors : (n_words, dim)
    weights : (n_words,), optional
        Of the words; all alike without it.

    Returns
    -------
    (n_contexts, dim) float64
        NaN for a context without words, or whose words all weigh nothing.
    """
    means = np.empty((len(context_ids), vectors.shape[1]))
    for start in range(0, len(context_ids), _ROWS_AT_ONCE):
        ids = context_ids[start : start + _ROWS_AT_ONCE]
        shares = (ids >= 0).astype(np.float64)
        if weights is not None:
            shares *= weights[ids]
        totals = shares.sum(axis=1, keepdims=True)
        shares /= np.where(totals > 0.0, totals, np.nan)
        means[start : start + len(ids)] = np.einsum("nw,nwd->nd", shares, vectors[ids])
    return means


def inverse_frequencies(vectors: WordVectors, corpus: Corpus | None = None) -> NDArray[np.float64]:
    """(n_words,) log(N / count) of each word, where N is the sum of the counts.

    The frequency of a word stands for that of the documents that have it, which a corpus does not
    count. The counts are those of the vectors, or of the corpus where the vectors have none.
    """
    counts = vectors.counts
    if counts is None and corpus is not None:
        ids = corpus.vocabulary.ids_of(vectors.words)
        counts = np.where(ids >= 0, np.asarray(corpus.vocabulary.counts)[ids], 0)
    if counts is None:
        raise InputError(
            "idf weights need the counts of the words, which these vectors do not have: "
            "take vectors that `grassmeans vectors` trained, or induce on a corpus"
        )
    weights: NDArray[np.float64] = np.log(counts.sum() / np.maximum(counts, 1))
    return weights


class MeanSenses(WindowSenses):
    """Senses as centres of context means.

    The distance of a context's mean x to a centre c is |x - c| / (|x| + m), where m is the length
    of the word's longest centre: k-means' own distance on a scale on which no centre can be
    farther than 1, so that the nearest sense is the one that k-means would choose.
    """

    def __init__(
        self,
        centres: Mapping[str, NDArray[np.float32]],
        windows: Windows,
        *,
        weights: NDArray[np.float64] | None,
        normalise: bool,
    ) -> None:
        self.words = tuple(centres)
        self.windows = windows
        self._centres = centres
        self._weights = weights
        self._normalise = normalise

    def __contains__(self, word: object) -> bool:
        return word in self._centres

    def n_senses(self, word: str) -> int:
        """The number of centres."""
        self.require(word)
        return len(self._centres[word])

    @property
    def space(self) -> WordVectors:
        """The vectors that means are of."""
        return self.windows.vectors

    def measure(self, word: str, context_ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """(n, n_senses), NaN for contexts without words."""
        self.require(word)
        means = mean_contexts(context_ids, self.space.vectors, self._weights)
        if self._normalise:
            means = scale_to_unit(means)
        centres = self._centres[word].astype(np.float64)
        squares = _squared_lengths(means)
        centre_squares = _squared_lengths(centres)
        apart = squares[:, None] + centre_squares - 2.0 * means @ centres.T
        longest = np.sqrt(squares) + np.sqrt(centre_squares.max())
        found = np.sqrt(np.maximum(apart, 0.0)) / np.where(longest > 0.0, longest, 1.0)[:, None]
        return np.minimum(found, 1.0).astype(np.float32)

    def sense_vectors(self, word: str) -> NDArray[np.float32]:
        """(n_senses, dim) the centres."""
        self.require(word)
        return self._centres[word]


@dataclass(eq=False)
class KMeansSenses(ContextInducer):
    """k-means on the mean of the vectors around a word."""

    name = "kmeans"

    n_senses: int = 2
    idf: bool = False  # weight the words of a context by log(N / count); see `inverse_frequencies`
    normalise: bool = True  # scale the means to unit length, so that k-means looks at their angles
    n_init: int = 5  # restarts, each from a k-means++ start; the best is kept
    window: int = DEFAULT_WINDOW  # kept words a side

    def induce(self, material: Material) -> MeanSenses:
        """Cluster the contexts of each word; words with fewer than ``n_senses`` have no senses."""
        self._check_parameters()
        weights = inverse_frequencies(material.vectors, material.corpus) if self.idf else None
        windows = Windows.of(material, self.window)
        find = _CentreFinder(self, material.vectors, weights)
        centres = map_words(find, material, windows)
        return MeanSenses(centres, windows, weights=weights, normalise=self.normalise)

    def induce_from(
        self, word: str, occurrences: Occurrences, material: Material
    ) -> MeanSenses | None:
        """Cluster these contexts; None where fewer than ``n_senses`` of them have words."""
        self._check_parameters()
        windows = Windows.of(material, self.window)
        return self.induce_from_windows(
            word, windows.read(occurrences), windows, material.random_state
        )

    def induce_from_windows(
        self, word: str, context_ids: NDArray[np.int32], windows: Windows, random_state: int
    ) -> MeanSenses | None:
        """The same for contexts that were read before, as rows of the windows' vectors."""
        weights = inverse_frequencies(windows.vectors) if self.idf else None
        rng = np.random.default_rng(word_seeds(word, random_state))
        centres = _CentreFinder(self, windows.vectors, weights)(word, context_ids, rng)
        if centres is None:
            return None
        return MeanSenses({word: centres}, windows, weights=weights, normalise=self.normalise)

    def _check_parameters(self) -> None:
        check_at_least_one(n_senses=self.n_senses, n_init=self.n_init, window=self.window)


@dataclass(frozen=True)
class _CentreFinder:
    """Finds the centres of one word after another; can be sent to a worker."""

    method: KMeansSenses
    vectors: WordVectors
    weights: NDArray[np.float64] | None

    def __call__(
        self, word: str, context_ids: NDArray[np.int32], rng: np.random.Generator
    ) -> NDArray[np.float32] | None:
        """(n_senses, dim) centres, that of the largest cluster first."""
        n_senses = self.method.n_senses
        means = mean_contexts(context_ids, self.vectors.vectors, self.weights)
        means = means[~np.isnan(means[:, 0])]
        if len(means) < n_senses:
            return None
        if self.method.normalise:
            means = scale_to_unit(means)
        estimator = KMeans(
            n_senses, n_init=self.method.n_init, random_state=int(rng.integers(2**31))
        )
        # With several threads the order of sums, and so the last digits, would be left to chance.
        with threadpool_limits(1):
            labels = estimator.fit_predict(means)
        order = np.argsort(-np.bincount(labels, minlength=n_senses), kind="stable")
        centres: NDArray[np.float32] = estimator.cluster_centers_[order].astype(np.float32)
        return centres


def scale_to_unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every row at length 1; rows of zeros stay zero, rows of NaN stay NaN."""
    lengths = np.sqrt(_squared_lengths(rows))[:, None]
    return rows / np.where(lengths == 0.0, 1.0, lengths)


def _squared_lengths(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    squares: NDArray[np.float64] = np.einsum("nd,nd->n", rows, rows)
    return squares
