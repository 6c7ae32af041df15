"""Tag a stream of texts or records, in batches, with nothing but the standard library around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from grassmeans.artifacts.schema import check_arguments, either, function, optional, text
from grassmeans.models.model import SenseModel, open_model
from grassmeans.models.streams import tag_stream
from grassmeans.senses.decoding import MODEL_THRESHOLD, IdkThreshold
from grassmeans.tagging.tagging import TaggedText


@check_arguments(text_of=optional(either(text, function)))
def tag_iter(
    texts: Any,
    model: SenseModel | str | Path = "en",
    *,
    column: str | None = None,
    batch_size: int = 256,
    text_of: str | Callable[[Any], Any] | None = None,
    words: str | Iterable[str] | None = None,
    idk_threshold: IdkThreshold = MODEL_THRESHOLD,
    confidence: float | None = None,
    sharpness: float | None = None,
    workers: int | None = 1,
) -> Iterator[tuple[Any, TaggedText]]:
    """Tag texts or records one after another, lazily and in order.

    Parameters
    ----------
    texts : iterable, table or path
        Strings, lists of tokens, or records of any kind; may be endless. One batch of it is held at
        a time. The rows of a table or data set are records, too: dictionaries.
    model : SenseModel, str or Path
        A model, or the name or folder of one.
    column : str, optional
        The field of records, or the column of a table, that holds the text; "text" by default, or
        a table's only one.
    batch_size : int
        Items that are tagged together. Larger is faster; 1 answers every item at once.
    text_of : str or callable, optional
        In place of a column: a function of the item that gives its text. A name is a column's.
    words, idk_threshold, confidence, sharpness
        As for `SenseModel.tag`.
    workers : int or None
        Processes that tag batches side by side; None takes all cores. Two batches for each of them
        are then held at a time.

    Yields
    ------
    item
        As it came.
    tagged : TaggedText
    """
    return tag_stream(
        open_model(model),
        texts,
        column if text_of is None else text_of,
        batch_size,
        workers,
        words=words,
        idk_threshold=idk_threshold,
        confidence=confidence,
        sharpness=sharpness,
    )
