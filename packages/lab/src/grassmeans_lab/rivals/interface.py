"""What every rival has in common: what it learns from, how it reads contexts, what it keeps.

An inducer learns from a corpus and word vectors, the same for all methods, and gives the `Senses`
of the words that were asked for; those are what `grassmeans.evaluation` asks of any system.
"""

from __future__ import annotations

import contextlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.checking import MANIFEST
from grassmeans.artifacts.writing import read_manifest, write_manifest
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.engines.parallel import effective_workers, map_tasks
from grassmeans.errors import InputError
from grassmeans.evaluation.systems import Senses
from grassmeans.geometry.windows import ContextShape, gather_rows, rows_of_words
from grassmeans.outputs.places import Building, output_folder
from grassmeans.progress import progress_bar
from grassmeans.senses.induction import BATCH_WORDS
from grassmeans.senses.samples import word_seeds
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.evaluation.sense_vectors import VectorSenses
from grassmeans_lab.extracting import ContextExtractor

FORMAT_VERSION = 1

Found = TypeVar("Found")
WordFunction = Callable[[str, NDArray[np.int32], np.random.Generator], Found | None]
"""Word, its contexts (n_contexts, 2 * window), its random stream -> what was found, or None."""


@dataclass(frozen=True, slots=True)
class Material:
    """What a method learns from.

    Parameters
    ----------
    vectors : WordVectors
        Trained on that corpus.
    words : tuple of str
        The words whose senses are wanted.
    max_contexts : int
        At most this many occurrences a word are looked at by methods that work word by word.
    device : {"cpu", "cuda"}
        Where K-Grassmeans computes, and where plain skip-gram is trained.
    workers : int or None
        Processes or threads; None takes all cores.
    folder : Path, optional
        Where a method that trains keeps what it trained, and finds it again. Without it, a
        temporary folder.
    """

    corpus: Corpus
    vectors: WordVectors
    words: tuple[str, ...]
    max_contexts: int = 10_000
    random_state: int = 0
    device: str = "cpu"
    workers: int | None = 1
    folder: Path | None = None

    @property
    def known_words(self) -> list[str]:
        """The words asked for that the corpus has, each once."""
        vocabulary = self.corpus.vocabulary
        return [word for word in dict.fromkeys(self.words) if vocabulary.id_of(word) >= 0]


@dataclass(frozen=True, slots=True)
class Windows:
    """The kept words around occurrences, as rows of vectors."""

    vectors: WordVectors
    # Its window and repeats are looked at.
    shape: ContextShape = field(default_factory=ContextShape)
    # Words that are not kept although they have a vector: function words.
    left_out: frozenset[str] = frozenset()

    @classmethod
    def of(cls, material: Material, window: int, *, drop_function_words: bool = True) -> Windows:
        """As a method that learns from this material reads texts."""
        left_out = material.corpus.function_words if drop_function_words else frozenset[str]()
        return cls(material.vectors, ContextShape(window=window), left_out)

    def read(self, occurrences: Occurrences) -> NDArray[np.int32]:
        """(n, 2 * window) rows, -1 where there is no word; the nearest words in the middle."""
        rows = rows_of_words(occurrences.words, self.vectors, self.left_out)
        return gather_rows(occurrences, rows, self.shape)


