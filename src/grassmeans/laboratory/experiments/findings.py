"""What an experiment finds: numbers beside the paper's, tables, figures; all as plain values."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

Cell = str | float | int | None


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """One number of the paper, and ours; ``paper`` is empty where the paper has none."""

    what: str
    paper: str
    ours: str


@dataclass(frozen=True, slots=True)
class DataTable:
    """Columns and rows; stored as CSV, and shown in the report where it is short."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    shown: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture.

    Attributes
    ----------
    name : str
        Of its files: letters, digits, ``-``.
    svg, png : str
        The picture, and its pixels in base 64; empty where there is only an interactive one.
    html : str
        An interactive picture for the report; see `grassmeans.pictures.page`.
    """

    name: str
    caption: str
    svg: str = ""
    png: str = ""
    html: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything that an experiment found.

    Attributes
    ----------
    text : tuple of str
        Paragraphs for the reader: what is seen, and why it differs from the paper.
    parameters : dict
        With which it ran.
    """

    values: tuple[ComparedValue, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[DataTable, ...] = ()
    text: tuple[str, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


class SkipExperimentError(Exception):
    """An experiment cannot run here; the message says why, and ends up in the report."""


def findings_from_dict(values: dict[str, Any]) -> Findings:
    """The opposite of `Findings.to_dict`."""
    return Findings(
        values=tuple(ComparedValue(**value) for value in values["values"]),
        figures=tuple(Figure(**figure) for figure in values["figures"]),
        tables=tuple(_read_table(table) for table in values["tables"]),
        text=tuple(values["text"]),
        parameters=values["parameters"],
    )


def summarise(numbers: ArrayLike, digits: int = 3) -> str:
    """Mean and standard deviation of numbers, as the paper gives them."""
    values = np.asarray(numbers, np.float64)
    return f"{values.mean():.{digits}f} ± {values.std():.{digits}f}"


def _read_table(values: dict[str, Any]) -> DataTable:
    rows = tuple(tuple(row) for row in values["rows"])
    return DataTable(**values | {"columns": tuple(values["columns"]), "rows": rows})
