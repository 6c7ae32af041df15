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

from grassmeans.arrays import Booleans, Doubles, Floats, Indices, Integers
from grassmeans.artifacts.writing import digest_of_array, digest_of_bytes
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.geometry.windows import sample_words
from grassmeans.vectors.quantising import Rows
from grassmeans.vectors.similarity import unit_rows
from grassmeans.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from grassmeans.contexts.attention.encoder import Passages
    from grassmeans.contexts.interface import ContextEncoder
    from grassmeans.contexts.learned import LearnedEncoder


TOPIC_WINDOW = 16  # words on either side that make the topic
EXPONENT = 0.35
"""Axes are scaled by their variance to minus half of this: 0 would leave them, 1 level them all."""

TOPIC_SHARE = 0.6  # length of the topic beside a prediction of length 1
MOST_AXES = 256
_COMMON = 1e-4  # words that are a larger share of the text than this count less
_SMALLEST = 1e-6
_LEVEL_WORDS, _LEVEL_CONTEXTS = 400, 50
FEWEST_TO_LEVEL = 200  # contexts; with fewer nothing is told of axes
_MID_SHARES = 2e-6, 1e-4  # of the text: words neither rare nor very frequent


@dataclass(frozen=True, eq=False)
class Levelling:
    """What turns predictions and topics into lines.

    The words are the network's own: what it reads, and what topics are made of. Those that were
    read from a folder are restored where they are looked at.
    """

    words: Rows  # (n_words, dim)
    word_weights: Floats  # (n_words,) how much a word counts in a topic
    line_mean: Floats  # (dim,)
    line_map: Floats  # (dim, dim)
    topic_mean: Floats
    topic_map: Floats
    axes: Floats  # (2 * dim, n_axes) of predictions and topics beside each other

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
        """(n, n_axes) unit lines of predictions and topics (n, dim), as `sum_topics` gives them.

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


def sum_topics(passages: Passages, hidden: Integers, words: Rows, word_weights: Floats) -> Floats:
    """(n, dim) sums of the words (n_words, dim) around the places of passages, by their weights.

    ``hidden`` (n,) has for each place one of its passage that is not looked at; -1 for none.
    """
    from scipy.sparse import csr_array  # a tenth of a second; contexts of two voices need none

    steps = np.delete(np.arange(-TOPIC_WINDOW, TOPIC_WINDOW + 1), TOPIC_WINDOW)
    near = passages.places[:, None] + steps
    inside = (near >= 0) & (near < passages.ids.shape[1]) & (near != hidden[:, None])
    found = passages.words[passages.owners[:, None], np.where(inside, near, 0)]
    used = inside & (found >= 0)
    distinct, columns = np.unique(found[used], return_inverse=True)
    if not len(distinct):
        return np.zeros((len(near), words.shape[1]), np.float32)
    bounds = np.append(0, np.cumsum(used.sum(axis=1)))
    counts = csr_array(
        (word_weights[distinct][columns], columns, bounds), shape=(len(near), len(distinct))
    )
    return np.asarray(counts @ unit_rows(words[distinct]), np.float32)


def weigh_topic_words(shares: Doubles, is_function_word: Booleans) -> Floats:
    """(n_words,) how much words count in a topic, by their share of the text."""
    weights = np.sqrt(_COMMON / (_COMMON + shares))
    weights[is_function_word] = 0.0
    return weights.astype(np.float32)


def fit_levelling(
    predictions: Floats, topics: Floats, words: Floats, word_weights: Floats
) -> Levelling:
    """Learn means, scales and axes from contexts of many words, (n, dim) each."""
    line_mean, line_map = _find_scales(predictions)
    topic_mean, topic_map = _find_scales(unit_rows(topics))
    lines = _level(predictions, line_mean, line_map)
    both = [lines, TOPIC_SHARE * _level(topics, topic_mean, topic_map)]
    dim = predictions.shape[1]
    shares = np.repeat([1.0, TOPIC_SHARE], dim)[:, None]
    axes = find_axes(unit_rows(np.concatenate(both, axis=1)), min(MOST_AXES, dim), shares)
    words = np.ascontiguousarray(words, np.float32)
    return Levelling(words, word_weights, line_mean, line_map, topic_mean, topic_map, axes)


def find_axes(lines: Floats, n_axes: int, shares: Doubles | float = 1.0) -> Floats:
    """(dim, n_axes) main axes of unit lines (n, dim) from the origin, rows times shares."""
    rows = lines.astype(np.float64)
    _, vectors = np.linalg.eigh(rows.T @ rows)
    axes = vectors[:, ::-1][:, :n_axes]
    signed = axes * np.where(axes.sum(axis=0) < 0, -1.0, 1.0)  # one of two ends, always the same
    return np.ascontiguousarray(signed * shares, np.float32)


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


def sample_texts(
    corpora: Sequence[Corpus], shares: Doubles, encoder: ContextEncoder, random_state: int
) -> list[tuple[Corpus, Indices]]:
    """Positions of contexts of content words of middle frequency, of corpora by their shares."""
    found = []
    sizes = np.maximum(np.round(shares * _LEVEL_WORDS), 1).astype(int).tolist()
    for corpus, size in zip(corpora, sizes, strict=True):
        names, counts = corpus.vocabulary.words, np.asarray(corpus.vocabulary.counts)
        least, most = (share * corpus.n_tokens for share in _MID_SHARES)
        numbers = np.flatnonzero((counts >= max(least, 5)) & (counts <= max(most, 50))).tolist()
        numbers = [i for i in numbers if names[i] in encoder.vectors]
        known = [i for i in numbers if not is_function_word(names[i], encoder.function_words)]
        found.append((corpus, sample_words(corpus, known, size, _LEVEL_CONTEXTS, random_state)))
    return found


def level_encoder(
    encoder: LearnedEncoder, corpora: Sequence[Corpus], shares: Doubles, random_state: int
) -> LearnedEncoder:
    """The encoder with its lines levelled; as it was where corpora have too few contexts."""
    samples = sample_texts(corpora, shares, encoder, random_state)
    if sum(len(positions) for _, positions in samples) < FEWEST_TO_LEVEL:
        return encoder
    vectors, left_out = encoder.vectors, encoder.function_words
    functional = np.array([is_function_word(word, left_out) for word in vectors.words], np.bool_)
    assert vectors.counts is not None
    counts = np.asarray(vectors.counts, np.float64)
    words = np.array(vectors.vectors, np.float32)
    n_tokens = sum(float(np.sum(corpus.vocabulary.counts)) for corpus in corpora)
    topic_weights = weigh_topic_words(counts / max(n_tokens, 1.0), functional)
    predictions = np.concatenate([encoder.encode_at(*sample)[:, 0] for sample in samples])
    found = [encoder.topics_at(*sample, words, topic_weights) for sample in samples]
    topics = np.concatenate(found)
    usable = predictions.any(axis=1) & topics.any(axis=1)
    if usable.sum() < FEWEST_TO_LEVEL:
        return encoder
    levelling = fit_levelling(predictions[usable], topics[usable], words, topic_weights)
    placed = WordVectors(list(vectors.words), levelling.place_words(), vectors.counts)
    weights = replace(encoder.weights, levelling=levelling)
    levelled = type(encoder)(placed, encoder.shape, left_out, weights)
    levelled.use_device(encoder.device)
    return levelled
