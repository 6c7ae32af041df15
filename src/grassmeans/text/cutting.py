"""A text cut to a width between its words, never inside one."""

from __future__ import annotations

import unicodedata

from grassmeans.text.letters import JOINERS, measure_spaceless

_INSIDE = f"'’-‐‑_{JOINERS}"


def cut_left(text: str, width: int) -> str:
    """The last whole words of a text, at most so many characters."""
    if len(text) <= width:
        return text
    place = len(text) - width
    while place < len(text) and _is_inside(text, place):
        place += 1
    # What is written to the end of a word goes with it: a full stop, a bracket that closes.
    if not text[place - 1].isspace():
        while place < len(text) and _ends_a_word(text[place]):
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


def _ends_a_word(character: str) -> bool:
    """Whether it is a mark that closes what is before it."""
    return unicodedata.category(character) in ("Po", "Pe", "Pf")


def _is_inside(text: str, place: int) -> bool:
    """Whether a cut before a character would be inside of a word.

    Scripts without spaces are cut anywhere but before a mark, which belongs to its letter.
    """
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    if _is_mark(after):
        return True
    if measure_spaceless(before) or measure_spaceless(after):
        return False
    return _is_part(before) and _is_part(after)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def _is_part(character: str) -> bool:
    """Whether a character may stand in a word: a letter, a digit, a mark, an apostrophe."""
    return character.isalnum() or character in _INSIDE or _is_mark(character)
