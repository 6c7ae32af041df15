"""Scores as plain values, and as tables for people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from grassmeans.evaluation.intervals import Interval

_DECIMALS = 4


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


def tabulate_groups(
    groups: Mapping[str, Mapping[str, Any]], columns: Mapping[str, str], note: str = ""
) -> ResultTable:
    """A row for each group of plain scores; ``columns`` leads from headings to fields."""
    rows = [
        (name, *(format_value(group[field]) for field in columns.values()))
        for name, group in groups.items()
    ]
    return ResultTable(("", *columns), tuple(rows), note)


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


def round_interval(interval: Interval | None) -> list[Any] | None:
    """The two ends for JSON."""
    return None if interval is None else [round_score(end) for end in (interval.low, interval.high)]


def plain_fields(group: Any) -> dict[str, Any]:
    """The fields of a dataclass of scores for JSON."""
    values = {field.name: getattr(group, field.name) for field in fields(group)}
    for name, value in values.items():
        if isinstance(value, Interval):
            values[name] = round_interval(value)
        elif isinstance(value, float):
            values[name] = round_score(value)
    return values
