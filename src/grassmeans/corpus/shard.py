"""One shard of a stored corpus: token ids, documents, text and the index from word to positions.

A shard is a folder of plain arrays, opened memory-mapped. Positions inside a shard count its
tokens from 0; the corpus adds the shard's start.

The text is kept once and no offset per token. A keyword-in-context line is found by tokenising
again from the nearest anchor before it, which is never more than a short stretch away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Booleans, Indices, Integers
from grassmeans.artifacts.checking import (
    check_offsets,
    check_range,
    check_rising,
    damaged,
    map_bytes,
    open_array,
    parse_json,
    read_text,
)
from grassmeans.artifacts.schema import each, record, row, text
from grassmeans.corpus.occurrences import Span, Stretch, cut_stretch
from grassmeans.results import ColumnTypes, Tabular, types_of
from grassmeans.text.cutting import cut_left, cut_right
from grassmeans.text.tokenizer import Tokenizer, WhitespaceTokenizer

# The files of a shard
TOKENS, ANCHORS, PRETOKENISED = "tokens.npy", "anchors.npy", "pretokenised.npy"
DOCUMENTS, TEXT_OFFSETS = "documents.npy", "text_offsets.npy"
INDEX = "index_"
INDEX_WORDS, INDEX_OFFSETS, INDEX_POSITIONS = (
    f"{INDEX}{name}.npy" for name in ("words", "offsets", "positions")
)
TEXT, METADATA = "text.bin", "metadata.jsonl"
LINKS, EXACT_LINKS = "links.npy", "links_exact.npy"
LINK_TARGETS, REDIRECTS = "link_targets.json", "redirects.json"
DONE = "shard.json"

_BYTES_PER_CHARACTER = 4
_CONTINUATION = 0b1000_0000
_CONTINUATION_MASK = 0b1100_0000
_ABOUT = row(text, text)
_FIELDS = record()


def shard_folder(corpus: Path, number: int) -> Path:
    """Where a shard lies."""
    return corpus / "shards" / f"{number:05d}"


@dataclass(frozen=True, slots=True)
class ConcordanceLine:
    """One occurrence in its original text."""

    left: str
    """The text before the word."""
    word: str
    """As it stands there."""
    right: str
    """The text after it."""
    position: int
    """In the corpus, from 0."""
    document_id: str
    """As in the source."""
    document_title: str
    """As in the source."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """What else is known of the document: a date, a source."""

    def __str__(self) -> str:
        return f"{self.left}<b>{self.word}</b>{self.right}"


class ConcordanceLines(list[ConcordanceLine], Tabular):
    """Lines of a word; as a table, a row for each, with the fields of its document at the end."""

    def __init__(self, lines: Iterable[ConcordanceLine] = (), fields: Iterable[str] = ()) -> None:
        super().__init__(lines)
        self._fields = tuple(fields)

    def rows(self) -> list[dict[str, Any]]:
        """``left``, ``word``, ``right``, ``position``, ``document_id``, ``document_title``.

        A field that is called as one of these has ``document_`` before its name.
        """
        return [
            {name: getattr(line, name) for name in _LINE_TYPES}
            | {self._head(name): line.fields.get(name, "") for name in self._fields}
            for line in self
        ]

    def column_types(self) -> ColumnTypes:
        """The columns of such rows."""
        return _LINE_TYPES | {self._head(name): str for name in self._fields}

    @staticmethod
    def _head(name: str) -> str:
        return f"document_{name}" if name in _LINE_TYPES else name

    def _heading(self) -> str:
        return f"{len(self):,} lines"


_LINE_TYPES = {name: kind for name, kind in types_of(ConcordanceLine).items() if name != "fields"}


@dataclass(frozen=True, slots=True)
class ShardSizes:
    """What a corpus's manifest says of a shard: its arrays have to fit it."""

    n_tokens: int
    n_documents: int
    n_words: int  # of the corpus's vocabulary


