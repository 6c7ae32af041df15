"""One shard of a stored corpus: token ids, documents, text and the index from word to positions.

A shard is a folder of plain arrays, opened memory-mapped. Positions inside a shard count its
tokens from 0; the corpus adds the shard's start.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import map_bytes, open_array, read_bytes, read_json, write_array

DONE = "shard.json"


@dataclass(frozen=True, slots=True)
class LinkSpan:
    """A link over the tokens ``start:end`` (positions inside the shard) to a page.

    ``is_exact`` tells whether its text is these tokens and nothing else: not so for "Apollo 11"
    where numbers are no tokens, nor for "C++". Corpora of older releases do not know it.
    """

    start: int
    end: int
    target: str
    is_exact: bool = True


class Shard:
    """A shard on disk; arrays are opened when they are first used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

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
        """(n_links,) whether a link's text is its tokens and nothing else; see `LinkSpan`."""
        if (self.folder / "links_exact.npy").exists():
            return self._open("links_exact")
        return np.ones(len(self.link_spans), np.bool_)

    def link_targets(self) -> list[str]:
        """The pages that the shard's links lead to."""
        targets: list[str] = []
        if self.has_links:
            targets = read_json(self.folder / "link_targets.json")
        return targets

    def links(self) -> list[LinkSpan]:
        """The link annotations, where they were kept."""
        targets = self.link_targets()
        return [
            LinkSpan(start, end, targets[target], is_exact)
            for (start, end, target), is_exact in zip(
                self.link_spans.tolist(), self.exact_links.tolist(), strict=True
            )
        ]

    def redirects(self) -> dict[str, str]:
        """Redirect page -> the page it leads to, where links were kept."""
        path = self.folder / "redirects.json"
        found: dict[str, str] = read_json(path) if path.exists() else {}
        return found


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
