"""Tables of other libraries: pandas, polars, Arrow, Hugging Face, or whatever has columns.

None of them is imported: a table is known by what it can do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grassmeans.errors import InputError
from grassmeans.reading.records import read_cells

DEFAULT_COLUMN = "text"
_ROWS_AT_ONCE = 1000
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Table:
    """A table, and what its columns are called; ``called`` is what errors call it."""

    source: Any
    names: tuple[str, ...]
    called: str = "texts"

    def choose(self, column: str | None = None, argument: str = "column") -> str:
        """The column of that name; without one "text", or the only one.

        ``argument`` is what errors ask for.
        """
        wanted = column
        if column is None:
            wanted = self.names[0] if len(self.names) == 1 else DEFAULT_COLUMN
        if wanted not in self.names:
            shown = ", ".join(map(repr, self.names[:_SHOWN])) or "none"
            said = f"has no column {wanted!r}" if column is not None else "has several columns"
            wish = "the one with the texts" if argument == "column" else "one"
            raise InputError(
                f"{self.called} is a table that {said}: name {wish} as {argument}=..., of {shown}"
            )
        if self.names.count(wanted) > 1:
            raise InputError(f"{self.called} has several columns {wanted!r}: rename all but one")
        return wanted

    def rows(self, names: Iterable[str] | None = None) -> Iterator[dict[str, Any]]:
        """The rows as records of some columns, or of all; a data set is read in batches."""
        chosen = list(dict.fromkeys(map(self.choose, self.names if names is None else names)))
        return (
            dict(zip(chosen, row, strict=True))
            for batch in self._read_batches(chosen)
            for row in zip(*(batch[name] for name in chosen), strict=True)
        )

    def values(self, column: str | None = None) -> Iterator[Any]:
        """The values of a column."""
        chosen = self.choose(column)
        return (row[chosen] for row in self.rows([chosen]))

    def _read_batches(self, names: list[str]) -> Iterator[Mapping[str, Iterable[Any]]]:
        if is_stream(self.source):
            for batch in self.source:
                yield {name: read_column(batch[name], self.called) for name in names}
            return
        if is_dataset(self.source):
            yield from self.source.select_columns(names).with_format(None).iter(_ROWS_AT_ONCE)
            return
        held = self.source.select(names).collect() if is_lazy(self.source) else self.source
        yield {name: read_column(held[name], self.called) for name in names}


def open_table(given: Any, called: str = "texts") -> Table | None:
    """A table, or the only split of a data set; None for what is no table."""
    if isinstance(given, Mapping):
        splits = list(given.items())
        if not splits or not all(is_dataset(split) for _, split in splits):
            return None
        if len(splits) > 1:
            shown = ", ".join(repr(name) for name, _ in splits)
            raise InputError(f"{called} has the splits {shown}: pass one of them, by its name")
        given = splits[0][1]
    given = _open_stream(given)
    if is_stream(given):
        names = given.schema.names
    elif is_dataset(given):
        # A stream may not know before its first row.
        names = given.column_names or next(iter(given), ())
    elif is_lazy(given):
        names = given.collect_schema().names()
    elif hasattr(given, "columns") and hasattr(given, "__getitem__"):
        # Arrow's tables call their names so, and have the columns themselves under the other.
        names = getattr(given, "column_names", given.columns)
    else:
        return None
    return Table(given, tuple(names), called)


def _open_stream(given: Any) -> Any:
    """What gives its columns as a stream of Arrow alone, a relation of DuckDB, say, as one."""
    if not hasattr(given, "__arrow_c_stream__") or not hasattr(given, "columns"):
        return given  # a column of a table gives such a stream, too
    if name_library(given) in ("pandas", "polars", "pyarrow", "datasets"):
        return given
    import pyarrow

    return pyarrow.RecordBatchReader.from_stream(given)


def name_library(given: Any) -> str:
    """The package that its type comes from: pandas, say."""
    return type(given).__module__.partition(".")[0].lstrip("_")


def is_stream(given: Any) -> bool:
    """Whether it is a stream of Arrow's batches, which is read once."""
    return hasattr(given, "read_next_batch") and hasattr(given, "schema")


def is_dataset(given: Any) -> bool:
    """Whether it is a data set of Hugging Face, streamed or not."""
    return all(hasattr(given, name) for name in ("column_names", "select_columns", "iter"))


def is_lazy(given: Any) -> bool:
    """Whether it is a frame of polars that is not computed yet."""
    return hasattr(given, "collect_schema") and hasattr(given, "collect")


def read_column(column: Any, called: str) -> Any:
    """The values of a column: Arrow's have types of their own, a data set's are read in batches."""
    if hasattr(column, "to_pylist"):

        def refuse(problem: str) -> None:
            raise InputError(f"{called} holds {problem}: change it first")

        return read_cells(column, refuse)
    if is_dataset(getattr(column, "source", None)):
        return Table(column.source, (column.column_name,), called).values()
    return column