class Shard:
    """A shard on disk; arrays are opened and checked when they are first used."""

    def __init__(
        self, folder: Path, sizes: ShardSizes, first_position: int = 0, first_document: int = 0
    ) -> None:
        self.folder = folder
        self.sizes = sizes
        self.first_position = first_position
        self.first_document = first_document
        self._kept_section: tuple[tuple[int, int], Any, str, list[Span]] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers open the files again instead of receiving arrays.
        return Shard, (self.folder, self.sizes, self.first_position, self.first_document)

    @cached_property
    def tokens(self) -> Integers:
        """(n_tokens,) word ids, -1 for words beyond the vocabulary's limit."""
        path = self.folder / TOKENS
        tokens = open_array(path, np.int32, (self.sizes.n_tokens,))
        # Kernels take them as row numbers: the whole shard is looked at once, a few megabytes.
        check_range(path, tokens, -1, self.sizes.n_words)
        return tokens

    def read_tokens(self, start: int, end: int, epoch: int = 0) -> Integers:
        """The word ids of the positions ``start:end``, the same in every epoch of a training."""
        return self.tokens[start:end]

    def _open_offsets(self, name: str, end: int) -> Indices:
        path = self.folder / name
        offsets = open_array(path, np.int64, (self.sizes.n_documents + 1,))
        check_offsets(path, offsets, end)
        return offsets

    @cached_property
    def document_offsets(self) -> Indices:
        """(n_documents + 1,) position of each document's first token, and the end."""
        return self._open_offsets(DOCUMENTS, self.sizes.n_tokens)

    def document_bounds(self, positions: NDArray[np.integer]) -> tuple[Indices, Indices]:
        """(n,) first position and (n,) end of the document that each of (n,) positions is in."""
        offsets = np.asarray(self.document_offsets)
        document = np.searchsorted(offsets, positions, side="right") - 1
        return offsets[document], offsets[document + 1]

    @cached_property
    def text_offsets(self) -> Indices:
        """(n_documents + 1,) byte offset of each document in the text."""
        return self._open_offsets(TEXT_OFFSETS, len(self.text))

    @cached_property
    def pretokenised(self) -> Booleans:
        """(n_documents,) whether the document came already split into tokens."""
        return open_array(self.folder / PRETOKENISED, np.bool_, (self.sizes.n_documents,))

    @cached_property
    def anchors(self) -> Indices:
        """(n_anchors, 2) positions of some tokens, and the bytes from which to look for them."""
        path = self.folder / ANCHORS
        anchors = open_array(path, np.int64, (None, 2))
        if self.sizes.n_tokens:
            ends = (self.sizes.n_tokens, len(self.text))
            for column, end in zip(np.asarray(anchors).T, ends, strict=True):
                check_offsets(path, np.append(column, end), end)
        return anchors

    @cached_property
    def text(self) -> memoryview:
        """The documents' cleaned text, UTF-8."""
        return map_bytes(self.folder / TEXT)

    @cached_property
    def metadata(self) -> list[tuple[str, str]]:
        """Id and title of every document."""
        return [(entry[0], entry[1]) for entry in self._entries]

    @cached_property
    def fields(self) -> list[dict[str, str]]:
        """What else is known of every document: the fields that were asked for."""
        return [entry[2] if len(entry) > 2 else {} for entry in self._entries]

    @cached_property
    def _entries(self) -> list[list[Any]]:
        path = self.folder / METADATA
        content = read_text(path)
        # Not splitlines, which also cuts at separators that a title may hold.
        lines = content.split("\n") if content else []
        if len(lines) != self.sizes.n_documents:
            raise damaged(path, f"{len(lines):,} lines for {self.sizes.n_documents:,} documents")
        entries = [parse_json(line, path) for line in lines]
        if any(not _is_entry(entry) for entry in entries):
            raise damaged(path, "a line does not have id, title and fields of a document")
        return entries

    def document_at(self, position: int) -> int:
        """Number in the shard of the document that a position is in."""
        return int(np.searchsorted(self.document_offsets, position, side="right")) - 1

    def document_text(self, document: int) -> str:
        """The cleaned text of a document of the shard."""
        start, end = self.text_offsets[document : document + 2]
        try:
            return bytes(self.text[start:end]).decode()
        except UnicodeDecodeError as error:
            raise damaged(self.folder / TEXT, f"document {document} is no UTF-8") from error

    def token_rule(self, document: int, tokenizer: Tokenizer) -> Tokenizer | WhitespaceTokenizer:
        """What finds the tokens of a document again: the corpus's rule, or none but spaces."""
        if self.pretokenised[document]:
            return WhitespaceTokenizer(lowercase=tokenizer.lowercase)
        return tokenizer

    def line_at(
        self, position: int, tokenizer: Tokenizer, width: int, *, keep_breaks: bool = False
    ) -> ConcordanceLine:
        """The line of the token at a position of the shard.

        Line breaks become spaces and both sides are cut between words. With its breaks kept, the
        text is for those who look for sentences in it: exactly so many characters a side.
        """
        document = self.document_at(position)
        first_byte, last_byte = (int(b) for b in self.text_offsets[document : document + 2])
        text, (start, end), (begin, behind) = self._find_token(position, document, tokenizer)
        margin = _BYTES_PER_CHARACTER * (width + 1)
        left = self._decode(max(first_byte, begin - margin), begin) + text[:start]
        right = text[end:] + self._decode(behind, min(last_byte, behind + margin))
        if not keep_breaks:  # which would break the table that shows it
            left, right = (side.replace("\r", " ").replace("\n", " ") for side in (left, right))
            left, right = cut_left(left, width), cut_right(right, width)
        return ConcordanceLine(
            left[-width:] if width else "",
            text[start:end],
            right[:width],
            self.first_position + position,
            *self.metadata[document],
            self.fields[document],
        )

    def read_stretch(self, first: int, end: int, tokenizer: Tokenizer) -> Stretch:
        """The original text of the tokens ``first:end``, which are of one document."""
        # One token more than asked for tells how far the text goes on behind the last.
        document = self.document_at(first)
        text, spans, _ = self._read_sections(first, end - first, document, tokenizer, more=1)
        return cut_stretch(text, spans, 0, end - first)

    def _read_sections(
        self, first: int, n_tokens: int, document: int, tokenizer: Tokenizer, more: int = 0
    ) -> tuple[str, list[Span], tuple[int, int]]:
        """Text with so many tokens from ``first`` on, and some more if there are.

        The characters of the tokens in it, and the bytes of the shard's text that it is.
        """
        rule = self.token_rule(document, tokenizer)
        last_byte = int(self.text_offsets[document + 1])
        anchor = int(np.searchsorted(self.anchors[:, 0], first, side="right")) - 1
        skipped = first - int(self.anchors[anchor, 0])
        begin = behind = int(self.anchors[anchor, 1])
        text = ""
        spans: list[Span] = []
        # By sections, as the tokens were found: no token goes across an anchor.
        while len(spans) < skipped + n_tokens + more and behind < last_byte:
            anchor += 1
            after = int(self.anchors[anchor, 1]) if anchor < len(self.anchors) else last_byte
            section, found = self._read_section(behind, after, rule)
            spans += [(len(text) + start, len(text) + stop) for start, stop in found]
            text += section
            behind = after
        if len(spans) < skipped + n_tokens:
            raise damaged(self.folder / TEXT, "text and tokens do not fit")
        return text, spans[skipped:], (begin, behind)

    def _find_token(
        self, position: int, document: int, tokenizer: Tokenizer
    ) -> tuple[str, Span, tuple[int, int]]:
        """The section of a token, its characters there, and the bytes that the section is.

        No more of the section's tokens are found than up to that one.
        """
        anchors = self.anchors
        anchor = int(np.searchsorted(anchors[:, 0], position, side="right")) - 1
        first, begin = (int(number) for number in anchors[anchor])
        behind = int(self.text_offsets[document + 1])
        if anchor + 1 < len(anchors):
            behind = min(behind, int(anchors[anchor + 1, 1]))
        section = self._decode(begin, behind)
        spans = self.token_rule(document, tokenizer).spans(section)
        span = next(islice(spans, position - first, None), None)
        if span is None:
            raise damaged(self.folder / TEXT, "text and tokens do not fit")
        return section, span, (begin, behind)

    def _read_section(
        self, start: int, end: int, rule: Tokenizer | WhitespaceTokenizer
    ) -> tuple[str, list[Span]]:
        """A section and its tokens; the last one is kept, for who reads on in it."""
        kept = self._kept_section
        if kept is None or kept[0] != (start, end) or kept[1] is not rule:
            section = self._decode(start, end)
            kept = (start, end), rule, section, list(rule.spans(section))
            self._kept_section = kept
        return kept[2], kept[3]

    def _decode(self, start: int, end: int) -> str:
        """Bytes to text; a character cut at either end is left out."""
        content = bytes(self.text[start:end])
        skip = 0
        while skip < len(content) and content[skip] & _CONTINUATION_MASK == _CONTINUATION:
            skip += 1
        return content[skip:].decode(errors="ignore")

    @cached_property
    def _index(self) -> tuple[Integers, Indices, Integers]:
        path = self.folder / INDEX_WORDS
        words = open_array(path, np.int32, (None,))
        check_range(path, words, 0, self.sizes.n_words)
        check_rising(path, words)
        positions = open_array(self._positions_path, np.int32, (None,))
        offsets = open_array(self.folder / INDEX_OFFSETS, np.int64, (len(words) + 1,))
        check_offsets(self.folder / INDEX_OFFSETS, offsets, len(positions))
        # As plain arrays: every slice of a mapped one costs as much as the look-up itself.
        return np.asarray(words), np.asarray(offsets), np.asarray(positions)

    def gather_positions(self, word_ids: Indices) -> tuple[Integers, Indices]:
        """Positions of words in this shard, those of one after the other, and how many each has."""
        words, offsets, positions = self._index
        if not len(words):
            return np.empty(0, np.int32), np.zeros(len(word_ids), np.int64)
        slots = np.minimum(np.searchsorted(words, word_ids), len(words) - 1)
        sizes = np.where(words[slots] == word_ids, offsets[slots + 1] - offsets[slots], 0)
        owners = np.repeat(np.arange(len(word_ids)), sizes)
        before = np.cumsum(sizes) - sizes
        found = positions[(offsets[slots] - before)[owners] + np.arange(len(owners))]
        n_tokens = self.sizes.n_tokens
        check_range(self._positions_path, found, 0, n_tokens)
        check_rising(self._positions_path, owners * n_tokens + found)
        return found, sizes

    def positions(self, word_id: int) -> Integers:
        """Positions of a word in this shard, in order, without a scan."""
        words, offsets, positions = self._index
        slot = int(np.searchsorted(words, word_id))
        if slot == len(words) or words[slot] != word_id:
            return np.empty(0, np.int32)
        found = positions[offsets[slot] : offsets[slot + 1]]
        check_rising(self._positions_path, found)
        ends = found[:: max(len(found) - 1, 1)]  # the smallest and the largest
        check_range(self._positions_path, ends, 0, self.sizes.n_tokens)
        return found

    @cached_property
    def _positions_path(self) -> Path:
        return self.folder / INDEX_POSITIONS


def _is_entry(entry: Any) -> bool:
    """Whether a line of metadata is an id, a title and maybe fields, all of texts."""
    if not isinstance(entry, list) or _ABOUT(entry[:2]) or len(entry) > 3:
        return False
    return len(entry) < 3 or not (_FIELDS(entry[2]) or each(text)(list(entry[2].values())))


@dataclass(frozen=True, slots=True)
class ShardText:
    """The original text of a shard, as `grassmeans.corpus.occurrences.TokenText`."""

    shard: Shard
    tokenizer: Tokenizer

    def read(self, first: int, end: int) -> Stretch:
        """The text of the tokens ``first:end``, which are of one document."""
        return self.shard.read_stretch(first, end, self.tokenizer)
