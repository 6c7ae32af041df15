"""Scripts that put nothing between their words: recognised, and cut into words by ICU.

Chinese, Japanese, Thai, Lao, Khmer and Burmese are cut by the dictionaries of ICU, the Unicode
Consortium's library, which the extra ``segment`` brings. Without it such text is refused or passed
over: a whole clause is no word.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from grassmeans.errors import import_extra

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
