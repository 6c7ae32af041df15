"""MediaWiki XML exports (Wikipedia's ``pages-articles``), page by page.

The parser sees one block at a time and builds no tree, so memory does not grow with the dump.
Where the XML is broken, reading goes on at the next ``<page>``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from grassmeans.corpus.documents import RawDocument, ReadOptions, ReadReport
from grassmeans.corpus.opening import read_blocks
from grassmeans.errors import InputError

_MAX_PAGE_CHARS = 1 << 26
_PAGE_START = b"<page>"
_JUNK_AFTER_ROOT = expat.errors.codes[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]
_REDIRECT = re.compile(
    r"\s*#\s*(?:REDIRECT|REDIRECTION|REDIRECCI[ÓO]N|WEITERLEITUNG|RINVIA|RINVIO|REDIRECIONAMENTO|"
    r"ПЕРЕНАПРАВЛЕНИЕ|ПЕРЕНАПР|ПЕРЕНАПРАВЛЕННЯ|DOORVERWIJZING|OMDIRIGERING|PATRZ|PRZEKIERUJ|TAM|"
    r"PŘESMĚRUJ|OHJAUS|UUDELLEENOHJAUS|ÁTIRÁNYÍTÁS|YÖNLENDİRME|REDIRECTARE|ΑΝΑΚΑΤΕΥΘΥΝΣΗ|"
    r"REDIRECCIÓ|ПРЕУСМЕРИ|הפניה|تحويل|تغییر_مسیر|重定向|転送|넘겨주기|पुनर्प्रेषित|ALIH|ĐỔI)"
    r"\s*:?\s*\[\[([^\]|\n]*)",
    re.IGNORECASE,
)


class _ForbiddenDeclarationError(Exception):
    """A document type or entity declaration: exports have none, and entities can explode."""


class _Page:
    """A page while it is read; of several revisions the newest is kept."""

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self.redirect: str | None = None
        self.revision: dict[str, str] = {}

    def end_revision(self, revision: dict[str, str]) -> None:
        # ISO dates sort as text; without dates the later revision wins, as in a history dump.
        if revision.get("timestamp", "") >= self.revision.get("timestamp", ""):
            self.revision = revision


class _PageParser:
    """Expat's events -> finished pages."""

    def __init__(self) -> None:
        self._pages: list[_Page] = []
        self._damages: list[str] = []
        self._page: _Page | None = None
        self._revision: dict[str, str] = {}
        self._path: list[str] = []
        self._characters: list[str] = []
        self._n_chars = 0
        self._expat = expat.ParserCreate()
        self._expat.buffer_text = True
        self._expat.buffer_size = 1 << 16
        self._expat.StartElementHandler = self._start_element
        self._expat.EndElementHandler = self._end_element
        self._expat.StartDoctypeDeclHandler = self._refuse_declaration
        self._expat.EntityDeclHandler = self._refuse_declaration
        self._n_fed = 0

    @property
    def is_inside(self) -> bool:
        """Whether a page has begun and not ended."""
        return self._page is not None

    def feed(self, block: bytes) -> None:
        """Parse a block; finished pages wait to be taken."""
        self._n_fed += len(block)
        self._expat.Parse(block, False)

    def take_pages(self) -> list[_Page]:
        """The pages finished since the last time."""
        pages, self._pages = self._pages, []
        return pages

    def take_damages(self) -> list[str]:
        """What was found wrong, though the XML is well-formed, since the last time."""
        damages, self._damages = self._damages, []
        return damages

    def find_error(self, block: bytes) -> int:
        """Where in the block fed last the error lies."""
        return max(0, self._expat.ErrorByteIndex - (self._n_fed - len(block)))

    def _refuse_declaration(self, *_: object) -> None:
        raise _ForbiddenDeclarationError

    def _start_element(self, name: str, attributes: dict[str, str]) -> None:
        if name == "page":
            if self._page is not None:
                self._damages.append("a page has no end")
            self._page = _Page()
            self._path = []
        self._path.append(name)
        if self._page is None:
            return
        if name == "redirect":
            self._page.redirect = attributes.get("title", "")
        elif name == "revision":
            self._revision = {}
        self._characters, self._n_chars = [], 0
        self._expat.CharacterDataHandler = self._add_characters

    def _add_characters(self, characters: str) -> None:
        # An element that never ends must not fill the memory.
        if self._n_chars <= _MAX_PAGE_CHARS:
            self._characters.append(characters)
            self._n_chars += len(characters)
            if self._n_chars > _MAX_PAGE_CHARS:
                self._damages.append(f"a page is cut after {self._n_chars:,} characters")

    def _end_element(self, name: str) -> None:
        if self._path:
            self._path.pop()
        page = self._page
        if page is None:
            return
        parent = self._path[-1] if self._path else ""
        if name == "page":
            self._pages.append(page)
            self._page = None
        elif name == "revision":
            page.end_revision(self._revision)
        elif parent == "page":
            page.fields[name] = "".join(self._characters)
        elif parent == "revision":
            self._revision[name] = "".join(self._characters)
        self._characters = []
        self._expat.CharacterDataHandler = None


