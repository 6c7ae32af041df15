"""One shard of a stored corpus: token ids, documents, text and the index from word to positions.

A shard is a folder of plain arrays, opened memory-mapped. Positions inside a shard count its
tokens from 0; the corpus adds the shard's start.

The text is kept once and no offset per token. A keyword-in-context line is found by tokenising
again from the nearest anchor before it, which is never more than a short stretch away.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import map_bytes, open_array, read_bytes, read_json, write_array
from grassmeans.corpus.tokenizer import Tokenizer, WhitespaceTokenizer
from grassmeans.errors import ArtifactError

DONE = "shard.json"
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


class Shard:
    """A shard on disk; arrays are opened when they are first used.

    Parameters
    ----------
    first_position, first_document : int
        Where the shard's tokens and documents begin in its corpus.
    """

    def __init__(self, folder: Path, first_position: int = 0, first_document: int = 0) -> None:
        self.folder = folder
        self.first_position = first_position
        self.first_document = first_document

    def _open(self, name: str) -> NDArray[Any]:
        return open_array(self.folder / f"{name}.npy")

    @cached_property
    def tokens(self) -> NDArray[np.int32]:
        """(n_tokens,) word ids, -1 for words beyond the vocabulary's limit."""
        return self._open("tokens")

    def read_tokens(self, start: int, end: int, epoch: int = 0) -> NDArray[np.int32]:
        """The word ids of the positions ``start:end``, the same in every epoch of a training."""
        return self.tokens[start:end]

    @cached_property
    def document_offsets(self) -> NDArray[np.int64]:
        """(n_documents + 1,) position of each document's first token, and the end."""
        return self._open("documents")

    def document_bounds(
        self, positions: NDArray[np.integer]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(n,) first position and (n,) end of the document that each of (n,) positions is in."""
        offsets = np.asarray(self.document_offsets)
        document = np.searchsorted(offsets, positions, side="right") - 1
        return offsets[document], offsets[document + 1]

    @cached_property
    def text_offsets(self) -> NDArray[np.int64]:
        """(n_documents + 1,) byte offset of each document in the text."""
        return self._open("text_offsets")

    @cached_property
    def pretokenised(self) -> NDArray[np.bool_]:
        """(n_documents,) whether the document came already split into tokens."""
        return self._open("pretokenised")

    @cached_property
    def anchors(self) -> NDArray[np.int64]:
        """(n_anchors, 2) positions of some tokens and the byte offsets where to look for them.

        Tokenising the text from an anchor's byte offset gives the tokens from its position on.
        """
        return self._open("anchors")

    @cached_property
    def text(self) -> memoryview:
        """The documents' cleaned text, UTF-8."""
        return map_bytes(self.folder / "text.bin")

    @cached_property
    def metadata(self) -> list[tuple[str, str]]:
        """Id and title of every document."""
        text = read_bytes(self.folder / "metadata.jsonl").decode()
        # Not splitlines, which also cuts at separators that a title may hold.
        entries = map(json.loads, text.split("\n") if text else ())
        return [(entry[0], entry[1]) for entry in entries]

    def document_at(self, position: int) -> int:
        """Number in the shard of the document that a position is in."""
        return int(np.searchsorted(self.document_offsets, position, side="right")) - 1

    def document_text(self, document: int) -> str:
        """The cleaned text of a document of the shard."""
        start, end = self.text_offsets[document : document + 2]
        return bytes(self.text[start:end]).decode()

    def token_rule(self, document: int, tokenizer: Tokenizer) -> Tokenizer | WhitespaceTokenizer:
        """What finds the tokens of a document again: the corpus's rule, or none but spaces."""
        if self.pretokenised[document]:
            return WhitespaceTokenizer(lowercase=tokenizer.lowercase)
        return tokenizer

    def line_at(self, position: int, tokenizer: Tokenizer, width: int) -> ConcordanceLine:
        """The line of the token at a position of the shard."""
        document = self.document_at(position)
        first_byte, last_byte = (int(b) for b in self.text_offsets[document : document + 2])
        anchor = int(np.searchsorted(self.anchors[:, 0], position, side="right")) - 1
        anchor_token, anchor_byte = (int(value) for value in self.anchors[anchor])
        after = int(self.anchors[anchor + 1, 1]) if anchor + 1 < len(self.anchors) else last_byte
        margin = _BYTES_PER_CHARACTER * (width + 1)
        piece = self._decode(anchor_byte, after)
        spans = self.token_rule(document, tokenizer).spans(piece)
        start, end = next(islice(spans, position - anchor_token, None), (-1, -1))
        if start < 0:
            raise ArtifactError(
                f"{self.folder} is damaged: text and tokens do not fit; build it again"
            )
        left = self._decode(max(first_byte, anchor_byte - margin), anchor_byte) + piece[:start]
        right = piece[end:] + self._decode(after, min(last_byte, after + margin))
        return ConcordanceLine(
            _flatten(left)[-width:] if width else "",
            piece[start:end],
            _flatten(right)[:width],
            self.first_position + position,
            *self.metadata[document],
        )

    def _decode(self, start: int, end: int) -> str:
        """Bytes to text; a character cut at either end is left out."""
        content = bytes(self.text[start:end])
        skip = 0
        while skip < len(content) and content[skip] & _CONTINUATION_MASK == _CONTINUATION:
            skip += 1
        return content[skip:].decode(errors="ignore")

    @cached_property
    def _index(self) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        return self._open("index_words"), self._open("index_offsets"), self._open("index_positions")

    def positions(self, word_id: int) -> NDArray[np.int32]:
        """Positions of a word in this shard, in order, without a scan."""
        words, offsets, positions = self._index
        slot = int(np.searchsorted(words, word_id))
        if slot == len(words) or words[slot] != word_id:
            return np.empty(0, np.int32)
        return positions[offsets[slot] : offsets[slot + 1]]

    @property
    def has_links(self) -> bool:
        """Whether link annotations were kept."""
        return (self.folder / "links.npy").exists()

    @cached_property
    def link_spans(self) -> NDArray[np.int32]:
        """(n_links, 3) start and end of each link's tokens, and its number in `link_targets`."""
        return self._open("links") if self.has_links else np.empty((0, 3), np.int32)

    @cached_property
    def exact_links(self) -> NDArray[np.bool_]:
        """(n_links,) whether a link's text is its tokens and nothing else.

        Not so for "Apollo 11" where numbers are no tokens, nor for "C++". Corpora of older releases
        do not know it.
        """
        if (self.folder / "links_exact.npy").exists():
            return self._open("links_exact")
        return np.ones(len(self.link_spans), np.bool_)

    def link_targets(self) -> list[str]:
        """The pages that the shard's links lead to."""
        return read_json(self.folder / "link_targets.json") if self.has_links else []

    def redirects(self) -> dict[str, str]:
        """Redirect page -> the page it leads to, where links were kept."""
        path = self.folder / "redirects.json"
        return read_json(path) if path.exists() else {}


def write_index(folder: Path, tokens: NDArray[np.int32]) -> None:
    """Write the index: the words that occur, and for each its positions in order."""
    order = np.argsort(tokens, kind="stable").astype(np.int32)
    ordered = tokens[order]
    n_unknown = int(np.searchsorted(ordered, 0))
    words, first = np.unique(ordered[n_unknown:], return_index=True)
    offsets = np.append(first, len(ordered) - n_unknown).astype(np.int64)
    write_array(folder / "index_words.npy", words.astype(np.int32))
    write_array(folder / "index_offsets.npy", offsets)
    write_array(folder / "index_positions.npy", order[n_unknown:])


def _flatten(text: str) -> str:
    """Line breaks inside a line would break the table that shows it."""
    return text.replace("\r", " ").replace("\n", " ")
