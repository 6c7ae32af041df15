"""Documents whose text was there before; eight bytes a document are remembered."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from grassmeans.reading.documents import RawDocument, ReadReport

DUPLICATE = "duplicate document"

Item = TypeVar("Item")


def digest_document(document: RawDocument) -> int | None:
    """Eight bytes that tell its text from any other; None for redirects: many lead to one page."""
    if document.markup == "redirect":
        return None
    content = document.text.encode(errors="replace")
    digest = hashlib.blake2b(content, digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def without_duplicates(
    items: Iterable[Item],
    report: ReadReport,
    digest: Callable[[Item], int | None],
    read: Callable[[Item], RawDocument],
) -> Iterator[Item]:
    """Leave out documents whose text has been seen; ``read`` gives the one that is told of."""
    seen: set[int] = set()
    for item in items:
        found = digest(item)
        if found is not None:
            if found in seen:
                is_first = DUPLICATE not in report.examples
                known = read(item) if is_first else None
                report.skip(DUPLICATE, known.title or known.id if known else "")
                continue
            seen.add(found)
        yield item
