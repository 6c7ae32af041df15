"""Scores with their intervals, as plain values and as tables for people.

Intervals are by the bootstrap: which words a test set has is chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from grassmeans.arrays import Doubles, Indices

N_SAMPLES = 1_000
_INTERVAL = "_interval"
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a score lies in 95% of the samples."""

    low: float
    """Where it begins."""
    high: float
    """Where it ends."""


def bootstrap_words(n_words: int, statistic: Callable[[Indices], Doubles]) -> Interval | None:
    """Interval of a score over samples of the words, drawn with replacement.

    ``statistic`` takes (n_samples, n_words) positions of words and gives the (n_samples,) scores,
    of which 95% lie in the interval; None for fewer than two words, whose scatter cannot be known.
    """
    if n_words < 2:
        return None
    scores = statistic(np.random.default_rng(0).integers(n_words, size=(N_SAMPLES, n_words)))
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile(scores, [tail, 100 - tail])
    return Interval(float(low), float(high))


def bootstrap_weighted_mean(values: Doubles, weights: Doubles) -> Interval | None:
    """Interval of the mean over words, weighted by the words' weights."""

    def weighted_mean(chosen: Indices) -> Doubles:
        drawn = weights[chosen]
        means: Doubles = (values[chosen] * drawn).sum(axis=1) / drawn.sum(axis=1)
        return means

    return bootstrap_words(len(values), weighted_mean)


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Rows of text below a header; the first column names them, the others are numbers."""

    columns: tuple[str, ...]
    """The header."""
    rows: tuple[tuple[str, ...], ...]
    """As many cells in each."""
    note: str = ""
    """A remark that stands below."""

    def to_markdown(self) -> str:
        """The table in Markdown, with a line break at its end."""
        lines = [self.columns, ("---",) + ("---:",) * (len(self.columns) - 1), *self.rows]
        table = "".join("| " + " | ".join(line) + " |\n" for line in lines)
        return f"{table}\n{self.note}\n" if self.note else table


def head_columns(*fields: str) -> dict[str, str]:
    """From headings to fields: ``words`` is ``n_words``, ``area 95%`` is ``area_interval``."""
    heads = (field.removeprefix("n_").replace("_interval", " 95%") for field in fields)
    return {head.replace("_", " "): field for head, field in zip(heads, fields, strict=True)}


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
    return None if math.isnan(value) else round(value, 4)


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


def plain_groups(groups: Mapping[str, Any]) -> dict[str, Any]:
    """The scores of each group for JSON."""
    return {name: plain_fields(group) for name, group in groups.items()}


def group_rows(groups: Mapping[str, Mapping[str, Any]], first: str = "group") -> list[Any]:
    """A row for each group of plain scores, for frames: an interval is two columns, low and high.

    ``first`` is what the column of the groups' names is called.
    """
    return [{first: name} | _part_intervals(group) for name, group in groups.items()]


def _part_intervals(scores: Mapping[str, Any]) -> dict[str, Any]:
    parted: dict[str, Any] = {}
    for name, value in scores.items():
        if name.endswith(_INTERVAL):
            stem = name.removesuffix(_INTERVAL)
            parted[f"{stem}_low"], parted[f"{stem}_high"] = value or (None, None)
        else:
            parted[name] = value
    return parted
