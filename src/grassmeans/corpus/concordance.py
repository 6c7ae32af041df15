"""The original text of an occurrence: keyword-in-context lines.

The corpus keeps its text once and no offset per token. A line is found by tokenising again from
the nearest anchor before it, which is never more than a short stretch away.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from grassmeans.corpus.shard import Shard
from grassmeans.corpus.tokenizer import Tokenizer, WhitespaceTokenizer
from grassmeans.errors import ArtifactError

_BYTES_PER_CHARACTER = 4
_CONTINUATION = 0b1000_0000
_CONTINUATION_MASK = 0b1100_0000


@dataclass(frozen=True, slots=True)
class ConcordanceLine:
    """One occurrence in its original text."""

    left: str
    word: str
    right: str
    position: int
    document_id: str
    document_title: str

    def __str__(self) -> str:
        return f"{self.left}<b>{self.word}</b>{self.right}"


def line_at(
    shard: Shard, local: int, position: int, tokenizer: Tokenizer, width: int
) -> ConcordanceLine:
    """The line of the token at ``local`` in a shard; ``position`` is its place in the corpus."""
    document = int(np.searchsorted(shard.document_offsets, local, side="right")) - 1
    first_byte, last_byte = (int(b) for b in shard.text_offsets[document : document + 2])
    anchor = int(np.searchsorted(shard.anchors[:, 0], local, side="right")) - 1
    anchor_token, anchor_byte = (int(value) for value in shard.anchors[anchor])
    after = int(shard.anchors[anchor + 1, 1]) if anchor + 1 < len(shard.anchors) else last_byte
    margin = _BYTES_PER_CHARACTER * (width + 1)
    piece = _decode(shard, anchor_byte, after)
    rule = WhitespaceTokenizer() if shard.pretokenised[document] else tokenizer
    span = next(islice(rule.spans(piece), local - anchor_token, None), None)
    if span is None:
        raise ArtifactError(
            f"{shard.folder} is damaged: text and tokens do not fit; build it again"
        )
    left = _decode(shard, max(first_byte, anchor_byte - margin), anchor_byte) + piece[: span[0]]
    right = piece[span[1] :] + _decode(shard, after, min(last_byte, after + margin))
    identifier, title = shard.metadata[document]
    return ConcordanceLine(
        left=_flatten(left)[-width:] if width else "",
        word=piece[span[0] : span[1]],
        right=_flatten(right)[:width],
        position=position,
        document_id=identifier,
        document_title=title,
    )


def _decode(shard: Shard, start: int, end: int) -> str:
    """Bytes to text; a character cut at either end is left out."""
    content = bytes(shard.text[start:end])
    skip = 0
    while skip < len(content) and content[skip] & _CONTINUATION_MASK == _CONTINUATION:
        skip += 1
    return content[skip:].decode(errors="ignore")


def _flatten(text: str) -> str:
    """Line breaks inside a line would break the table that shows it."""
    return text.replace("\r", " ").replace("\n", " ")
