"""Documents -> batches, one a shard: which documents are taken, where they wait, who reads them.

None is taken whose text was there before, of which eight bytes are remembered. Scripts that put
nothing between their words are segmented, or passed over and told.

Documents for workers of other machines wait in blocks, files that all of them see. Such workers
read parts of the inputs at the same time: a worker stores the documents of a part and tells little
of each, its length, a digest of its text, whether it is to be passed over. From that alone it
follows which documents go into which shard, exactly as if one process had read them all.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import zstandard

from grassmeans.arrays import Indices
from grassmeans.artifacts.checking import open_array, read_bytes, read_json
from grassmeans.artifacts.writing import digest_of, write_array, write_bytes, write_json
from grassmeans.corpus.seen_digests import SeenDigests
from grassmeans.engines.parallel import map_tasks
from grassmeans.errors import ArtifactError, InputError
from grassmeans.reading.documents import RawDocument, ReadOptions, ReadReport
from grassmeans.reading.inputs import REFUSED
from grassmeans.reading.parts import FilePart, OddPartError, read_part
from grassmeans.reading.records import count_from
from grassmeans.text.letters import find_breaker, measure_spaceless
from grassmeans.text.tokenizer import Tokenizer

DUPLICATE = "duplicate document"
_SPACELESS = "document without spaces between words (segment it with segment=True)"
_NOT_TEXT = {"tokens", "redirect"}
_SAMPLE_CHARS = 200_000
_MOSTLY = 0.5

_BLOCK_CHARS = 2_000_000
_LEVEL = -3  # as fast as writing what is not compressed, and a third of it
_REDIRECT, _PASSED_OVER = 1, 2
_DONE, _RECORDS = "part.json", "records.npy"
_COLUMNS = 4  # characters, digest of the text, kind, block

Item = TypeVar("Item")


def digest_document(document: RawDocument) -> int | None:
    """Eight bytes that tell its text from any other; None for redirects: many lead to one page."""
    if document.markup == "redirect":
        return None
    content = document.text.encode(errors="replace")
    digest = hashlib.blake2b(content, digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def without_duplicates(
    items: Iterable[Item],
    report: ReadReport,
    digest: Callable[[Item], int | None],
    read: Callable[[Item], RawDocument],
) -> Iterator[Item]:
    """Leave out documents whose text has been seen; ``read`` gives the one that is told of."""
    seen = SeenDigests()
    for item in items:
        found = digest(item)
        if found is not None and not seen.add(found):
            is_first = DUPLICATE not in report.examples
            known = read(item) if is_first else None
            report.skip(DUPLICATE, known.title or known.id if known else "")
            continue
        yield item


def prepare_documents(
    documents: Iterable[RawDocument], tokenizer: Tokenizer, report: ReadReport
) -> tuple[Iterator[RawDocument], Tokenizer]:
    """Decide by the first documents whether words have to be segmented, and by which tokenizer.

    `MissingExtraError` where the extra for that is not installed. Where they have not, single
    documents that are mostly of such scripts are passed over and counted.
    """
    waiting = iter(documents)
    first: list[RawDocument] = []
    n_chars = 0
    for document in waiting:
        first.append(document)
        n_chars += len(document.text)
        if n_chars >= _SAMPLE_CHARS:
            break
    together = chain(first, waiting)
    sample = "".join(d.text[:_SAMPLE_CHARS] for d in first if d.markup not in _NOT_TEXT)
    if tokenizer.segment or measure_spaceless(sample) >= _MOSTLY:
        find_breaker()  # raises where it is not installed
        return together, replace(tokenizer, segment=True)
    return (d for d in together if not _is_passed_over(d, report)), tokenizer


def _is_passed_over(document: RawDocument, report: ReadReport) -> bool:
    """Whether a document is mostly of scripts without spaces; then it is told."""
    is_text = document.markup not in _NOT_TEXT
    is_spaceless = is_text and measure_spaceless(document.text) >= _MOSTLY
    if is_spaceless:
        report.skip(_SPACELESS, document.title or document.id)
    return is_spaceless


def cut_batches(
    items: Iterable[Item], size: int, measure: Callable[[Item], int]
) -> Iterator[list[Item]]:
    """Items for one shard each, of so many characters or a little more."""
    batch: list[Item] = []
    length = 0
    for item in items:
        batch.append(item)
        length += measure(item)
        if length >= size:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class Selection:
    """Some documents of a block."""

    block: Path
    rows: tuple[int, ...]  # which of them, in order
    first_line: int = 0  # lines of their file that come before the part that the block belongs to

    def read(self) -> list[RawDocument]:
        """The documents; numbers of lines are those of their files."""
        documents = read_block(self.block)
        chosen = (documents[row] for row in self.rows)
        return [replace(d, id=count_from(d.id, self.first_line)) for d in chosen]


def store_batches(batches: Iterable[list[RawDocument]], scratch: Path) -> Iterator[list[Selection]]:
    """Put documents where workers of other machines find them."""
    for number, batch in enumerate(batches):
        path = scratch / "documents" / f"{number:05d}.zst"
        write_block(path, batch)
        yield [Selection(path, tuple(range(len(batch))))]


def write_block(path: Path, documents: Sequence[RawDocument]) -> None:
    """Write documents to a file: a line of JSON that says all but the texts, then the texts."""
    texts = [document.text.encode("utf-8", "surrogatepass") for document in documents]
    about = [
        [d.id, d.title, d.markup, d.keys, d.sentences, d.fields, len(text)]
        for d, text in zip(documents, texts, strict=True)
    ]
    content = b"".join([json.dumps(about).encode(), b"\n", *texts])
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, zstandard.ZstdCompressor(level=_LEVEL).compress(content))


def read_block(path: Path) -> list[RawDocument]:
    """The documents of a file, as they were."""
    try:
        content = zstandard.ZstdDecompressor().decompress(read_bytes(path))
    except (ArtifactError, zstandard.ZstdError) as error:
        raise ArtifactError(f"{path} cannot be read ({error}): start the command anew") from error
    start = content.index(b"\n") + 1
    documents = []
    for identifier, title, markup, keys, sentences, fields, size in json.loads(content[:start]):
        text = content[start : start + size].decode("utf-8", "surrogatepass")
        start += size
        # JSON has lists where documents have tuples.
        own, begins = (None if given is None else tuple(given) for given in (keys, sentences))
        known = tuple((name, value) for name, value in fields)
        documents.append(RawDocument(identifier, title, text, markup, own, begins, known))
    return documents


@dataclass(frozen=True, slots=True)
class Surveyed:
    """A document, as far as the choice of its shard needs it."""

    n_chars: int
    digest: int | None  # None for a redirect
    block: Path
    row: int
    first_line: int

    def read(self) -> RawDocument:
        """The document itself."""
        return Selection(self.block, (self.row,), self.first_line).read()[0]


def select_surveyed(batches: Iterable[list[Surveyed]]) -> Iterator[list[Selection]]:
    """Where the documents of batches are to be found."""
    for batch in batches:
        blocks = groupby(batch, lambda found: (found.block, found.first_line))
        yield [
            Selection(block, tuple(found.row for found in own), first_line)
            for (block, first_line), own in blocks
        ]


@dataclass(frozen=True, slots=True)
class _Reading:
    """How parts of the inputs are read: text without spaces is segmented, or passed over."""

    options: ReadOptions
    segment: bool
    scratch: Path

    def place(self, part: FilePart) -> Path:
        """Where a part's documents are stored, and what is to be known of them."""
        about = [str(part.path), part.size, part.start, part.end, part.format]
        return self.scratch / "parts" / digest_of([about, self.segment, self.options.meta])

    def survey(self, part: FilePart) -> None:
        """Read a part, if no earlier run has done so."""
        folder = self.place(part)
        if (folder / _DONE).exists():
            return
        folder.mkdir(parents=True, exist_ok=True)
        report = ReadReport()
        records: list[tuple[int, int, int, int]] = []
        waiting: list[RawDocument] = []
        n_blocks = n_chars = 0
        about: dict[str, Any] = {"refused": None, "odd": None}
        try:
            for document in read_part(part, self.options, report):
                passed_over = not self.segment and _is_passed_over(document, report)
                digest = digest_document(document)
                kind = _PASSED_OVER if passed_over else _REDIRECT if digest is None else 0
                records.append((len(document.text), digest or 0, kind, n_blocks))
                waiting.append(document)
                n_chars += len(document.text)
                if n_chars >= _BLOCK_CHARS:
                    write_block(_block_path(folder, n_blocks), waiting)
                    waiting, n_blocks, n_chars = [], n_blocks + 1, 0
        except OddPartError as error:
            about["odd"] = str(error)
        except InputError as error:
            about["refused"] = str(error)
            report.skip(REFUSED, str(error))
        if waiting:
            write_block(_block_path(folder, n_blocks), waiting)
        write_array(folder / _RECORDS, np.array(records, np.int64).reshape(-1, _COLUMNS))
        about |= {name: getattr(report, name) for name in ReadReport.__slots__}
        write_json(folder / _DONE, about)

    def open(self, part: FilePart) -> _Survey:
        """What a worker left of a part."""
        folder = self.place(part)
        values = read_json(folder / _DONE)
        refused, odd = values.pop("refused"), values.pop("odd")
        values |= {name: Counter(values[name]) for name in ("skipped", "remarks")}
        records = open_array(folder / _RECORDS, np.int64, (None, _COLUMNS), mapped=False)
        return _Survey(folder, ReadReport(**values), records, refused, odd)


