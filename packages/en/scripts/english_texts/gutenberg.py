"""Books of Project Gutenberg: a file with header, licence and hard-wrapped lines -> paragraphs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from english_texts.paragraphs import LEAST_ENGLISH, set_dashes, share_of_function_words, tidy

LONGEST = 400_000
"""So many characters of a book are read: more than is taken of any."""
_LONG = 25
"""Headings have fewer words."""
_NARROWEST = 65
"""Prose is set no narrower, in characters: a book whose lines are all shorter is verse."""
_START = re.compile(
    r"^\s*\*\*\* ?START OF (?:THIS|THE) PROJECT GUTENBERG.*?\*\*\*.*$"
    r"|^\*END\*? ?THE SMALL PRINT!.*$",
    re.MULTILINE | re.IGNORECASE,
)
_END = re.compile(
    r"^\s*\*\*\* ?END OF (?:THIS|THE) PROJECT GUTENBERG|^\s*(?:The )?End of (?:the |this )?Project"
    r" Gutenberg|^\s*\*\*\* ?START: FULL LICENSE",
    re.MULTILINE | re.IGNORECASE,
)
_FIELD = re.compile(r"^(Title|Author|Language):[ \t]*(.+(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_NUMBER = re.compile(r"\[(?:EBook|Etext|E-text) ?#? ?(\d+)\]", re.IGNORECASE)
_ASIDE = re.compile(
    r"\[(?:Illustration|Transcriber|Footnote|Sidenote|Editor|Note|Music|Pg|Page|Frontispiece|Map"
    r"|Decoration|Portrait|Facsimile|Greek|Hebrew|Blank)\b[^\[\]]*(?:\[[^\]]*\][^\[\]]*)*\]"
    r"|\{(?:p\. ?)?\d+[a-z]?\}",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"\s?\[(?:\d{1,4}|[A-Z*†‡]{1,2})\]|\s?\{[A-Za-z0-9]{1,4}\}")
_ACCENT = re.compile(r"\[[=^~:'`./]([A-Za-z]{1,2})\]")
_FOOTNOTE = re.compile(r"(?<=[\w.,;:!?\"'”’)])\*{1,3}(?=\s|$)")
_ITALICS = re.compile(r"(?<!\w)_([^_]+)_(?!\w)|_")
_BOLD = re.compile(r"(?<!\w)[=~+]([^=~+\n]+)[=~+](?!\w)")
_SPEAKER = re.compile(r"^[A-Z][A-Z .'’]{2,30}(?:\s*[\[(][^\])]{0,80}[\])])?[.:]\s+(?=\S)")
_NO_PROSE = re.compile(
    r"^(?:produced by|e-?text prepared|this (?:e-?text|e-?book|file) was|transcribed (?:by|from)|"
    r"transcriber.?s? note|scanned (?:by|and)|prepared by|html version|updated editions|"
    r"proofread|copyright|entered according|all rights reserved|printed (?:in|by)|published by|"
    r"first (?:published|printed|edition)|footnotes?:|contents|list of illustrations|chapter|"
    r"volume|book the|part the|the end\.?$|finis|note:|\[|\*|\d+\.? ?$)|gutenberg"
    r"|distributed proofread|archive\.org|https?://|www\.|online distributed",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[.!?…:;—\"'”’)\]*-]$")
_LETTER = re.compile(r"[^\W\d_]")
_QUOTE = re.compile(r"[\"“”]|(?<!\w)['‘](?=[A-Z])")
_ARCHAIC = re.compile(
    r"\b(?:thee|thou|thy|thine|ye|hath|doth|hast|dost|wilt|shalt|unto|'tis|’tis|'twas|’twas|quoth"
    r"|wherefore|whither|forsooth|art thou|behold|nay|verily)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Book:
    """A book's prose, and what decides whether it is taken."""

    number: str
    title: str
    author: str
    language: str
    paragraphs: tuple[str, ...]
    words: int
    share_of_prose: float
    """Of the words of the body: low for verse, tables, catalogues."""
    share_of_speech: float
    """Of paragraphs, with something said."""
    archaic: float
    """Words of older English in a thousand."""
    english: float
    """Share of function words."""


