"""Documents of one shard -> token ids of the shard's own, written to disk.

This is what a worker does in the first pass of `ingest`: clean, normalise, tokenise, count. Ids
are local to the shard until all shards are counted and the vocabulary is known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Indices, Integers
from grassmeans.artifacts.checking import open_array, read_json, read_text
from grassmeans.artifacts.writing import (
    digest_of_bytes,
    explain_write_errors,
    share_file,
    write_array,
    write_bytes,
    write_json,
)
from grassmeans.corpus import shard as files
from grassmeans.corpus.batches import Selection
from grassmeans.corpus.vocabulary import UNKNOWN
from grassmeans.reading.documents import RawDocument
from grassmeans.text.tokenizer import (
    Tokenizer,
    WhitespaceTokenizer,
    mend_surrogates,
    normalize_text,
)
from grassmeans.text.wikitext import Link, clean_wikitext, normalize_title

SECTION_LENGTH = 2_000
"""Characters between two anchors, up to the next white space."""

_LOCAL_TOKENS = "local_tokens.npy"
_LOCAL_WORDS = "local_words.txt"
_LOCAL_COUNTS = "local_counts.npy"
_SPACE = re.compile("[ \\n]")
_SENTENCE_SPACE = re.compile("[.,;:!?][ \\n]")  # no phrase goes on over these


@dataclass(frozen=True, slots=True)
class WrittenShard:
    """What the first pass reports of a shard; its tokens and words stay on disk."""

    source: str
    n_documents: int
    n_tokens: int


class _ShardWriter:
    """Collects the documents of one shard."""

    def __init__(self, tokenizer: Tokenizer, *, keep_links: bool) -> None:
        self._keep_links = keep_links
        self._ids: dict[str, int] = {}
        self._tokenizers: dict[bool, Tokenizer | WhitespaceTokenizer] = {
            False: tokenizer,
            True: WhitespaceTokenizer(lowercase=tokenizer.lowercase),
        }
        self._spaces = {False: _SENTENCE_SPACE if tokenizer.phrases else _SPACE, True: _SPACE}
        self._tables = {
            kind: rule.number_surfaces(lambda key: self._ids.setdefault(key, len(self._ids)))
            for kind, rule in self._tokenizers.items()
        }
        self._tokens: list[Integers] = []
        self._n_tokens = 0
        self._text: list[bytes] = []
        self._n_bytes = 0
        self._document_offsets = [0]
        self._text_offsets = [0]
        self._pretokenised: list[bool] = []
        self._metadata: list[str] = []
        self._anchors: list[tuple[int, int]] = []
        self._links: list[tuple[int, int, str]] = []
        self._exact_links: list[bool] = []
        self._redirects: dict[str, str] = {}

    def add(self, document: RawDocument) -> None:
        """Clean, normalise and tokenise one document, or note where a redirect leads to."""
        if document.markup == "redirect":
            source, target = normalize_title(document.title), normalize_title(document.text)
            if source and target and source != target:
                self._redirects[source] = target
            return
        pretokenised = document.markup == "tokens"
        text = document.text
        links: tuple[Link, ...] = ()
        if document.markup == "wikitext":
            clean = clean_wikitext(text, keep_links=self._keep_links)
            text, links = clean.text, clean.links
        normal = normalize_text(text)
        if normal != text:
            links = ()  # their spans no longer fit; NFC text, which is nearly all, keeps them
        self._add_text(normal, pretokenised, document.keys)
        self._add_links(normal, links)
        self._text_offsets.append(self._n_bytes)
        self._document_offsets.append(self._n_tokens)
        self._pretokenised.append(pretokenised)
        about: list[Any] = [mend_surrogates(document.id), mend_surrogates(document.title)]
        if document.fields:
            about.append({name: mend_surrogates(value) for name, value in document.fields})
        self._metadata.append(json.dumps(about, ensure_ascii=False))

    def _add_text(self, text: str, pretokenised: bool, keys: Sequence[str] | None) -> None:
        tokenizer = self._tokenizers[pretokenised]
        table = self._tables[pretokenised]
        consumed = 0
        for section in _cut_sections(text, self._spaces[pretokenised]):
            if keys is None:
                found = tokenizer.encode(section, table)
            else:  # the surface forms are counted, and get no numbers: they are no words here
                chosen = keys[consumed : consumed + len(tokenizer.tokenize(section))]
                consumed += len(chosen)
                found = np.fromiter(map(table.__getitem__, chosen), np.int32, len(chosen))
            self._anchors.append((self._n_tokens, self._n_bytes))
            self._tokens.append(found)
            self._n_tokens += len(found)
            encoded = section.encode()
            self._text.append(encoded)
            self._n_bytes += len(encoded)

    def _add_links(self, text: str, links: Sequence[Link]) -> None:
        """Turn character spans into positions of the document's tokens."""
        if not links:
            return
        first = self._document_offsets[-1]
        spans = np.array([*self._tokenizers[False].spans(text)], np.int64).reshape(-1, 2)
        for link in links:
            start, end = (int(n) for n in np.searchsorted(spans[:, 0], (link.start, link.end)))
            if end > start:
                self._links.append((first + start, first + end, link.target))
                # Not so for "Apollo 11", whose number is no token, nor for "C++".
                is_exact = spans[start, 0] == link.start and spans[end - 1, 1] == link.end
                self._exact_links.append(bool(is_exact))

    def write(self, folder: Path, scratch: Path, digest: str) -> WrittenShard:
        """Write everything; `files.DONE` last, which marks the shard as whole."""
        with explain_write_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            scratch.mkdir(parents=True, exist_ok=True)
        tokens = np.concatenate(self._tokens) if self._tokens else np.empty(0, np.int32)
        words = tuple(self._ids)
        counts = np.bincount(tokens, minlength=len(words)).astype(np.int64)
        write_array(scratch / _LOCAL_TOKENS, tokens)
        write_bytes(scratch / _LOCAL_WORDS, "\n".join(words).encode())
        write_array(scratch / _LOCAL_COUNTS, counts)
        write_array(folder / files.DOCUMENTS, np.array(self._document_offsets, np.int64))
        write_array(folder / files.TEXT_OFFSETS, np.array(self._text_offsets, np.int64))
        write_array(folder / files.PRETOKENISED, np.array(self._pretokenised, np.bool_))
        write_array(folder / files.ANCHORS, np.array(self._anchors, np.int64).reshape(-1, 2))
        write_bytes(folder / files.TEXT, b"".join(self._text))
        write_bytes(folder / files.METADATA, "\n".join(self._metadata).encode())
        if self._keep_links:
            self._write_links(folder)
        n_documents = len(self._metadata)
        write_json(folder / files.DONE, {"source": digest, "n_documents": n_documents})
        return WrittenShard(digest, n_documents, len(tokens))

    def _write_links(self, folder: Path) -> None:
        targets = {target: i for i, target in enumerate(sorted({t for _, _, t in self._links}))}
        spans = [(start, end, targets[target]) for start, end, target in self._links]
        write_array(folder / files.LINKS, np.array(spans, dtype=np.int32).reshape(-1, 3))
        write_array(folder / files.EXACT_LINKS, np.array(self._exact_links, dtype=np.bool_))
        write_json(folder / files.LINK_TARGETS, list(targets))
        write_json(folder / files.REDIRECTS, self._redirects)


