"""Tagging on all cores: blocks of texts go to processes that have opened the same model."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from grassmeans.artifacts.temporaries import temporary_folder
from grassmeans.engines.parallel import is_remote, map_tasks, stays_here
from grassmeans.reading.documents import RawDocument
from grassmeans.tagging.lemmas import FindLemma
from grassmeans.tagging.tagging import TaggedText

if TYPE_CHECKING:
    from grassmeans.models.model import SenseModel
    from grassmeans.models.tagging_model import TaggingModel

Block = Sequence[RawDocument]
Item = TypeVar("Item")

_DOCUMENTS, _CHARACTERS = 512, 100_000
"""Of a block at most, unless it is one document: a second's work, and little memory."""


def _count_characters(document: RawDocument) -> int:
    return len(document.text)


def cut_blocks(
    items: Iterable[Item],
    most: int = _DOCUMENTS,
    most_characters: int = _CHARACTERS,
    count: Callable[[Item], int] = _count_characters,  # type: ignore[assignment]
) -> Iterator[list[Item]]:
    """Documents, or what holds one, in blocks that end at so many of them, or of characters."""
    block: list[Item] = []
    n_characters = 0
    for item in items:
        block.append(item)
        n_characters += count(item)
        if len(block) >= most or n_characters >= most_characters:
            yield block
            block, n_characters = [], 0
    if block:
        yield block


def tag_blocks(
    model: TaggingModel, blocks: Iterable[Block], workers: int | None, **options: Any
) -> Iterator[list[TaggedText]]:
    """Tag blocks of texts one after the other, or by so many processes; in their order.

    ``options`` are those of `SenseModel.tag_many`. The first block is always tagged here: few texts
    never wait for processes, and what is told of their language is told of the first ones. A model
    on a GPU stays in this process, and so does one inside an engine, whose workers may not see it.
    """
    given = iter(blocks)
    for first in given:
        yield model.tag_many(first, **options)
        if stays_here(workers) or is_remote() or not model.is_on_cpu:
            continue
        later = {name: value for name, value in options.items() if name != "check"}
        if (second := next(given, None)) is not None:
            with _lend(model) as lent:
                tasks = ((lent, block, later) for block in chain([second], given))
                yield from map_tasks(_tag_block, tasks, workers)


class _Lent(NamedTuple):
    """Where a process finds a model, and what is not written there."""

    folder: Path
    find_lemma: FindLemma | None
    granularity: str | None = None


@contextlib.contextmanager
def _lend(model: TaggingModel) -> Iterator[_Lent]:
    """A folder that holds a model: its own, or one for this block where it has changed since."""
    if model.folder is not None and model.is_as_stored:
        yield _Lent(model.folder, model.find_lemma, model.granularity)
        return
    with temporary_folder() as place:
        model.save(place / "model")
        yield _Lent(place / "model", model.find_lemma, model.granularity)


@lru_cache(maxsize=1)
def _open(folder: Path) -> SenseModel:
    from grassmeans.models.model import load

    return load(folder)


def _tag_block(lent: _Lent, block: Block, options: dict[str, Any]) -> list[TaggedText]:
    """Runs in a worker, which keeps the model from block to block."""
    model = _open(lent.folder)
    if lent.granularity is not None:
        model = model.at_granularity(lent.granularity)
    if lent.find_lemma is not None:
        model = model.with_lemmas(lent.find_lemma)
    return model.tag_many(block, check=model.check_language(), **options)
