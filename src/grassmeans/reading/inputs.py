"""Files and folders -> documents, each file by the reader of its format."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from grassmeans.artifacts.temporaries import temporary_folder
from grassmeans.errors import InputError
from grassmeans.reading.archives import Unpacked, find_archive_kind, read_members
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
    """Read files, compressed or not, and folders, document by document.

    What is passed over, and why, is told in the report.
    `InputError` at once where an argument is wrong; in the end where files cannot be read as asked
    and nothing could be read. Otherwise such a file is counted and passed over by name, so that it
    does not end a long run.
    """
    options = options or ReadOptions()
    if options.format != "auto" and options.format not in _READERS:
        raise InputError(
            f"unknown format {options.format!r}: expected auto or one of {', '.join(FORMATS)}"
        )
    files = list_inputs(inputs, report)
    return _read_all(files, partial(read_file, report=report, options=options), report)


Source = TypeVar("Source")


def _read_all(
    sources: Iterable[Source], read: Callable[[Source], Iterator[RawDocument]], report: ReadReport
) -> Iterator[RawDocument]:
    """The documents of one file after the other; an error where files are refused and none read."""
    refused: InputError | None = None
    n_before = report.n_documents
    for source in sources:
        try:
            yield from read(source)
        except InputError as error:
            refused = refused or error
            report.skip(REFUSED, str(error))
    if refused is not None and report.n_documents == n_before:
        raise refused


def read_file(
    path: Path, report: ReadReport, options: ReadOptions, shown: Path | None = None
) -> Iterator[RawDocument]:
    """The documents of a file, or of the files in an archive, or of what a pipe gives.

    ``shown`` is the name that tells of them, if not the file's own.
    """
    if path.is_fifo():
        yield from _read_pipe(path, report, options)
        return
    head = read_head(path)
    kind = find_archive_kind(head)
    if kind is None:
        yield from _read_as_format(path, head, report, options, shown)
    else:
        members = read_members(path, kind, report)
        yield from _read_all(members, partial(_read_member, options=options), report)


def _read_pipe(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[RawDocument]:
    """The documents of what can be read only once: it is copied first."""
    with temporary_folder() as folder:
        copy = Unpacked(Path(folder, path.name), path, report)
        try:
            with path.open("rb") as source, copy.path.open("wb") as target:
                shutil.copyfileobj(source, target)
        except OSError as error:
            report.skip("unreadable file", f"{path}: {error.strerror}")
            return
        try:
            yield from read_file(copy.path, copy.report, options, copy.shown)
        except InputError as error:
            raise InputError(copy.rename(str(error))) from error
        finally:
            copy.finish()


def _read_member(member: Unpacked, options: ReadOptions) -> Iterator[RawDocument]:
    """The documents of a file in an archive, by its own name."""
    head = read_head(member.path)
    if find_archive_kind(head) is not None and options.format == "auto":
        member.report.n_files += 1
        member.report.skip("archive in an archive (unpack it first)", str(member.path))
        return
    try:
        documents = _read_as_format(member.path, head, member.report, options, member.shown)
        yield from map(member.rename_document, documents)
    except InputError as error:
        raise InputError(member.rename(str(error))) from error


def _read_as_format(
    path: Path, head: bytes, report: ReadReport, options: ReadOptions, shown: Path | None = None
) -> Iterator[RawDocument]:
    """The documents of a file that is no archive."""
    report.n_files += 1
    foreign = find_foreign_kind(head)
    if foreign is not None and options.format == "auto":
        report.skip(foreign, str(path))
        return
    reader = _READERS[detect_format(path) if options.format == "auto" else options.format]
    for document in reader(path, report, options):
        yield from check_document(document, shown or path, report, options)


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
