"""Documents whose text was there before; eight bytes a document are remembered."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from grassmeans.reading.documents import RawDocument, ReadReport

DUPLICATE = "duplicate document"


def digest_text(text: str) -> bytes:
    """Eight bytes that tell a text from any other."""
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=8).digest()


def without_duplicates(
    documents: Iterable[RawDocument], report: ReadReport
) -> Iterator[RawDocument]:
    """Leave out documents whose text has been seen; redirects are none: many lead to one page."""
    seen: set[bytes] = set()
    for document in documents:
        if document.markup == "redirect":
            yield document
            continue
        digest = digest_text(document.text)
        if digest in seen:
            report.skip(DUPLICATE, document.title or document.id)
            continue
        seen.add(digest)
        yield document
