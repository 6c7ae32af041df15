"""Articles of encyclopaedias as WikiExtractor leaves them: prose stays, the rest is left out."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator
from pathlib import Path

from english_texts.documents import Document
from english_texts.paragraphs import (
    HEADING,
    is_sentence_like,
    share_of_function_words,
    strip_markup,
    tidy,
)
from english_texts.repositories import decode_text, read_files

SHORTEST = 80
"""Articles with fewer words of prose are stubs: a village, its district, its county."""
SHORTEST_LIFE = 240
"""Articles on a person with fewer words are stubs, too: a name, two dates, a profession."""
_LIFE = re.compile(r"\((?:[^()]*; )?(?:born|died|[^()]{0,60}\b\d{4}) ?[^()]{0,80}\)")
_LEAST_ENGLISH = 0.1
"""Lists of names and pieces of code have a smaller share of function words."""
_STAND_IN = re.compile(r"\b(?:codice|formula)_\d+|\\\w+\{|[{}<>=^]{2}")
_LOST_MEASURE = re.compile(
    r"\b(?:about|around|approximately|nearly) (?:to )?"
    r"(?:across|deep|tall|wide|high|long|above|away)\b"
)
"""What stands around a measure that was a template, and is lost: "The lake is about deep"."""
_NO_ARTICLE = re.compile(
    r"^(?:List|Lists|Index|Outline|Timeline|Deaths|Births) (?:of|in) |\(disambiguation\)|^\d+s?$"
    r"|^\d{3,4}s? in |^Wikipedia:|^Template:|^Category:"
)
_BOILERPLATE = re.compile(
    r"This audio file was created from a revision|displaystyle|\\(?:frac|text|math|left|begin)\b"
    r"|\bISBN\b|\bRetrieved (?:on )?\d|\bdoi:|https?://|www\.|^\^|\bpp\. \d|rowspan|colspan|style="
    r"|may (?:also )?(?:refer|mean) ?(?:to)?:?$|[Tt]his (?:article|list) (?:is|was|incorporates) "
    r"|link will (?:display|take you to) the full|^(?:Media|Image|File|Category):"
)


def read_simple_english(folder: Path) -> Iterator[Document]:
    """Articles of the Simple English Wikipedia with some prose."""
    for _, content in read_files(folder, lambda path: path.startswith("data/wikipedia/")):
        for line in decode_text(content).splitlines():
            article = json.loads(line)
            if _NO_ARTICLE.search(article["title"]):
                continue
            text = keep_prose(article["text"])
            words = len(text.split())
            least = SHORTEST_LIFE if _LIFE.search(text[:200]) else SHORTEST
            if words < max(least, 0.5 * len(article["text"].split())):
                continue  # a stub, or mostly a list or a table
            yield Document(f"simple-{article['id']}", article["title"], text, "plain")


def read_articles(path: Path) -> Iterator[Document]:
    """Articles of the English Wikipedia (JSON lines, packed or not), the prose of each."""
    unpack = lzma.open if path.suffix == ".xz" else open
    with unpack(path, "rt", encoding="utf-8") as lines:
        for article in map(json.loads, lines):
            text = keep_running_text(article["text"])
            if text:
                yield Document(article["id"], article["title"], text, "wikipedia")


def keep_running_text(text: str) -> str:
    """The text without headings, formulas, code, sources and notices; the rest as it is."""
    kept = []
    for paragraph in text.split("\n"):
        clean = tidy(strip_markup(paragraph))
        if (
            len(clean.split()) > HEADING
            and len(_STAND_IN.findall(paragraph)) < 2
            and not _BOILERPLATE.search(clean)
            and share_of_function_words(clean) >= _LEAST_ENGLISH
        ):
            kept.append(clean)
    return "\n".join(kept)


def keep_prose(text: str) -> str:
    """The paragraphs of an article that are sentences."""
    kept = []
    for paragraph in text.split("\n"):
        clean = tidy(strip_markup(paragraph))
        if is_sentence_like(clean) and not (
            _BOILERPLATE.search(clean) or _LOST_MEASURE.search(clean)
        ):
            kept.append(clean)
    return "\n".join(kept)
