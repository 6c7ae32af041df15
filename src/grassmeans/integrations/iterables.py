"""Tag a stream of texts or records, in batches, with nothing but the standard library around it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from grassmeans.errors import InputError
from grassmeans.senses.decoding import DEFAULT_SHARPNESS, MODEL_THRESHOLD, IdkThreshold
from grassmeans.senses.model import SenseModel, load
from grassmeans.senses.tagging import TaggedText

Item = TypeVar("Item")

_MAX_CHARACTERS = 1_000_000
"""A batch ends here at the latest: memory is bounded where documents are long."""


def tag_iter(
    texts: Iterable[Item],
    model: SenseModel | str | Path = "en",
    *,
    batch_size: int = 256,
    text_of: str | Callable[[Item], str] | None = None,
    words: Collection[str] | None = None,
    idk_threshold: IdkThreshold = MODEL_THRESHOLD,
    sharpness: float = DEFAULT_SHARPNESS,
) -> Iterator[tuple[Item, TaggedText]]:
    """Tag texts or records one after another, lazily and in order.

    Parameters
    ----------
    texts : iterable
        Strings, or records of any kind; may be endless. One batch of it is held at a time.
    model : SenseModel, str or Path
        A model, or the name or folder of one.
    batch_size : int
        Items that are tagged together. Larger is faster; 1 answers every item at once.
    text_of : str or callable, optional
        Where the text of a record is: the name of a field (``"text"``) of mappings, or a function
        of the record. Without it the items are the texts.
    words, idk_threshold, sharpness
        As for `SenseModel.tag`.

    Yields
    ------
    item
        As it came.
    tagged : TaggedText
    """
    if isinstance(texts, (str, bytes)):
        raise InputError("tag_iter needs several texts, got one: put it into a list")
    if batch_size < 1:
        raise InputError(f"batch_size must be 1 or more, got {batch_size}")
    opened = model if isinstance(model, SenseModel) else load(model)
    tag_many = partial(
        opened.tag_many, words=words, idk_threshold=idk_threshold, sharpness=sharpness
    )
    return _tag_batches(iter(texts), _text_getter(text_of), batch_size, tag_many)


def _tag_batches(
    items: Iterator[Item],
    get_text: Callable[[Any, int], str],
    batch_size: int,
    tag_many: Callable[[list[str]], list[TaggedText]],
) -> Iterator[tuple[Item, TaggedText]]:
    batch: list[Item] = []
    batch_texts: list[str] = []
    n_characters = 0
    for number, item in enumerate(items):
        text = get_text(item, number)
        batch.append(item)
        batch_texts.append(text)
        n_characters += len(text)
        if len(batch) >= batch_size or n_characters >= _MAX_CHARACTERS:
            yield from zip(batch, tag_many(batch_texts), strict=True)
            batch, batch_texts, n_characters = [], [], 0
    if batch:
        yield from zip(batch, tag_many(batch_texts), strict=True)


def _text_getter(text_of: str | Callable[[Any], str] | None) -> Callable[[Any, int], str]:
    """A function that gives the text of an item, or an error that names the item's number."""

    def get_text(item: Any, number: int) -> str:
        if text_of is None:
            text = item
        elif callable(text_of):
            text = text_of(item)
        else:
            text = _read_field(item, text_of, number)
        if not isinstance(text, str):
            advice = "; name the field that holds the text with text_of" if text_of is None else ""
            raise InputError(
                f"the text of item {number} must be a string, got {type(text).__name__}{advice}"
            )
        return text

    return get_text


def _read_field(item: Any, name: str, number: int) -> Any:
    if not isinstance(item, Mapping):
        raise InputError(
            f"text_of={name!r} needs records with fields, but item {number} is a "
            f"{type(item).__name__}: pass a function as text_of"
        )
    if name not in item:
        fields = ", ".join(map(repr, list(item)[:10]))
        raise InputError(f"item {number} has no field {name!r}; its fields are {fields}")
    return item[name]
