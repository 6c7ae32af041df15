"""Skip-gram with negative sampling (word2vec), in scikit-learn's style."""

from __future__ import annotations

import numbers
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from grassmeans.artifacts import digest_of
from grassmeans.corpus.vocabulary import Vocabulary
from grassmeans.errors import InputError
from grassmeans.parallel import effective_workers
from grassmeans.progress import progress_bar
from grassmeans.vectors.training import (
    Checkpoint,
    Matrices,
    TokenShard,
    Trainer,
    TrainingSettings,
)
from grassmeans.vectors.word_vectors import WordVectors


class TokenCorpus(Protocol):
    """What `SkipGram` needs of a corpus; `grassmeans.Corpus` has it, a labelled corpus too."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The keys and their counts, most frequent first."""

    @property
    def shards(self) -> Sequence[TokenShard]:
        """The tokens."""


@dataclass(frozen=True, slots=True)
class _MemoryShard:
    tokens: NDArray[np.int32]
    document_offsets: NDArray[np.int64]

    def read_tokens(self, start: int, end: int, epoch: int) -> NDArray[np.int32]:
        return self.tokens[start:end]


@dataclass(frozen=True, slots=True)
class _MemoryCorpus:
    vocabulary: Vocabulary
    shards: tuple[_MemoryShard, ...]


