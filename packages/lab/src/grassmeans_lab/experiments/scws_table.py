"""Similarity of words in context (SCWS): plain vectors, and lexeme vectors of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from grassmeans.evaluation.reports import format_value, round_score
from grassmeans.evaluation.running import evaluate
from grassmeans.evaluation.systems import ModelSystem, VectorSystem
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.models.model import load
from grassmeans.senses.decoding import DEFAULT_SHARPNESS
from grassmeans_lab.evaluation.sense_vectors import merge_lexemes
from grassmeans_lab.evaluation.tasks.similarity import ScwsTask
from grassmeans_lab.evaluation.tasks.similarity_scores import SimilarityScore
from grassmeans_lab.experiments.drawing import Measured, draw_intervals
from grassmeans_lab.experiments.experiment import (
    Cell,
    ComparedValue,
    DataTable,
    Experiment,
    ExperimentSetup,
    Figure,
    Findings,
    SkipExperimentError,
)

Group = Mapping[str, SimilarityScore]

_PLAIN_PAPER = 62.21
_PAPER: dict[tuple[str, int], dict[str, tuple[float, float]]] = {
    # (labels that the lexemes were trained on, K): SoftSim and HardSim of each test set
    ("hard", 2): {"all": (61.03, 58.40), "lite": (9.33, 4.97)},
    ("hard", 5): {"all": (60.82, 53.14), "lite": (27.40, 22.28)},
    ("soft", 2): {"all": (63.59, 63.67), "lite": (5.07, 6.53)},
    ("soft", 5): {"all": (62.46, 61.23), "lite": (16.54, 17.83)},
}
_OTHERS: dict[str, dict[str, tuple[float, float] | None]] = {
    "MSSG.300D.6K": {"all": (67.89, 55.99), "lite": (21.30, 20.06)},
    "MSSG.300D.30K": {"all": (67.84, 56.66), "lite": (19.49, 20.67)},
    "NP-MSSG.300D.6K": {"all": (67.72, 58.55), "lite": (20.14, 19.26)},
    "Huang 2012": {"all": (65.7, 26.1), "lite": None},
}
_TEST_SETS = {"all": "SCWS", "lite": "SCWS-lite"}
_SYSTEMS = {"soft": "SoftSim", "hard": "HardSim"}


@dataclass(frozen=True, slots=True)
class _Row:
    """One score: where, of what, ours, and the paper's."""

    test_set: str
    system: str
    score: SimilarityScore | None
    paper: float | None

    @property
    def label(self) -> str:
        return f"{_TEST_SETS[self.test_set]}, {self.system}"

    @property
    def spearman(self) -> float | None:
        """None where nothing can be ranked."""
        return None if self.score is None else round_score(self.score.spearman)

    @property
    def ends(self) -> tuple[float, float] | None:
        interval = None if self.score is None else self.score.spearman_interval
        return None if interval is None else (round(interval.low, 2), round(interval.high, 2))


