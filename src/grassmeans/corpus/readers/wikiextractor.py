"""WikiExtractor's text output: ``<doc id= url= title=>`` ... ``</doc>``."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from grassmeans.corpus.documents import RawDocument, ReadReport
from grassmeans.corpus.lines import read_lines
from grassmeans.corpus.readers.options import ReadOptions
from grassmeans.corpus.readers.splitting import number_part

_OPENING = re.compile(r"<doc\s+[^<>]*\bid=[^<>]*>\s*$")
_ATTRIBUTE = re.compile(r"""([\w-]+)=(?:"([^"]*)"|'([^']*)')""")
# With --links anchors are kept, and some versions leave style tags behind.
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


class _OpenDocument:
    """The document being read."""

    def __init__(self, opening_line: str) -> None:
        values = {name: a or b for name, a, b in _ATTRIBUTE.findall(opening_line)}
        self.id = html.unescape(values.get("id", ""))
        self.title = html.unescape(values.get("title", ""))
        self.lines: list[str] = []
        self.n_chars = 0
        self.part = 1

    def add_line(self, line: str) -> None:
        # Newer versions escape the text, too.
        cleaned = _TAG.sub("", html.unescape(line)).strip() if "&" in line or "<" in line else line
        # The first line repeats the title, which is no running text.
        if cleaned and not (self.part == 1 and not self.lines and cleaned == self.title):
            self.lines.append(cleaned)
            self.n_chars += len(cleaned) + 1

    @property
    def is_due(self) -> bool:
        """Whether there is something left to yield; an empty document is yielded, and counted."""
        return bool(self.lines) or self.part == 1

    def take(self) -> RawDocument:
        document = RawDocument(number_part(self.id, self.part), self.title, "\n".join(self.lines))
        self.lines, self.n_chars = [], 0
        self.part += 1
        return document


def read_wikiextractor(
    path: Path, report: ReadReport, options: ReadOptions
) -> Iterator[RawDocument]:
    """Yield the documents of a file; text outside of documents is counted and passed over."""
    current: _OpenDocument | None = None
    max_line = min(1 << 22, options.max_document_chars)
    for line in read_lines(path, report, encoding=options.encoding, max_line=max_line):
        if line.startswith("<doc ") and _OPENING.match(line):
            if current is not None:
                report.skip("unclosed document", f"{path}: {current.id}")
                yield current.take()
            current = _OpenDocument(line)
        elif current is None:
            if line.strip():
                report.skip("text outside of a document", f"{path}: {line}")
        elif line.rstrip() == "</doc>":
            if current.is_due:
                yield current.take()
            current = None
        else:
            if current.lines and current.n_chars + len(line) > options.max_document_chars:
                report.skip("long document split", current.id)
                yield current.take()
            current.add_line(line)
    if current is not None:
        report.skip("unclosed document", f"{path}: {current.id}")
        yield current.take()
