"""A table of texts -> a row for each word that was tagged, in a table of the same library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from grassmeans.errors import InputError
from grassmeans.models.streams import tag_stream
from grassmeans.reading.given import is_missing
from grassmeans.reading.tables import name_library, open_table
from grassmeans.tagging.tagging import TaggedText
from grassmeans.text.alignment import normalize_with_positions

if TYPE_CHECKING:
    from grassmeans.models.tagging_model import TaggingModel

_TEXTS, _NUMBERS = ("label", "word", "key", "name"), ("sense", "start", "end")
_COLUMNS = ("label", "word", "key", "sense", "name", "confidence", "start", "end")
ROW = "row"
"""The column that tells the row of a table that has no index."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The columns of the answer, and of each of its rows the number and the id of the text's."""

    numbers: list[int] = field(default_factory=list)
    ids: list[Any] = field(default_factory=list)
    columns: dict[str, list[Any]] = field(default_factory=lambda: {x: [] for x in _COLUMNS})

    def add(self, number: int, id: Any, text: Any, tagged: TaggedText) -> None:
        """Add the words of a text, with their characters as the text came."""
        moved = None
        if isinstance(text, str) and text != tagged.text:
            moved = normalize_with_positions(text).original_position
        for word in tagged:
            self.numbers.append(number)
            self.ids.append(id)
            for name, values in self.columns.items():
                value = getattr(word, name)
                values.append(moved(value) if moved and name in ("start", "end") else value)


def tag_frame(
    model: TaggingModel, frame: Any, column: str | None, id: str | None, **options: Any
) -> Any:
    """A row for each tagged word of a table's texts; ``options`` are those of `tag_stream`.

    Dask's frames are tagged part by part, when and where they are computed.
    """
    if hasattr(frame, "to_frame") and not hasattr(frame, "columns"):
        frame = frame.to_frame()  # a column of a frame
    if name_library(frame) == "dask":

        def tag_part(part: Any) -> Any:
            return tag_frame(model, part, column, id, **options)

        return frame.map_partitions(tag_part, meta=tag_part(frame._meta))
    table = open_table(frame, "frame")
    make = None if table is None else _find_maker(table.source)
    if table is None or make is None:
        raise InputError(
            "frame must be of pandas, polars or Dask, a table of Arrow or a data set of Hugging "
            f"Face, got {_name_type(frame)}: see tag_many and grassmeans.integrations.tag_iter"
        )
    chosen = table.choose(column)
    names = [chosen] if id is None else [chosen, table.choose(id, "id")]
    if id in _COLUMNS:
        raise InputError(f"id must not be called as a column of the answer is, got {id!r}: rename")

    def read(row: dict[str, Any]) -> Any:
        return "" if is_missing(row[chosen]) else row[chosen]

    found = _Found()
    pairs = tag_stream(model, table.rows(names), read, marks=False, **options)
    for number, (row, tagged) in enumerate(pairs):
        found.add(number, None if id is None else row[id], row[chosen], tagged)
    return make(table.source, id, found)


def _name_type(frame: Any) -> str:
    """What it is called, and by whom: there are many a DataFrame."""
    library = name_library(frame)
    return type(frame).__name__ + ("" if library == "builtins" else f" of {library}")


def _make_pandas(source: Any, id: str | None, found: _Found) -> Any:
    import pandas

    kinds = {"confidence": "float64"} | dict.fromkeys(_TEXTS, "str")
    frame = pandas.DataFrame(found.columns).astype(kinds | dict.fromkeys(_NUMBERS, "int64"))
    if id is None:
        return frame.set_index(source.index.take(found.numbers))
    frame.insert(0, id, source[id].take(found.numbers).array)
    return frame


def _make_polars(source: Any, id: str | None, found: _Found) -> Any:
    import polars

    kinds = {"confidence": polars.Float64} | dict.fromkeys(_TEXTS, polars.String)
    kinds |= dict.fromkeys(_NUMBERS, polars.Int64)
    frame = polars.DataFrame(found.columns, schema_overrides=kinds)
    if id is None:  # as `with_row_index` numbers rows
        first = polars.Series(ROW, found.numbers, polars.get_index_type())
    else:
        first = polars.Series(id, found.ids, source.collect_schema()[id])
    frame = frame.insert_column(0, first)
    return frame if isinstance(source, polars.DataFrame) else frame.lazy()


def _make_arrow(source: Any, id: str | None, found: _Found) -> Any:
    return _as_arrow(id, None if id is None else source.schema.field(id).type, found)


def _make_dataset(source: Any, id: str | None, found: _Found) -> Any:
    import datasets

    # A stream may not know the types of its columns.
    told = id is not None and source.features is not None
    kind = source.features.arrow_schema.field(id).type if told else None
    return datasets.Dataset(_as_arrow(id, kind, found))


def _as_arrow(id: str | None, kind: Any, found: _Found) -> Any:
    import pyarrow

    numbers, texts = pyarrow.int64(), pyarrow.string()
    kinds = {"confidence": pyarrow.float64()} | dict.fromkeys(_TEXTS, texts)
    kinds |= dict.fromkeys(_NUMBERS, numbers)
    first = (ROW, found.numbers, numbers) if id is None else (id, found.ids, kind)
    rest = [(name, values, kinds[name]) for name, values in found.columns.items()]
    return pyarrow.table({name: pyarrow.array(x, kind) for name, x, kind in [first, *rest]})


_MAKERS: dict[str, Callable[[Any, str | None, _Found], Any]] = {
    "pandas": _make_pandas,
    "polars": _make_polars,
    "pyarrow": _make_arrow,
    "datasets": _make_dataset,
}


def _find_maker(source: Any) -> Callable[[Any, str | None, _Found], Any] | None:
    libraries = (kind.__module__.partition(".")[0] for kind in type(source).__mro__)
    return next((_MAKERS[name] for name in libraries if name in _MAKERS), None)
