"""Documents as JSON lines, packed, with paragraphs that stood in an earlier file left out."""

from __future__ import annotations

import hashlib
import json
import lzma
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

SAID_OFTEN = 80
"""Paragraphs of fewer characters are what people say again and again: they are no copies."""
_NO_LETTER = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Document:
    """A text: paragraphs separated by newlines, cased, no markup."""

    id: str
    title: str
    text: str
    kind: str
    source: str = ""

    @property
    def paragraphs(self) -> list[str]:
        """Its paragraphs."""
        return self.text.split("\n")


class Copies:
    """Which paragraphs were seen: long ones, and single sentences of any length."""

    def __init__(self) -> None:
        self._seen: set[bytes] = set()

    def add_file(self, path: Path) -> None:
        """Know the paragraphs of a file that was written before."""
        for document in read_documents(path):
            self.drop(document)

    def drop(self, document: Document) -> Document:
        """The document without paragraphs that were seen; its own count as seen from now on."""
        kept = []
        shortest = 0 if document.kind == "sentences" else SAID_OFTEN
        for paragraph in document.paragraphs:
            if len(paragraph) >= shortest:
                letters = _NO_LETTER.sub("", paragraph.lower())
                digest = hashlib.blake2b(letters.encode(), digest_size=8).digest()
                if digest in self._seen:
                    continue
                self._seen.add(digest)
            kept.append(paragraph)
        return replace(document, text="\n".join(kept))


@dataclass
class Count:
    """What a file holds."""

    documents: int = 0
    words: int = 0
    words_by_kind: Counter[str] = field(default_factory=Counter)
    words_by_source: Counter[str] = field(default_factory=Counter)


def read_documents(path: Path) -> Iterator[Document]:
    """The documents of a packed file."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield Document(**json.loads(line))


def write_documents(
    documents: Iterable[Document], path: Path, copies: Copies, *, at_most: int | None = None
) -> Count:
    """Write documents up to a number of words, without copies and what these leave empty."""
    count = Count()
    with lzma.open(path, "wt", preset=6, encoding="utf-8") as file:
        for document in documents:
            if at_most is not None and count.words >= at_most:
                break
            fresh = copies.drop(document)
            words = len(fresh.text.split())
            if not words:
                continue
            line = {"id": fresh.id, "title": fresh.title, "text": fresh.text, "kind": fresh.kind}
            if fresh.source:
                line["source"] = fresh.source
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            count.documents += 1
            count.words += words
            count.words_by_kind[fresh.kind] += words
            count.words_by_source[fresh.source] += words
    return count
