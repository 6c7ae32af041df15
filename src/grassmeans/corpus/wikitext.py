"""Wikitext -> plain text, with the links of the text as annotations.

Most of a page's source is references, templates and tables, none of which is running text. They
are cut out by linear scans first, which makes the parser that reads the rest several times faster
and keeps it away from the constructs that can make it slow. Headings are dropped: they are no
sentences, and a few of them ("References") stand in every article.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

import mwparserfromhell
import regex
from mwparserfromhell.nodes import ExternalLink, HTMLEntity, Tag, Text, Wikilink
from mwparserfromhell.parser import ParserError
from mwparserfromhell.wikicode import Wikicode

from grassmeans.corpus.documents import Link
from grassmeans.corpus.tokenizer import normalize_text
from grassmeans.corpus.wikitext_scan import cut_braces, cut_content_tags
from grassmeans.corpus.wikitext_titles import is_dropped_link, normalize_title

# Noncharacters, which no text has, mark a link's anchor: OPEN number MIDDLE anchor CLOSE.
_OPEN, _MIDDLE, _CLOSE = "\ufdd0", "\ufdd1", "\ufdd2"
_MARK = re.compile(f"{_OPEN}(\\d+){_MIDDLE}|{_CLOSE}")
_MARK_CHARACTERS = re.compile(f"[{_OPEN}{_MIDDLE}{_CLOSE}]")
_TRAIL = regex.compile(rf"{_CLOSE}([\p{{Ll}}\p{{Hebrew}}\p{{Arabic}}]+)")

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HEADING = re.compile(r"^[ \t]*=[^\n]*=[ \t]*$", re.MULTILINE)
_STYLE = re.compile(r"'{2,}")
_MAGIC_WORD = re.compile(r"__[A-Z]{3,}__")
_LIST_MARKER = re.compile(r"^[ \t]*[*#:;]+[ \t]*", re.MULTILINE)
_BREAK_TAGS = {"br", "hr"}
_BLOCK_TAGS = {"blockquote", "div", "p", "center", "poem", "li", "ul", "ol", "dd", "dt", "tr", "td"}

_SIMPLE_LINK = re.compile(r"\[\[([^\[\]|]*)(?:\|([^\[\]]*))?\]\]")
_EXTERNAL_LINK = re.compile(r"\[(?:[a-z]+:)?//[^\s\[\]]*[ \t]*([^\[\]]*)\]", re.IGNORECASE)
_URL = re.compile(r"\bhttps?://\S+")

_LEFTOVER = re.compile(r"</?[A-Za-z][^<>\n]*>|\[\[|\]\]|\{\{+|\}\}+|^[ \t]*[|!][^\n]*$", re.MULTILINE)
_EMPTY_BRACKETS = re.compile(r"[ \t]*(?:\([\s,;:–-]*\)|\[[\s,;:–-]*\])")
_BAD_BRACKET_START = re.compile(r"\([\s,;]+")
_BLANKS = re.compile(r"[^\S\n]+")
_BLANK_BEFORE_STOP = re.compile(r" ([,.])(?=\s|$)")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class CleanText:
    """Plain text, one paragraph a line, and its links (character spans) in order."""

    text: str
    links: tuple[Link, ...] = ()


def clean_wikitext(text: str, *, keep_links: bool = False) -> CleanText:
    """Turn a page's source into plain text, normalised as the tokenizers expect it.

    Parameters
    ----------
    text : str
        Wikitext. Broken markup never raises; some of it may be left in the text then.
    keep_links : bool
        Whether to report the links to other articles. An anchor takes in the word ending that
        follows it (``[[bank]]s``), as MediaWiki does.
    """
    source = _MARK_CHARACTERS.sub("", normalize_text(text))
    source = cut_braces(cut_content_tags(_COMMENT.sub("", source)))
    for pattern in (_HEADING, _STYLE, _MAGIC_WORD, _LIST_MARKER):
        source = pattern.sub("", source)
    targets: list[str] = []
    source = _replace_simple_links(source, targets)
    try:
        code = mwparserfromhell.parse(source, skip_style_tags=True)
        marked = "".join(_flatten_nodes(code, targets))
    except (ParserError, RecursionError):
        marked = _clean_by_patterns(source)
    tidy = _tidy_text(normalize_text(marked))
    if not keep_links:
        return CleanText(_MARK.sub("", tidy))
    return _collect_links(_TRAIL.sub(rf"\1{_CLOSE}", tidy), targets)


def _flatten_nodes(code: Wikicode, targets: list[str]) -> Iterator[str]:
    """The visible text of parsed wikitext, with the anchors of article links marked."""
    for node in code.nodes:
        if isinstance(node, Text):
            yield node.value
        elif isinstance(node, Wikilink):
            yield _flatten_link(node, targets)
        elif isinstance(node, HTMLEntity):
            yield _MARK_CHARACTERS.sub("", html.unescape(str(node)))
        elif isinstance(node, ExternalLink):
            if node.brackets and node.title is not None:
                yield from _flatten_nodes(node.title, targets)
        elif isinstance(node, Tag):
            yield from _flatten_tag(node, targets)
        # Templates, arguments, comments and headings show nothing.


def _flatten_tag(node: Tag, targets: list[str]) -> Iterator[str]:
    name = str(node.tag).strip().lower()
    if name == "table":
        return
    separator = "\n" if name in _BLOCK_TAGS else " " if name in _BREAK_TAGS else ""
    yield separator
    if node.contents is not None:
        yield from _flatten_nodes(node.contents, targets)
    yield separator


def _flatten_link(node: Wikilink, targets: list[str]) -> str:
    target = html.unescape(str(node.title))
    if is_dropped_link(target):
        return ""
    # Links do not nest: those inside an anchor are only text.
    anchor = "" if node.text is None else "".join(_flatten_nodes(node.text, []))
    return _mark_anchor(anchor, target, targets)


def _mark_anchor(anchor: str, target: str, targets: list[str]) -> str:
    anchor = _BLANKS.sub(" ", _MARK.sub("", anchor).replace("\n", " ")).strip()
    anchor = anchor or target.strip().removeprefix(":").replace("_", " ").partition("#")[0]
    title = normalize_title(target)
    if not title or not anchor:
        return anchor
    targets.append(title)
    return f"{_OPEN}{len(targets) - 1}{_MIDDLE}{anchor}{_CLOSE}"


def _replace_simple_links(source: str, targets: list[str]) -> str:
    """Replace links by their marked anchors, unless there are brackets inside.

    Nearly all links are simple, and a pattern is much faster than the parser. The second round
    takes the files, whose captions have lost their links in the first.
    """

    def replace_link(match: re.Match[str]) -> str:
        target = html.unescape(match[1])
        if is_dropped_link(target):
            return ""
        return _mark_anchor(match[2] or "", target, targets)

    return _SIMPLE_LINK.sub(replace_link, _SIMPLE_LINK.sub(replace_link, source))


def _clean_by_patterns(source: str) -> str:
    """Do the parser's work roughly, where the markup is too broken or too deep for it."""
    text = _URL.sub("", _EXTERNAL_LINK.sub(r"\1", source))
    return html.unescape(text)


def _tidy_text(text: str) -> str:
    """Remove what is left of markup, and bring white space in order."""
    text = _EMPTY_BRACKETS.sub("", _LEFTOVER.sub("", text))
    text = _BAD_BRACKET_START.sub("(", text)
    text = _BLANK_BEFORE_STOP.sub(r"\1", _BLANKS.sub(" ", text))
    # Lines without a word go, too: list items that were a template and a full stop, say.
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if _WORD.search(line))


def _collect_links(marked: str, targets: list[str]) -> CleanText:
    """Take the marks out, and note where they stood."""
    pieces: list[str] = []
    links: list[Link] = []
    length = position = 0
    current: tuple[int, int] | None = None
    for mark in _MARK.finditer(marked):
        pieces.append(marked[position : mark.start()])
        length += mark.start() - position
        position = mark.end()
        if mark[1] is not None:
            current = (length, int(mark[1]))
        elif current is not None:
            start, number = current
            if length > start:
                links.append(Link(start, length, targets[number]))
            current = None
    pieces.append(marked[position:])
    return CleanText("".join(pieces), tuple(links))
