"""One door to every test set: a system answers it, the answers are scored, the run is recorded."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from grassmeans.errors import InputError, check_choice
from grassmeans.evaluation.instances import LabelledInstances
from grassmeans.evaluation.reports import ResultTable, group_rows, plain_groups, tabulate_groups
from grassmeans.evaluation.systems import ModelSystem, System
from grassmeans.models.model import SenseModel
from grassmeans.results import ColumnTypes, Tabular
from grassmeans.senses.decoding import DECODINGS, MODEL_THRESHOLD, IdkThreshold


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a system is run, the same for every system.

    Parameters
    ----------
    induce : {"on-corpus", "on-test"}
        Whether instances are decoded with senses of a corpus (as in the paper), or each word's
        senses are induced from its own test instances.
    decoding : {"hard", "soft"}, optional
        One sense an instance, or weighted ones; the scores of tasks that are not graded take the
        heaviest. By default soft for graded tasks, hard for others.
    sharpness : float, optional
        Of soft decoding; the system's own by default.
    idk_threshold : float, "model" or None
        Where similarities say "I don't know"; "model" takes the model's own. Instances that are
        grouped always go to a sense.
    """

    induce: str = "on-corpus"
    decoding: str | None = None
    sharpness: float | None = None
    idk_threshold: IdkThreshold = MODEL_THRESHOLD

    def __post_init__(self) -> None:
        check_choice("induce", self.induce, ("on-corpus", "on-test"))
        check_choice("decoding", self.decoding or DECODINGS[0], DECODINGS)


@dataclass(frozen=True, kw_only=True)
class Result(Tabular):
    """A test set, answered and scored, with the record of the run; as a table, the scores."""

    task: str
    """Its name."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Of the system and of the run, as plain values."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """Of the test set, and of what the system is made of."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """What there was, and how often a rule decided."""
    words_without_senses: tuple[str, ...] = ()
    """Those for which the system found none."""
    seconds: float = 0.0
    """That it took."""

    @abstractmethod
    def plain_scores(self) -> dict[str, Any]:
        """The scores of each group as plain values, and remarks on them."""

    @abstractmethod
    def to_table(self) -> ResultTable:
        """The scores for people."""

    def column_types(self) -> ColumnTypes:
        """The name of a group; which scores it has is told by groups alone."""
        return {"group": str}

    def _heading(self) -> str:
        return f"{self.task}: scores"

    def to_dict(self) -> dict[str, Any]:
        """The scores of each group, and the record of the run, as plain values."""
        return self.plain_scores() | {
            "task": self.task,
            "parameters": dict(self.parameters),
            "digests": dict(self.digests),
            "counts": dict(self.counts),
            "seconds": round(self.seconds, 2),
        }


@dataclass(frozen=True, kw_only=True)
class GroupsResult(Result):
    """Scores of ``"all"`` words, and of parts of them."""

    groups: Mapping[str, Any]
    """``"all"`` and parts -> scores."""
    columns: Mapping[str, str]
    """Of a table for people: from headings to fields of the scores."""

    def plain_scores(self) -> dict[str, Any]:
        """The scores of each group."""
        return plain_groups(self.groups)

    def rows(self) -> list[dict[str, Any]]:
        """``group``, and its scores; an interval is two columns, ``accuracy_low`` and ``_high``."""
        return group_rows(plain_groups(self.groups))

    def to_table(self) -> ResultTable:
        """A row for each group."""
        return tabulate_groups(plain_groups(self.groups), self.columns)


AnyResult = TypeVar("AnyResult", bound=Result)


class Task(ABC, Generic[AnyResult]):
    """A test set that any system can be scored on."""

    name: str
    # Whether it has instances whose senses can be induced from themselves.
    groups_instances: bool = False
    needs_senses: bool = False  # whether vectors of whole words cannot answer it
    # Whether it looks at contexts themselves: a kind of context answers it without any senses.
    needs_contexts: bool = False

    @property
    def labelled(self) -> LabelledInstances | None:
        """Its instances and their gold senses; None where it has no such."""
        return None

    @property
    @abstractmethod
    def digest(self) -> str:
        """The same test set has the same."""

    @property
    @abstractmethod
    def targets(self) -> tuple[str, ...]:
        """The words whose senses are needed, each once."""

    @abstractmethod
    def score(self, system: System, settings: RunSettings) -> AnyResult:
        """Let a system answer, and score it; `evaluate` adds what all results have in common."""


def evaluate(
    task: Task[AnyResult],
    system: System | SenseModel,
    settings: RunSettings | None = None,
    **changes: Any,
) -> AnyResult:
    """Answer a test set with a system, and score the answers.

    `InputError` where the system cannot do what is asked, or no word of the task has senses.

    Parameters
    ----------
    task : Task
        From `grassmeans.evaluation.loading.open_task`.
    **changes
        Single settings: ``decoding="soft"``, ...
    """
    answering = ModelSystem(system) if isinstance(system, SenseModel) else system
    chosen = replace(settings or RunSettings(), **changes)
    if chosen.induce == "on-test" and not task.groups_instances:
        raise InputError(
            f"{task.name} has no instances to be grouped: it is scored with induce='on-corpus' only"
        )
    started = time.perf_counter()
    result = task.score(answering, chosen)
    return replace(
        result,
        parameters={**answering.parameters, **result.parameters},
        digests={**answering.digests, "data": task.digest, **result.digests},
        seconds=time.perf_counter() - started,
    )