def read_mediawiki(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[RawDocument]:
    """Yield the articles of an export: namespace 0, wikitext, redirects only where asked for.

    An XML file names its own encoding, so that ``options.encoding`` does not count here.
    """
    for page in _read_pages(path, report):
        title = page.fields.get("title", "")
        text = page.revision.get("text", "")
        if page.fields.get("ns", "0").strip() != "0":
            report.skip("page outside the article namespace", title)
        elif (target := _redirect_of(page, text)) is not None:
            report.skip("redirect", title)
            if options.keep_redirects and target:
                yield RawDocument(
                    id=page.fields.get("id", ""), title=title, text=target, markup="redirect"
                )
        elif page.revision.get("model", "wikitext").strip() != "wikitext":
            report.skip("page that is not wikitext", title)
        else:
            yield RawDocument(
                id=page.fields.get("id", ""), title=title, text=text, markup="wikitext"
            )


def _redirect_of(page: _Page, text: str) -> str | None:
    """The page that a redirect leads to, as it is written; None where the page is none."""
    if page.redirect:
        return page.redirect
    match = _REDIRECT.match(text)
    return match[1].strip() if match else page.redirect


def _read_pages(path: Path, report: ReadReport) -> Iterator[_Page]:
    """Feed the parser, and start a new one at the next page where the XML breaks."""
    parser: _PageParser | None = _PageParser()
    passed = b""  # the last bytes passed over after an error: they may begin a "<page>"
    for block in read_blocks(path, report):
        rest = passed + block
        passed = b""
        while rest:
            if parser is None:
                start = rest.find(_PAGE_START)
                if start < 0:
                    passed = rest[-len(_PAGE_START) + 1 :]
                    break
                rest = rest[start:]
                parser = _PageParser()
                parser.feed(b"<mediawiki>")
            error_at = _parse_block(parser, rest, path, report)
            yield from parser.take_pages()
            # At least one byte on, so that a page that breaks at its start is not tried forever.
            rest = b"" if error_at is None else rest[max(error_at, 1) :]
            parser = parser if error_at is None else None
    if parser is not None and parser.is_inside:
        report.skip("broken XML", f"{path}: the file ends inside a page")


def _parse_block(parser: _PageParser, block: bytes, path: Path, report: ReadReport) -> int | None:
    """Feed a block, and give the position of an error in it."""
    try:
        parser.feed(block)
    except expat.ExpatError as error:
        if error.code != _JUNK_AFTER_ROOT:  # exports that were joined are no damage
            report.skip("broken XML", f"{path}: {error}")
        return parser.find_error(block)
    except _ForbiddenDeclarationError as error:
        raise InputError(
            f"{path} declares a document type or XML entities, which a MediaWiki export does not: "
            "it is not read"
        ) from error
    finally:
        for damage in parser.take_damages():
            report.skip("broken XML", f"{path}: {damage}")
    return None