class SkipGram(BaseEstimator):  # type: ignore[misc]
    """Word vectors by skip-gram with negative sampling; the defaults are word2vec's.

    Parameters
    ----------
    dim : int, default 300
        Length of the vectors.
    window : int, default 5
        Largest distance between two words of a pair; drawn anew from 1..window at every word.
    min_count : int, default 5
        Rarer words get no vector.
    negative : int, default 5
        Negatives per centre word, shared by the pairs of its window.
    epochs : int, default 5
    workers : int or None, default None
        Threads; None takes all cores. One worker is exactly repeatable, several are not.
    random_state : int, default 0
    sample : float, default 1e-3
        Subsampling of frequent words; 0 turns it off.
    learning_rate : float, default 0.025
        Falls linearly to (almost) nothing.
    max_vocabulary : int or None, default None
        Keep only the most frequent words.

    Attributes
    ----------
    vectors_ : WordVectors
        The input vectors, most frequent word first: row i belongs to word i of the corpus.
    output_ : (n_words, dim) float32
        The output ("context") vectors.
    """

    def __init__(
        self,
        dim: int = 300,
        window: int = 5,
        min_count: int = 5,
        negative: int = 5,
        epochs: int = 5,
        workers: int | None = None,
        random_state: int = 0,
        sample: float = 1e-3,
        learning_rate: float = 0.025,
        max_vocabulary: int | None = None,
    ) -> None:
        self.dim = dim
        self.window = window
        self.min_count = min_count
        self.negative = negative
        self.epochs = epochs
        self.workers = workers
        self.random_state = random_state
        self.sample = sample
        self.learning_rate = learning_rate
        self.max_vocabulary = max_vocabulary

    def fit(
        self,
        corpus: TokenCorpus | Iterable[Sequence[str]],
        y: None = None,
        *,
        start: WordVectors | None = None,
        start_output: NDArray[np.float32] | None = None,
        frozen_inputs: Iterable[str] = (),
        frozen_outputs: Iterable[str] = (),
        checkpoint: str | Path | None = None,
        show_progress: bool | None = None,
    ) -> Self:
        """Train on a corpus, or on an iterable of token sequences (any keys).

        Parameters
        ----------
        start : WordVectors, optional
            Vectors to start from; words that are not in it start at random.
        start_output : (len(start), dim) float32, optional
            Output vectors to start from, row by row as in ``start``; zero otherwise.
        frozen_inputs, frozen_outputs : iterables of str
            Words whose row in that matrix is used but never changed.
        checkpoint : path, optional
            Folder for checkpoints: an interrupted training goes on from there.
        """
        self._check()
        tokens = _as_corpus(corpus)
        n_words = tokens.vocabulary.size_at(self.min_count)
        if self.max_vocabulary is not None:
            n_words = min(n_words, self.max_vocabulary)
        if n_words == 0:
            raise InputError(
                f"no word occurs {self.min_count} times or more: lower min_count or give more text"
            )
        words = list(tokens.vocabulary.words[:n_words])
        counts = np.asarray(tokens.vocabulary.counts[:n_words], dtype=np.int64)
        matrices = self._start_matrices(words, start, start_output)
        self._freeze(words, matrices, frozen_inputs, frozen_outputs)
        settings = TrainingSettings(
            self.window,
            self.negative,
            self.epochs,
            self.learning_rate,
            self.sample,
            self.random_state,
        )
        trainer = Trainer(
            tokens.shards, counts, matrices, settings, effective_workers(self.workers)
        )
        saved = None
        if checkpoint is not None:
            identity = digest_of(
                [self.get_params() | {"workers": None}, words, counts.tolist(), start is None]
            )
            saved = Checkpoint(Path(checkpoint), identity)
        with progress_bar("training", trainer.n_tokens, unit="words", show=show_progress) as tick:
            trainer.run(saved, tick)
        if checkpoint is not None:
            shutil.rmtree(checkpoint, ignore_errors=True)
        self.vectors_ = WordVectors(words, matrices.inputs, counts)
        self.output_ = matrices.outputs
        return self

    def _check(self) -> None:
        least = {
            "dim": 1,
            "window": 1,
            "min_count": 1,
            "negative": 1,
            "epochs": 1,
            "random_state": 0,
        }
        for name, smallest in least.items():
            value = getattr(self, name)
            if not isinstance(value, numbers.Integral) or value < smallest:
                raise InputError(f"{name} must be an integer of {smallest} or more, got {value!r}")
        if not 0 <= self.sample < 1:
            raise InputError(f"sample must lie in [0, 1), got {self.sample}")
        if not self.learning_rate > 0:
            raise InputError(f"learning_rate must be positive, got {self.learning_rate}")

    def _start_matrices(
        self,
        words: Sequence[str],
        start: WordVectors | None,
        start_output: NDArray[np.float32] | None,
    ) -> Matrices:
        rng = np.random.default_rng(self.random_state)
        shape = (len(words), self.dim)
        inputs = (rng.random(shape, dtype=np.float32) - np.float32(0.5)) / np.float32(self.dim)
        outputs = np.zeros(shape, np.float32)
        if start is not None:
            if start.dim != self.dim:
                raise InputError(f"start has dimension {start.dim}, but dim is {self.dim}")
            rows = start.ids_of(words)
            known = rows >= 0
            inputs[known] = start.vectors[rows[known]]
            if start_output is not None:
                if start_output.shape != start.vectors.shape:
                    raise InputError(
                        f"start_output must have shape {start.vectors.shape}, "
                        f"got {start_output.shape}"
                    )
                outputs[known] = start_output[rows[known]]
        nothing = np.zeros(len(words), np.bool_)
        return Matrices(inputs, outputs, nothing, nothing.copy())

    @staticmethod
    def _freeze(
        words: Sequence[str],
        matrices: Matrices,
        frozen_inputs: Iterable[str],
        frozen_outputs: Iterable[str],
    ) -> None:
        chosen = (
            (set(frozen_inputs), matrices.frozen_inputs),
            (set(frozen_outputs), matrices.frozen_outputs),
        )
        for names, mask in chosen:
            unknown = names.difference(words)
            if unknown:
                raise InputError(
                    f"cannot hold {sorted(unknown)[:5]} fixed: not in the training vocabulary"
                )
            if names:
                mask[:] = [word in names for word in words]


def _as_corpus(corpus: Any) -> TokenCorpus:
    """A corpus as it is, or token sequences encoded in memory."""
    if hasattr(corpus, "shards") and hasattr(corpus, "vocabulary"):
        return corpus  # type: ignore[no-any-return]
    if isinstance(corpus, str):
        raise InputError("a string is not a corpus: give Corpus.open(path) or lists of tokens")
    documents = [list(document) for document in corpus]
    counts = Counter(key for document in documents for key in document)
    vocabulary = Vocabulary.from_counts(counts)
    tokens = vocabulary.ids_of(key for document in documents for key in document)
    offsets = np.concatenate([[0], np.cumsum([len(d) for d in documents])]).astype(np.int64)
    return _MemoryCorpus(vocabulary, (_MemoryShard(tokens, offsets),))
