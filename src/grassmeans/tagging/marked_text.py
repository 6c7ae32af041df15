"""A text as it is read for tagging: its words, its sentences, and the words that are marked."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Sequence
from typing import NamedTuple

import numpy as np

from grassmeans.reading.documents import RawDocument
from grassmeans.tagging.lemmas import Lemmas
from grassmeans.text.sentences import find_sentences
from grassmeans.text.tokenizer import Tokenizer, WhitespaceTokenizer, normalize_text
from grassmeans.text.wikitext import clean_wikitext

AnyTokenizer = Tokenizer | WhitespaceTokenizer


class ReadText(NamedTuple):
    """A text, read for tagging."""

    text: str  # without marks
    keys: list[str]  # its words, as the model spells them
    spans: list[tuple[int, int]]  # the characters of each word; empty where nothing is to be tagged
    targets: list[int]  # which of the words are to be tagged
    entries: list[str]  # the entry of the inventory for each of these
    unknown: tuple[str, ...]  # what was marked and is not in the model
    sentences: list[int]  # which of the words begin a sentence; the first one does
    asked: bool = False  # whether the words to be tagged were marked or named


def read_text(
    text: str | RawDocument,
    inventory: Container[str],
    tokenizer: AnyTokenizer,
    wanted: Collection[str] | None = None,
    lemmas: Lemmas | None = None,
    *,
    marks: bool = True,
) -> ReadText:
    """Find the words of a text that are to be tagged; one that comes tokenised has no marks.

    Without ``marks`` a ``<b>`` is a tag like any other.
    """
    plain, readable, marked, rule = _prepare_text(text, tokenizer, marks=marks)
    keys = rule.tokenize(readable)
    if isinstance(text, RawDocument) and text.keys is not None:
        keys = [key.lower() if rule.lowercase else key for key in text.keys]
    entries = keys
    if lemmas is not None:
        entries = [lemmas.entry_of(key, inventory) for key in keys]
        keys = [lemmas.context_of(key) for key in keys]
    targets = [i for i, entry in enumerate(entries) if entry in inventory]
    if not targets and not marked:
        return ReadText(plain, keys, [], [], [], (), [0])
    spans = list(rule.spans(readable))
    missing: list[str] = []
    starts = [start for start, _ in spans]
    if marked:
        targets = []
        for start, end in marked:
            first, last = np.searchsorted(starts, (start, end))
            known = [i for i in range(first, last) if entries[i] in inventory]
            targets += known
            if not known and start < end:
                missing.append(plain[start:end])
    if wanted is not None:
        targets = [i for i in targets if entries[i] in wanted]
    begins = np.searchsorted(starts, _find_starts(text, readable)).tolist()
    sentences = sorted({0, *(i for i in begins if i < len(keys))})
    chosen = [entries[i] for i in targets]
    asked = bool(marked) or wanted is not None
    return ReadText(plain, keys, spans, targets, chosen, tuple(missing), sentences, asked)


def _find_starts(text: str | RawDocument, readable: str) -> Sequence[int]:
    """Where sentences begin, as characters."""
    if isinstance(text, str):
        return find_sentences(readable)
    if text.sentences is not None:
        return text.sentences
    return [0] if text.markup == "tokens" else find_sentences(readable)


def _prepare_text(
    text: str | RawDocument, tokenizer: AnyTokenizer, *, marks: bool
) -> tuple[str, str, list[tuple[int, int]], AnyTokenizer]:
    """The text to show, the same as it is read, its marks, and the rule to read it by."""
    if isinstance(text, RawDocument) and text.markup == "tokens":
        return text.text, text.text, [], WhitespaceTokenizer(lowercase=tokenizer.lowercase)
    given = text if isinstance(text, str) else text.text
    if isinstance(text, RawDocument) and text.markup == "wikitext":
        given = clean_wikitext(given).text
    plain = normalize_text(given)
    plain, marked = remove_marks(plain) if marks else (plain, [])
    # A tokenizer that splits at spaces only may have tokens such as "<unk>".
    readable = blank_markup(plain) if isinstance(tokenizer, Tokenizer) else plain
    return plain, readable, marked, tokenizer


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
