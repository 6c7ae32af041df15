"""Raw text -> stored corpus, in two passes over shards.

First pass, parallel: documents are cleaned, tokenised and written with ids of the shard's own.
Then all counts are added up and the vocabulary is ordered. Second pass, parallel: the shards get
the vocabulary's ids and their index. What goes into which shard depends on the input alone, so the
result does not depend on the number of workers; finished shards are taken over when an interrupted
run is started again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.checking import open_array
from grassmeans.artifacts.writing import digest_of, identify_file, write_manifest
from grassmeans.corpus.screening import digest_document, prepare_documents, without_duplicates
from grassmeans.corpus.shard_writing import (
    LOCAL_TOKENS,
    WrittenShard,
    read_shard_words,
    write_documents,
    write_token_ids,
)
from grassmeans.corpus.stored_documents import Selection, write_block, write_stored
from grassmeans.corpus.surveying import Surveyed, survey_parts
from grassmeans.corpus.vocabulary import Vocabulary, write_function_words
from grassmeans.engines.parallel import effective_workers, is_remote, map_tasks
from grassmeans.errors import InputError
from grassmeans.outputs.places import Building, output_folder
from grassmeans.progress import Advance, progress_bar
from grassmeans.reading.documents import RawDocument, ReadOptions, ReadReport
from grassmeans.reading.inputs import read_documents
from grassmeans.reading.parts import plan_parts
from grassmeans.text.tokenizer import Tokenizer, mend_surrogates

KIND = "corpus"
FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """How documents become tokens; part of the corpus's manifest.

    Parameters
    ----------
    tokenizer : Tokenizer
        The token rule.
    language : str
        Name of the function-word list, kept for later steps.
    function_words : frozenset of str
        The words that contexts leave out; the corpus keeps them all.
    keep_links : bool
        Keep link annotations of wikitext, and where redirect pages lead to.
    keep_duplicates : bool
        Keep documents whose text was there before.
    max_vocabulary : int
        Only the most frequent words get ids; the others stay in the text.
    shard_chars : int
        Characters of source text in a shard.
    fields : tuple of str
        What is known of documents beside their text: those that readers were asked for.
    """

    tokenizer: Tokenizer = field(default_factory=Tokenizer)
    language: str = "en"
    function_words: frozenset[str] = frozenset()
    keep_links: bool = False
    keep_duplicates: bool = False
    max_vocabulary: int = 2_000_000
    shard_chars: int = 8_000_000
    fields: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The options as plain values, for a manifest."""
        values = {name: getattr(self, name) for name in self.__slots__ if name != "function_words"}
        values["tokenizer"] = self.tokenizer.to_dict()
        values["function_words"] = digest_of(sorted(self.function_words))
        values["fields"] = list(self.fields)
        if not self.fields:  # as corpora were that know of none
            del values["fields"]
        return values


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest gave and what it passed over."""

    n_documents: int
    n_tokens: int
    n_types: int
    skipped: dict[str, int]
    remarks: dict[str, int]
    examples: dict[str, str]


def ingest_documents(
    documents: Iterable[RawDocument],
    output: Path,
    options: IngestOptions,
    *,
    report: ReadReport | None = None,
    sources: Sequence[str] = (),
    inputs: Sequence[Path] = (),
    workers: int | None = None,
    overwrite: bool = False,
    total_bytes: int | None = None,
    show_progress: bool | None = None,
) -> IngestReport:
    """Write a corpus folder from a stream of documents, which may be larger than memory.

    Their reader counts in ``report`` what it passes over; ``sources`` are names for the manifest.
    The corpus never takes the place of ``inputs``, the files that they come from; the progress is
    measured by the size of these.
    """
    report = ReadReport() if report is None else report
    with _begin_corpus(output, options, sources, inputs, overwrite) as building:
        documents, tokenizer = prepare_documents(documents, options.tokenizer, report)
        if not options.keep_duplicates:
            documents = without_duplicates(documents, report, digest_document, lambda known: known)
        batches = _batches(documents, options.shard_chars, lambda document: len(document.text))
        chosen = replace(options, tokenizer=tokenizer)
        run = _Ingest(building, chosen, report, sources, workers, show_progress)
        if is_remote():
            return run.make(_store_batches(batches, building.scratch), write_stored, total_bytes)
        return run.make(batches, write_documents, total_bytes)


def ingest_files(
    files: Sequence[Path],
    output: Path,
    options: IngestOptions,
    reading: ReadOptions,
    *,
    report: ReadReport,
    workers: int | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> IngestReport:
    """Write a corpus folder from files: read in this process, or in parts by an engine's workers.

    Both give the same corpus.
    """
    sources = [mend_surrogates(file.name) for file in files]
    total_bytes = sum(file.stat().st_size for file in files)
    parts = plan_parts(files, reading) if is_remote() else []
    if len(parts) <= effective_workers(workers):  # too few to be shared
        return ingest_documents(
            read_documents(files, reading, report=report),
            output,
            options,
            report=report,
            sources=sources,
            inputs=files,
            workers=workers,
            overwrite=overwrite,
            total_bytes=total_bytes,
            show_progress=show_progress,
        )
    with _begin_corpus(output, options, sources, files, overwrite) as building:
        beginning = read_documents(files, reading, report=ReadReport())
        _, tokenizer = prepare_documents(beginning, options.tokenizer, ReadReport())
        found = survey_parts(parts, reading, tokenizer.segment, building.scratch, report, workers)
        if not options.keep_duplicates:
            found = without_duplicates(found, report, lambda d: d.digest, Surveyed.read)
        batches = _batches(found, options.shard_chars, lambda document: document.n_chars)
        chosen = replace(options, tokenizer=tokenizer)
        run = _Ingest(building, chosen, report, sources, workers, show_progress)
        return run.make(_select_documents(batches), write_stored, total_bytes)


def _begin_corpus(
    output: Path,
    options: IngestOptions,
    sources: Sequence[str],
    inputs: Sequence[Path],
    overwrite: bool,
) -> AbstractContextManager[Building]:
    identity = [options.to_dict(), list(sources), [identify_file(path) for path in inputs]]
    return output_folder(output, KIND, identity, inputs=inputs, overwrite=overwrite)


@dataclass(frozen=True, slots=True)
class _Ingest:
    """What makes a corpus of what goes into each of its shards."""

    building: Building
    options: IngestOptions
    report: ReadReport
    sources: Sequence[str]
    workers: int | None
    show_progress: bool | None

    def make(
        self, contents: Iterable[Any], write: Callable[..., WrittenShard], total_bytes: int | None
    ) -> IngestReport:
        """Both passes and the manifest; ``write`` makes a shard of a content."""
        with progress_bar("reading", total_bytes, unit="bytes", show=self.show_progress) as advance:
            written = self._write_shards(contents, write, advance)
        if not any(shard.n_tokens for shard in written):
            reasons = "; ".join(self.report.describe())
            raise InputError(f"no words were found in the input ({reasons or 'it is empty'})")
        return self._write_manifest(written, self._number_words(len(written)))

    def _write_shards(
        self, contents: Iterable[Any], write: Callable[..., WrittenShard], advance: Advance
    ) -> list[WrittenShard]:
        """First pass, by the workers."""
        # How far the reader was when it had filled a shard: it runs ahead of the workers, by half
        # of a small input.
        read: list[int] = [0]
        folders = (self.building.folder, self.building.scratch)

        def make_tasks() -> Iterator[tuple[Any, ...]]:
            for number, content in enumerate(contents):
                read.append(self.report.n_bytes)
                places = (shard_folder(folder, number) for folder in folders)
                yield content, *places, self.options.tokenizer, self.options.keep_links

        written: list[WrittenShard] = []
        n_tokens = 0
        for number, shard in enumerate(map_tasks(write, make_tasks(), self.workers)):
            written.append(shard)
            n_tokens += shard.n_tokens
            advance(read[number + 1] - read[number], f"{n_tokens:,} words")
        return written

    def _number_words(self, n_shards: int) -> Vocabulary:
        """Order the vocabulary, and do the second pass."""
        folder = self.building.folder
        places = [shard_folder(self.building.scratch, i) for i in range(n_shards)]
        vocabulary = _merge_counts(places, self.options.max_vocabulary)
        vocabulary.save(folder)
        write_function_words(folder, self.options.function_words)
        tasks = (
            (shard_folder(folder, i), place, vocabulary.ids_of(read_shard_words(place)[0]))
            for i, place in enumerate(places)
        )
        with progress_bar("indexing", n_shards, unit="shards", show=self.show_progress) as advance:
            for _ in map_tasks(finish_shard, tasks, self.workers):
                advance()
        return vocabulary

    def _write_manifest(
        self, written: Sequence[WrittenShard], vocabulary: Vocabulary
    ) -> IngestReport:
        options, report = self.options.to_dict(), self.report
        result = IngestReport(
            n_documents=sum(shard.n_documents for shard in written),
            n_tokens=sum(shard.n_tokens for shard in written),
            n_types=len(vocabulary),
            skipped=dict(sorted(report.skipped.items())),
            remarks=dict(sorted(report.remarks.items())),
            examples=dict(sorted(report.examples.items())),
        )
        fields = {
            "digest": digest_of([options, [shard.source for shard in written]]),
            "options": options,
            "sources": list(self.sources),
            "shards": [{"n_documents": s.n_documents, "n_tokens": s.n_tokens} for s in written],
        }
        write_manifest(self.building.folder, KIND, FORMAT_VERSION, asdict(result) | fields)
        return result


def shard_folder(corpus: Path, number: int) -> Path:
    """Where a shard lies."""
    return corpus / "shards" / f"{number:05d}"


Item = TypeVar("Item")


def _batches(
    items: Iterable[Item], size: int, measure: Callable[[Item], int]
) -> Iterator[list[Item]]:
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


def _store_batches(
    batches: Iterable[list[RawDocument]], scratch: Path
) -> Iterator[tuple[Selection, ...]]:
    """Put documents where workers of other machines find them."""
    for number, batch in enumerate(batches):
        path = scratch / "documents" / f"{number:05d}.zst"
        write_block(path, batch)
        yield (Selection(path, tuple(range(len(batch)))),)


def _select_documents(batches: Iterable[list[Surveyed]]) -> Iterator[tuple[Selection, ...]]:
    for batch in batches:
        yield tuple(
            Selection(block, tuple(document.row for document in documents), first_line)
            for (block, first_line), documents in groupby(batch, lambda d: (d.block, d.first_line))
        )


def _merge_counts(places: Iterable[Path], max_vocabulary: int) -> Vocabulary:
    total: Counter[str] = Counter()
    for place in places:
        words, counts = read_shard_words(place)
        for word, count in zip(words, counts.tolist(), strict=True):
            if count:  # words that occur in phrases alone are no words of the corpus
                total[word] += count
    return Vocabulary.from_counts(total, max_size=max_vocabulary)


def finish_shard(folder: Path, scratch: Path, global_ids: NDArray[np.int32]) -> None:
    """Second pass of a shard: the vocabulary's ids instead of its own, and the index."""
    local = open_array(scratch / LOCAL_TOKENS, np.int32, (None,), mapped=False)
    tokens = global_ids[local] if len(global_ids) else local
    write_token_ids(folder, tokens)
