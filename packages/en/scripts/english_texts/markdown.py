"""Markdown as its authors keep it: front matter, code, links and headings -> paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from english_texts.paragraphs import (
    LEAST_ENGLISH,
    drop_addresses,
    set_dashes,
    share_of_function_words,
    strip_markup,
    tidy,
)

_FRONT = re.compile(r"\A\s*---\n.*?\n---\n", re.DOTALL)
_CODE = re.compile(r"^(```|~~~).*?^\1.*?$", re.MULTILINE | re.DOTALL)
_INLINE_CODE = re.compile(r"`[^`\n]*`")
_SHORTCODE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{:.*?\}|<!--.*?-->|<style.*?</style>", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)|\[([^\[\]]*)\]\[[^\]]*\]")
_EMPHASIS = re.compile(r"(?<!\w)(\*{1,3}|_{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!<>|-])")
_QUOTED = re.compile(r"^\s*>\s?", re.MULTILINE)
_LETTER = re.compile(r"[^\W\d_]")
_FEWEST = 4


def read_title(page: str) -> str:
    """The title of the front matter, or the first heading."""
    found = re.search(r"^title:\s*[\"']?(.+?)[\"']?\s*$", page, re.MULTILINE)
    found = found or re.search(r"^#\s*(.+)$", page, re.MULTILINE)
    return found[1].strip() if found else ""


def read_markdown(page: str) -> Iterator[str]:
    """The sentences of a page by paragraphs; items of lists are paragraphs of their own."""
    page = _FRONT.sub("", page.replace("\r\n", "\n"))
    page = _SHORTCODE.sub(" ", _CODE.sub("\n", page))
    for block in re.split(r"\n\s*\n", page):
        for part in _split_items(block.strip("\n")):
            text = clean_inline(part)
            if is_readable(text):
                yield text


def clean_inline(text: str) -> str:
    """Without marks of links, images, emphasis and quotation."""
    text = _LINK.sub(lambda found: found[1] or found[2] or "", _IMAGE.sub(" ", text))
    text = _ESCAPE.sub(r"\1", _INLINE_CODE.sub(" ", _QUOTED.sub("", text)))
    text = drop_addresses(strip_markup(_EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", text))))
    return tidy(set_dashes(text))


def is_readable(text: str) -> bool:
    """Whether a part is sentences: no heading, table, label or address."""
    words = text.split()
    return (
        len(words) >= _FEWEST
        and text[-1] in ".!?\"'”’)…:"
        and not any(mark in text for mark in "|{}<>")
        and len(_LETTER.findall(text)) >= 0.6 * len(text)
        and (len(words) < 12 or share_of_function_words(text) >= LEAST_ENGLISH)
    )


def _split_items(block: str) -> Iterator[str]:
    """The items of a list, or the block; headings, rules and tables are left out."""
    part: list[str] = []
    for line in block.split("\n"):
        if _ITEM.match(line) or line.lstrip().startswith(("#", "|", "---", "===", "***")):
            if part:
                yield " ".join(part)
            part = [_ITEM.sub("", line)] if _ITEM.match(line) else []
        else:
            part.append(line.strip())
    if part:
        yield " ".join(part)
