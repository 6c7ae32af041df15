"""Concordance lines of stretches of tokens, cut between words and never inside one."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

from grassmeans.corpus.corpus import Corpus
from grassmeans.text.letters import measure_spaceless

WIDTH = 60
"""Characters on either side."""
_INSIDE = "'’-‐‑_"


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


def read_line(corpus: Corpus, start: int, end: int, width: int = WIDTH) -> SpanLine:
    """The line of the tokens ``start:end``, which are of one document."""
    shard, local = corpus.locate(start)
    first = corpus.line_at(start, width + 1)
    if end - start == 1:
        match, after = first.word, first.right
    else:
        stretch = shard.read_stretch(local, local + end - start, corpus.tokenizer)
        match = " ".join(stretch.text[: stretch.spans[-1][1]].split())
        after = corpus.line_at(end - 1, width + 1).right
    return SpanLine(
        start,
        end,
        first.document_title or first.document_id,
        cut_left(first.left, width),
        match,
        cut_right(after, width),
        first.fields,
    )


def cut_left(text: str, width: int) -> str:
    """The last whole words of a text, at most so many characters."""
    if len(text) <= width:
        return text
    place = len(text) - width
    while place < len(text) and _is_inside(text, place):
        place += 1
    return text[place:].lstrip()


def cut_right(text: str, width: int) -> str:
    """The first whole words of a text, at most so many characters."""
    if len(text) <= width:
        return text
    place = width
    while place > 0 and _is_inside(text, place):
        place -= 1
    return text[:place].rstrip()


def _is_inside(text: str, place: int) -> bool:
    """Whether a cut before a character would be inside of a word.

    Scripts without spaces are cut anywhere.
    """
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    if measure_spaceless(before) or measure_spaceless(after):
        return False
    return _is_part(before) and _is_part(after)


def _is_part(character: str) -> bool:
    """Whether a character may stand in a word: a letter, a digit, a mark, an apostrophe."""
    is_mark = unicodedata.category(character).startswith("M")
    return is_mark or character.isalnum() or character in _INSIDE
