"""Test sets of all kinds as a comparison sees them: which words, and how senses are scored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from grassmeans.errors import InputError
from grassmeans.evaluation.inducer_answers import (
    RunRecord,
    evaluate_on_test,
    evaluate_scws_senses,
    evaluate_senses,
)
from grassmeans.evaluation.instance_contexts import ContextReader
from grassmeans.evaluation.reports import ResultTable
from grassmeans.evaluation.similarity_running import digest_of_pairs, read_pairs
from grassmeans.evaluation.tasks.loading import CLUSTERING_TASKS, ClusteringTask, load_task
from grassmeans.laboratory.lineup.running import evaluate_lineup
from grassmeans.laboratory.lineup.task import read_lineup
from grassmeans.laboratory.rivals.interface import ContextInducer, InducedSenses

COMPARED_TASKS = (*CLUSTERING_TASKS, "scws", "lineup")


class Result(Protocol):
    """A test set, scored."""

    def to_dict(self) -> dict[str, Any]:
        """The scores and the record of the run as plain values."""

    def to_table(self) -> ResultTable:
        """The scores for people."""


class ComparedTask(ABC):
    """A test set that any method can be scored on.

    Attributes
    ----------
    name : str
    digest : str
        The same test set has the same.
    targets : tuple of str
        The words whose senses are needed, each once.
    """

    name: str
    digest: str
    targets: tuple[str, ...]

    @abstractmethod
    def evaluate(self, senses: InducedSenses, reader: ContextReader, record: RunRecord) -> Result:
        """Score senses that were induced before."""

    def evaluate_on_test(
        self, inducer: ContextInducer, reader: ContextReader, random_state: int, record: RunRecord
    ) -> Result:
        """Score the senses that a method finds in the test set itself."""
        raise InputError(
            f"{self.name} has no instances to be grouped: it is scored with --induce on-corpus only"
        )


class GroupingTask(ComparedTask):
    """Instances to be grouped; those of a graded test set get weighted senses."""

    def __init__(self, task: ClusteringTask) -> None:
        self.task = task
        self.name = task.name
        self.digest = task.digest
        self.targets = tuple(dict.fromkeys(instance.target for instance in task.instances))
        self._decode = "soft" if task.graded else "hard"

    def evaluate(self, senses: InducedSenses, reader: ContextReader, record: RunRecord) -> Result:
        """Decode the instances and score the groups."""
        return evaluate_senses(self.task, senses, reader, decode=self._decode, record=record)

    def evaluate_on_test(
        self, inducer: ContextInducer, reader: ContextReader, random_state: int, record: RunRecord
    ) -> Result:
        """Group the instances of each word among themselves."""
        return evaluate_on_test(
            self.task,
            inducer,
            reader,
            random_state=random_state,
            decode=self._decode,
            record=record,
        )


class ScwsTask(ComparedTask):
    """Similarity of words in context."""

    name = "scws"

    def __init__(self, path: Path) -> None:
        self._path = path
        pairs = read_pairs(path)
        self.digest = digest_of_pairs(pairs)
        sides = [side for pair in pairs for side in (pair.first, pair.second)]
        self.targets = tuple(dict.fromkeys(side.target for side in sides))

    def evaluate(self, senses: InducedSenses, reader: ContextReader, record: RunRecord) -> Result:
        """Correlate HardSim and SoftSim with the ratings."""
        return evaluate_scws_senses(self._path, senses, reader, record=record)


class LineupTask(ComparedTask):
    """The police lineup."""

    name = "lineup"

    def __init__(self, path: Path) -> None:
        self._path = path
        testbed = read_lineup(path)
        self.digest = testbed.digest
        self.targets = testbed.words

    def evaluate(self, senses: InducedSenses, reader: ContextReader, record: RunRecord) -> Result:
        """Find the senses of each word among others, by the sense vectors."""
        found = evaluate_lineup(self._path, senses, reader.vectors)
        return replace(
            found,
            parameters={**record.parameters, **found.parameters},
            digests={**record.digests, **found.digests},
        )


def open_task(name: str, data: str | Path) -> ComparedTask:
    """Read a test set that methods can be compared on.

    Parameters
    ----------
    name : str
        One of `COMPARED_TASKS`.
    data : path
        Its folder or file.
    """
    if name not in COMPARED_TASKS:
        raise InputError(f"unknown task {name!r}: expected one of {', '.join(COMPARED_TASKS)}")
    path = Path(data)
    if not path.exists():
        raise InputError(f"there is nothing at {path}: give the data of {name}")
    if name == "scws":
        return ScwsTask(path)
    if name == "lineup":
        return LineupTask(path)
    task = load_task(name, path)
    if task.gold.n_instances == 0:
        raise InputError(f"{path} has no gold labels: methods cannot be compared on it")
    return GroupingTask(task)
