"""Scripts that put nothing between their words: recognised, and cut into words by ICU.

Chinese, Japanese, Thai, Lao, Khmer and Burmese are cut by the dictionaries of ICU, the Unicode
Consortium's library, which the extra ``segment`` brings. Without it such text is refused or passed
over: a whole clause is no word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from grassmeans.errors import MissingExtraError
from grassmeans.reading.documents import RawDocument, ReadReport

if TYPE_CHECKING:
    from grassmeans.text.tokenizer import Tokenizer

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
_SAMPLE_CHARS = 200_000
_MOSTLY = 0.5
_PURPOSE = (
    "cutting text without spaces into words (read what is segmented already with format='tokens')"
)


def measure_spaceless(text: str) -> float:
    """The share of a text's letters that belong to scripts without spaces."""
    if text.isascii() or _SPACELESS.search(text) is None:
        return 0.0
    return len(_SPACELESS.findall(text)) / max(len(_LETTER.findall(text)), 1)


@lru_cache(maxsize=1)
def _find_breaker() -> Any:
    try:
        from icu4py.breakers import WordBreaker
    except ImportError as error:
        raise MissingExtraError("icu4py", "segment", _PURPOSE) from error
    return WordBreaker


@lru_cache(maxsize=1 << 16)
def cut_run(run: str) -> tuple[str, ...]:
    """The words of a run of letters; the run itself where its script has spaces."""
    if run.isascii() or _SPACELESS.search(run) is None:
        return (run,)
    # The language chooses nothing here: dictionaries are chosen by script.
    return tuple(_find_breaker()(run, "en"))


def prepare_documents(
    documents: Iterable[RawDocument], tokenizer: Tokenizer, report: ReadReport
) -> tuple[Iterator[RawDocument], Tokenizer]:
    """Decide by the first documents whether words have to be segmented.

    Where most of their letters are of such scripts, the tokenizer segments from then on; elsewhere
    single documents that are mostly of such scripts are passed over and counted.

    Raises
    ------
    MissingExtraError
        If text has to be segmented and the extra is not installed.
    """
    waiting = iter(documents)
    first: list[RawDocument] = []
    n_chars = 0
    for document in waiting:
        first.append(document)
        n_chars += len(document.text)
        if n_chars >= _SAMPLE_CHARS:
            break
    together = chain(first, waiting)
    sample = "".join(d.text[:_SAMPLE_CHARS] for d in first if d.markup not in _NOT_TEXT)
    if tokenizer.segment or measure_spaceless(sample) >= _MOSTLY:
        _find_breaker()  # raises where it is not installed
        return together, replace(tokenizer, segment=True)
    return _pass_over_spaceless(together, report), tokenizer


SPACELESS = "document without spaces between words (segment it with segment=True)"
_NOT_TEXT = {"tokens", "redirect"}


def is_spaceless(document: RawDocument) -> bool:
    """Whether a document is mostly of scripts without spaces."""
    return document.markup not in _NOT_TEXT and measure_spaceless(document.text) >= _MOSTLY


def _pass_over_spaceless(
    documents: Iterable[RawDocument], report: ReadReport
) -> Iterator[RawDocument]:
    for document in documents:
        if is_spaceless(document):
            report.skip(SPACELESS, document.title or document.id)
        else:
            yield document
