"""Every method on every test set, from the same corpus and vectors; finished rows are kept."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grassmeans.artifacts import digest_of, explain_write_errors, read_json, write_json
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import ArtifactError, InputError
from grassmeans.evaluation.answering import known_form
from grassmeans.evaluation.inducer_answers import RunRecord
from grassmeans.evaluation.instance_contexts import ContextReader
from grassmeans.evaluation.running import INDUCE, check_choice
from grassmeans.evaluation.similarity_running import digest_of_vectors
from grassmeans.laboratory.comparing.systems import System
from grassmeans.laboratory.comparing.tasks import ComparedTask
from grassmeans.laboratory.rivals.interface import InducedSenses, Material
from grassmeans.vectors.word_vectors import WordVectors


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """What all methods of a comparison share.

    Parameters
    ----------
    max_contexts : int
        Occurrences of a word that are looked at by methods that work word by word.
    induce : {"on-corpus", "on-test"}
        Whether senses come from the corpus, or from the test instances of each word.
    random_state : int
    """

    max_contexts: int = 10_000
    induce: str = "on-corpus"
    random_state: int = 0

    def __post_init__(self) -> None:
        check_choice("induce", self.induce, INDUCE)
        if self.max_contexts < 1:
            raise InputError(f"max_contexts must be 1 or more, got {self.max_contexts}")


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One method on one test set.

    Attributes
    ----------
    method : str
    n_senses : int, "auto" or None
        The number of senses that was asked for, where one was.
    task : str
    result : mapping
        What the test set gives as plain values: the scores of each group, ``parameters``,
        ``digests``, ``counts``.
    induction_seconds : float or None
        Of all words of the comparison together, when they were first induced; None where nothing
        was induced beforehand.
    decoding_seconds : float
        Of answering and scoring; with senses of the test instances, of inducing them too.
    """

    method: str
    n_senses: int | str | None
    task: str
    result: Mapping[str, Any]
    induction_seconds: float | None
    decoding_seconds: float

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Any, path: Path) -> ComparisonRow:
        """The opposite of `to_dict`, for a row that was kept at ``path``."""
        try:
            return cls(**values)
        except TypeError as error:
            raise ArtifactError(f"{path} is no row of a comparison: delete it") from error


class Comparison:
    """Compares systems on test sets.

    Parameters
    ----------
    corpus : Corpus
    vectors : WordVectors
        Trained on it.
    tasks : sequence of ComparedTask
        Each method is induced once, for the words of all of them.
    settings : ComparisonSettings, optional
    workers : int or None
        All cores without it.
    keep : path, optional
        A folder for finished rows, and for what methods train: they are not computed again.

    Attributes
    ----------
    words : tuple of str
        Those of the tasks that the corpus has, as it writes them.
    """

    def __init__(
        self,
        corpus: Corpus,
        vectors: WordVectors,
        tasks: Sequence[ComparedTask],
        settings: ComparisonSettings | None = None,
        *,
        workers: int | None = 1,
        keep: str | Path | None = None,
    ) -> None:
        if not tasks:
            raise InputError("there is nothing to compare on: name at least one task")
        names = [task.name for task in tasks]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise InputError(f"{twice[0]} is there twice: compare on one test set of a kind")
        self.corpus = corpus
        self.vectors = vectors
        self.tasks = tuple(tasks)
        self.settings = settings or ComparisonSettings()
        self.workers = workers
        self.keep = None if keep is None else Path(keep)
        self.reader = ContextReader.for_corpus(corpus, vectors)
        targets = dict.fromkeys(target for task in tasks for target in task.targets)
        forms = (known_form(corpus.vocabulary, target) for target in targets)
        self.words = tuple(sorted({form for form in forms if form is not None}))
        self._shared = RunRecord(
            asdict(self.settings),
            {"corpus": corpus.manifest["digest"], "vectors": digest_of_vectors(vectors)},
        )

    def compare(self, systems: Sequence[System]) -> Iterator[ComparisonRow]:
        """Yield a row for each system and task, as they are finished.

        Raises
        ------
        InputError
            Before anything is computed, where a method cannot do what is asked.
        """
        if self.settings.induce == "on-test":
            for system in systems:
                system.require_context_inducer()
        return self._compare(systems)

    def _compare(self, systems: Sequence[System]) -> Iterator[ComparisonRow]:
        for system in systems:
            run = _SystemRun(self, system, system.describe(self._shared))
            for task in self.tasks:
                yield run.find_row(task)

    def make_material(self, folder: Path | None) -> Material:
        """What a method learns from; ``folder`` is where it may keep what it trains."""
        return Material(
            corpus=self.corpus,
            vectors=self.vectors,
            words=self.words,
            max_contexts=self.settings.max_contexts,
            random_state=self.settings.random_state,
            workers=self.workers,
            folder=folder,
        )


class _SystemRun:
    """One system on all tasks; its senses are induced when the first task needs them."""

    def __init__(self, comparison: Comparison, system: System, record: RunRecord) -> None:
        self._comparison = comparison
        self._system = system
        self._record = record
        self._reader = system.choose_reader(comparison.reader)
        self._senses: InducedSenses | None = None
        self._induction_seconds: float | None = None
        words = comparison.words if system.depends_on_words else ()
        self._identity = [dict(record.parameters), dict(record.digests), list(words)]

    def find_row(self, task: ComparedTask) -> ComparisonRow:
        """The row that was kept, or a new one."""
        path = self._place("rows", [*self._identity, task.digest], f"{task.name}-")
        if path is not None and path.exists():
            return ComparisonRow.from_dict(read_json(path), path)
        row = self._make_row(task)
        if path is not None:
            _store(path, row.to_dict())
        return row

    def _make_row(self, task: ComparedTask) -> ComparisonRow:
        settings = self._comparison.settings
        if settings.induce == "on-test":
            inducer = self._system.require_context_inducer()
            started = time.perf_counter()
            result = task.evaluate_on_test(
                inducer, self._reader, settings.random_state, self._record
            )
        else:
            senses = self._find_senses()
            started = time.perf_counter()
            result = task.evaluate(senses, self._reader, self._record)
        return ComparisonRow(
            method=self._system.name,
            n_senses=self._system.n_senses,
            task=task.name,
            result=result.to_dict(),
            induction_seconds=self._induction_seconds,
            decoding_seconds=round(time.perf_counter() - started, 2),
        )

    def _find_senses(self) -> InducedSenses:
        if self._senses is None:
            folder = self._place("methods", self._identity)
            started = time.perf_counter()
            self._senses = self._system.find_senses(self._comparison.make_material(folder))
            if self._system.induces:
                self._induction_seconds = self._keep_seconds(time.perf_counter() - started)
        return self._senses

    def _keep_seconds(self, seconds: float) -> float:
        """The time of the first induction: what was kept is found again in no time."""
        path = self._place("times", self._identity)
        if path is None:
            return round(seconds, 2)
        if not path.exists():
            _store(path, {"induction_seconds": round(seconds, 2)})
        return float(read_json(path)["induction_seconds"])

    def _place(self, kind: str, identity: Any, prefix: str = "") -> Path | None:
        """A path in the folder of finished work that belongs to this identity alone."""
        if self._comparison.keep is None:
            return None
        suffix = "" if kind == "methods" else ".json"
        name = f"{prefix}{self._system.slug}-{digest_of(identity)}{suffix}"
        return self._comparison.keep / kind / name


def _store(path: Path, values: dict[str, Any]) -> None:
    with explain_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, values)