def _block_path(folder: Path, number: int) -> Path:
    return folder / f"{number:05d}.zst"


@dataclass(frozen=True, slots=True)
class _Survey:
    """What a worker left of a part."""

    folder: Path
    report: ReadReport
    records: Indices
    refused: str | None
    odd: str | None

    def documents(self, first_line: int) -> Iterator[Surveyed]:
        """What is to be known of every document that is not passed over, in order."""
        row, before = 0, -1
        for n_chars, digest, kind, block in self.records.tolist():
            row = row + 1 if block == before else 0
            before = block
            if kind != _PASSED_OVER:
                place = _block_path(self.folder, block)
                known = None if kind == _REDIRECT else digest
                yield Surveyed(n_chars, known, place, row, first_line)


def survey_parts(
    parts: Sequence[FilePart],
    options: ReadOptions,
    segment: bool,
    scratch: Path,
    report: ReadReport,
    workers: int | None,
) -> Iterator[Surveyed]:
    """Let workers read all parts into ``scratch``; yields the documents in the inputs' order."""
    reading = _Reading(options, segment, scratch)
    refused: str | None = None
    surveyed = map_tasks(reading.survey, ((part,) for part in parts), workers)
    done = (part for part, _ in zip(parts, surveyed, strict=True))
    for _, own in groupby(done, lambda part: part.path):
        of_file = ReadReport()
        n_lines = n_taken = 0
        for part in own:
            survey = reading.open(part)
            if (
                survey.odd is not None
            ):  # the file is read whole after all; its first parts were good
                list(map_tasks(reading.survey, [(part.whole,)], workers))
                survey = reading.open(part.whole)
                of_file, refused = survey.report, refused or survey.refused
                yield from islice(survey.documents(0), n_taken, None)
                break
            examples = {k: count_from(text, n_lines) for k, text in survey.report.examples.items()}
            of_file.add(replace(survey.report, examples=examples))
            for document in survey.documents(n_lines):
                n_taken += 1
                yield document
            n_lines += survey.report.n_lines
            refused = refused or survey.refused
        report.add(of_file)
    if refused is not None and not report.n_documents:
        raise InputError(refused)
