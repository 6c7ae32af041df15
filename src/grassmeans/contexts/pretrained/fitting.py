"""A transformer and a corpus -> a kind of context: its axes and its words."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Indices
from grassmeans.contexts.pretrained.lines import Projection, cut_texts, fit_projection
from grassmeans.contexts.pretrained.network import ModelHead, WordsInText
from grassmeans.contexts.pretrained.running import open_network
from grassmeans.contexts.transformer import TransformerEncoder, TransformerSource
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.errors import InputError
from grassmeans.geometry.windows import ContextShape, sample_words
from grassmeans.progress import progress_bar
from grassmeans.vectors.word_vectors import WordVectors

PASSAGE = 64
DIM = 128
_SAMPLE_WORDS, _SAMPLE_CONTEXTS = 1_000, 4
_FEWEST_OCCURRENCES = 4
_MOST_WORDS = 20_000  # words that name and describe senses
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
        self, corpus: Corpus, device: str = "cpu", show_progress: bool | None = None, **changes: Any
    ) -> TransformerEncoder:
        """Find the axes of the corpus's contexts; changes are those of `TransformerSettings`."""
        settings = TransformerSettings(**changes)
        head = ModelHead(self.source, settings.layers)
        cache = None if settings.cache is None else Path(settings.cache)
        network = open_network(head, device, settings.batch_size, cache)
        layers = ",".join(map(str, head.layers))
        source = TransformerSource(self.source, head.digest, layers, settings.passage)
        positions, vocabulary = sample_contexts(corpus), corpus.vocabulary
        # The most frequent words describe senses, in a large corpus those that are not too rare.
        fewest = _FEWEST_SHOWN if corpus.n_tokens >= _LARGE else 1
        words = list(vocabulary.words[: vocabulary.size_at(fewest)][:_MOST_WORDS])
        total = len(positions) + len(words)
        with progress_bar("fitting", total, unit="texts", show=show_progress) as advance:
            texts = [
                text
                for _, occurrences in corpus.occurrences(positions)
                for text in cut_texts(occurrences, settings.passage).texts
            ]
            sample = network.embed(texts, advance)
            sample = sample[sample.any(axis=1)]
            if not len(sample):  # a mean of nothing is zero
                sample = np.zeros((1, network.dim), np.float32)
            projection = fit_projection(sample, settings.dim)
            alone = network.embed([WordsInText(w, ((0, len(w)),)) for w in words], advance)
        # A word without any text is unlike all words in texts: what all of them share is taken off.
        placed = Projection(alone.mean(axis=0), projection.axes).project(alone)
        vectors = WordVectors(words, placed, np.asarray(vocabulary.counts)[: len(words)])
        shape = ContextShape(rank=1)
        encoder = TransformerEncoder(vectors, shape, corpus.function_words, source, projection)
        encoder.keep_running(network, device, settings.batch_size, cache)
        return encoder


def sample_contexts(corpus: Corpus) -> Indices:
    """Positions of some occurrences of many content words, in text order."""
    vocabulary, left_out = corpus.vocabulary, corpus.function_words
    size = vocabulary.size_at(_FEWEST_OCCURRENCES)
    known = [i for i in range(size) if not is_function_word(vocabulary.words[i], left_out)]
    return sample_words(corpus, known, _SAMPLE_WORDS, _SAMPLE_CONTEXTS, random_state=0)
