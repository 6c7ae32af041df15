"""A transformer and a corpus -> a kind of context: its axes and its words."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats
from grassmeans.contexts.pretrained.network import ModelHead, Network
from grassmeans.contexts.pretrained.passages import cut_texts, single_words
from grassmeans.contexts.pretrained.projection import Projection, fit_projection
from grassmeans.contexts.pretrained.running import open_network
from grassmeans.contexts.transformer import TransformerEncoder, TransformerSource
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.errors import InputError
from grassmeans.geometry.windows import ContextShape, sample_words
from grassmeans.progress import Advance, progress_bar
from grassmeans.vectors.word_vectors import WordVectors

PASSAGE = 64
DIM = 128
_SAMPLE_WORDS, _SAMPLE_CONTEXTS = 1_000, 4
_FEWEST_OCCURRENCES = 4
_MOST_WORDS = 20_000
"""Words that name and describe senses."""

_FEWEST_SHOWN, _LARGE = 5, 1_000_000


@dataclass(frozen=True, slots=True)
class TransformerSettings:
    """What is taken of a transformer, and how it is run.

    Attributes
    ----------
    layers : str, optional
        "7-9": the mean of these; without it 7 to 9 of 12, and so on.
    passage : int
        Tokens of the text that is read around a word.
    dim : int
        Principal axes that are kept.
    batch_size : int, optional
        Passages at once.
    cache : path, optional
        Folder where lines are kept for the next run.
    """

    layers: str | None = None
    passage: int = PASSAGE
    dim: int = DIM
    batch_size: int | None = None
    cache: str | Path | None = None

    def __post_init__(self) -> None:
        for name in ("passage", "dim", "batch_size"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or value < 1):
                raise InputError(f"{name} must be a whole number, 1 or more; got {value!r}")


@dataclass(frozen=True, slots=True)
class Pretrained:
    """A transformer that has seen no corpus yet: what ``transformer:NAME`` stands for."""

    source: str

    @property
    def settings(self) -> tuple[str, ...]:
        """Names of what `fit` can be told beside the corpus and the device."""
        return tuple(known.name for known in fields(TransformerSettings))

    def fit(
        self,
        corpus: Corpus,
        device: str = "cpu",
        show_progress: bool | None = None,
        **changes: Any,
    ) -> TransformerEncoder:
        """Find the axes of the corpus's contexts, and the places of its words among them.

        Parameters
        ----------
        **changes
            Of the fields of `TransformerSettings`.
        """
        settings = TransformerSettings(**changes)
        head = ModelHead(self.source, settings.layers)
        cache = None if settings.cache is None else Path(settings.cache)
        network = open_network(head, device, settings.batch_size, cache)
        layers = ",".join(map(str, head.layers))
        source = TransformerSource(self.source, head.digest, layers, settings.passage)
        positions = sample_contexts(corpus)
        words = describing_words(corpus)
        total = len(positions) + len(words)
        with progress_bar("fitting", total, unit="texts", show=show_progress) as advance:
            sample = _embed_sample(corpus, positions, settings.passage, network, advance)
            projection = fit_projection(sample, settings.dim)
            vectors = _place_words(words, corpus, network, projection, advance)
        encoder = TransformerEncoder(
            vectors, ContextShape(rank=1), corpus.function_words, source, projection
        )
        encoder.keep_running(network, device, settings.batch_size, cache)
        return encoder


def sample_contexts(corpus: Corpus) -> NDArray[np.int64]:
    """Positions of some occurrences of many content words, in text order."""
    vocabulary = corpus.vocabulary
    size = vocabulary.size_at(_FEWEST_OCCURRENCES)
    left_out = corpus.function_words
    known = [i for i in range(size) if not is_function_word(vocabulary.words[i], left_out)]
    return sample_words(corpus, known, _SAMPLE_WORDS, _SAMPLE_CONTEXTS, random_state=0)


def describing_words(corpus: Corpus) -> list[str]:
    """The most frequent words of a corpus, in a large one those that are not too rare."""
    fewest = _FEWEST_SHOWN if corpus.n_tokens >= _LARGE else 1
    return list(corpus.vocabulary.words[: corpus.vocabulary.size_at(fewest)][:_MOST_WORDS])


def _embed_sample(
    corpus: Corpus, positions: NDArray[np.int64], passage: int, network: Network, advance: Advance
) -> Floats:
    """(n, size) vectors of the occurrences at positions; a mean of nothing is zero."""
    texts = [
        text
        for _, occurrences in corpus.occurrences(positions)
        for text in cut_texts(occurrences, passage).texts
    ]
    found = network.embed(texts, advance)
    usable = found[found.any(axis=1)]
    return usable if len(usable) else np.zeros((1, network.dim), np.float32)


def _place_words(
    words: list[str], corpus: Corpus, network: Network, projection: Projection, advance: Advance
) -> WordVectors:
    """Words by themselves among the lines, seen from their own middle.

    A word without any text is unlike all words in texts: what all of them share is taken off.
    """
    alone = network.embed(single_words(words), advance)
    own = Projection(alone.mean(axis=0), projection.axes)
    counts = np.asarray(corpus.vocabulary.counts)[: len(words)]
    return WordVectors(words, own.project(alone), counts)
