"""Scores as plain values, and as tables for people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from grassmeans.evaluation.clustering_scores import ClusteringScores
from grassmeans.evaluation.graded_scores import OFFICIAL_NAMES, GradedScores

_DECIMALS = 4
_CLUSTERING_COLUMNS = {
    "words": "n_words",
    "instances": "n_instances",
    "V": "v_measure",
    "V 95%": "v_measure_interval",
    "F": "f_score",
    "F 95%": "f_score_interval",
    "clusters": "n_clusters",
    "B-cubed": "b_cubed",
    "ARI": "ari",
    "accuracy": "accuracy",
}
_GRADED_COLUMNS = {
    "words": "n_words",
    "instances": "n_instances",
    "FNMI": "fnmi",
    "FNMI 95%": "fnmi_interval",
    "FBC": "fbc",
    "FBC 95%": "fbc_interval",
    "clusters": "n_clusters",
}


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Rows of text below a header; the first column names them, the others are numbers.

    ``note`` is a remark that stands below.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def to_markdown(self) -> str:
        """The table in Markdown, with a line break at its end."""
        lines = [self.columns, ("---",) + ("---:",) * (len(self.columns) - 1), *self.rows]
        table = "".join("| " + " | ".join(line) + " |\n" for line in lines)
        return f"{table}\n{self.note}\n" if self.note else table


def scores_to_dict(scores: ClusteringScores | GradedScores) -> dict[str, dict[str, Any]]:
    """The scores of each group; intervals are ``[low, high]``, or None for a single word."""
    return {name: plain_fields(group) for name, group in scores.groups.items()}


def tabulate_scores(scores: Mapping[str, Mapping[str, Any]]) -> ResultTable:
    """A table of the groups that `scores_to_dict` gives."""
    graded = is_graded(scores["all"])
    columns = _GRADED_COLUMNS if graded else _CLUSTERING_COLUMNS
    return tabulate_groups(scores, columns, OFFICIAL_NAMES if graded else "")


def tabulate_groups(
    groups: Mapping[str, Mapping[str, Any]], columns: Mapping[str, str], note: str = ""
) -> ResultTable:
    """A row for each group of plain scores; ``columns`` leads from headings to fields."""
    rows = [
        (name, *(format_value(group[field]) for field in columns.values()))
        for name, group in groups.items()
    ]
    return ResultTable(("", *columns), tuple(rows), note)


def is_graded(group: Mapping[str, Any]) -> bool:
    """Whether plain scores are fuzzy ones."""
    return "fnmi" in group


def format_value(value: float | Sequence[float] | None) -> str:
    """A number, or the two ends of an interval, for people."""
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.2f}"
    return "–".join(f"{end:.1f}" for end in value)


def round_score(value: float) -> float | None:
    """A score for JSON, which has no NaN."""
    return None if math.isnan(value) else round(value, _DECIMALS)


def plain_fields(group: Any) -> dict[str, Any]:
    """The fields of a dataclass of scores for JSON; intervals are ``[low, high]``."""
    values: dict[str, Any] = {}
    for name, value in asdict(group).items():
        if isinstance(value, dict):
            values[name] = [round_score(value["low"]), round_score(value["high"])]
        else:
            values[name] = round_score(value) if isinstance(value, float) else value
    return values
