"""Raw text -> stored corpus, in two passes over shards.

First pass, parallel: documents are cleaned, tokenised and written with ids of the shard's own.
Then all counts are added up and the vocabulary is ordered. Second pass, parallel: the shards get
the vocabulary's ids and their index. What goes into which shard depends on the input alone, so the
result does not depend on the number of workers; finished shards are taken over when an interrupted
run is started again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grassmeans.artifacts.writing import digest_of, identify_file, write_manifest
from grassmeans.corpus.batches import (
    Selection,
    Surveyed,
    cut_batches,
    digest_document,
    prepare_documents,
    select_surveyed,
    store_batches,
    survey_parts,
    without_duplicates,
)
from grassmeans.corpus.shard import shard_folder
from grassmeans.corpus.shard_writing import (
    WrittenShard,
    finish_shard,
    read_shard_words,
    write_shard,
)
from grassmeans.corpus.vocabulary import Vocabulary, write_function_words
from grassmeans.engines.parallel import effective_workers, is_remote, map_tasks
from grassmeans.errors import InputError
from grassmeans.outputs.places import Building, output_folder
from grassmeans.progress import progress_bar
from grassmeans.reading.documents import RawDocument, ReadOptions, ReadReport
from grassmeans.reading.inputs import read_documents
from grassmeans.reading.parts import FilePart, plan_parts
from grassmeans.text.tokenizer import Tokenizer, mend_surrogates

KIND = "corpus"
FORMAT_VERSION = 1

Batches = Iterable[Sequence[RawDocument | Selection]]
"""The documents of each shard, or where they are to be found."""


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """How documents become tokens; part of the corpus's manifest."""

    tokenizer: Tokenizer = field(default_factory=Tokenizer)
    """The token rule."""
    language: str = "en"
    """Name of the function-word list, kept for later steps."""
    function_words: frozenset[str] = frozenset()
    """Contexts leave them out; the corpus does not."""
    keep_links: bool = False
    """Link annotations of wikitext, and where redirect pages lead to."""
    keep_duplicates: bool = False
    """Documents whose text was there before."""
    max_vocabulary: int = 2_000_000
    """Only so many words get ids; the others stay in the text."""
    shard_chars: int = 8_000_000
    """Characters of source text in a shard."""
    fields: tuple[str, ...] = ()
    """What is known of documents beside their text, if asked for."""

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
class Ingest:
    """A corpus that is to be made: where it goes, by which rules, of what and by whom."""

    output: Path
    options: IngestOptions
    report: ReadReport = field(default_factory=ReadReport)  # what readers pass over
    sources: Sequence[str] = ()  # names for the manifest
    inputs: Sequence[Path] = ()  # what the documents come from, which the corpus never replaces
    workers: int | None = None
    overwrite: bool = False
    total_bytes: int | None = None  # of the inputs: the progress is measured by it
    show_progress: bool | None = None

    def take_documents(self, documents: Iterable[RawDocument]) -> None:
        """Write the corpus of a stream of documents, which may be larger than memory."""
        with self._begin() as building:
            documents, tokenizer = prepare_documents(documents, self.options.tokenizer, self.report)
            if not self.options.keep_duplicates:
                documents = without_duplicates(
                    documents, self.report, digest_document, lambda known: known
                )
            size = self.options.shard_chars
            batches = cut_batches(documents, size, lambda document: len(document.text))
            stored = store_batches(batches, building.scratch) if is_remote() else batches
            self._make(building, stored, tokenizer)

    def take_files(self, files: Sequence[Path], reading: ReadOptions) -> None:
        """Write the corpus of files, read here or in parts by an engine's workers."""
        own = replace(
            self,
            sources=[mend_surrogates(file.name) for file in files],
            inputs=files,
            total_bytes=sum(file.stat().st_size for file in files),
        )
        parts = plan_parts(files, reading) if is_remote() else []
        if len(parts) <= effective_workers(self.workers):  # too few to be shared
            own.take_documents(read_documents(files, reading, report=self.report))
        else:
            own._take_parts(parts, reading)

    def _take_parts(self, parts: Sequence[FilePart], reading: ReadOptions) -> None:
        with self._begin() as building:
            beginning = read_documents(self.inputs, reading, report=ReadReport())
            _, tokenizer = prepare_documents(beginning, self.options.tokenizer, ReadReport())
            segment, scratch = tokenizer.segment, building.scratch
            found = survey_parts(parts, reading, segment, scratch, self.report, self.workers)
            if not self.options.keep_duplicates:
                found = without_duplicates(found, self.report, lambda d: d.digest, Surveyed.read)
            batches = cut_batches(found, self.options.shard_chars, lambda d: d.n_chars)
            self._make(building, select_surveyed(batches), tokenizer)

    def _begin(self) -> AbstractContextManager[Building]:
        files = [identify_file(path) for path in self.inputs]
        identity = [self.options.to_dict(), list(self.sources), files]
        return output_folder(
            self.output, KIND, identity, inputs=self.inputs, overwrite=self.overwrite
        )

    def _make(self, building: Building, batches: Batches, tokenizer: Tokenizer) -> None:
        """Both passes and the manifest."""
        written = self._write_shards(building, batches, tokenizer)
        if not any(shard.n_tokens for shard in written):
            reasons = "; ".join(self.report.describe())
            raise InputError(f"no words were found in the input ({reasons or 'it is empty'})")
        vocabulary = self._number_words(building, len(written))
        options = replace(self.options, tokenizer=tokenizer).to_dict()
        passed_over = {
            name: dict(sorted(getattr(self.report, name).items()))
            for name in ("skipped", "remarks", "examples")
        }
        about = {
            "n_documents": sum(shard.n_documents for shard in written),
            "n_tokens": sum(shard.n_tokens for shard in written),
            "n_types": len(vocabulary),
            **passed_over,
            "digest": digest_of([options, [shard.source for shard in written]]),
            "options": options,
            "sources": list(self.sources),
            "shards": [{"n_documents": s.n_documents, "n_tokens": s.n_tokens} for s in written],
        }
        write_manifest(building.folder, KIND, FORMAT_VERSION, about)

    def _write_shards(
        self, building: Building, batches: Batches, tokenizer: Tokenizer
    ) -> list[WrittenShard]:
        """First pass, by the workers."""
        # How far the reader was when it had filled a shard: it runs ahead of the workers, by half
        # of a small input.
        read: list[int] = [0]

        def make_tasks() -> Iterator[tuple[Any, ...]]:
            for number, batch in enumerate(batches):
                read.append(self.report.n_bytes)
                folders = (building.folder, building.scratch)
                places = (shard_folder(folder, number) for folder in folders)
                yield batch, *places, tokenizer, self.options.keep_links

        written: list[WrittenShard] = []
        n_tokens = 0
        show = self.show_progress
        with progress_bar("reading", self.total_bytes, unit="bytes", show=show) as advance:
            for number, shard in enumerate(map_tasks(write_shard, make_tasks(), self.workers)):
                written.append(shard)
                n_tokens += shard.n_tokens
                advance(read[number + 1] - read[number], f"{n_tokens:,} words")
        return written

    def _number_words(self, building: Building, n_shards: int) -> Vocabulary:
        """Order the vocabulary, and do the second pass."""
        places = [shard_folder(building.scratch, i) for i in range(n_shards)]
        most = self.options.max_vocabulary
        vocabulary = Vocabulary.from_counts(_count_words(places), max_size=most)
        vocabulary.save(building.folder)
        write_function_words(building.folder, self.options.function_words)
        tasks = (
            (shard_folder(building.folder, i), place, vocabulary.ids_of(read_shard_words(place)[0]))
            for i, place in enumerate(places)
        )
        with progress_bar("indexing", n_shards, unit="shards", show=self.show_progress) as advance:
            for _ in map_tasks(finish_shard, tasks, self.workers):
                advance()
        return vocabulary


def _count_words(places: Sequence[Path]) -> Counter[str]:
    """How often each word of some shards occurs."""
    total: Counter[str] = Counter()
    for place in places:
        words, counts = read_shard_words(place)
        for word, count in zip(words, counts.tolist(), strict=True):
            if count:  # words that occur in phrases alone are no words of the corpus
                total[word] += count
    return total
