"""Wikitext -> plain text, with the links of the text as annotations.

Nearly all markup is simple and falls to patterns and linear scans; a parser that builds a tree of
the whole page gives the same text several times slower, and very slowly where tags or links are
left open. So the parser (mwparserfromhell) gets only those lines whose links have brackets inside.

Headings are dropped: they are no sentences, and some ("References") stand in every article.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

import mwparserfromhell
import regex
from mwparserfromhell.nodes import Wikilink
from mwparserfromhell.parser import ParserError
from mwparserfromhell.wikicode import Wikicode

from grassmeans.text.tokenizer import normalize_text

# Noncharacters, which no text has, mark a link's anchor: OPEN number MIDDLE anchor CLOSE.
_OPEN, _MIDDLE, _CLOSE = "\ufdd0", "\ufdd1", "\ufdd2"
_MARK = re.compile(f"{_OPEN}(\\d+){_MIDDLE}|{_CLOSE}")
_MARK_CHARACTERS = re.compile(f"[{_OPEN}{_MIDDLE}{_CLOSE}]")
_TRAIL = regex.compile(rf"{_CLOSE}([\p{{Ll}}\p{{Hebrew}}\p{{Arabic}}]+)")

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINE_MARKUP = (
    re.compile(r"^[ \t]*=[^\n]*=[ \t]*$", re.MULTILINE),  # headings
    re.compile(r"'{2,}"),  # bold and italics
    re.compile(r"__[A-Z]{3,}__"),  # magic words
    re.compile(r"^[ \t]*[*#:;]+[ \t]*", re.MULTILINE),  # lists
)
_LINK = re.compile(r"\[\[([^\[\]|\n]*)(?:\|([^\[\]]*))?\]\]")
_EXTERNAL_LINK = re.compile(
    r"\[(?:(?:https?|ftp|news|irc):)?//[^\s\[\]<>]*[ \t]*([^\[\]\n]*)\]"
    r"|\[mailto:\S*\s?([^\[\]\n]*)\]",
    re.IGNORECASE,
)
_URL = re.compile(r"https?://[^\s<>\[\]|]+|ftp://[^\s<>\[\]|]+")
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)\b[^<>]*>")
_BLOCK_TAGS = {"blockquote", "div", "p", "center", "poem", "li", "ul", "ol", "dd", "dt", "tr", "td"}
_MAX_PARSED_CHARS = 20_000
_MAX_PARSED_LINKS = 100

_LEFTOVER = re.compile(r"\[\[|\]\]|\{\{+|\}\}+|\n[ \t]*[|!][^\n]*")
_EMPTY_BRACKETS = re.compile(r"\([\s,;:–-]*\)|\[[\s,;:–-]*\]")
_BAD_BRACKET_START = re.compile(r"\([\s,;]+")
_BLANKS = re.compile(r"[^\S\n ][^\S\n]*| [^\S\n]+")  # single spaces are fine as they are
_BLANK_BEFORE_STOP = re.compile(r" ([,.])(?=\s|$)")
_WORD = re.compile(r"\w")

# Extension tags whose content is not prose.
_CONTENT_TAGS = (
    "ref|references|math|chem|ce|gallery|nowiki|code|source|syntaxhighlight|pre|timeline|imagemap|"
    "hiero|score|graph|mapframe|maplink|templatedata|includeonly|section|categorytree|inputbox"
)
_CONTENT_TAG = re.compile(rf"<(/?)({_CONTENT_TAGS})\b[^<>]*?(/?)>", re.IGNORECASE)
# A table begins and ends at the start of a line: "|}" elsewhere may be the end of a template.
# All four begin with a plain character and none is a group, which makes the search five times
# faster; the last two characters tell which one it is.
_BRACE = re.compile(r"\{\{|\}\}|\n[ \t:*#]*\{\||\n[ \t]*\|\}(?!\})")
_OPENING_OF = {"}}": "{{", "|}": "{|"}
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n|\n(?==)|\Z")

# Files, categories and the like stand for no text at all, under their names in many languages.
_DROPPED_NAMES = """
file image media category
archivo imagen categoría
fichier catégorie
datei bild kategorie
immagine categoria
ficheiro imagem arquivo
файл изображение категория
bestand afbeelding categorie
plik grafika kategoria
fil kategori tiedosto kuva luokka
soubor súbor kategória fájl kép
fitxer imatge dosya resim fișier imagine датотека слика категорија зображення категорія
קובץ קטגוריה ملف صورة تصنيف پرونده رده berkas gambar tập_tin hình thể_loại
ファイル 画像 カテゴリ 文件 图像 圖像 檔案 分类 分類 파일 그림 분류 चित्र श्रेणी
"""
# Other namespaces and sister projects: the anchor is text, the target is no article.
_OTHER_NAMES = """
template talk user wikipedia wp project help portal special draft module mos book topic mediawiki
usuario usuaria wikiproyecto ayuda portail utilisateur aide projet discussion benutzer hilfe
utente aiuto progetto usuário ajuda участник википедия портал помощь проект gebruiker
plantilla modèle vorlage predefinição шаблон sjabloon szablon mall
wikt wiktionary wikisource wikiquote wikibooks wikinews wikivoyage wikiversity wikispecies
wikidata commons meta metawikipedia species incubator phab mw doi hdl arxiv imdbname rfc isbn
s q b n v d c m voy
"""
_DROPPED_NAMESPACES = frozenset(_DROPPED_NAMES.split())
_OTHER_NAMESPACES = frozenset(_OTHER_NAMES.split())
_LANGUAGE_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,8}){0,2}|simple")
_LOCAL_PREFIX = re.compile(r"\s*w\s*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Link:
    """A link annotation: the characters ``start:end`` of the cleaned text point to ``target``."""

    start: int
    end: int
    target: str


@dataclass(frozen=True, slots=True)
class CleanText:
    """Plain text, one paragraph a line, and its links (character spans) in order."""

    text: str
    links: tuple[Link, ...] = ()


def clean_wikitext(text: str, *, keep_links: bool = False) -> CleanText:
    """Turn a page's source into plain text, normalised as the tokenizers expect it.

    Broken markup never raises; some of it may be left in the text then. An anchor takes in the word
    ending that follows it (``[[bank]]s``), as MediaWiki does.
    """
    source = _MARK_CHARACTERS.sub("", normalize_text(text))
    source = _cut_braces(_cut_content_tags(_COMMENT.sub("", source)))
    for pattern in _LINE_MARKUP:
        source = pattern.sub("", source)
    targets: list[str] = []
    source = _replace_links(source, targets)
    if "[[" in source:
        lines = (_parse_line(line) if "[[" in line else line for line in source.split("\n"))
        source = "\n".join(lines)
    source = _TAG.sub(_replace_tag, _URL.sub("", source) if "://" in source else source)
    tidy = _tidy_text(normalize_text(html.unescape(source)))
    if not keep_links:
        return CleanText(_MARK.sub("", tidy))
    return _collect_links(_TRAIL.sub(rf"\1{_CLOSE}", tidy), targets)


def _replace_links(source: str, targets: list[str]) -> str:
    """Replace links by their marked anchors; in a second round those that had links inside."""

    def replace_link(match: re.Match[str]) -> str:
        target = html.unescape(match[1])
        if is_dropped_link(target):
            return ""
        return _mark_anchor(match[2] or "", target, targets)

    for _ in range(2):
        source = _EXTERNAL_LINK.sub(lambda match: match[1] or match[2] or "", source)
        source = _LINK.sub(replace_link, source)
    return source


def _replace_tag(match: re.Match[str]) -> str:
    name = match[1].lower()
    return "\n" if name in _BLOCK_TAGS else " " if name in ("br", "hr") else ""


def _parse_line(line: str) -> str:
    """The text of a line with links that the pattern does not match; their targets are lost."""
    if len(line) > _MAX_PARSED_CHARS or line.count("[[") > _MAX_PARSED_LINKS:
        return line  # broken beyond help: the parser's time grows with the square
    try:
        code = mwparserfromhell.parse(line, skip_style_tags=True)
        return "".join(_flatten_nodes(code))
    except (ParserError, RecursionError):
        return line


def _flatten_nodes(code: Wikicode) -> Iterator[str]:
    for node in code.nodes:
        if not isinstance(node, Wikilink):
            yield str(node)  # tags and entities are dealt with later, in the whole text
        elif not is_dropped_link(str(node.title)):
            yield from _flatten_nodes(node.title if node.text is None else node.text)


def _mark_anchor(anchor: str, target: str, targets: list[str]) -> str:
    anchor = _BLANKS.sub(" ", _MARK.sub("", anchor).replace("\n", " ")).strip()
    anchor = anchor or target.strip().removeprefix(":").replace("_", " ").partition("#")[0]
    title = normalize_title(target)
    if not title or not anchor:
        return anchor
    targets.append(title)
    return f"{_OPEN}{len(targets) - 1}{_MIDDLE}{anchor}{_CLOSE}"


def _tidy_text(text: str) -> str:
    """Remove what is left of markup, and bring white space in order."""
    text = _LEFTOVER.sub("", "\n" + text)
    text = _BAD_BRACKET_START.sub("(", _EMPTY_BRACKETS.sub("", text))
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


def _cut_content_tags(text: str) -> str:
    """Remove references, formulas, source code and the like, with what is inside."""
    tags = list(_CONTENT_TAG.finditer(text))
    if not tags:
        return text
    last_closing = {tag[2].lower(): tag.start() for tag in tags if tag[1]}
    pieces: list[str] = []
    position = 0
    inside = ""
    for tag in tags:
        name = tag[2].lower()
        if inside:
            if tag[1] and name == inside:
                inside, position = "", tag.end()
            continue
        pieces.append(text[position : tag.start()])
        position = tag.end()
        # Without a closing tag after it only the tag itself goes, not the rest of the page.
        if not tag[1] and not tag[3] and last_closing.get(name, -1) > tag.start():
            inside = name
    pieces.append(text[position:])
    return "".join(pieces)


def _cut_braces(text: str) -> str:
    """Remove templates and tables, nested or not."""
    text = "\n" + text  # the first line begins like the others
    pieces: list[str] = []
    position = 0
    for start, end in _find_regions(text):
        if start > position:
            pieces.append(text[position:start])
        position = max(position, end)
    pieces.append(text[position:])
    return "".join(pieces).removeprefix("\n")


def _find_regions(text: str) -> list[tuple[int, int]]:
    """Spans of the outermost templates and tables, in order.

    An opening that has no end is left alone where it is a template, and reaches to the end of its
    paragraph where it is a table.
    """
    stack: list[tuple[str, int]] = []
    n_open = {"{{": 0, "{|": 0}
    regions: list[tuple[int, int]] = []
    for brace in _BRACE.finditer(text):
        kind = brace.group()[-2:]
        if kind in n_open:
            stack.append((kind, brace.start()))
            n_open[kind] += 1
            continue
        wanted = _OPENING_OF[kind]
        if not n_open[wanted]:
            continue
        found = ""
        while found != wanted:  # what was opened in between has no end of its own
            found, start = stack.pop()
            n_open[found] -= 1
        while regions and regions[-1][0] > start:
            regions.pop()
        regions.append((start, brace.end()))
    end = 0
    for kind, start in stack:
        if kind == "{|" and start >= end:
            paragraph_end = _PARAGRAPH_END.search(text, start + 1)
            end = paragraph_end.start() if paragraph_end else len(text)
            regions.append((start, end))
    return sorted(regions)


def is_dropped_link(target: str) -> bool:
    """Whether a link shows nothing: files, categories, other languages; not ``[[:File:a]]``."""
    prefix, colon, _ = target.partition(":")
    prefix = prefix.strip()
    if not colon or not prefix:
        return False
    return _fold_prefix(prefix) in _DROPPED_NAMESPACES or _is_language(prefix)


def normalize_title(target: str) -> str:
    """The title of the article that a link points to; empty where it points to no article."""
    target = _LOCAL_PREFIX.sub("", target.strip().removeprefix(":"), count=1)
    title = " ".join(target.partition("#")[0].replace("_", " ").split())
    if not title or title.startswith(("/", "../")):
        return ""
    prefix, colon, rest = title.partition(":")
    folded = _fold_prefix(prefix)
    if colon and (
        folded in _OTHER_NAMESPACES
        or folded in _DROPPED_NAMESPACES
        or folded.endswith(("_talk", "discussion"))
        or (_is_language(prefix) and not rest.startswith(" "))  # "Ace: A Life" is a title
    ):
        return ""
    return title[:1].upper() + title[1:]


def _fold_prefix(prefix: str) -> str:
    return prefix.strip().lower().replace(" ", "_")


def _is_language(prefix: str) -> bool:
    return _LANGUAGE_CODE.fullmatch(prefix) is not None
