"""Reading by many workers: parts of the inputs are read at the same time, and put in order after.

A worker reads a part, stores its documents and tells little of each: its length, a digest of its
text, whether it is to be passed over. From that alone it follows which documents go into which
shard, exactly as if one process had read them all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.checking import open_array, read_json
from grassmeans.artifacts.writing import digest_of, write_array, write_json
from grassmeans.corpus.screening import SPACELESS, digest_document, is_spaceless
from grassmeans.corpus.stored_documents import BLOCK_CHARS, read_block, write_block
from grassmeans.engines.parallel import map_tasks
from grassmeans.errors import InputError
from grassmeans.reading.documents import RawDocument, ReadOptions, ReadReport
from grassmeans.reading.inputs import REFUSED
from grassmeans.reading.parts import FilePart, OddPartError, read_part
from grassmeans.reading.records import count_from

REDIRECT, PASSED_OVER = 1, 2
_DONE, _RECORDS = "part.json", "records.npy"
_COLUMNS = 4  # characters, digest of the text, kind, block


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
        document = read_block(self.block)[self.row]
        return replace(document, id=count_from(document.id, self.first_line))


def survey_part(part: FilePart, options: ReadOptions, segment: bool, folder: Path) -> None:
    """Read a part, store its documents and what is to be known of them; done once.

    Text without spaces is segmented, or passed over.
    """
    if (folder / _DONE).exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    report = ReadReport()
    records: list[tuple[int, int, int, int]] = []
    waiting: list[RawDocument] = []
    n_blocks = n_chars = 0
    about: dict[str, Any] = {"refused": None, "odd": None}

    def store() -> None:
        nonlocal n_blocks, n_chars
        write_block(_block_path(folder, n_blocks), waiting)
        waiting.clear()
        n_blocks, n_chars = n_blocks + 1, 0

    try:
        for document in read_part(part, options, report):
            passed_over = not segment and is_spaceless(document)
            if passed_over:
                report.skip(SPACELESS, document.title or document.id)
            digest = digest_document(document)
            kind = PASSED_OVER if passed_over else REDIRECT if digest is None else 0
            records.append((len(document.text), digest or 0, kind, n_blocks))
            waiting.append(document)
            n_chars += len(document.text)
            if n_chars >= BLOCK_CHARS:
                store()
    except OddPartError as error:
        about["odd"] = str(error)
    except InputError as error:
        about["refused"] = str(error)
        report.skip(REFUSED, str(error))
    if waiting:
        store()
    write_array(folder / _RECORDS, np.array(records, np.int64).reshape(-1, _COLUMNS))
    write_json(folder / _DONE, about | _describe(report))


def _block_path(folder: Path, number: int) -> Path:
    return folder / f"{number:05d}.zst"


def _describe(report: ReadReport) -> dict[str, Any]:
    names = ("n_documents", "n_files", "n_bytes", "n_lines", "skipped", "remarks", "examples")
    return {name: getattr(report, name) for name in names}


@dataclass(frozen=True, slots=True)
class _Survey:
    """What a worker left of a part."""

    folder: Path
    report: ReadReport
    records: NDArray[np.int64]
    refused: str | None
    odd: str | None

    @classmethod
    def open(cls, folder: Path) -> _Survey:
        values = read_json(folder / _DONE)
        refused, odd = values.pop("refused"), values.pop("odd")
        values |= {name: Counter(values[name]) for name in ("skipped", "remarks")}
        records = open_array(folder / _RECORDS, np.int64, (None, _COLUMNS), mapped=False)
        return cls(folder, ReadReport(**values), records, refused, odd)

    def documents(self, first_line: int) -> Iterator[Surveyed]:
        """What is to be known of every document that is not passed over, in order."""
        row, before = 0, -1
        for n_chars, digest, kind, block in self.records.tolist():
            row = row + 1 if block == before else 0
            before = block
            if kind != PASSED_OVER:
                place = _block_path(self.folder, block)
                known = None if kind == REDIRECT else digest
                yield Surveyed(n_chars, known, place, row, first_line)

    def report_at(self, first_line: int) -> ReadReport:
        """What was counted, with the numbers of lines in the file."""
        examples = {k: count_from(text, first_line) for k, text in self.report.examples.items()}
        return replace(self.report, examples=examples)


def survey_parts(
    parts: Sequence[FilePart],
    options: ReadOptions,
    segment: bool,
    scratch: Path,
    report: ReadReport,
    workers: int | None,
) -> Iterator[Surveyed]:
    """Let workers read all parts; yields the documents in the order of the inputs.

    They are stored in ``scratch``; parts that an earlier run has read are taken over. `InputError`
    where files cannot be read as asked and nothing could be read.
    """
    folders = [_survey_place(part, options, segment, scratch) for part in parts]
    tasks = ((part, options, segment, folder) for part, folder in zip(parts, folders, strict=True))
    refused: str | None = None
    file = _FileSurvey()
    surveyed = map_tasks(survey_part, tasks, workers)
    for part, folder, _ in zip(parts, folders, surveyed, strict=True):
        if file.path != part.path:
            report.add(file.report)
            file = _FileSurvey(part.path)
        if file.is_over:
            continue
        survey = _Survey.open(folder)
        if survey.odd is not None:
            whole = part.whole
            place = _survey_place(whole, options, segment, scratch)
            list(map_tasks(survey_part, [(whole, options, segment, place)], workers))
            survey = _Survey.open(place)
            yield from file.take_whole(survey)
        else:
            yield from file.take(survey)
        refused = refused or survey.refused
    report.add(file.report)
    if refused is not None and not report.n_documents:
        raise InputError(refused)


def _survey_place(part: FilePart, options: ReadOptions, segment: bool, scratch: Path) -> Path:
    about = [str(part.path), part.size, part.start, part.end, part.format]
    return scratch / "parts" / digest_of([about, segment, options.meta])


class _FileSurvey:
    """The parts of one file, one after the other."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.report = ReadReport()
        self.is_over = False  # the rest of it has been read whole
        self._n_lines = 0
        self._n_taken = 0

    def take(self, survey: _Survey) -> Iterator[Surveyed]:
        """The documents of the next part."""
        self.report.add(survey.report_at(self._n_lines))
        for document in survey.documents(self._n_lines):
            self._n_taken += 1
            yield document
        self._n_lines += survey.report.n_lines

    def take_whole(self, survey: _Survey) -> Iterator[Surveyed]:
        """The rest of the file, from a survey of the whole: its first parts were good."""
        self.report, self.is_over = survey.report, True
        for number, document in enumerate(survey.documents(0)):
            if number >= self._n_taken:
                yield document
