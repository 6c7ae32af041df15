"""Concordance lines of stretches of tokens, cut between words and never inside one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grassmeans.corpus.corpus import Corpus

WIDTH = 60
"""Characters on either side."""


@dataclass(frozen=True, slots=True)
class SpanLine:
    """Some tokens in a row in their original text."""

    start: int
    """The position of the first token in the corpus."""
    end: int
    """The position after the last."""
    document: str
    """Its title, or its id where it has none."""
    left: str
    match: str
    right: str
    fields: Mapping[str, str] = field(default_factory=dict)
    """What else is known of the document: a date, a source."""


def read_line(
    corpus: Corpus, start: int, end: int, width: int = WIDTH, *, keep_breaks: bool = False
) -> SpanLine:
    """The line of the tokens ``start:end``, which are of one document.

    With ``keep_breaks`` the text beside them has its line breaks, as `Corpus.line_at` gives it.
    """
    shard, local = corpus.locate(start)
    first = corpus.line_at(start, width, keep_breaks=keep_breaks)
    if end - start == 1:
        match, after = first.word, first.right
    else:
        stretch = shard.read_stretch(local, local + end - start, corpus.tokenizer)
        match = " ".join(stretch.text[: stretch.spans[-1][1]].split())
        after = corpus.line_at(end - 1, width, keep_breaks=keep_breaks).right
    return SpanLine(
        start,
        end,
        first.document_title or first.document_id,
        first.left,
        match,
        after,
        first.fields,
    )