def read_book(text: str) -> Book:
    """A book from the text of its file."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    head, body = split_body(text)
    fields = {name: " ".join(value.split()) for name, value in _FIELD.findall(head)}
    number = _NUMBER.search(head)
    paragraphs = tuple(extract_paragraphs(body))
    prose = "\n".join(paragraphs)
    words = len(prose.split())
    return Book(
        number=number[1] if number else "",
        title=fields.get("Title", ""),
        author=fields.get("Author", ""),
        language=fields.get("Language", "English"),
        paragraphs=paragraphs,
        words=words,
        share_of_prose=words / max(len(body.split()), 1),
        share_of_speech=sum(map(bool, map(_QUOTE.search, paragraphs))) / max(len(paragraphs), 1),
        archaic=1000 * len(_ARCHAIC.findall(prose)) / max(words, 1),
        english=share_of_function_words(prose[:50_000]),
    )


def split_body(text: str) -> tuple[str, str]:
    """What stands before the start marker, and what stands between it and the end marker."""
    starts = [found for found in _START.finditer(text) if found.start() < 30_000]
    start = starts[-1].end() if starts else 0
    end = _END.search(text, start)
    stop = end.start() if end else len(text)
    return text[: start or 3_000], text[start : min(stop, start + LONGEST)]


def extract_paragraphs(body: str) -> list[str]:
    """The prose paragraphs of a body, their lines joined; headings, verse and tables left out."""
    body = _ASIDE.sub("", body)
    blocks = [block.split("\n") for block in re.split(r"\n[ \t]*\n", body)]
    blocks = [[line.rstrip() for line in block if line.strip()] for block in blocks]
    lengths = sorted(len(line) for block in blocks for line in block[:-1])
    width = max(lengths[len(lengths) * 3 // 4] if lengths else 0, _NARROWEST)
    kept = []
    for block in blocks:
        if not block or is_set_apart(block, width):
            continue
        paragraph = clean_paragraph(" ".join(line.strip() for line in block))
        if is_prose(paragraph):
            kept.append(paragraph)
    return kept


def is_set_apart(lines: list[str], width: int) -> bool:
    """Whether lines of a block are ended for their own sake: verse, tables, lists, addresses."""
    if any("|" in line for line in lines) or lines[0].lstrip().startswith(("[", "*", "+")):
        return True
    gaps = sum("   " in line.strip() for line in lines)
    short = sum(len(line.strip()) < 0.7 * width for line in lines[:-1])
    return gaps / len(lines) > 0.3 or (len(lines) > 1 and short / (len(lines) - 1) > 0.4)


def clean_paragraph(text: str) -> str:
    """A paragraph without marks of italics, references and speakers' names."""
    text = _REFERENCE.sub("", _ACCENT.sub(r"\1", text))
    text = _BOLD.sub(r"\1", _ITALICS.sub(r"\1", text))
    text = text.replace("``", '"').replace("''", '"')
    return tidy(set_dashes(_SPEAKER.sub("", tidy(_FOOTNOTE.sub("", text)))))


def is_prose(paragraph: str) -> bool:
    """Whether a paragraph is part of the story: no heading, imprint, note or catalogue."""
    words = paragraph.split()
    if len(words) < 2 or _NO_PROSE.search(paragraph) or any(map(paragraph.__contains__, "<>{}|")):
        return False
    if len(words) >= _LONG:
        return share_of_function_words(paragraph) >= LEAST_ENGLISH
    letters = _LETTER.findall(paragraph)
    capitals = sum(map(str.isupper, letters))
    titled = sum(word[:1].isupper() for word in words)
    return (
        _ENDS.search(paragraph) is not None
        and len(letters) >= 0.4 * sum(map(len, words))
        and capitals <= 0.6 * len(letters)
        and (titled <= 0.7 * len(words) or _QUOTE.search(paragraph) is not None)
    )
