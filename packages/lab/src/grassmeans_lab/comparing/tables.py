"""Rows of a comparison as tables for people: one for each test set, and one of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grassmeans.evaluation.reports import ResultTable, format_value
from grassmeans_lab.comparing.comparing import ComparisonRow
from grassmeans_lab.evaluation.graded_scores import OFFICIAL_NAMES, is_graded

_Places = Mapping[str, tuple[str, ...]]

_CLUSTERING: _Places = {
    "V": ("all", "v_measure"),
    "V 95%": ("all", "v_measure_interval"),
    "F": ("all", "f_score"),
    "F 95%": ("all", "f_score_interval"),
    "clusters": ("all", "n_clusters"),
}
_GRADED: _Places = {
    "FNMI": ("all", "fnmi"),
    "FNMI 95%": ("all", "fnmi_interval"),
    "FBC": ("all", "fbc"),
    "FBC 95%": ("all", "fbc_interval"),
    "clusters": ("all", "n_clusters"),
}
_SCWS: _Places = {
    "SoftSim": ("all", "soft", "spearman"),
    "SoftSim 95%": ("all", "soft", "spearman_interval"),
    "HardSim": ("all", "hard", "spearman"),
    "HardSim 95%": ("all", "hard", "spearman_interval"),
    "AvgSim": ("all", "average", "spearman"),
    "MaxSim": ("all", "maximum", "spearman"),
    "lite SoftSim": ("lite", "soft", "spearman"),
    "lite HardSim": ("lite", "hard", "spearman"),
    "missing": ("all", "hard", "n_missing"),
}
_SENTENCES: _Places = {
    "answered": ("all", "answered"),
    "accuracy": ("all", "accuracy"),
    "accuracy 95%": ("all", "accuracy_interval"),
    "pairwise": ("all", "pairwise"),
    "pairwise 95%": ("all", "pairwise_interval"),
    "split": ("all", "split"),
    "accuracy in pairs": ("all", "accuracy_in_pairs"),
    "told apart": ("all", "told_apart"),
}


SUMMARY = "all test sets"

# What stands for a test set where all are in one table.
_HEADLINES: Mapping[str, Sequence[str]] = {
    "scws": ("SoftSim", "HardSim", "AvgSim", "MaxSim"),
    "lineup": ("P / R at 4",),
    "sentences": ("answered", "accuracy", "pairwise"),
}


def tabulate_comparison(rows: Sequence[ComparisonRow]) -> dict[str, ResultTable]:
    """A table for each task, in the order of the rows; where there are several, one of all first.

    Its columns are the method, K, the scores of all words with 95% intervals, and the seconds of
    induction and decoding; "-" where a method has no such score. Rows that failed say so, and
    below the table why.
    """
    by_task: dict[str, list[ComparisonRow]] = {}
    for row in rows:
        by_task.setdefault(row.task, []).append(row)
    tables = {task: _tabulate_task(task, found) for task, found in by_task.items()}
    return tables if len(tables) == 1 else {SUMMARY: _tabulate_all(rows, tuple(tables)), **tables}


def to_markdown(tables: Mapping[str, ResultTable]) -> str:
    """The tables in Markdown, each below a heading."""
    return "\n".join(f"## {task}\n\n{table.to_markdown()}" for task, table in tables.items())


def _tabulate_all(rows: Sequence[ComparisonRow], tasks: Sequence[str]) -> ResultTable:
    """A line for each system: its main scores on every test set, and its seconds."""
    systems: dict[tuple[str, str], dict[str, ComparisonRow]] = {}
    for row in rows:
        number = "-" if row.n_senses is None else str(row.n_senses)
        systems.setdefault((row.method, number), {})[row.task] = row
    names = {task: _name_headlines(task, rows) for task in tasks}
    lines = tuple(
        (
            *system,
            *(_headline(found.get(task), names[task]) for task in tasks),
            format_value(
                max((row.induction_seconds or 0.0 for row in found.values()), default=0.0)
            ),
            format_value(float(sum(row.decoding_seconds for row in found.values()))),
        )
        for system, found in systems.items()
    )
    heads = (f"{task}: {', '.join(names[task])}" for task in tasks)
    return ResultTable(("method", "K", *heads, "induction s", "decoding s"), lines)


def _name_headlines(task: str, rows: Sequence[ComparisonRow]) -> tuple[str, ...]:
    """The scores of a test set that are shown: all of them where its usual ones are absent."""
    own = (row for row in rows if row.task == task and row.error is None)
    cells = next((_score_cells(task, row.result) for row in own), {})
    scores = [name for name in cells if not name.endswith("95%")]
    wanted = _HEADLINES.get(task, scores)
    return tuple(name for name in wanted if name in cells) or tuple(scores)


def _headline(row: ComparisonRow | None, names: Sequence[str]) -> str:
    """Scores with their intervals: ``33.92 (26.2–42.0), 68.16 (62.8–74.1), 1.98``."""
    if row is None or row.error is not None:
        return "failed"
    cells = _score_cells(row.task, row.result)
    intervals = {name: cells.get(f"{name} 95%", "-") for name in names}
    return ", ".join(
        cells.get(name, "-") + ("" if intervals[name] == "-" else f" ({intervals[name]})")
        for name in names
    )


def _tabulate_task(task: str, rows: Sequence[ComparisonRow]) -> ResultTable:
    cells = [{} if row.error else _score_cells(task, row.result) for row in rows]
    names = next((tuple(found) for found in cells if found), ())  # rows that failed have none
    lines = tuple(
        (
            row.method,
            "-" if row.n_senses is None else str(row.n_senses),
            *(scores.get(name, "failed") for name in names),
            format_value(row.induction_seconds),
            format_value(row.decoding_seconds),
        )
        for row, scores in zip(rows, cells, strict=True)
    )
    failures = [f"{row.title} failed: {row.error}" for row in rows if row.error]
    graded = [OFFICIAL_NAMES] if "FBC" in names else []
    note = "\n\n".join([*failures, *graded])
    return ResultTable(("method", "K", *names, "induction s", "decoding s"), lines, note)


def _score_cells(task: str, result: Mapping[str, Any]) -> dict[str, str]:
    if task == "lineup":
        scores = result["all"]
        names = ("precision", "precision_interval", "recall", "recall_interval")
        points = zip(scores["k"], *(map(format_value, scores[name]) for name in names), strict=True)
        return {f"P / R at {k}": f"{p} ({pi}) / {r} ({ri})" for k, p, pi, r, ri in points}
    if task == "wordsim":
        tests = {name: group["plain"] for name, group in result.items() if _has_plain(group)}
        return {name: format_value(score["spearman"]) for name, score in tests.items()}
    places = {"scws": _SCWS, "sentences": _SENTENCES}.get(task, _CLUSTERING)
    if is_graded(result["all"]):
        places = _GRADED
    return {name: format_value(_look_up(result, place)) for name, place in places.items()}


def _has_plain(group: Any) -> bool:
    return isinstance(group, Mapping) and "plain" in group


def _look_up(result: Mapping[str, Any], place: Sequence[str]) -> Any:
    """The value at nested names; None where one of them is absent."""
    found: Any = result
    for name in place:
        if name not in found:
            return None
        found = found[name]
    return found
