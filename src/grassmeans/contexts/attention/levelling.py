"""From what a network predicts to the line of a context: two views of it, made level.

Predictions crowd together: all of them share a common part, and a few directions (parts of speech,
large topics) hold most of what differs. So the mean is taken out, and directions that vary much are
scaled down, though not all the way ("levelled"). Beside the prediction, which knows what fits into
the place, stands the topic: the mean of the words around, function words apart, rare words more
than frequent ones, levelled likewise. Both together, on fewer axes, are the line. Means, scales and
axes come from contexts of the corpus; nothing is labelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from grassmeans.arrays import Doubles, Floats
from grassmeans.artifacts.writing import digest_of_array, digest_of_bytes
from grassmeans.contexts.attention.passages import Passages
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.geometry.windows import sample_words
from grassmeans.vectors.quantising import Rows
from grassmeans.vectors.similarity import unit_rows
from grassmeans.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from grassmeans.contexts.interface import ContextEncoder
    from grassmeans.contexts.learned import LearnedEncoder


TOPIC_WINDOW = 16
"""Words on either side that make the topic."""

EXPONENT = 0.35
"""Axes are scaled by their variance to minus half of this: 0 would leave them, 1 level them all."""

TOPIC_SHARE = 0.6
"""Length of the topic beside a prediction of length 1."""

MOST_AXES = 256
_COMMON = 1e-4  # words that are a larger share of the text than this count less
_SMALLEST = 1e-6
_TINY = 1e-12
_LEVEL_WORDS, _LEVEL_CONTEXTS = 400, 50
FEWEST_TO_LEVEL = 200
"""Contexts; with fewer nothing is told of axes."""

_MID_SHARES = 2e-6, 1e-4  # of the text: words neither rare nor very frequent


@dataclass(frozen=True, eq=False)
class Levelling:
    """What turns predictions and topics into lines.

    Attributes
    ----------
    words : (n_words, dim)
        The network's own word vectors: what it reads, and what topics are made of. Those that were
        read from a folder are restored where they are looked at.
    word_weights : (n_words,) float32
        How much a word counts in a topic.
    line_mean, topic_mean : (dim,) float32
    line_map, topic_map : (dim, dim) float32
    axes : (2 * dim, n_axes) float32
        Of predictions and topics beside each other.
    """

    words: Rows
    word_weights: Floats
    line_mean: Floats
    line_map: Floats
    topic_mean: Floats
    topic_map: Floats
    axes: Floats

    @property
    def n_axes(self) -> int:
        """Dimensions of the lines."""
        return int(self.axes.shape[1])

    @cached_property
    def digest(self) -> str:
        """A digest of all of it."""
        parts = [digest_of_array(np.asarray(getattr(self, field.name))) for field in fields(self)]
        return digest_of_bytes("\n".join(parts).encode())

    def level(self, predictions: Floats, topics: Floats) -> Floats:
        """(n, n_axes) unit lines of predictions and topics (n, dim), as `find_topics` gives them.

        Zeros where there is no prediction. Where there is no topic, the prediction says it all.
        """
        dim = len(self.line_mean)
        lines = _level(predictions, self.line_mean, self.line_map) @ self.axes[:dim]
        lines += _level(topics, self.topic_mean, self.topic_map) @ self.axes[dim:]
        found = unit_rows(lines)
        found[~predictions.any(axis=1)] = 0.0
        return found

    def place_words(self) -> Floats:
        """(n_words, n_axes) words where contexts lie that ask for them, and speak of them."""
        words = np.asarray(self.words)
        return self.level(unit_rows(words), words)

    def find_topics(self, passages: Passages, hidden: NDArray[np.int32], n_special: int) -> Floats:
        """(n, dim) sums of the words around the places of passages (see `sum_topics`)."""
        return sum_topics(passages, hidden, n_special, self.words, self.word_weights)


def sum_topics(
    passages: Passages,
    hidden: NDArray[np.int32],
    n_special: int,
    words: Rows,
    word_weights: Floats,
) -> Floats:
    """(n, dim) sums of the words around the places of passages, by their weights.

    Parameters
    ----------
    hidden : (n,) int32
        A place of the passage that is not looked at; -1 for none.
    n_special : int
        Ids below it are no words.
    words : (n_words, dim)
    word_weights : (n_words,)
    """
    owners = np.repeat(np.arange(len(passages)), np.diff(passages.offsets))
    steps = np.delete(np.arange(-TOPIC_WINDOW, TOPIC_WINDOW + 1), TOPIC_WINDOW)
    near = passages.places[:, None] + steps
    inside = (near >= 0) & (near < passages.ids.shape[1]) & (near != hidden[:, None])
    ids = passages.ids[owners[:, None], np.where(inside, near, 0)] - n_special
    used = inside & (ids >= 0)
    distinct, columns = np.unique(ids[used], return_inverse=True)
    if not len(distinct):
        return np.zeros((len(near), words.shape[1]), np.float32)
    bounds = np.append(0, np.cumsum(used.sum(axis=1)))
    counts = csr_array(
        (word_weights[distinct][columns], columns, bounds), shape=(len(near), len(distinct))
    )
    found: Floats = (counts @ unit_rows(words[distinct])).astype(np.float32)
    return found


def weigh_topic_words(shares: Doubles, is_function_word: NDArray[np.bool_]) -> Floats:
    """(n_words,) how much words count in a topic, by their share of the text."""
    weights = np.sqrt(_COMMON / (_COMMON + shares))
    weights[is_function_word] = 0.0
    return weights.astype(np.float32)


def fit_levelling(
    predictions: Floats, topics: Floats, words: Floats, word_weights: Floats
) -> Levelling:
    """Learn means, scales and axes from contexts of many words.

    Parameters
    ----------
    predictions, topics : (n, dim)
    words : (n_words, dim)
    word_weights : (n_words,)
    """
    line_mean, line_map = _find_scales(predictions)
    topic_mean, topic_map = _find_scales(unit_rows(topics))
    both = np.concatenate(
        [
            _level(predictions, line_mean, line_map),
            TOPIC_SHARE * _level(topics, topic_mean, topic_map),
        ],
        axis=1,
    )
    unit = unit_rows(both).astype(np.float64)
    _, vectors = np.linalg.eigh(unit.T @ unit)
    axes = vectors[:, ::-1][:, : min(MOST_AXES, predictions.shape[1])]
    axes = axes * np.sign(axes.sum(axis=0) + _TINY)  # one of the two ends, always the same
    dim = predictions.shape[1]
    axes[dim:] *= TOPIC_SHARE
    return Levelling(
        np.ascontiguousarray(words, np.float32),
        word_weights,
        line_mean,
        line_map,
        topic_mean,
        topic_map,
        np.ascontiguousarray(axes, np.float32),
    )


def _find_scales(rows: Floats) -> tuple[Floats, Floats]:
    """The mean of rows (n, dim), and the matrix that levels what is left without it."""
    mean = rows.mean(axis=0, dtype=np.float64)
    centred = rows - mean
    values, vectors = np.linalg.eigh(centred.T @ centred / len(rows))
    scales = np.maximum(values, _SMALLEST * values[-1]) ** (-EXPONENT / 2)
    return mean.astype(np.float32), ((vectors * scales) @ vectors.T).astype(np.float32)


def _level(rows: Floats, mean: Floats, levelling: Floats) -> Floats:
    """Unit rows, less the mean, levelled, of unit length again; zeros stay zeros."""
    found = unit_rows((unit_rows(rows) - mean) @ levelling)
    found[~rows.any(axis=1)] = 0.0
    return found


def sample_places(
    corpus: Corpus, encoder: ContextEncoder, n_words: int, random_state: int
) -> NDArray[np.int64]:
    """Positions of some occurrences of content words of middle frequency, in text order."""
    counts = np.asarray(corpus.vocabulary.counts)
    least, most = (share * corpus.n_tokens for share in _MID_SHARES)
    numbers = np.flatnonzero((counts >= max(least, 5)) & (counts <= max(most, 50)))
    names, left_out = corpus.vocabulary.words, encoder.function_words
    known = [
        i
        for i in numbers.tolist()
        if names[i] in encoder.vectors and not is_function_word(names[i], left_out)
    ]
    return sample_words(corpus, known, n_words, _LEVEL_CONTEXTS, random_state)


def sample_texts(
    corpora: Sequence[Corpus], shares: Doubles, encoder: ContextEncoder, random_state: int
) -> list[tuple[Corpus, NDArray[np.int64]]]:
    """Positions of contexts of all corpora, by their shares."""
    sizes = np.maximum(np.round(shares * _LEVEL_WORDS), 1).astype(int).tolist()
    return [
        (corpus, sample_places(corpus, encoder, size, random_state))
        for corpus, size in zip(corpora, sizes, strict=True)
    ]


def level_encoder(
    encoder: LearnedEncoder, corpora: Sequence[Corpus], shares: Doubles, random_state: int
) -> LearnedEncoder:
    """The encoder with its lines levelled, from contexts of content words of middle frequency.

    As it was where the corpora have too few of them.
    """
    samples = sample_texts(corpora, shares, encoder, random_state)
    if sum(len(positions) for _, positions in samples) < FEWEST_TO_LEVEL:
        return encoder
    vectors, left_out = encoder.vectors, encoder.function_words
    said = (is_function_word(word, left_out) for word in vectors.words)
    functional = np.fromiter(said, np.bool_, len(vectors))
    assert vectors.counts is not None
    counts = np.asarray(vectors.counts, np.float64)
    words = np.array(vectors.vectors, np.float32)
    n_tokens = sum(float(np.sum(corpus.vocabulary.counts)) for corpus in corpora)
    topic_weights = weigh_topic_words(counts / max(n_tokens, 1.0), functional)
    predictions = np.concatenate([encoder.encode_at(*sample)[:, 0] for sample in samples])
    topics = np.concatenate(
        [encoder.topics_at(*sample, words, topic_weights) for sample in samples]
    )
    usable = predictions.any(axis=1) & topics.any(axis=1)
    if usable.sum() < FEWEST_TO_LEVEL:
        return encoder
    levelling = fit_levelling(predictions[usable], topics[usable], words, topic_weights)
    placed = WordVectors(list(vectors.words), levelling.place_words(), vectors.counts)
    weights = replace(encoder.weights, levelling=levelling)
    found = type(encoder)(placed, encoder.shape, left_out, weights)
    found.use_device(encoder.device)
    return found
