"""What tokens are made of: letters, marks and digits of any script, as patterns.

Scripts that put nothing between their words are recognised, and cut into words: Chinese, Japanese,
Thai, Lao, Khmer and Burmese by the dictionaries of ICU, the Unicode Consortium's library, which the
extra ``segment`` brings. Without it such text is refused or passed over: a whole clause is no word.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import Any

from grassmeans.errors import import_extra

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
def token_pattern(underscores: bool = False, *, linked: bool = False) -> re.Pattern[str]:
    """The pattern of a token (with joiners at its edges); linked, of what stands before it, too."""
    letters = _token_letters() + ("_" if underscores else "")
    return re.compile(f"([^{letters}]*)([{letters}]+)" if linked else f"[{letters}]+")


def is_letter_or_digit(character: str) -> bool:
    """Whether a character stands for itself, and is no mark on another one."""
    return unicodedata.category(character) in _LETTER_DIGIT_CATEGORIES


_SPACELESS = re.compile(
    "["
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Burmese
    "\u1780-\u17ff"  # Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters
    "]"
)
_LETTER = re.compile(r"[^\W\d_]")
_PURPOSE = (
    "cutting text without spaces into words (read what is segmented already with format='tokens')"
)


def measure_spaceless(text: str) -> float:
    """The share of a text's letters that belong to scripts without spaces."""
    if text.isascii() or _SPACELESS.search(text) is None:
        return 0.0
    return len(_SPACELESS.findall(text)) / max(len(_LETTER.findall(text)), 1)


@lru_cache(maxsize=1)
def find_breaker() -> Any:
    """ICU's rules for where words begin; `MissingExtraError` where it is not installed."""
    return import_extra("icu4py.breakers", "segment", _PURPOSE).WordBreaker


@lru_cache(maxsize=1 << 16)
def cut_run(run: str) -> tuple[str, ...]:
    """The words of a run of letters; the run itself where its script has spaces."""
    if run.isascii() or _SPACELESS.search(run) is None:
        return (run,)
    # The language chooses nothing here: dictionaries are chosen by script.
    return tuple(find_breaker()(run, "en"))
