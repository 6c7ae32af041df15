"""Skip-gram with negative sampling (word2vec) in scikit-learn's style, and its vectors folder."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from sklearn.base import BaseEstimator

from grassmeans.arrays import Booleans, Floats
from grassmeans.artifacts.schema import check_arguments, check_fields, instance_of, optional, whole
from grassmeans.artifacts.temporaries import temporary_folder
from grassmeans.artifacts.writing import digest_of, digest_of_array
from grassmeans.corpus.corpus import as_corpus
from grassmeans.corpus.vocabulary import Vocabulary
from grassmeans.engines import EngineChoice, use_engine
from grassmeans.engines.parallel import is_remote
from grassmeans.errors import InputError
from grassmeans.kernels.arguments import Matrices
from grassmeans.kernels.devices import check_device
from grassmeans.outputs.places import output_folder
from grassmeans.reading.given import is_missing
from grassmeans.vectors import training
from grassmeans.vectors.averaging import train_in_parts
from grassmeans.vectors.storage import KIND, fill_vectors_folder
from grassmeans.vectors.word_vectors import WordVectors

_CORPUS_FIELDS = ("n_tokens", "n_documents", "created", "digest")


class TokenCorpus(Protocol):
    """What `SkipGram` needs of a corpus; `grassmeans.Corpus` has it, a labelled corpus too."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The keys and their counts, most frequent first."""

    @property
    def shards(self) -> Sequence[training.TokenShard]:
        """The tokens."""


class StoredCorpus(TokenCorpus, Protocol):
    """A corpus that knows where it comes from."""

    @property
    def manifest(self) -> Mapping[str, Any]:
        """The manifest of its folder."""

    @property
    def path(self) -> Path:
        """Its folder."""


_PASSES = 5_000_000


