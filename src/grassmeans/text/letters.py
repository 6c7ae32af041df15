"""What tokens are made of: letters, marks and digits of any script, as patterns."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

JOINERS = "\u200c\u200d"
_LETTER_DIGIT_CATEGORIES = {"Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl"}
_MARK_CATEGORIES = {"Mn", "Mc", "Me"}
# Beyond the first plane whole blocks count: `re` tests these ranges one by one for every separator
# that it meets, so that an exact list (some 300 ranges) costs three quarters of the speed.
_SUPPLEMENTARY_LETTER_BLOCKS = (
    (0x10000, 0x100FF),
    (0x10280, 0x1CBFF),
    (0x1D400, 0x1D7FF),
    (0x1DF00, 0x1EFFF),
    (0x20000, 0x3FFFF),
    (0xE0100, 0xE01EF),
)


@cache
def _token_letters() -> str:
    """What runs are made of, as ranges of a pattern; built on first use."""
    ranges: list[list[int]] = []
    wanted = _LETTER_DIGIT_CATEGORIES | _MARK_CATEGORIES
    for code in range(0x10000):
        if unicodedata.category(chr(code)) in wanted or chr(code) in JOINERS:
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    spans = [*ranges, *_SUPPLEMENTARY_LETTER_BLOCKS]
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in spans)


@cache
def token_pattern(underscores: bool = False) -> re.Pattern[str]:
    """The pattern of a token (with joiners at its edges still in it)."""
    return re.compile(f"[{_token_letters()}{'_' if underscores else ''}]+")


@cache
def linked_pattern(underscores: bool = False) -> re.Pattern[str]:
    """The pattern of a token and of what stands before it."""
    letters = _token_letters() + ("_" if underscores else "")
    return re.compile(f"([^{letters}]*)([{letters}]+)")


def is_letter_or_digit(character: str) -> bool:
    """Whether a character stands for itself, and is no mark on another one."""
    return unicodedata.category(character) in _LETTER_DIGIT_CATEGORIES
