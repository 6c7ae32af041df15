"""Word sense induction on two test sets, with the methods of the registry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from grassmeans.evaluation.grouping import ClusteringTask
from grassmeans.evaluation.reports import format_value
from grassmeans_lab.comparing.comparing import Comparison, ComparisonRow, ComparisonSettings
from grassmeans_lab.comparing.systems import make_systems
from grassmeans_lab.evaluation.tasks.coarse_senses import MAKES_SENSE
from grassmeans_lab.evaluation.tasks.semeval2010 import SEMEVAL2010
from grassmeans_lab.experiments.drawing import Measured, draw_intervals
from grassmeans_lab.experiments.experiment import (
    Cell,
    ComparedValue,
    DataTable,
    Experiment,
    ExperimentSetup,
    Figure,
    Findings,
    Parameters,
    SkipExperimentError,
)


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A row of the paper's table 5 for one test set."""

    v_measure: float
    f_score: float
    n_clusters: float


_OURS = "grassmeans"
_PAPER: dict[str, dict[tuple[str, int | None], PaperRow]] = {
    "makes-sense": {
        (_OURS, 2): PaperRow(29.30, 64.58, 2.37),
        (_OURS, 5): PaperRow(34.40, 58.17, 4.98),
        ("mssg", None): PaperRow(19.40, 54.49, 2.88),
        ("mssg:n_multi=6000", None): PaperRow(14.40, 57.91, 2.35),
        # The numbers of this row are scrambled in the paper; these are of its later version.
        ("huang", None): PaperRow(15.50, 47.40, 6.15),
    },
    "semeval2010": {
        (_OURS, 2): PaperRow(7.30, 57.14, 1.93),
        (_OURS, 5): PaperRow(14.50, 44.07, 4.30),
        ("mssg", None): PaperRow(9.00, 47.26, 2.88),
        ("mssg:n_multi=6000", None): PaperRow(6.90, 48.43, 2.45),
        ("huang", None): PaperRow(10.60, 38.05, 6.63),
    },
}
_TITLES = {"makes-sense": "Make-Sense-2016", "semeval2010": "SemEval-2010 task 14"}
_COLUMNS: tuple[str, ...] = (
    "method",
    "K",
    "V",
    "V low",
    "V high",
    "F",
    "F low",
    "F high",
    "clusters",
)
_COLUMNS += ("paper's V", "paper's F", "paper's clusters")


@dataclass(frozen=True)
class SenseInductionTable(Experiment):
    """V-measure and paired F-score of all methods, with 95% intervals over words.

    Parameters
    ----------
    methods : tuple of str
        As in `grassmeans compare`. Those that train (``mssg``, ``np-mssg``, ``huang``, ``atoms``)
        take long; what they trained is found again in the experiment's folder.
    senses : tuple of int
        K, for methods that take any.
    max_contexts : int
        Occurrences of a word that senses are induced from; 10,000 in the paper.
    """

    name: ClassVar[str] = "wsi"
    title: ClassVar[str] = "Word sense induction"
    paper: ClassVar[str] = "table 5, section 5.3"
    small: ClassVar[Parameters] = {
        "methods": ("one", "kmeans", _OURS),
        "senses": (2,),
        "max_contexts": 200,
    }

    methods: tuple[str, ...] = (
        "one",
        "random",
        "kmeans",
        "kmeans-idf",
        _OURS,
        "grassmeans-singular",
    )
    senses: tuple[int, ...] = (2, 5)
    max_contexts: int = 1_500

    def run(self, setup: ExperimentSetup) -> Findings:
        """Run the comparison; finished rows are kept in the folder."""
        tasks = _open_tasks(setup)
        comparison = Comparison(
            setup.corpus,
            setup.vectors,
            tasks,
            ComparisonSettings(self.max_contexts, random_state=setup.random_state),
            device=setup.device,
            workers=setup.workers,
            keep=setup.folder / "comparison",
        )
        rows = list(comparison.compare(make_systems(self.methods, self.senses)))
        by_task = {task.name: [row for row in rows if row.task == task.name] for task in tasks}
        return Findings(
            values=tuple(value for found in by_task.values() for value in _list_values(found)),
            figures=tuple(_draw(name, found) for name, found in by_task.items()),
            tables=tuple(_tabulate(name, found) for name, found in by_task.items()),
            text=(self._explain(by_task), *_compare_methods(by_task)),
        )

    def _explain(self, by_task: dict[str, list[ComparisonRow]]) -> str:
        sizes = " and ".join(
            f"{rows[0].result['all']['n_instances']:,} instances of "
            f"{rows[0].result['all']['n_words']} words of {_TITLES[name]}"
            for name, rows in by_task.items()
        )
        return (
            f"Senses come from at most {self.max_contexts:,} contexts a word of this corpus; "
            f'{sizes} go to the nearest sense, with no "I don\'t know". Lines are 95% intervals '
            "by bootstrap over words. V-measure favours many groups, paired F-score few: one "
            "group for each word has V 0 and a high F, so that the two are to be read together."
        )


