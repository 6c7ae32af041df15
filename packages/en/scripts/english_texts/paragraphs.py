"""Rules for single paragraphs, whatever their source: spelling of characters, and what is prose."""

from __future__ import annotations

import html
import re
import unicodedata

_FUNCTION_WORDS = """
    a about after all also an and any are as at be because been but by can could did do does for
    from had has have he her him his how i if in into is it its just like me more my no not of on
    one or our out she so some than that the their them then there these they this to up was we
    were what when which who will with would you your
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
LEAST_ENGLISH = 0.2
"""English prose has about 45% of these words; catalogues and other languages have far fewer."""
HEADING = 8
"""Paragraphs of encyclopaedias with so many words or fewer are headings or parts of tables."""

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,300}>|<!--.*?-->")
_MARKUP = re.compile(r"\b(?:codice|formula)_\d+|\{\{|\}\}|\[\[|\]\]|\[\d{1,3}\]|__[A-Z]+__")
_ADDRESS = re.compile(r"<?\b(?:https?://|www\.)\S+|<?\b[\w.+-]+@[\w.-]+\.\w+>?")
_EMPTY_BRACKETS = re.compile(r"\(\s*[,;:\s]*\)|\[\s*\]")
_BRACKET_START = re.compile(r"\(\s*[,;:]\s*")
_BRACKET_END = re.compile(r"\s*[,;:]\s*\)")
_SPACE = re.compile(r"\s+")
_SPACE_BEFORE = re.compile(r"\s+([,.;:!?](?:\s|$))")
_DASH = re.compile(r"(?<=\S)\s?--\s?(?=\S)|^--\s?(?=\S)|(?<=\S)\s?--$")
_NO_TEXT = dict.fromkeys(
    [*range(32), *range(127, 160), 0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xFFFC]
)
for _space in (0x09, 0x0A, 0x0D, 0x85, 0xA0, 0x2007, 0x2009, 0x200A, 0x202F):
    _NO_TEXT[_space] = " "
_NO_LETTER = re.compile(r"[^\w\s]|[\d_]")
_ENDS = tuple(".!?\"'”’)…")


def tidy(text: str) -> str:
    """One paragraph with characters spelled in one way, and one blank between words."""
    text = unicodedata.normalize("NFC", mend_encoding(text).translate(_NO_TEXT))
    return _SPACE.sub(" ", text).strip()


def mend_encoding(text: str) -> str:
    """Text that was read as Windows-1252 although it was UTF-8 (``donâ€™t``), as it was meant."""
    if not any(mark in text for mark in ("â€", "Ã", "Â")):
        return text
    try:
        return text.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return text


def strip_markup(text: str) -> str:
    """Without tags, entities, stand-ins of formulas, and what these leave in brackets."""
    text = _TAG.sub(" ", html.unescape(text))
    text = _EMPTY_BRACKETS.sub(" ", _MARKUP.sub(" ", text))
    text = _BRACKET_END.sub(")", _BRACKET_START.sub("(", text))
    return _SPACE_BEFORE.sub(r"\1", _SPACE.sub(" ", text)).strip()


def drop_addresses(text: str) -> str:
    """Without addresses of pages and people."""
    return _ADDRESS.sub(" ", text)


def set_dashes(text: str) -> str:
    """Two hyphens of a typewriter as a dash between blanks."""
    return _DASH.sub(" — ", text).strip()


def share_of_function_words(text: str) -> float:
    """Which share of words are English function words."""
    words = [word.strip("\"'.,;:!?()“”‘’—-_*").lower() for word in text.split()]
    return sum(word in FUNCTION_WORDS for word in words) / max(len(words), 1)


def is_sentence_like(text: str) -> bool:
    """Whether a paragraph is prose of an encyclopaedia: sentences, no heading, table or list."""
    if len(text.split()) <= HEADING or not text.endswith(_ENDS):
        return False
    return (
        "|" not in text
        and len(_NO_LETTER.findall(text)) / len(text) <= 0.15
        and share_of_function_words(text) >= LEAST_ENGLISH
    )
