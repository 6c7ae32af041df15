"""Contexts to measure on: real ones from a corpus, or made up with the structure that they have."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ContextData:
    """Word ids (n_contexts, width), -1 for padding; vectors (n_words, dim); where from."""

    context_ids: NDArray[np.int32]
    vectors: NDArray[np.float32]
    source: str


def add_data_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--contexts", type=int, default=10_000, help="number of contexts")
    parser.add_argument("--dim", type=int, default=300, help="dimension, of made-up vectors")
    parser.add_argument("--corpus", help="use the contexts of a stored corpus")
    parser.add_argument("--vectors", help="its word vectors")
    parser.add_argument("--word", help="the target word")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="a small size, to see that it runs")
    parser.add_argument("--name", help="name of the result file")


def load_data(arguments: argparse.Namespace) -> ContextData:
    """Real contexts where a corpus, vectors and a word are given, otherwise made-up ones."""
    given = [arguments.corpus, arguments.vectors, arguments.word]
    if not any(given):
        return make_contexts(arguments.contexts, arguments.dim, seed=arguments.seed)
    if not all(given):
        raise SystemExit("give --corpus, --vectors and --word together")
    from grassmeans import Corpus, WordVectors, extract_contexts

    contexts = extract_contexts(Corpus.open(arguments.corpus), arguments.word, window=10)
    vectors = WordVectors.load(arguments.vectors)
    ids = np.asarray(contexts.context_ids, np.int32)[: arguments.contexts]
    return ContextData(ids, np.asarray(vectors.vectors), f"corpus, word {arguments.word!r}")


def make_contexts(
    n_contexts: int, dim: int, *, n_words: int = 20_000, width: int = 20, seed: int = 0
) -> ContextData:
    """Contexts of a word with eight senses of unequal frequency.

    A word vector is a common direction, the directions of its topics, and noise. Words follow
    Zipf's law; a context mixes the words of its sense's topic, of a topic of its own and of none.
    """
    rng = np.random.default_rng(seed)
    n_topics, n_senses = 60, 8
    common = rng.standard_normal(dim)
    topics = rng.standard_normal((n_topics, dim))
    topic_of_word = rng.integers(0, n_topics, n_words)
    strength = rng.uniform(0.5, 1.5, (n_words, 1))
    vectors = 0.8 * common + strength * topics[topic_of_word]
    vectors += rng.standard_normal((n_words, dim))
    vectors *= rng.uniform(0.5, 1.5, (n_words, 1)) / np.sqrt(dim)
    frequency = 1.0 / np.arange(1, n_words + 1)
    sense = rng.choice(n_senses, n_contexts, p=_shares(n_senses))
    side_topic = rng.integers(0, n_topics, n_contexts)
    kind = rng.choice(3, (n_contexts, width), p=[0.4, 0.2, 0.4])
    wanted = np.where(kind == 0, sense[:, None], np.where(kind == 1, side_topic[:, None], -1))
    context_ids = np.empty((n_contexts, width), np.int32)
    for topic in range(-1, n_topics):
        words = np.flatnonzero(topic_of_word == topic) if topic >= 0 else np.arange(n_words)
        places = wanted == topic
        p = frequency[words] / frequency[words].sum()
        context_ids[places] = rng.choice(words, int(places.sum()), p=p)
    short = rng.integers(8, width, n_contexts // 10)  # a tenth stand near a document's edge
    context_ids[: len(short)][np.arange(width) >= short[:, None]] = -1
    order = rng.permutation(n_contexts)
    return ContextData(context_ids[order], vectors.astype(np.float32), f"made up, seed {seed}")


def _shares(n: int) -> NDArray[np.float64]:
    shares = 1.0 / np.arange(1, n + 1)
    return shares / shares.sum()
