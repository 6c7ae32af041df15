"""A stream of texts or records -> the same with its senses, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grassmeans.artifacts.schema import shorten
from grassmeans.errors import InputError
from grassmeans.reading.documents import RawDocument
from grassmeans.reading.given import iterate_documents, make_document, open_container, read_field
from grassmeans.reading.tables import DEFAULT_COLUMN, open_table
from grassmeans.senses.language import warn_of_contexts
from grassmeans.tagging.tagging import TaggedText

if TYPE_CHECKING:
    from grassmeans.models.model import SenseModel

TextOf = str | Callable[[Any], Any] | None
"""Where the text of a record is: the name of a field, or a function."""

_MAX_CHARACTERS = 1_000_000
"""A batch ends here at the latest: memory is bounded where documents are long."""


def tag_stream(
    model: SenseModel, texts: Any, text_of: TextOf = None, batch_size: int = 256, **options: Any
) -> Iterator[tuple[Any, TaggedText]]:
    """Items and their senses, lazily and in order; the items of a table are its rows.

    ``options`` are those of `SenseModel.tag_many`.
    """
    check = model.check_language()

    def tag_many(documents: list[RawDocument]) -> list[TaggedText]:
        tagged = model.tag_many(documents, check=check, **options)
        check.warn()
        return tagged

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
    return _tag_batches(items, text_of, batch_size, tag_many)


def _tag_batches(
    items: Iterable[Any],
    text_of: TextOf,
    batch_size: int,
    tag_many: Callable[[list[RawDocument]], list[TaggedText]],
) -> Iterator[tuple[Any, TaggedText]]:
    batch: list[Any] = []
    documents: list[RawDocument] = []
    n_characters = 0
    for number, item in enumerate(items):
        document = _read_item(item, text_of, f"texts[{number}]")
        batch.append(item)
        documents.append(document)
        n_characters += len(document.text)
        if len(batch) >= batch_size or n_characters >= _MAX_CHARACTERS:
            yield from zip(batch, tag_many(documents), strict=True)
            batch, documents, n_characters = [], [], 0
    if batch:
        yield from zip(batch, tag_many(documents), strict=True)


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
