"""Tag a stream of texts or records, in batches, with nothing but the standard library around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from grassmeans.artifacts.schema import check_arguments, either, function, optional, text
from grassmeans.errors import InputError
from grassmeans.models.model import SenseModel, open_model
from grassmeans.reading.documents import RawDocument
from grassmeans.reading.given import (
    DEFAULT_COLUMN,
    iterate_documents,
    make_document,
    open_container,
    read_field,
)
from grassmeans.senses.decoding import MODEL_THRESHOLD, IdkThreshold
from grassmeans.senses.language import warn_of_contexts
from grassmeans.tagging.tagging import TaggedText

Item = TypeVar("Item")

_MAX_CHARACTERS = 1_000_000
"""A batch ends here at the latest: memory is bounded where documents are long."""


@check_arguments(text_of=optional(either(text, function)))
def tag_iter(
    texts: Iterable[Item],
    model: SenseModel | str | Path = "en",
    *,
    batch_size: int = 256,
    text_of: str | Callable[[Item], str] | None = None,
    words: str | Iterable[str] | None = None,
    idk_threshold: IdkThreshold = MODEL_THRESHOLD,
    confidence: float | None = None,
    sharpness: float | None = None,
) -> Iterator[tuple[Item, TaggedText]]:
    """Tag texts or records one after another, lazily and in order.

    Parameters
    ----------
    texts : iterable, table or path
        Strings, lists of tokens, or records of any kind; may be endless. One batch of it is held at
        a time.
    model : SenseModel, str or Path
        A model, or the name or folder of one.
    batch_size : int
        Items that are tagged together. Larger is faster; 1 answers every item at once.
    text_of : str or callable, optional
        Where the text of a record is: the name of a field of mappings or of a table's column,
        "text" by default, or a function of the record.
    words, idk_threshold, confidence, sharpness
        As for `SenseModel.tag`.

    Yields
    ------
    item
        As it came.
    tagged : TaggedText
    """
    opened = open_model(model)
    check = opened.check_language()

    def tag_many(documents: list[RawDocument]) -> list[TaggedText]:
        tagged = opened.tag_many(
            documents,
            words=words,
            idk_threshold=idk_threshold,
            confidence=confidence,
            sharpness=sharpness,
            check=check,
        )
        check.warn()
        return tagged

    warn_of_contexts(opened.encoder)
    column = text_of if isinstance(text_of, str) else None
    if isinstance(texts, str | Path):
        items: Iterable[Any] = iterate_documents(texts, column=column)
    else:
        items = open_container(texts, column)
    if isinstance(texts, str | Path) or hasattr(texts, "columns"):
        text_of = None if column is not None else text_of  # the column has been read
    return _tag_batches(items, text_of, batch_size, tag_many)


def _tag_batches(
    items: Iterable[Any],
    text_of: str | Callable[[Any], Any] | None,
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


def _read_item(item: Any, text_of: str | Callable[[Any], Any] | None, place: str) -> RawDocument:
    """The text of an item, or an error that names its place."""
    if callable(text_of):
        return make_document(text_of(item), place=place)
    if isinstance(item, Mapping):
        text = read_field(item, text_of or DEFAULT_COLUMN, place, "text_of")
        return make_document(text, place=place)
    if text_of is not None:
        raise InputError(
            f"{place} is no record with the field {text_of!r} but a {type(item).__name__}: pass a "
            "function as text_of=..."
        )
    return make_document(item, place=place)
