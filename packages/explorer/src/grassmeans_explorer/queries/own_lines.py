"""A text whose lines are texts of their own: tagged line by line, told as one text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from grassmeans.models.model import SenseModel
from grassmeans.tagging.line_layout import LINES, tell_layout
from grassmeans.tagging.tagging import TaggedText, TaggedWord

_AT_ONCE = 256


def are_own_texts(text: str) -> bool:
    """Whether the lines of a text are to be read each by itself, where nobody says so."""
    return tell_layout(text.splitlines()) == LINES


def tag_lines(
    model: SenseModel, text: str, on_progress: Callable[[float], None], **options: Any
) -> TaggedText:
    """Tag each line as a text of its own; the words' places are those in the whole text.

    The options are those of `SenseModel.tag_many`.
    """
    lines = text.splitlines()
    words: list[TaggedWord] = []
    unknown: dict[str, None] = {}
    texts: list[str] = []
    start = 0
    for first in range(0, len(lines), _AT_ONCE):
        for tagged in model.tag_many(lines[first : first + _AT_ONCE], **options):
            words += [_move(word, start) for word in tagged]
            unknown |= dict.fromkeys(tagged.unknown)
            texts.append(tagged.text)
            start += len(tagged.text) + 1
        on_progress(min(1.0, (first + _AT_ONCE) / len(lines)))
    return TaggedText("\n".join(texts), tuple(words), tuple(unknown))


def _move(word: TaggedWord, by: int) -> TaggedWord:
    context = word.context[0] + by, word.context[1] + by
    return replace(word, start=word.start + by, end=word.end + by, context=context)
