"""Documents on their way to another machine: they lie in files that all workers see.

A block is a compressed file of JSON lines. Shards are made of some documents of some blocks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import zstandard

from grassmeans.artifacts import write_bytes
from grassmeans.corpus.documents import RawDocument
from grassmeans.corpus.encoding import EncodedShard, encode_shard
from grassmeans.corpus.readers.records import count_from
from grassmeans.corpus.tokenizer import Tokenizer
from grassmeans.errors import ArtifactError

BLOCK_CHARS = 2_000_000


@dataclass(frozen=True, slots=True)
class Selection:
    """Some documents of a block.

    Attributes
    ----------
    rows : tuple of int
        Which of them, in order.
    first_line : int
        Lines of their file that come before the part that the block belongs to.
    """

    block: Path
    rows: tuple[int, ...]
    first_line: int = 0


def write_block(path: Path, documents: Iterable[RawDocument]) -> None:
    """Write documents to a file."""
    lines = [
        json.dumps([d.id, d.title, d.text, d.markup, d.keys, d.sentences], ensure_ascii=False)
        for d in documents
    ]
    content = "\n".join(lines).encode("utf-8", "surrogatepass")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, zstandard.ZstdCompressor(level=1).compress(content))


def read_block(path: Path) -> list[RawDocument]:
    """The documents of a file, as they were."""
    try:
        content = zstandard.ZstdDecompressor().decompress(path.read_bytes())
    except (OSError, zstandard.ZstdError) as error:
        raise ArtifactError(f"{path} cannot be read ({error}): start the command anew") from error
    lines = content.decode("utf-8", "surrogatepass").split("\n")
    return [_make_document(*json.loads(line)) for line in lines if line]


def _make_document(
    identifier: str,
    title: str,
    text: str,
    markup: str,
    keys: Sequence[str] | None,
    sentences: Sequence[int] | None,
) -> RawDocument:
    return RawDocument(
        identifier,
        title,
        text,
        markup,
        None if keys is None else tuple(keys),
        None if sentences is None else tuple(sentences),
    )


def read_selections(selections: Iterable[Selection]) -> Iterator[RawDocument]:
    """The documents that were chosen; numbers of lines are those of their files."""
    for selection in selections:
        documents = read_block(selection.block)
        for row in selection.rows:
            document = documents[row]
            yield replace(document, id=count_from(document.id, selection.first_line))


def encode_stored(
    selections: Sequence[Selection],
    folder: Path,
    scratch: Path,
    number: int,
    tokenizer: Tokenizer,
    keep_links: bool,
) -> EncodedShard:
    """Encode a shard whose documents lie in files; see `encode_shard`."""
    documents = list(read_selections(selections))
    return encode_shard(documents, folder, scratch, number, tokenizer, keep_links)