def choose_epochs(n_tokens: int, most: int) -> int:
    """Passes over a text: word2vec's five, more over one that is short."""
    return min(max(_PASSES // max(n_tokens, 1), 5), most)


@dataclass(frozen=True, slots=True)
class MemoryCorpus:
    """Tokens in memory, or drawn from a corpus whose manifest and folder it then has."""

    vocabulary: Vocabulary
    shards: Sequence[training.TokenShard]
    manifest: Mapping[str, Any] = field(default_factory=dict)
    path: Path = Path()


@dataclass(eq=False, repr=False)
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
    parts : int or None, default None
        Train in so many parts, whose changes are put together again and again
        (`grassmeans.vectors.averaging`). None: one; with an engine, one a machine.
    device : {"cpu", "cuda"}, default "cpu"
        Where to train. A GPU needs the extra ``gpu``; its result is not exactly repeatable.

    Attributes
    ----------
    vectors_ : WordVectors
        The input vectors, most frequent word first: row i belongs to word i of the corpus.
    output_ : (n_words, dim) float32
        The output ("context") vectors.
    """

    dim: int = 300
    window: int = 5
    min_count: int = 5
    negative: int = 5
    epochs: int = 5
    workers: int | None = None
    random_state: int = 0
    sample: float = 1e-3
    learning_rate: float = 0.025
    max_vocabulary: int | None = None
    parts: int | None = None
    device: str = "cpu"

    @check_arguments(
        start=optional(instance_of(WordVectors)),
        frozen_inputs=instance_of(Iterable),
        frozen_outputs=instance_of(Iterable),
    )
    def fit(
        self,
        corpus: TokenCorpus | Any,
        y: None = None,
        *,
        start: WordVectors | None = None,
        frozen_inputs: Iterable[str] = (),
        frozen_outputs: Iterable[str] = (),
        checkpoint: str | Path | None = None,
        show_progress: bool | None = None,
    ) -> Self:
        """Train on a corpus, or on texts.

        Parameters
        ----------
        corpus : Corpus, iterable, table or path
            Lists of tokens are taken as they are, whatever their keys; strings and all else that
            `Corpus.from_texts` takes is tokenised as it does; the folder of a corpus is opened.
        start : WordVectors, optional
            Vectors to start from, on the output side too where they have one (otherwise it starts
            at zero); words that are not in it start at random.
        frozen_inputs, frozen_outputs : iterables of str
            Words whose row in that matrix is used but never changed.
        checkpoint : path, optional
            Folder for checkpoints: an interrupted training goes on from there. Delete it when the
            vectors are stored.
        """
        settings = training.TrainingSettings.of(self)
        parts = optional(whole(1, training.MOST_PARTS))
        check_fields(self, min_count=whole(1), max_vocabulary=optional(whole(1)), parts=parts)
        check_device(self.device)
        if self.device != "cpu" and self.parts is not None:
            raise InputError("a GPU trains all at once: leave parts out, or take device='cpu'")
        tokens = _as_corpus(corpus)
        words = self.trained_words(tokens.vocabulary)
        if not words:
            raise InputError(
                f"no word occurs {self.min_count} times or more: lower min_count or give more text"
            )
        counts = np.asarray(tokens.vocabulary.counts[: len(words)], dtype=np.int64)
        matrices = Matrices(
            *self._start_matrices(words, start),
            _find_frozen(words, frozen_inputs),
            _find_frozen(words, frozen_outputs),
        )
        identity = digest_of(
            [self.get_params() | {"workers": None}, words, counts.tolist(), start is None]
        )
        material = training.Material(tokens.shards, counts, matrices, settings)
        if self.device == "cpu" and (self.parts is not None or is_remote()):
            place = temporary_folder() if checkpoint is None else nullcontext(Path(checkpoint))
            with place as folder:
                train_in_parts(
                    material,
                    self.parts,
                    self.workers,
                    folder=folder,
                    identity=identity,
                    show_progress=show_progress,
                )
        else:
            saved = None if checkpoint is None else training.Checkpoint(Path(checkpoint), identity)
            trainer = training.Trainer(material, self.workers, device=self.device)
            trainer.run(checkpoint=saved, show_progress=show_progress)
        self.vectors_ = WordVectors(words, matrices.inputs, counts)
        self.output_ = matrices.outputs
        return self

    def trained_words(self, vocabulary: Vocabulary) -> list[str]:
        """The words of a vocabulary that get a vector: the frequent ones."""
        n_words = vocabulary.size_at(self.min_count)
        return list(vocabulary.words[:n_words][: self.max_vocabulary])

    def _start_matrices(
        self, words: Sequence[str], start: WordVectors | None
    ) -> tuple[Floats, Floats]:
        """(n_words, dim) inputs and outputs."""
        inputs = training.draw_matrix(
            len(words), self.dim, np.random.default_rng(self.random_state)
        )
        outputs = np.zeros_like(inputs)
        if start is not None:
            if start.dim != self.dim:
                raise InputError(f"start has dimension {start.dim}, but dim is {self.dim}")
            rows = start.ids_of(words)
            known = rows >= 0
            inputs[known] = start.vectors[rows[known]]
            if start.output is not None:
                outputs[known] = start.output[rows[known]]
        return inputs, outputs


def _find_frozen(words: Sequence[str], names: Iterable[str]) -> Booleans:
    """(n_words,) whether a word is to be held fixed."""
    wanted = set(names)
    if unknown := wanted.difference(words):
        raise InputError(f"cannot hold {sorted(unknown)[:5]} fixed: not in the training vocabulary")
    return np.array([word in wanted for word in words], np.bool_)


def _as_corpus(corpus: Any) -> TokenCorpus:
    """A corpus as it is, one of texts, or token sequences encoded in memory."""
    if hasattr(corpus, "shards") and hasattr(corpus, "vocabulary"):
        return corpus  # type: ignore[no-any-return]
    if isinstance(corpus, str | Path) or hasattr(corpus, "columns"):
        return as_corpus(corpus)
    if not isinstance(corpus, Iterable):
        raise InputError(f"corpus must be a Corpus, or texts, got {type(corpus).__name__}")
    items = iter(corpus)
    first = list(islice(items, 1))
    given = chain(first, items)
    if first and (isinstance(first[0], str | Path | Mapping) or is_missing(first[0])):
        return as_corpus(given)
    documents: list[list[str]] = []
    for document in given:
        if isinstance(document, str) or not isinstance(document, Iterable):
            raise InputError(
                f"corpus[{len(documents)}] must be a list of tokens as the others are, got "
                f"{type(document).__name__}"
            )
        documents.append(list(document))
    counts = Counter(key for document in documents for key in document)
    vocabulary = Vocabulary.from_counts(counts)
    tokens = vocabulary.ids_of(key for document in documents for key in document)
    offsets = np.concatenate([[0], np.cumsum([len(d) for d in documents])]).astype(np.int64)
    return MemoryCorpus(vocabulary, [training.MemoryShard(tokens, offsets)])


def train_vectors(
    corpus: StoredCorpus,
    output: str | Path,
    trainer: SkipGram,
    *,
    start: WordVectors | None = None,
    frozen_inputs: Collection[str] = (),
    frozen_outputs: Collection[str] = (),
    keep_output: bool = False,
    extra: Mapping[str, Any] | None = None,
    inputs: Iterable[str | Path | None] = (),
    engine: EngineChoice = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> WordVectors:
    """Train skip-gram vectors into a folder, with checkpoints; they come back mapped from it.

    The output may be an unfinished folder of the same training, which is then continued. Vectors to
    start from, and rows that stay as they are, are those of `SkipGram.fit`.

    Parameters
    ----------
    trainer : SkipGram
        Not fitted; afterwards it is.
    keep_output : bool
        Store the output (context) vectors as well.
    extra : mapping, optional
        More manifest fields; they also tell one training from another when it is continued, and
        only vectors that have them, too, are replaced.
    inputs : iterable of paths
        What else the training reads; the output never takes its place.
    """
    about_corpus = {name: corpus.manifest.get(name) for name in _CORPUS_FIELDS}
    check_device(trainer.device)
    parameters = trainer.get_params() | {"workers": None}
    fields = dict(extra or {})
    sides = () if start is None else (start.vectors, start.output)
    starting = [digest_of_array(side) for side in sides if side is not None]
    if frozen_inputs or frozen_outputs:
        starting.append(digest_of([sorted(frozen_inputs), sorted(frozen_outputs)]))
    with (
        use_engine(engine, trainer.workers),
        output_folder(
            output,
            KIND,
            [parameters, about_corpus, fields, starting],
            inputs=[corpus.path, *inputs],
            fields=tuple(fields),
            overwrite=overwrite,
        ) as building,
    ):
        started = time.perf_counter()
        trainer.fit(
            corpus,
            start=start,
            frozen_inputs=frozen_inputs,
            frozen_outputs=frozen_outputs,
            checkpoint=building.scratch / "checkpoint",
            show_progress=show_progress,
        )
        seconds = time.perf_counter() - started
        n_tokens = sum(int(shard.document_offsets[-1]) for shard in corpus.shards)
        fields |= {
            "training": trainer.get_params(),
            "corpus": about_corpus,
            "seconds": round(seconds, 1),
            "words_per_second": round(n_tokens * trainer.epochs / seconds),
        }
        context_side = trainer.output_ if keep_output else None
        fill_vectors_folder(trainer.vectors_, building.folder, extra=fields, output=context_side)
    return WordVectors.load(output)
