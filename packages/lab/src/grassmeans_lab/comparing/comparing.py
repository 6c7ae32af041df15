"""Every system on every test set, from the same corpus and vectors; finished rows are kept."""

from __future__ import annotations

import contextlib
import copy
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grassmeans.artifacts.checking import TEMPORARY, read_json
from grassmeans.artifacts.writing import digest_of, explain_write_errors, write_json
from grassmeans.corpus.corpus import Corpus
from grassmeans.engines import share_place
from grassmeans.engines.parallel import is_remote, map_tasks
from grassmeans.errors import ArtifactError, GrassmeansError, InputError
from grassmeans.evaluation.instances import known_form
from grassmeans.evaluation.running import RunSettings, Task, evaluate
from grassmeans.evaluation.systems import System
from grassmeans.outputs.ownership import check_inputs
from grassmeans.outputs.places import remove_leftovers
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.comparing.systems import DEFAULT_SENSES, MethodSystem
from grassmeans_lab.rivals.interface import Material


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """What all methods of a comparison share.

    Parameters
    ----------
    max_contexts : int
        Occurrences of a word that are looked at by methods that work word by word.
    induce : {"on-corpus", "on-test"}
        Whether senses come from the corpus, or from the test instances of each word.
    """

    max_contexts: int = 10_000
    induce: str = "on-corpus"
    random_state: int = 0

    def __post_init__(self) -> None:
        RunSettings(self.induce)  # says what is wrong with it
        if self.max_contexts < 1:
            raise InputError(f"max_contexts must be 1 or more, got {self.max_contexts}")


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One system on one test set."""

    method: str
    n_senses: int | str | None  # the number of senses that was asked for, where one was
    task: str
    # What the test set gives as plain values: the scores of each group, ``parameters``,
    # ``digests``, ``counts``. Empty for a row that failed.
    result: Mapping[str, Any]
    # Of all words of the comparison together, when they were first induced; None where nothing was
    # induced beforehand.
    induction_seconds: float | None
    # Of answering and scoring; with senses of the test instances, of inducing them too.
    decoding_seconds: float
    error: str | None = None  # why the row has no result

    @property
    def title(self) -> str:
        """The method with its number of senses."""
        return self.method if self.n_senses is None else f"{self.method}, {self.n_senses} senses"

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
    vectors : WordVectors
        Trained on it.
    tasks : sequence of Task
        Each method is induced once, for the words of all of them.
    device : {"cpu", "cuda"}
        Where methods compute that can (see `Material`); used from this process, and so are the
        systems of a comparison on a GPU.
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
        tasks: Sequence[Task[Any]],
        settings: ComparisonSettings | None = None,
        *,
        device: str = "cpu",
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
        self.device = device
        self.workers = workers
        self.keep = None if keep is None else Path(keep)
        if self.keep is not None:
            check_inputs(self.keep, [corpus.path, vectors.folder], into=True)
        self.words = words_in_corpus(corpus, tasks)

    def compare(self, systems: Sequence[System]) -> Iterator[ComparisonRow]:
        """Yield a row for each system and task, as they are finished.

        A row that fails tells why, and the others go on. With an engine (`use_engine`) every system
        is a worker's.

        `InputError` before anything is computed, where a method cannot do what is asked.
        """
        if self.settings.induce == "on-test":
            for system in systems:
                if not system.can_induce_on_test:
                    raise InputError(
                        f"{system.name} does not work on given contexts, so it cannot induce "
                        "senses on a test set: leave it out, or take induce='on-corpus'"
                    )
        return self._compare(systems)

    def _compare(self, systems: Sequence[System]) -> Iterator[ComparisonRow]:
        if self.device != "cpu" or not is_remote():
            for system in systems:
                yield from compare_system(self, system)
            return
        with contextlib.ExitStack() as stack:
            if self.keep is not None:
                place = self.keep / "engine"
                stack.callback(shutil.rmtree, place, ignore_errors=True)
                stack.enter_context(share_place(place))
            alone = copy.copy(self)
            alone.workers = 1  # a system a worker
            tasks = ((alone, system) for system in systems)
            for rows in map_tasks(list_rows, tasks, self.workers):
                yield from rows

    def make_material(self, folder: Path | None = None) -> Material:
        """What a method learns from; ``folder`` is where it may keep what it trains."""
        return Material(
            corpus=self.corpus,
            vectors=self.vectors,
            words=self.words,
            max_contexts=self.settings.max_contexts,
            random_state=self.settings.random_state,
            device=self.device,
            workers=self.workers,
            folder=folder,
        )


def compare_system(comparison: Comparison, system: System) -> Iterator[ComparisonRow]:
    """Yield a row for each task of a comparison."""
    run = _SystemRun(comparison, system)
    for task in comparison.tasks:
        yield run.find_row(task)


def list_rows(comparison: Comparison, system: System) -> list[ComparisonRow]:
    """The rows of a system, as a worker gives them."""
    return list(compare_system(comparison, system))


class _SystemRun:
    """One system on all tasks; its senses are induced when the first task needs them."""

    def __init__(self, comparison: Comparison, system: System) -> None:
        self._comparison = comparison
        self._system = system
        self._induction_seconds: float | None = None
        self._failure: Exception | None = None
        words: tuple[str, ...] = ()
        if isinstance(system, MethodSystem):
            system.learn_from(comparison.make_material())
            words = comparison.words if system.depends_on_words else ()
        run = {"induce": comparison.settings.induce}
        self._identity = [dict(system.parameters) | run, dict(system.digests), list(words)]
        if isinstance(system, MethodSystem):
            system.learn_from(comparison.make_material(self._place("methods", self._identity)))

    def find_row(self, task: Task[Any]) -> ComparisonRow:
        """The row that was kept, or a new one."""
        path = self._place("rows", [*self._identity, task.digest], f"{task.name}-")
        if path is not None and path.exists():
            return ComparisonRow.from_dict(read_json(path), path)
        started = time.perf_counter()
        try:
            return self._make_row(task, path)
        except Exception as error:  # whatever it is: one row must not end a night's run
            text = str(error) if isinstance(error, GrassmeansError) else repr(error)
            return self._collect(task, {}, time.perf_counter() - started, text)

    def _make_row(self, task: Task[Any], path: Path | None) -> ComparisonRow:
        settings = RunSettings(self._comparison.settings.induce)
        if settings.induce == "on-corpus":
            self._induce()
        result = evaluate(task, self._system, settings)
        row = self._collect(task, result.to_dict(), result.seconds)
        if path is not None:
            _store(path, row.to_dict())
        return row

    def _collect(
        self, task: Task[Any], result: dict[str, Any], seconds: float, error: str | None = None
    ) -> ComparisonRow:
        return ComparisonRow(
            method=self._system.name,
            n_senses=self._system.n_senses,
            task=task.name,
            result=result,
            induction_seconds=self._induction_seconds,
            decoding_seconds=round(seconds, 2),
            error=error,
        )

    def _induce(self) -> None:
        """Learn before the clock of the first task starts; what failed is not tried again."""
        if self._failure is not None:
            raise self._failure
        if self._induction_seconds is not None or not isinstance(self._system, MethodSystem):
            return
        started = time.perf_counter()
        try:
            self._system.find_senses(self._comparison.words)
        except Exception as error:
            self._failure = error
            raise
        self._induction_seconds = self._keep_seconds(time.perf_counter() - started)

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
        number = "" if self._system.n_senses is None else f"-{self._system.n_senses}"
        slug = re.sub(r"[^\w.-]+", "-", self._system.name) + number
        return self._comparison.keep / kind / f"{prefix}{slug}-{digest_of(identity)}{suffix}"


def learn_method(
    task: Task[Any],
    method: str,
    n_senses: int | None,
    corpus: Path,
    vectors: Path,
    max_contexts: int,
    random_state: int,
    device: str,
    workers: int | None,
) -> System:
    """A method that learns the senses of the task's words from a corpus and its vectors."""
    system = MethodSystem(method, DEFAULT_SENSES[0] if n_senses is None else n_senses)
    source = Corpus.open(corpus)
    words = words_in_corpus(source, [task])
    known = WordVectors.load(vectors)
    system.learn_from(Material(source, known, words, max_contexts, random_state, device, workers))
    return system


def words_in_corpus(corpus: Corpus, tasks: Iterable[Task[Any]]) -> tuple[str, ...]:
    """The words of test sets that a corpus has, as it writes them."""
    targets = dict.fromkeys(target for task in tasks for target in task.targets)
    forms = (known_form(corpus.vocabulary, target) for target in targets)
    return tuple(sorted({form for form in forms if form is not None}))


def _store(path: Path, values: dict[str, Any]) -> None:
    with explain_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(path.parent.glob(f"*{TEMPORARY}*"))
    write_json(path, values)
