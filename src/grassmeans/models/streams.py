"""A stream of texts or records -> the same with its senses, a batch at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grassmeans.artifacts.schema import shorten
from grassmeans.errors import InputError
from grassmeans.models.in_processes import cut_blocks, tag_blocks
from grassmeans.reading.documents import RawDocument
from grassmeans.reading.given import (
    check_words,
    iterate_documents,
    make_document,
    open_container,
    read_field,
)
from grassmeans.reading.tables import DEFAULT_COLUMN, open_table
from grassmeans.senses.language import warn_of_contexts
from grassmeans.tagging.tagging import TaggedText

if TYPE_CHECKING:
    from grassmeans.models.tagging_model import TaggingModel

TextOf = str | Callable[[Any], Any] | None
"""Where the text of a record is: the name of a field, or a function."""

_Read = tuple[Any, RawDocument]

_MAX_CHARACTERS = 1_000_000
"""A batch ends here at the latest: memory is bounded where documents are long."""


def tag_stream(
    model: TaggingModel,
    texts: Any,
    text_of: TextOf = None,
    batch_size: int = 256,
    workers: int | None = 1,
    **options: Any,
) -> Iterator[tuple[Any, TaggedText]]:
    """Items and their senses, lazily and in order; the items of a table are its rows.

    ``options`` are those of `SenseModel.tag_many`.
    """
    warn_of_contexts(model.encoder)
    table = open_table(texts)
    if table is not None:
        items: Iterable[Any] = table.rows()
        text_of = text_of if callable(text_of) else table.choose(text_of)
    elif isinstance(texts, str | Path):
        column = text_of if isinstance(text_of, str) else None
        items = iterate_documents(texts, column=column)
        text_of = None if column is not None else text_of  # the field has been read
    else:
        items = open_container(texts)
    if (words := options.get("words")) is not None:
        options["words"] = check_words(words)  # it may be asked for often
        model.tell_unknown(options["words"])
    return _tag_items(model, _read_items(items, text_of), batch_size, workers, options)


def _read_items(items: Iterable[Any], text_of: TextOf) -> Iterator[_Read]:
    for number, item in enumerate(items):
        yield item, _read_item(item, text_of, f"texts[{number}]")


def _tag_items(
    model: TaggingModel,
    read: Iterator[_Read],
    batch_size: int,
    workers: int | None,
    options: dict[str, Any],
) -> Iterator[tuple[Any, TaggedText]]:
    on_the_way: deque[list[Any]] = deque()

    def take_documents() -> Iterator[list[RawDocument]]:
        for block in cut_blocks(read, batch_size, _MAX_CHARACTERS, lambda x: len(x[1].text)):
            on_the_way.append([item for item, _ in block])
            yield [document for _, document in block]

    check = model.check_language()
    for tagged in tag_blocks(model, take_documents(), workers, check=check, **options):
        check.warn()
        yield from zip(on_the_way.popleft(), tagged, strict=True)


def _read_item(item: Any, text_of: TextOf, place: str) -> RawDocument:
    """The text of an item, or an error that names its place."""
    if callable(text_of):
        return make_document(text_of(item), place=place)
    if isinstance(item, Mapping):
        text = read_field(item, text_of or DEFAULT_COLUMN, place, "column")
        return make_document(text, place=place)
    if text_of is not None:
        raise InputError(
            f"{place} is no record with the field {text_of!r} but a {type(item).__name__}: pass a "
            "function as text_of=..."
        )
    return make_document(item, place=place)


def first_of_pair(item: Any) -> Any:
    """The text of a pair, as spaCy has them."""
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise InputError(f"with as_tuples, texts are pairs (text, anything), got {shorten(item)}")
    return item[0]
