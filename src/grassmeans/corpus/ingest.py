"""Raw text -> stored corpus, in two passes over shards.

First pass, parallel: documents are cleaned, tokenised and written with ids of the shard's own.
Then all counts are added up and the vocabulary is ordered. Second pass, parallel: the shards get
the vocabulary's ids and their index. What goes into which shard depends on the input alone, so the
result does not depend on the number of workers; finished shards are taken over when an interrupted
run is started again.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import (
    digest_of,
    identify_file,
    write_array,
    write_bytes,
    write_manifest,
)
from grassmeans.corpus.documents import RawDocument, ReadReport
from grassmeans.corpus.encoding import LOCAL_TOKENS, EncodedShard, encode_shard
from grassmeans.corpus.segmenting import prepare_documents
from grassmeans.corpus.shard import write_index
from grassmeans.corpus.tokenizer import Tokenizer
from grassmeans.corpus.vocabulary import Vocabulary
from grassmeans.errors import InputError
from grassmeans.outputs import Building, output_folder
from grassmeans.parallel import map_tasks
from grassmeans.progress import Advance, progress_bar

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
    """

    tokenizer: Tokenizer = field(default_factory=Tokenizer)
    language: str = "en"
    function_words: frozenset[str] = frozenset()
    keep_links: bool = False
    keep_duplicates: bool = False
    max_vocabulary: int = 2_000_000
    shard_chars: int = 8_000_000

    def to_dict(self) -> dict[str, Any]:
        """The options as plain values, for a manifest."""
        values = {name: getattr(self, name) for name in self.__slots__ if name != "function_words"}
        values["tokenizer"] = self.tokenizer.to_dict()
        values["function_words"] = digest_of(sorted(self.function_words))
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
    """Write a corpus folder from a stream of documents.

    Parameters
    ----------
    documents : iterable of RawDocument
        Read once, in order; it may be larger than memory.
    report : ReadReport, optional
        Where the reader of ``documents`` counts what it passes over.
    sources : sequence of str
        Names of the inputs, for the manifest.
    inputs : sequence of paths
        The files that ``documents`` come from: the corpus never takes their place.
    total_bytes : int, optional
        Size of the inputs, by which the progress is measured.
    """
    report = ReadReport() if report is None else report
    identity = [options.to_dict(), list(sources), [identify_file(path) for path in inputs]]
    with output_folder(output, KIND, identity, inputs=inputs, overwrite=overwrite) as building:
        documents, tokenizer = prepare_documents(documents, options.tokenizer, report)
        options = replace(options, tokenizer=tokenizer)
        bar = progress_bar("reading", total_bytes, unit="bytes", show=show_progress)
        with bar as advance:
            encoded = _encode_all(documents, building, options, report, workers, advance)
        if not any(shard.n_tokens for shard in encoded):
            reasons = "; ".join(report.describe())
            raise InputError(f"no words were found in the input ({reasons or 'it is empty'})")
        return _finish_corpus(encoded, building, options, report, sources, workers, show_progress)


def _finish_corpus(
    encoded: Sequence[EncodedShard],
    building: Building,
    options: IngestOptions,
    report: ReadReport,
    sources: Sequence[str],
    workers: int | None,
    show_progress: bool | None,
) -> IngestReport:
    """Order the vocabulary, do the second pass, and write the manifest."""
    folder = building.folder
    vocabulary = _merge_counts(encoded, options.max_vocabulary)
    vocabulary.save(folder)
    write_bytes(folder / "function_words.txt", "\n".join(sorted(options.function_words)).encode())
    tasks = (
        (
            shard_folder(folder, shard.number),
            shard_folder(building.scratch, shard.number),
            vocabulary.ids_of(shard.words),
        )
        for shard in encoded
    )
    with progress_bar("indexing", len(encoded), unit="shards", show=show_progress) as advance:
        for _ in map_tasks(finish_shard, tasks, workers):
            advance()
    result = IngestReport(
        n_documents=sum(shard.n_documents for shard in encoded),
        n_tokens=sum(shard.n_tokens for shard in encoded),
        n_types=len(vocabulary),
        skipped=dict(sorted(report.skipped.items())),
        remarks=dict(sorted(report.remarks.items())),
        examples=dict(sorted(report.examples.items())),
    )
    shards = [{"n_documents": s.n_documents, "n_tokens": s.n_tokens} for s in encoded]
    content = digest_of([options.to_dict(), [shard.source for shard in encoded]])
    fields = {
        "digest": content,
        "options": options.to_dict(),
        "sources": list(sources),
        "shards": shards,
    }
    write_manifest(folder, KIND, FORMAT_VERSION, asdict(result) | fields)
    return result


def shard_folder(corpus: Path, number: int) -> Path:
    """Where a shard lies."""
    return corpus / "shards" / f"{number:05d}"


def _encode_all(
    documents: Iterable[RawDocument],
    building: Building,
    options: IngestOptions,
    report: ReadReport,
    workers: int | None,
    advance: Advance,
) -> list[EncodedShard]:
    unique = documents if options.keep_duplicates else _without_duplicates(documents, report)
    # How far the reader was when it had filled a shard: it runs ahead of the workers, by half of a
    # small input.
    read: list[int] = [0]

    def make_tasks() -> Iterator[tuple[Any, ...]]:
        for number, batch in enumerate(_batches(unique, options.shard_chars)):
            read.append(report.n_bytes)
            places = (shard_folder(place, number) for place in (building.folder, building.scratch))
            yield (batch, *places, number, options.tokenizer, options.keep_links)

    encoded: list[EncodedShard] = []
    n_tokens = 0
    for number, shard in enumerate(map_tasks(encode_shard, make_tasks(), workers)):
        encoded.append(shard)
        n_tokens += shard.n_tokens
        advance(read[number + 1] - read[number], f"{n_tokens:,} words")
    return encoded


def _batches(documents: Iterable[RawDocument], size: int) -> Iterator[list[RawDocument]]:
    batch: list[RawDocument] = []
    length = 0
    for document in documents:
        batch.append(document)
        length += len(document.text)
        if length >= size:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


def _without_duplicates(
    documents: Iterable[RawDocument], report: ReadReport
) -> Iterator[RawDocument]:
    """Leave out documents whose text has been seen; eight bytes a document are remembered."""
    seen: set[bytes] = set()
    for document in documents:
        if document.markup == "redirect":  # many lead to one page
            yield document
            continue
        content = document.text.encode(errors="replace")
        digest = hashlib.blake2b(content, digest_size=8).digest()
        if digest in seen:
            report.skip("duplicate document", document.title or document.id)
            continue
        seen.add(digest)
        yield document


def _merge_counts(encoded: Sequence[EncodedShard], max_vocabulary: int) -> Vocabulary:
    total: Counter[str] = Counter()
    for shard in encoded:
        for word, count in zip(shard.words, shard.counts.tolist(), strict=True):
            if count:  # words that occur in phrases alone are no words of the corpus
                total[word] += count
    return Vocabulary.from_counts(total, max_size=max_vocabulary)


def finish_shard(folder: Path, scratch: Path, global_ids: NDArray[np.int32]) -> None:
    """Second pass of a shard: the vocabulary's ids instead of its own, and the index."""
    local = np.load(scratch / LOCAL_TOKENS, allow_pickle=False)
    tokens = global_ids[local] if len(global_ids) else local
    write_array(folder / "tokens.npy", tokens)
    write_index(folder, tokens)