def _cut_sections(text: str, space: re.Pattern[str]) -> Iterator[str]:
    """Cut a text at white space, every `SECTION_LENGTH` characters or a little more."""
    start = 0
    while start < len(text):
        cut = space.search(text, start + SECTION_LENGTH)
        end = cut.end() if cut else len(text)
        yield text[start:end]
        start = end


def write_shard(
    batch: Sequence[RawDocument | Selection],
    folder: Path,
    scratch: Path,
    tokenizer: Tokenizer,
    keep_links: bool,
) -> WrittenShard:
    """Write the documents of one shard, or take it over from an earlier, interrupted run."""
    documents: list[RawDocument] = []
    for given in batch:
        documents += given.read() if isinstance(given, Selection) else [given]
    contents = (
        f"{d.id}\0{d.title}\0{d.markup}\0{d.text}\0{d.keys}\0{d.fields or ''}" for d in documents
    )
    source = digest_of_bytes(*(content.encode(errors="replace") for content in contents))
    if (folder / files.DONE).exists():
        done = read_json(folder / files.DONE)
        if done["source"] == source:
            n_tokens = int(_read_counts(scratch).sum())
            return WrittenShard(source, done["n_documents"], n_tokens)
    writer = _ShardWriter(tokenizer, keep_links=keep_links)
    for document in documents:
        writer.add(document)
    return writer.write(folder, scratch, source)


def read_shard_words(scratch: Path) -> tuple[list[str], Indices]:
    """The words of a shard by their ids there, and (n_words,) how often each occurs."""
    text, counts = read_text(scratch / _LOCAL_WORDS), _read_counts(scratch)
    return text.split("\n") if len(counts) else [], counts


def _read_counts(scratch: Path) -> Indices:
    return open_array(scratch / _LOCAL_COUNTS, np.int64, (None,), mapped=False)


def finish_shard(folder: Path, scratch: Path, global_ids: Integers) -> None:
    """Second pass of a shard: the vocabulary's ids instead of its own, and the index."""
    local = open_array(scratch / _LOCAL_TOKENS, np.int32, (None,), mapped=False)
    _write_token_ids(folder, global_ids[local] if len(global_ids) else local)


def _write_token_ids(folder: Path, tokens: Integers) -> None:
    """Write tokens and their index: the words that occur, and for each its positions in order."""
    write_array(folder / files.TOKENS, tokens)
    order = _order_by_word(tokens)
    ordered = tokens[order]
    n_unknown = int(np.searchsorted(ordered, 0))
    known = ordered[n_unknown:]
    first = np.flatnonzero(np.diff(known, prepend=UNKNOWN))
    words = known[first]
    offsets = np.append(first, len(known)).astype(np.int64)
    write_array(folder / files.INDEX_WORDS, words.astype(np.int32))
    write_array(folder / files.INDEX_OFFSETS, offsets)
    write_array(folder / files.INDEX_POSITIONS, order[n_unknown:])


def _order_by_word(tokens: Integers) -> Integers:
    """(n_tokens,) positions: those of one word behind those of another, each word's in order.

    By the lower half of the numbers and then by the upper one: NumPy sorts halves by counting.
    """
    numbers = (tokens - UNKNOWN).astype(np.uint32)  # the smallest id is 0
    order = np.argsort(numbers.astype(np.uint16), kind="stable").astype(np.int32)
    upper = (numbers >> 16).astype(np.uint16)
    if not upper.any():
        return order
    by_upper: Integers = order[np.argsort(upper[order], kind="stable")]
    return by_upper


def rewrite_shard(
    source: Path, folder: Path, tokens: Integers, left_out: tuple[str, ...] = ()
) -> None:
    """Write a shard with other tokens; other files are shared, less those whose names begin so."""
    with explain_write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    _write_token_ids(folder, tokens)
    for path in sorted(source.iterdir()):
        if not path.name.startswith((files.TOKENS, files.INDEX, *left_out)):
            share_file(path, folder / path.name)
