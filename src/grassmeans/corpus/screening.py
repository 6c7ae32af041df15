"""Which documents a corpus takes: none whose text was there before, none that cannot be tokenised.

Scripts that put nothing between their words are segmented, or passed over and told. Of a text that
was there, eight bytes are remembered.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from grassmeans.reading.documents import RawDocument, ReadReport
from grassmeans.text.segmenting import find_breaker, measure_spaceless
from grassmeans.text.tokenizer import Tokenizer

DUPLICATE = "duplicate document"
SPACELESS = "document without spaces between words (segment it with segment=True)"
_NOT_TEXT = {"tokens", "redirect"}
_SAMPLE_CHARS = 200_000
_MOSTLY = 0.5

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


def prepare_documents(
    documents: Iterable[RawDocument], tokenizer: Tokenizer, report: ReadReport
) -> tuple[Iterator[RawDocument], Tokenizer]:
    """Decide by the first documents whether words have to be segmented.

    Where most of their letters are of such scripts, the tokenizer segments from then on,
    `MissingExtraError` where the extra is not installed; elsewhere single documents that are mostly
    of such scripts are passed over and counted.
    """
    waiting = iter(documents)
    first: list[RawDocument] = []
    n_chars = 0
    for document in waiting:
        first.append(document)
        n_chars += len(document.text)
        if n_chars >= _SAMPLE_CHARS:
            break
    together = chain(first, waiting)
    sample = "".join(d.text[:_SAMPLE_CHARS] for d in first if d.markup not in _NOT_TEXT)
    if tokenizer.segment or measure_spaceless(sample) >= _MOSTLY:
        find_breaker()  # raises where it is not installed
        return together, replace(tokenizer, segment=True)
    return _pass_over_spaceless(together, report), tokenizer


def is_spaceless(document: RawDocument) -> bool:
    """Whether a document is mostly of scripts without spaces."""
    return document.markup not in _NOT_TEXT and measure_spaceless(document.text) >= _MOSTLY


def _pass_over_spaceless(
    documents: Iterable[RawDocument], report: ReadReport
) -> Iterator[RawDocument]:
    for document in documents:
        if is_spaceless(document):
            report.skip(SPACELESS, document.title or document.id)
        else:
            yield document
