"""Long documents -> parts of bounded length, cut at white space."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grassmeans.corpus.documents import RawDocument


def number_part(identifier: str, part: int) -> str:
    """The id of a document's part: the first keeps the id, the others get ``#2``, ``#3`` ..."""
    return identifier if part == 1 else f"{identifier}#{part}"


def split_document(document: RawDocument, max_chars: int) -> Iterator[RawDocument]:
    """Yield a document in parts of at most ``max_chars`` characters.

    A stretch longer than that without any white space is cut anyway. The parts of a tokenised
    document take their share of the keys along.
    """
    text = document.text
    start = n_tokens = 0
    part = 1
    while start < len(text):
        end = _find_cut(text, start, max_chars)
        piece = text[start:end].strip(" \n")
        start = end
        if not piece:
            continue
        keys = None
        if document.keys is not None:
            n_piece = piece.count(" ") + 1
            keys = document.keys[n_tokens : n_tokens + n_piece]
            n_tokens += n_piece
        yield replace(document, id=number_part(document.id, part), text=piece, keys=keys)
        part += 1


def _find_cut(text: str, start: int, max_chars: int) -> int:
    end = start + max_chars
    if end >= len(text):
        return len(text)
    cut = max(text.rfind("\n", start + 1, end + 1), -1)
    # A line end is a better place than a space, unless it lies far back.
    if cut < start + max_chars // 2:
        cut = max(cut, text.rfind(" ", start + 1, end + 1))
    return cut if cut > start else end