def _open_tasks(setup: ExperimentSetup) -> list[ClusteringTask]:
    places = {
        MAKES_SENSE: setup.test_sets.makes_sense,
        SEMEVAL2010: setup.test_sets.semeval2010,
    }
    tasks = [read(place) for read, place in places.items() if place is not None]
    if not tasks:
        raise SkipExperimentError("neither Make-Sense-2016 nor SemEval-2010 task 14 is given")
    return tasks


def _paper_row(row: ComparisonRow) -> PaperRow | None:
    number = row.n_senses if isinstance(row.n_senses, int) else None
    return _PAPER[row.task].get((row.method, number))


def _label(row: ComparisonRow) -> str:
    return row.method if row.n_senses is None else f"{row.method}, K = {row.n_senses}"


def _list_values(rows: Sequence[ComparisonRow]) -> list[ComparedValue]:
    """Values for the report: all rows, the paper's where it has them."""
    values = []
    for row in rows:
        paper, scores = _paper_row(row), row.result["all"]
        values.append(
            ComparedValue(
                f"{_TITLES[row.task]}, {_label(row)}: V / F / clusters",
                _show(paper.v_measure, paper.f_score, paper.n_clusters) if paper else "",
                _show(scores["v_measure"], scores["f_score"], scores["n_clusters"]),
            )
        )
    return values


def _show(*numbers: float) -> str:
    return " / ".join(format_value(number) for number in numbers)


def _tabulate(name: str, rows: Sequence[ComparisonRow]) -> DataTable:
    cells: list[tuple[Cell, ...]] = [
        (row.method, row.n_senses, *_score_cells(row.result["all"]), *_paper_cells(_paper_row(row)))
        for row in rows
    ]
    run = {(row.method, row.n_senses) for row in rows}
    cells += [
        (f"{method} (not run here)", number, *[None] * 7, *_paper_cells(paper))
        for (method, number), paper in _PAPER[name].items()
        if (method, number) not in run
    ]
    return DataTable(f"wsi-{name}", _COLUMNS, tuple(cells), _TITLES[name], shown=True)


def _score_cells(scores: Mapping[str, Any]) -> list[Cell]:
    cells: list[Cell] = []
    for score in ("v_measure", "f_score"):
        cells += [scores[score], *(scores[f"{score}_interval"] or (None, None))]
    return [*cells, scores["n_clusters"]]


def _paper_cells(paper: PaperRow | None) -> tuple[Cell, ...]:
    if paper is None:
        return (None, None, None)
    return (paper.v_measure, paper.f_score, paper.n_clusters)


def _draw(name: str, rows: Sequence[ComparisonRow]) -> Figure:
    panels = {}
    for title, score in (("V-measure", "v_measure"), ("paired F-score", "f_score")):
        panels[title] = [_measure(row, score) for row in rows]
    caption = f"{_TITLES[name]}: scores x100 with 95% intervals; open diamonds are the paper's"
    return draw_intervals(f"wsi-{name}", caption, [_label(row) for row in rows], panels)


def _measure(row: ComparisonRow, score: str) -> Measured:
    scores, paper = row.result["all"], _paper_row(row)
    interval = scores[f"{score}_interval"]
    return Measured(
        scores[score],
        None if interval is None else (interval[0], interval[1]),
        None if paper is None else getattr(paper, score),
    )


def _compare_methods(by_task: dict[str, list[ComparisonRow]]) -> list[str]:
    """What is best by V and by F, in words."""
    sentences = []
    for name, rows in by_task.items():
        v = max(rows, key=lambda row: float(row.result["all"]["v_measure"]))
        f = max(rows, key=lambda row: float(row.result["all"]["f_score"]))
        sentences.append(
            f"{_TITLES[name]}: V is highest with {_label(v)} ({v.result['all']['v_measure']:.1f}), "
            f"F with {_label(f)} ({f.result['all']['f_score']:.1f})."
        )
    return sentences
