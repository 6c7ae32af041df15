"""Plain text: a blank line ends a document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grassmeans.corpus.documents import RawDocument, ReadReport
from grassmeans.corpus.lines import read_lines
from grassmeans.corpus.readers.options import ReadOptions
from grassmeans.corpus.readers.splitting import number_part


def read_plain(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[RawDocument]:
    """Yield the documents of a text file; the id is the file's name and the first line's number."""
    held: list[str] = []
    n_chars = 0
    first_line = part = 1
    # A piece of a long line has to fit into a part of a long document.
    max_line = min(1 << 22, options.max_document_chars)

    def make_document() -> RawDocument:
        identifier = number_part(f"{path.name}:{first_line}", part)
        return RawDocument(id=identifier, title="", text="\n".join(held))

    lines = read_lines(path, report, encoding=options.encoding, max_line=max_line)
    for number, line in enumerate(lines, start=1):
        blank = not line.strip()
        if held and (blank or n_chars + len(line) > options.max_document_chars):
            yield make_document()
            held, n_chars = [], 0
            part += 1
            if not blank:
                report.skip("long document split", f"{path.name}:{first_line}")
        if blank:
            part = 1
            continue
        if not held and part == 1:
            first_line = number
        held.append(line)
        n_chars += len(line) + 1
    if held:
        yield make_document()
