"""Files and folders -> documents, each file by the reader of its format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from grassmeans.errors import InputError
from grassmeans.reading.archives import find_archive_kind, read_members
from grassmeans.reading.detection import detect_format, find_foreign_kind
from grassmeans.reading.documents import RawDocument, ReadOptions, ReadReport, split_document
from grassmeans.reading.fields import complete_fields
from grassmeans.reading.opening import list_inputs, read_head
from grassmeans.reading.readers.mediawiki import read_mediawiki
from grassmeans.reading.readers.records import read_csv, read_json, read_json_lines, read_parquet
from grassmeans.reading.readers.texts import read_plain, read_wikiextractor
from grassmeans.reading.readers.tokenised import read_conllu, read_tokens, read_vertical

Reader = Callable[[Path, ReadReport, ReadOptions], Iterator[RawDocument]]

_READERS: dict[str, Reader] = {
    "text": read_plain,
    "jsonl": read_json_lines,
    "json": read_json,
    "csv": read_csv,
    "mediawiki": read_mediawiki,
    "wikiextractor": read_wikiextractor,
    "parquet": read_parquet,
    "tokens": read_tokens,
    "vertical": read_vertical,
    "conllu": read_conllu,
}
FORMATS = tuple(_READERS)
REFUSED = "file that cannot be read as asked"


def read_documents(
    inputs: Sequence[Path | str] | Path | str,
    options: ReadOptions | None = None,
    *,
    report: ReadReport,
) -> Iterator[RawDocument]:
    """Read files and folders, document by document.

    Parameters
    ----------
    inputs : paths
        Files, compressed or not, and folders.
    report : ReadReport
        Filled while reading: what was passed over, and why.

    Raises
    ------
    InputError
        At once where an argument is wrong; in the end where files cannot be read as asked and
        nothing could be read. Otherwise such a file is counted and passed over by name, so that it
        does not end a long run.
    """
    options = options or ReadOptions()
    if options.format != "auto" and options.format not in _READERS:
        raise InputError(
            f"unknown format {options.format!r}: expected auto or one of {', '.join(FORMATS)}"
        )
    return _read_files(list_inputs(inputs, report), report, options)


def _read_files(
    files: list[Path], report: ReadReport, options: ReadOptions
) -> Iterator[RawDocument]:
    refused: InputError | None = None
    for path in files:
        try:
            yield from read_file(path, report, options)
        except InputError as error:
            refused = refused or error
            report.skip(REFUSED, str(error))
    if refused is not None and not report.n_documents:
        raise refused


def read_file(
    path: Path, report: ReadReport, options: ReadOptions, archive: str | None = None
) -> Iterator[RawDocument]:
    """The documents of a file, or of the files in an archive."""
    head = read_head(path)
    kind = find_archive_kind(head)
    if kind is not None and archive is None:
        for member, member_report in read_members(path, kind, report):
            try:
                yield from read_file(member, member_report, options, archive=kind)
            except InputError as error:
                member_report.skip(REFUSED, str(error))
        return
    report.n_files += 1
    foreign = "archive in an archive (unpack it first)" if kind else find_foreign_kind(head)
    if foreign is not None and options.format == "auto":
        report.skip(foreign, str(path))
        return
    reader = _READERS[detect_format(path) if options.format == "auto" else options.format]
    for document in reader(path, report, options):
        yield from check_document(document, path, report, options)


def check_document(
    document: RawDocument, path: Path, report: ReadReport, options: ReadOptions
) -> Iterator[RawDocument]:
    """Pass over what is empty, split what is too long, and add what the file's name tells."""
    document = complete_fields(document, path, options, report)
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
