"""What results share: rows of plain values, as a data frame or a table in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from typing import TYPE_CHECKING, Any

from grassmeans.errors import import_extra

if TYPE_CHECKING:
    import pandas
    import polars

_SHOWN = 50


class Tabular(ABC):
    """A result that can be seen as a table."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """The table, a dictionary of plain values for each row."""

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas frame; `MissingExtraError` where pandas is not installed."""
        return import_extra("pandas", None, "a table").DataFrame(self.rows())

    def to_polars(self) -> polars.DataFrame:
        """The table as a polars frame; `MissingExtraError` where polars is not installed."""
        frames = import_extra("polars", None, "a table")
        return frames.DataFrame(self.rows(), infer_schema_length=None)

    def _repr_html_(self) -> str:
        rows = self.rows()
        head = "".join(f"<th>{escape(name)}</th>" for name in (rows[0] if rows else ()))
        body = "".join(
            "<tr>" + "".join(f"<td>{_as_cell(value)}</td>" for value in row.values()) + "</tr>"
            for row in rows[:_SHOWN]
        )
        left = len(rows) - _SHOWN
        more = f"<p>and {left:,} more: see <code>to_pandas()</code></p>" if left > 0 else ""
        return (
            f"<p>{escape(self._heading())}</p>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
        )

    def _heading(self) -> str:
        return repr(self)


class Rows(list[dict[str, Any]], Tabular):
    """Rows of plain values: a list that can be seen as a table."""

    __slots__ = ()

    def rows(self) -> list[dict[str, Any]]:
        """The list itself."""
        return self

    def _heading(self) -> str:
        return f"{len(self):,} rows"


def _as_cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3g}"
    return escape(", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value))
