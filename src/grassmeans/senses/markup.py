"""Marks and markup in text that is to be tagged."""

from __future__ import annotations

import re

_MARK = re.compile(r"<(/?)b>", re.IGNORECASE)
# Tags (of a bounded length, so that a lone "<" cannot swallow a page) and character references.
_MARKUP = re.compile(
    r"<[/!?]?[a-z][^<>]{0,500}>|&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});",
    re.IGNORECASE,
)


def remove_marks(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without ``<b>word</b>`` marks, and the character spans that were marked.

    A mark goes from a ``<b>`` to the next ``</b>``; one that is not closed, or not opened, stays
    where it is. The time is linear in the length of the text, whatever is in it.
    """
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    length = 0
    last = 0
    opened: re.Match[str] | None = None
    for tag in _MARK.finditer(text):
        if not tag.group(1):
            opened = tag
        elif opened is not None:
            before = text[last : opened.start()]
            inside = text[opened.end() : tag.start()].strip()
            parts += [before, inside]
            start = length + len(before)
            length = start + len(inside)
            spans.append((start, length))
            last = tag.end()
            opened = None
    return "".join(parts) + text[last:], spans


def blank_markup(text: str) -> str:
    """The text with spaces in place of HTML tags and character references; the same length.

    Names of tags and attributes are no words of the text. This is no HTML parser: what stands
    between the tags is read as text, scripts and style sheets too.
    """
    if "<" not in text and "&" not in text:
        return text
    return _MARKUP.sub(lambda match: " " * len(match.group()), text)
