"""Rows of a comparison as tables for people: one for each test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grassmeans.evaluation.graded_scores import OFFICIAL_NAMES
from grassmeans.evaluation.reports import ResultTable, format_value, is_graded
from grassmeans.laboratory.comparing.comparing import ComparisonRow

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


def tabulate_comparison(rows: Sequence[ComparisonRow]) -> dict[str, ResultTable]:
    """A table for each task, in the order of the rows.

    Its columns are the method, K, the scores of all words with 95% intervals, and the seconds of
    induction and decoding; "-" where a method has no such score. Rows that failed say so, and
    below the table why.
    """
    by_task: dict[str, list[ComparisonRow]] = {}
    for row in rows:
        by_task.setdefault(row.task, []).append(row)
    return {task: _tabulate_task(task, found) for task, found in by_task.items()}


def to_markdown(tables: Mapping[str, ResultTable]) -> str:
    """The tables in Markdown, each below a heading."""
    return "\n".join(f"## {task}\n\n{table.to_markdown()}" for task, table in tables.items())


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