@dataclass(frozen=True)
class ContextualSimilarity(Experiment):
    """Correlation of similarities with people's ratings, with 95% intervals over pairs."""

    name: ClassVar[str] = "scws"
    title: ClassVar[str] = "Similarity of words in context"
    paper: ClassVar[str] = "table 6, section 5.4"

    sharpness: float = DEFAULT_SHARPNESS  # of the soft probabilities

    def run(self, setup: ExperimentSetup) -> Findings:
        """Score the plain vectors; and the lexemes of the model, where both are given."""
        place = setup.test_sets.scws
        if place is None:
            raise SkipExperimentError("SCWS is not given")
        task = ScwsTask(place)
        plain = evaluate(task, VectorSystem(setup.vectors)).groups
        # The same word on both sides has similarity 1 by plain vectors: nothing to correlate.
        rows = [_Row("all", "plain skip-gram", plain["all"]["plain"], _PLAIN_PAPER)]
        text = [_explain_plain(plain["all"]["plain"])]
        if setup.model is None or setup.lexemes is None:
            text.append("HardSim and SoftSim need a model and its lexeme vectors: none was given.")
        else:
            found = self._score_lexemes(task, setup.model, setup.lexemes)
            rows += found.rows
            text.append(found.text)
        return Findings(
            values=tuple(_compare(row) for row in rows),
            figures=(_draw(rows),),
            tables=(_tabulate(rows),),
            text=tuple(text),
        )

    def _score_lexemes(self, task: ScwsTask, model_path: Path, lexemes_path: Path) -> _Scored:
        model, lexemes = load(model_path), LexemeVectors.load(lexemes_path)
        asked = ModelSystem(model, lexemes, vectors=merge_lexemes(lexemes))
        result = evaluate(task, asked, sharpness=self.sharpness)
        # Only hard labelling writes the key of "I don't know".
        labels = "hard" if lexemes.counts_by_kind()["n_idk"] else "soft"
        n_senses = model.settings.n_senses
        paper = _PAPER.get((labels, n_senses)) if isinstance(n_senses, int) else None
        kind = f"K = {n_senses}, {labels} labels"
        rows = [
            _Row("all", f"lexemes merged to words, {kind}", result.groups["all"]["plain"], None)
        ]
        for test_set in _TEST_SETS:
            for column, (system, title) in enumerate(_SYSTEMS.items()):
                rows.append(
                    _Row(
                        test_set,
                        f"{title}, {kind}",
                        result.groups[test_set][system],
                        None if paper is None else paper[test_set][column],
                    )
                )
        return _Scored(rows, _explain_lexemes(result.counts, result.groups["lite"]["soft"]))


@dataclass(frozen=True, slots=True)
class _Scored:
    rows: list[_Row]
    text: str


def _compare(row: _Row) -> ComparedValue:
    ends = "" if row.ends is None else f" ({format_value(row.ends)})"
    paper = "" if row.paper is None else format_value(row.paper)
    return ComparedValue(row.label, paper, f"{format_value(row.spearman)}{ends}")


def _tabulate(rows: list[_Row]) -> DataTable:
    cells: list[tuple[Cell, ...]] = [
        (
            _TEST_SETS[row.test_set],
            row.system,
            row.spearman,
            *(row.ends or (None, None)),
            *((None, None) if row.score is None else (row.score.n_used, row.score.n_missing)),
            row.paper,
        )
        for row in rows
    ]
    cells += [
        (_TEST_SETS[test_set], f"{title}, {name} (not run here)", *[None] * 5, found[column])
        for name, tests in _OTHERS.items()
        for test_set, found in tests.items()
        if found is not None
        for column, title in enumerate(_SYSTEMS.values())
    ]
    columns = ("test set", "system", "Spearman", "low", "high", "pairs", "missing", "paper's")
    caption = "Spearman's correlation with people's ratings, x100, with its 95% interval"
    return DataTable("scws", columns, tuple(cells), caption, shown=True)


def _draw(rows: list[_Row]) -> Figure:
    measured = [Measured(row.spearman, row.ends, row.paper) for row in rows]
    caption = "Correlation with people's ratings, with 95% intervals; open diamonds are the paper's"
    labels = [row.label for row in rows]
    return draw_intervals("scws", caption, labels, {"Spearman's correlation x100": measured})


def _explain_plain(score: SimilarityScore) -> str:
    return (
        f"{score.n_used:,} of {score.n_used + score.n_missing:,} pairs have vectors of both words. "
        "SCWS-lite are the pairs that show the same word twice: plain vectors give all of them "
        "similarity 1."
    )


def _explain_lexemes(counts: Mapping[str, int], lite: SimilarityScore) -> str:
    return (
        f"{counts['n_decoded']:,} of {counts['n_occurrences']:,} occurrences are of words with "
        f'senses, {counts["n_idk"]:,} of them "I don\'t know"; the others stand for their word. '
        f"SCWS-lite has {lite.n_used} pairs only: differences of some points are noise there. "
        "Words merged from lexemes show what training on labelled text alone changes."
    )
