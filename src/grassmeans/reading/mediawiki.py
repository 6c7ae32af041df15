"""MediaWiki XML exports (Wikipedia's ``pages-articles``), page by page.

Where a page begins and ends is told from the bytes, and every page has a parser of its own: a
broken page takes no other along, however much of the file a parser holds back before it complains.
Text cannot look like a page's tags, because an export escapes its angle brackets. Parsers see one
block at a time and build no tree, so memory does not grow with the dump or with a page.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from xml.parsers import expat

from grassmeans.errors import InputError
from grassmeans.reading.documents import InputFile, RawDocument
from grassmeans.reading.lines import find_encoding, narrow_blocks
from grassmeans.reading.opening import read_blocks, read_head

MAX_PAGE_CHARS = 1 << 24
"""Characters of a page's text; the rest is left out. MediaWiki's own limit is two million bytes."""

MAX_DEPTH = 64
"""Elements inside each other; exports have five."""

MAX_TAG_BYTES = 1 << 24
"""Of a tag or comment, which the parser holds until it ends."""

_TAG = re.compile(rb"<page(?=[\s>])|</page\s{0,8}>")
_LONGEST_TAG = 15
_DECLARATION = re.compile(rb"<!(?:DOCTYPE|ENTITY)")
_ENCODING = re.compile(rb"<\?xml[^>]{0,100}\sencoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
_BETWEEN_PAGES = re.compile(rb"\s*(?:<\?xml|<mediawiki|</mediawiki|<!--|\Z)")
_OUTSIDE_BYTES = 256  # of what stands between pages that are looked at
_PAGE_FIELDS = {"title", "ns", "id"}
_REVISION_FIELDS = {"timestamp", "text", "model"}
_REDIRECT = re.compile(
    r"\s*#\s*(?:REDIRECT|REDIRECTION|REDIRECCI[ÓO]N|WEITERLEITUNG|RINVIA|RINVIO|REDIRECIONAMENTO|"
    r"ПЕРЕНАПРАВЛЕНИЕ|ПЕРЕНАПР|ПЕРЕНАПРАВЛЕННЯ|DOORVERWIJZING|OMDIRIGERING|PATRZ|PRZEKIERUJ|TAM|"
    r"PŘESMĚRUJ|OHJAUS|UUDELLEENOHJAUS|ÁTIRÁNYÍTÁS|YÖNLENDİRME|REDIRECTARE|ΑΝΑΚΑΤΕΥΘΥΝΣΗ|"
    r"REDIRECCIÓ|ПРЕУСМЕРИ|הפניה|تحويل|تغییر_مسیر|重定向|転送|넘겨주기|पुनर्प्रेषित|ALIH|ĐỔI)"
    r"\s*:?\s*\[\[([^\]|\n]*)",
    re.IGNORECASE,
)


class _BrokenPageError(Exception):
    """Well-formed XML that no export holds."""


class _Page:
    """A page, from the bytes of its XML; of several revisions the newest is kept."""

    def __init__(self, encoding: str | None) -> None:
        self.fields: dict[str, str] = {}
        self.redirect: str | None = None
        self.revision: dict[str, str] = {}
        self.is_cut = False
        self._next_revision: dict[str, str] = {}
        self._path: list[str] = []
        self._characters: list[str] = []
        self._n_chars = 0
        self._n_fed = 0
        self._expat = expat.ParserCreate(encoding)
        self._expat.buffer_text = True
        self._expat.buffer_size = 1 << 16
        self._expat.StartElementHandler = self._start_element
        self._expat.EndElementHandler = self._end_element

    def feed(self, block: memoryview, *, is_last: bool = False) -> None:
        """Parse a part of the page; `ExpatError` or `_BrokenPageError` where it is no sound one."""
        self._n_fed += len(block)
        self._expat.Parse(block, is_last)
        if self._n_fed - max(self._expat.CurrentByteIndex, 0) > MAX_TAG_BYTES:
            raise _BrokenPageError(f"a tag is longer than {MAX_TAG_BYTES:,} bytes")

    def _start_element(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._path) >= MAX_DEPTH:
            raise _BrokenPageError(f"more than {MAX_DEPTH} elements inside each other")
        self._path.append(name)
        if name == "redirect":
            self.redirect = attributes.get("title", "")
        elif name == "revision":
            self._next_revision = {}
        self._characters, self._n_chars = [], 0
        self._expat.CharacterDataHandler = self._add_characters

    def _add_characters(self, characters: str) -> None:
        # An element that never ends must not fill the memory.
        if self._n_chars <= MAX_PAGE_CHARS:
            self._characters.append(characters)
            self._n_chars += len(characters)
            self.is_cut |= self._n_chars > MAX_PAGE_CHARS

    def _end_element(self, name: str) -> None:
        self._path.pop()
        parent = self._path[-1] if self._path else ""
        if name == "revision":
            # ISO dates sort as text; without dates the later one wins, as in a history dump.
            if self._next_revision.get("timestamp", "") >= self.revision.get("timestamp", ""):
                self.revision = self._next_revision
        elif parent == "page" and name in _PAGE_FIELDS:
            self.fields[name] = "".join(self._characters)
        elif parent == "revision" and name in _REVISION_FIELDS:
            self._next_revision[name] = "".join(self._characters)
        self._characters = []
        self._expat.CharacterDataHandler = None


def read_mediawiki(file: InputFile) -> Iterator[RawDocument]:
    """Yield the articles of an export, redirects where asked for; what is broken is counted."""
    blocks = read_blocks(file)
    head = next(blocks, b"")
    content: Iterable[bytes] = chain([head], blocks)
    marked = find_encoding(head)
    if marked is not None and marked != "utf-8-sig":
        content = narrow_blocks(content, marked, file)
    pages = _PageStream(file, _find_declared_encoding(head) if marked is None else "utf-8")
    for piece, tag in _cut_at_tags(content):
        if page := pages.take(piece, tag):
            yield from _choose_article(page, file)
    pages.end()


def read_mediawiki_part(
    file: InputFile, blocks: Iterable[tuple[bytes, bool]], is_first: bool
) -> Iterator[RawDocument]:
    """Yield the articles whose pages begin in a part of a file."""
    encoding = _find_declared_encoding(read_head(file.path))
    pages = _PageStream(file, encoding, is_inside=not is_first)
    n_own, position, is_over = 0, 0, False

    def count() -> Iterator[bytes]:
        nonlocal n_own, is_over
        for block, is_own in blocks:
            n_own += len(block) if is_own else 0
            is_over |= not is_own
            yield block

    for piece, tag in _cut_at_tags(count()):
        position += len(piece)
        is_beginning = bool(tag) and not tag.startswith(b"</")
        if is_beginning and is_over and position >= n_own:  # of a page that the next part has
            pages.take(piece, b"")
            pages.end("a page has no end")
            return
        if page := pages.take(piece, tag):
            yield from _choose_article(page, file)
    pages.end()


def _choose_article(page: _Page, file: InputFile) -> Iterator[RawDocument]:
    """The document of a page, if it is an article; or a redirect, where those are asked for."""
    identifier, title = (page.fields.get(name, "") for name in ("id", "title"))
    text = page.revision.get("text", "")
    if page.fields.get("ns", "0").strip() != "0":
        file.report.skip("page outside the article namespace", title)
    elif (target := _redirect_of(page, text)) is not None:
        file.report.skip("redirect", title)
        if file.options.keep_redirects and target:
            yield RawDocument(identifier, title, target, "redirect")
    elif page.revision.get("model", "wikitext").strip() != "wikitext":
        file.report.skip("page that is not wikitext", title)
    else:
        # The date is that of the revision.
        known = {"date": page.revision.get("timestamp")} | page.fields | page.revision
        fields = file.pick_fields(known)
        yield RawDocument(identifier, title, text, "wikitext", fields=fields)


def _redirect_of(page: _Page, text: str) -> str | None:
    """The page that a redirect leads to, as it is written; None where the page is none."""
    if page.redirect:
        return page.redirect
    match = _REDIRECT.match(text)
    return match[1].strip() if match else page.redirect


def _find_declared_encoding(head: bytes) -> str | None:
    """The encoding that the file's first line names; None for UTF-8, and for unknown ones."""
    named = _ENCODING.match(head)
    try:
        return None if named is None else codecs.lookup(named[1].decode()).name
    except LookupError:
        return None