class WindowSenses(VectorSenses):
    """Senses that look at the kept words in a window around an occurrence."""

    windows: Windows

    def distances(self, word: str, occurrences: Occurrences) -> NDArray[np.float32]:
        """(n, n_senses), see `measure`."""
        return self.measure(word, self.windows.read(occurrences))

    @abstractmethod
    def measure(self, word: str, context_ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """Distances of windows to the senses of a word.

        Parameters
        ----------
        context_ids : (n, 2 * window) int32
            Rows of the vectors, -1 for padding.

        Returns
        -------
        (n, n_senses) float32
            NaN where a window has too few words.
        """


class RivalInducer(ABC):
    """A method of sense induction; the constructor takes its parameters and only stores them."""

    name: ClassVar[str]

    @abstractmethod
    def induce(self, material: Material) -> Senses:
        """Learn the senses of the words; the same material gives the same senses."""

    def parameters(self) -> dict[str, Any]:
        """The constructor's parameters as plain values, for the record of a run."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}


class ContextInducer(RivalInducer):
    """A method that works word by word on given contexts, so that it can group a test set too."""

    @abstractmethod
    def induce_from(self, word: str, occurrences: Occurrences, material: Material) -> Senses | None:
        """Find senses of one word among these occurrences; None where they are too few.

        Of the material, only vectors, function words and random state count. Each word has a
        random stream of its own, made of the state and the word.
        """


def map_words(
    function: WordFunction[Found],
    material: Material,
    windows: Windows,
    *,
    description: str = "inducing",
    show_progress: bool | None = None,
) -> dict[str, Found]:
    """Call a function with the contexts of every word; words that give None are left out.

    The contexts of a word are the same random sample for every method, ours included, and each
    word has a random stream of its own: its senses do not change with the company it is in, nor
    with the number of workers.

    Parameters
    ----------
    function
        Of the top level of a module, or a method of an object that can be sent to a worker. Words
        that the corpus does not have are not asked.
    """
    extractor = ContextExtractor(
        material.corpus,
        material.vectors,
        window=windows.shape.window,
        drop_repeats=windows.shape.drop_repeats,
        drop_function_words=bool(windows.left_out),
    )
    known = material.known_words
    batches = [known[i : i + BATCH_WORDS] for i in range(0, len(known), BATCH_WORDS)]
    tasks = (
        (batch, function, extractor, material.max_contexts, material.random_state)
        for batch in batches
    )
    workers = min(effective_workers(material.workers), max(len(batches), 1))
    found: dict[str, Found] = {}
    with progress_bar(description, len(known), unit="words", show=show_progress) as advance:
        for batch, results in zip(batches, map_tasks(_map_batch, tasks, workers), strict=True):
            advance(len(batch))
            pairs = zip(batch, results, strict=True)
            found |= {word: result for word, result in pairs if result is not None}
    return found


def _map_batch(
    words: Sequence[str],
    function: WordFunction[Found],
    extractor: ContextExtractor,
    max_contexts: int,
    random_state: int,
) -> list[Found | None]:
    results = []
    for word in words:
        sampling, starting = word_seeds(word, random_state).spawn(2)
        contexts = extractor.extract(word, max_contexts=max_contexts, random_state=sampling)
        results.append(function(word, contexts.context_ids, np.random.default_rng(starting)))
    return results


def check_at_least_one(**values: int) -> None:
    """Raise `InputError` for a parameter that is no whole number of 1 or more."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InputError(f"{name} must be a whole number, 1 or more; got {value!r}")


def is_kept(folder: Path, kind: str, identity: Mapping[str, Any]) -> bool:
    """Whether a folder holds the finished work.

    Parameters
    ----------
    identity : mapping
        Plain values that tell one work from another: parameters, digests of the material.

    `InputError` where the folder holds the same method's work on other material.
    """
    if not (folder / MANIFEST).exists():
        return False
    manifest = read_manifest(folder, kind, FORMAT_VERSION)
    if manifest.get("identity") != dict(identity):
        found = manifest.get("identity", {})
        names = sorted(name for name in identity if found.get(name) != identity[name])
        raise InputError(
            f"{folder} holds {kind} made with another {', '.join(names)}: "
            "delete it, or choose another folder"
        )
    return True


@contextlib.contextmanager
def keep_work(
    folder: Path, kind: str, identity: Mapping[str, Any], report: Mapping[str, Any] | None = None
) -> Iterator[Building]:
    """Give a folder to work in, which takes its place when the block ends well.

    What an interrupted block has finished there is found again.

    Parameters
    ----------
    report : mapping, optional
        Plain values that the block may still fill in; the manifest tells them.
    """
    started = time.perf_counter()
    with output_folder(folder, kind, dict(identity), keep_failed=True) as building:
        yield building
        fields = {"identity": dict(identity), "seconds": round(time.perf_counter() - started, 1)}
        write_manifest(building.folder, kind, FORMAT_VERSION, fields | dict(report or {}))
