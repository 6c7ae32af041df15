"""What results share: rows of plain values, as a data frame or a table in a notebook."""

from __future__ import annotations

import csv
import io
import types
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from html import escape
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from grassmeans.errors import import_extra

if TYPE_CHECKING:
    import pandas
    import polars

_SHOWN = 50
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Record = TypeVar("Record")

ColumnTypes = dict[str, Any]
"""Names of columns and what is in them: ``str``, ``int``, ``float``, ``bool`` or ``list[...]``."""


def types_of(record: type, *names: str) -> ColumnTypes:
    """The columns of a table whose rows are dataclasses, or of some of their fields.

    What may be missing is of the type that it has where it is there.
    """
    hints = get_type_hints(record)
    chosen = names or tuple(field.name for field in fields(record))
    return {name: _plain_type(hints[name]) for name in chosen}


def _plain_type(hint: Any) -> Any:
    if get_origin(hint) in (Union, types.UnionType):
        (hint,) = (given for given in get_args(hint) if given is not type(None))
    return list[get_args(hint)[0]] if get_origin(hint) is tuple else hint  # type: ignore[misc]


class Tabular(ABC):
    """A result that can be seen as a table."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """The table, a dictionary of plain values for each row."""

    def column_types(self) -> ColumnTypes:
        """The columns, which a table without rows has, too, and what is in them."""
        return {}

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas frame; `MissingExtraError` where pandas is not installed."""
        frames = import_extra("pandas", None, "a table")
        rows = self.rows()
        if rows:
            return frames.DataFrame(rows)
        kinds = {str: "str", int: "int64", float: "float64", bool: "bool"}
        columns = self.column_types().items()
        return frames.DataFrame(
            {name: frames.Series([], dtype=kinds.get(kind, "object")) for name, kind in columns}
        )

    def to_polars(self) -> polars.DataFrame:
        """The table as a polars frame; `MissingExtraError` where polars is not installed."""
        frames = import_extra("polars", None, "a table")
        rows, kinds = self.rows(), self.column_types()
        if not rows:
            return frames.DataFrame(schema=kinds)
        # A column in which nothing is known has its type, too.
        known = {name: kind for name, kind in kinds.items() if name in rows[0]}
        return frames.DataFrame(rows, schema_overrides=known, infer_schema_length=None)

    def _repr_html_(self) -> str:
        rows = self.rows()
        names = rows[0] if rows else self.column_types()
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
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

    def __init__(
        self, rows: Iterable[dict[str, Any]] = (), columns: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(rows)
        self._columns = dict(columns or {})

    def column_types(self) -> ColumnTypes:
        """As they were given."""
        return self._columns

    def rows(self) -> list[dict[str, Any]]:
        """The list itself."""
        return self

    def _heading(self) -> str:
        return f"{len(self):,} rows"


class Records(tuple[Record, ...], Tabular):
    """Results of one kind, dataclasses with plain values: a tuple that can be seen as a table."""

    kind: ClassVar[type]
    """Of each."""

    def rows(self) -> list[dict[str, Any]]:
        """Their fields."""
        return [asdict(record) for record in self]  # type: ignore[call-overload]

    def column_types(self) -> ColumnTypes:
        """Those of the kind."""
        return types_of(self.kind)

    def _heading(self) -> str:
        return f"{len(self):,} rows"


def write_csv(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Rows as CSV, with lists of numbers as ``1 3``; a missing value is empty."""
    stream = io.StringIO(newline="")
    writer: csv.DictWriter[str] | None = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(stream, list(row), lineterminator="\n")
            writer.writeheader()
        cells = {k: " ".join(map(str, v)) if isinstance(v, list) else v for k, v in row.items()}
        writer.writerow({name: protect_cell(cell) for name, cell in cells.items()})
    return stream.getvalue().encode()


def protect_cell(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula.

    Text that begins like one gets an apostrophe before it: it would be calculated, and text from a
    corpus may say anything. Numbers are left alone.
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def _as_cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3g}"
    return escape(", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value))
