"""Documents on their way to another machine: they lie in files that all workers see.

A block is a compressed file of some million characters; a shard has documents of some blocks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import zstandard

from grassmeans.artifacts.checking import read_bytes
from grassmeans.artifacts.writing import write_bytes
from grassmeans.corpus.shard_writing import WrittenShard, write_documents
from grassmeans.errors import ArtifactError
from grassmeans.reading.documents import RawDocument
from grassmeans.reading.records import count_from
from grassmeans.text.tokenizer import Tokenizer

BLOCK_CHARS = 2_000_000
_LEVEL = -3  # as fast as writing what is not compressed, and a third of it


@dataclass(frozen=True, slots=True)
class Selection:
    """Some documents of a block."""

    block: Path
    rows: tuple[int, ...]  # which of them, in order
    first_line: int = 0  # lines of their file that come before the part that the block belongs to


def write_block(path: Path, documents: Sequence[RawDocument]) -> None:
    """Write documents to a file: a line of JSON that says all but the texts, then the texts."""
    texts = [document.text.encode("utf-8", "surrogatepass") for document in documents]
    about = [
        [d.id, d.title, d.markup, d.keys, d.sentences, d.fields, len(text)]
        for d, text in zip(documents, texts, strict=True)
    ]
    content = b"".join([json.dumps(about).encode(), b"\n", *texts])
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, zstandard.ZstdCompressor(level=_LEVEL).compress(content))


def read_block(path: Path) -> list[RawDocument]:
    """The documents of a file, as they were."""
    try:
        content = zstandard.ZstdDecompressor().decompress(read_bytes(path))
    except (ArtifactError, zstandard.ZstdError) as error:
        raise ArtifactError(f"{path} cannot be read ({error}): start the command anew") from error
    start = content.index(b"\n") + 1
    documents = []
    for identifier, title, markup, keys, sentences, fields, size in json.loads(content[:start]):
        text = content[start : start + size].decode("utf-8", "surrogatepass")
        start += size
        documents.append(
            RawDocument(
                identifier,
                title,
                text,
                markup,
                _as_tuple(keys),
                _as_tuple(sentences),
                tuple((name, value) for name, value in fields),
            )
        )
    return documents


def _as_tuple(values: list[Any] | None) -> tuple[Any, ...] | None:
    return None if values is None else tuple(values)


def read_selections(selections: Iterable[Selection]) -> Iterator[RawDocument]:
    """The documents that were chosen; numbers of lines are those of their files."""
    for selection in selections:
        documents = read_block(selection.block)
        for row in selection.rows:
            document = documents[row]
            yield replace(document, id=count_from(document.id, selection.first_line))


def write_stored(
    selections: Sequence[Selection],
    folder: Path,
    scratch: Path,
    tokenizer: Tokenizer,
    keep_links: bool,
) -> WrittenShard:
    """Write a shard whose documents lie in files; see `write_documents`."""
    documents = list(read_selections(selections))
    return write_documents(documents, folder, scratch, tokenizer, keep_links)
