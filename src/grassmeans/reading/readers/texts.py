"""Formats of running text: plain text, WikiExtractor's output."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from grassmeans.reading.documents import DocumentBuilder, RawDocument, ReadOptions, ReadReport
from grassmeans.reading.fields import pick_fields
from grassmeans.reading.lines import MAX_LINE_BYTES, read_lines

_OPENING = re.compile(r"<doc\s+[^<>]*\bid=[^<>]*>\s*$")
_ATTRIBUTE = re.compile(r"""([\w-]+)=(?:"([^"]*)"|'([^']*)')""")
# With WikiExtractor's --links anchors are kept, and some versions leave style tags behind.
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


def read_plain(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[RawDocument]:
    """Yield the documents of a text file, which end at blank lines.

    The id is the file's name and the first line's number.
    """
    document = DocumentBuilder(report, options.max_document_chars)
    for number, line in enumerate(_read_short_lines(path, report, options), start=1):
        if not line.strip():
            yield from document.take()
            document.start("")
            continue
        if document.is_new:
            document.start(f"{path.name}:{number}")
        yield from document.make_room(len(line))
        document.add(line)
    yield from document.take()


def _read_short_lines(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[str]:
    """Lines, or pieces of them, that fit into a part of a long document."""
    max_line = min(MAX_LINE_BYTES, options.max_document_chars)
    return read_lines(path, report, encoding=options.encoding, max_line=max_line)


def read_wikiextractor(
    path: Path, report: ReadReport, options: ReadOptions
) -> Iterator[RawDocument]:
    """Yield the documents of WikiExtractor's text output: ``<doc id= url= title=>`` ... ``</doc>``.

    Text outside of documents is counted and passed over.
    """
    document = DocumentBuilder(report, options.max_document_chars)
    is_open = False
    for line in _read_short_lines(path, report, options):
        if line.startswith("<doc ") and _OPENING.match(line):
            if is_open:
                report.skip("unclosed document", f"{path}: {document.id}")
                yield from document.take(even_empty=True)
            values = {name: html.unescape(a or b) for name, a, b in _ATTRIBUTE.findall(line)}
            fields = pick_fields(values, options, report)
            document.start(values.get("id", ""), values.get("title", ""), fields)
            is_open = True
        elif not is_open:
            if line.strip():
                report.skip("text outside of a document", f"{path}: {line}")
        elif line.rstrip() == "</doc>":
            yield from document.take(even_empty=True)
            is_open = False
        else:
            yield from document.make_room(len(line))
            # Newer versions escape the text, too.
            if "&" in line or "<" in line:
                line = _TAG.sub("", html.unescape(line)).strip()  # noqa: PLW2901
            # The first line repeats the title, which is no running text.
            if line and not (document.is_new and line == document.title):
                document.add(line)
    if is_open:
        report.skip("unclosed document", f"{path}: {document.id}")
        yield from document.take(even_empty=True)
