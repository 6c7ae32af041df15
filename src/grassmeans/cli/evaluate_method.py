"""`grassmeans evaluate --method`: a test set, answered with senses that a method induces."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grassmeans.errors import InputError

if TYPE_CHECKING:
    from grassmeans.evaluation.reports import ResultTable


@dataclass(frozen=True, slots=True)
class MethodOptions:
    """How a method is to be run."""

    method: str
    corpus: Path | None
    vectors: Path | None
    n_senses: int | None
    induce: str
    max_contexts: int
    random_state: int
    workers: int | None


def evaluate_method(
    task: str, data: Path, options: MethodOptions
) -> tuple[dict[str, Any], ResultTable]:
    """Run one method on one test set; its record, and a table of its scores."""
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.laboratory.comparing.comparing import Comparison, ComparisonSettings
    from grassmeans.laboratory.comparing.systems import DEFAULT_SENSES, make_systems
    from grassmeans.laboratory.comparing.tables import tabulate_comparison
    from grassmeans.laboratory.comparing.tasks import open_task
    from grassmeans.vectors.word_vectors import WordVectors

    if options.corpus is None or options.vectors is None:
        raise InputError("--method needs --corpus and --vectors, from which it learns")
    comparison = Comparison(
        Corpus.open(options.corpus),
        WordVectors.load(options.vectors),
        [open_task(task, data)],
        ComparisonSettings(options.max_contexts, options.induce, options.random_state),
        workers=options.workers,
    )
    n_senses = DEFAULT_SENSES[0] if options.n_senses is None else options.n_senses
    systems = make_systems([options.method], [n_senses])
    (row,) = comparison.compare(systems)
    times = {
        "induction_seconds": row.induction_seconds,
        "decoding_seconds": row.decoding_seconds,
    }
    return {**row.result, **times}, tabulate_comparison([row])[row.task]
