"""Files -> documents, one small module per format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from grassmeans.corpus.detection import detect_format
from grassmeans.corpus.documents import RawDocument, ReadReport
from grassmeans.corpus.lines import check_encoding
from grassmeans.corpus.opening import list_inputs
from grassmeans.corpus.readers.jsonlines import read_json_lines
from grassmeans.corpus.readers.mediawiki import read_mediawiki
from grassmeans.corpus.readers.options import ReadOptions
from grassmeans.corpus.readers.parquet import read_parquet
from grassmeans.corpus.readers.plain import read_plain
from grassmeans.corpus.readers.splitting import split_document
from grassmeans.corpus.readers.tokenised import read_conllu, read_tokens, read_vertical
from grassmeans.corpus.readers.wikiextractor import read_wikiextractor
from grassmeans.errors import InputError

Reader = Callable[[Path, ReadReport, ReadOptions], Iterator[RawDocument]]

_READERS: dict[str, Reader] = {
    "text": read_plain,
    "jsonl": read_json_lines,
    "mediawiki": read_mediawiki,
    "wikiextractor": read_wikiextractor,
    "parquet": read_parquet,
    "tokens": read_tokens,
    "vertical": read_vertical,
    "conllu": read_conllu,
}
FORMATS = tuple(_READERS)


def read_documents(
    inputs: Sequence[Path | str] | Path | str,
    *,
    format: str = "auto",
    report: ReadReport,
    text_field: str = "text",
    column: str | int | None = None,
    encoding: str | None = None,
    max_document_chars: int = 4_000_000,
    keep_redirects: bool = False,
) -> Iterator[RawDocument]:
    """Read files and folders, document by document.

    Parameters
    ----------
    inputs : paths
        Files, compressed or not, and folders.
    format : str
        One of ``FORMATS``, or ``"auto"``: recognised for every file from its content.
    report : ReadReport
        Filled while reading: what was passed over, and why.
    text_field : str
        The field (JSON lines) or column (Parquet) that holds the text.
    column : str, int or None
        CoNLL-U (a name or a number) and vertical files (a number, from 0): where the keys of the
        tokens are; by default they are the forms.
    encoding : str, optional
        Of text files; by default UTF-8, or what a byte order mark says.
    max_document_chars : int
        Longer documents are split at white space; the ids of the parts end in ``#2``, ``#3`` ...
    keep_redirects : bool
        MediaWiki: yield redirect pages as well, with ``markup="redirect"``; they are no documents.

    Raises
    ------
    InputError
        At once where an argument is wrong; while reading where a file cannot be read as asked and
        nothing has been read before it. Later on such a file is counted and passed over, so that
        it does not end a long run.
    """
    if format != "auto" and format not in _READERS:
        raise InputError(f"unknown format {format!r}: expected auto or one of {', '.join(FORMATS)}")
    if max_document_chars < 1:
        raise InputError(f"max_document_chars must be 1 or more, got {max_document_chars}")
    check_encoding(encoding)
    options = ReadOptions(text_field, column, encoding, max_document_chars, keep_redirects)
    return _read_files(list_inputs(inputs), format, report, options)


def _read_files(
    files: list[Path], format: str, report: ReadReport, options: ReadOptions
) -> Iterator[RawDocument]:
    for path in files:
        report.n_files += 1
        reader = _READERS[detect_format(path) if format == "auto" else format]
        try:
            for document in reader(path, report, options):
                yield from _check_document(document, report, options)
        except InputError as error:
            if not report.n_documents:
                raise
            report.skip("file that cannot be read as asked", str(error))


def _check_document(
    document: RawDocument, report: ReadReport, options: ReadOptions
) -> Iterator[RawDocument]:
    """Pass over what is empty and split what is too long."""
    if document.markup == "redirect":
        yield document
    elif not document.text or document.text.isspace():
        report.skip("empty document", document.title or document.id)
    elif len(document.text) <= options.max_document_chars:
        report.n_documents += 1
        yield document
    else:
        report.skip("long document split", document.title or document.id)
        for part in split_document(document, options.max_document_chars):
            report.n_documents += 1
            yield part