def _cut_at_tags(blocks: Iterable[bytes]) -> Iterator[tuple[memoryview, bytes]]:
    """Yield the bytes up to every ``<page`` and behind every ``</page>``, with the tag, if any."""
    held = b""
    for block in chain(blocks, [b""]):
        rest = held + block
        view = memoryview(rest)
        start = seen = 0
        for tag in _TAG.finditer(rest):
            seen = tag.end()
            end = seen if tag[0].startswith(b"</") else tag.start()
            yield view[start:end], tag[0]
            start = end
        # A tag may go on in the next block.
        cut = rest.rfind(b"<", max(seen, len(rest) - _LONGEST_TAG)) if block else -1
        cut = len(rest) if cut < 0 else cut
        yield view[start:cut], b""
        held = rest[cut:]


class _PageStream:
    """Puts pieces of a file together to pages."""

    def __init__(self, file: InputFile, encoding: str | None, *, is_inside: bool = False) -> None:
        self._file = file
        self._encoding = encoding
        self._page: _Page | None = None  # none outside of pages, and after an error
        self._is_inside = is_inside  # of a page that somebody else has begun
        self._n_pages = int(is_inside)
        self._outside = b""

    def take(self, piece: memoryview, tag: bytes) -> _Page | None:
        """Go on with a piece and the tag at which it was cut; gives the page that it ends."""
        is_end = tag.startswith(b"</")
        ended = None
        if self._is_inside:
            self._feed(piece, is_last=is_end)
            if is_end:
                self._is_inside = False
                ended, self._page = self._page, None
                if ended is not None and ended.is_cut:
                    self._complain(f"a page is cut after {MAX_PAGE_CHARS:,} characters")
        else:
            self._look_outside(piece)
            if is_end:
                self._complain("a page has no beginning")
                self._outside = b""
        if tag and not is_end:
            if self._page is not None:
                self._complain("a page has no end")
            self._check_outside()
            self._n_pages += 1
            self._is_inside = True
            self._page = _Page(self._encoding)
        return ended

    def end(self, problem: str = "the file ends inside a page") -> None:
        """No page follows; the problem is told where one is still open."""
        if self._page is not None:
            self._complain(problem)
        elif not self._is_inside:
            self._check_outside()

    def _feed(self, piece: memoryview, *, is_last: bool) -> None:
        """Give a piece of a page to its parser; the page goes where it is broken."""
        if self._page is None:
            return
        try:
            self._page.feed(piece, is_last=is_last)
        except (expat.ExpatError, _BrokenPageError, ValueError) as error:
            self._complain(str(error))
            self._page = None

    def _look_outside(self, piece: memoryview) -> None:
        """Keep the beginning of what stands between pages, and refuse declarations in it."""
        if _DECLARATION.search(piece):
            raise InputError(
                f"{self._file} declares a document type or XML entities, which a MediaWiki export "
                "does not: it is not read"
            )
        if len(self._outside) < _OUTSIDE_BYTES and not bytes(piece[:_OUTSIDE_BYTES]).isspace():
            self._outside += bytes(piece[:_OUTSIDE_BYTES])

    def _check_outside(self) -> None:
        if self._n_pages and not _BETWEEN_PAGES.match(self._outside):
            self._complain("something else stands between two pages")
        self._outside = b""

    def _complain(self, what: str) -> None:
        self._file.report.skip("broken XML", f"{self._file}: {what}")
