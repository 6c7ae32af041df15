"""Layers of grammar are made: of CoNLL-U files that a corpus was read from, or by a pipeline.

What tells the grammar of documents is a `GrammarSource`; each document of the corpus is asked for
once, in order. A document that a source knows nothing of stays without grammar, and is counted.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import numpy as np

from grassmeans.arrays import Integers
from grassmeans.artifacts.temporaries import temporary_folder
from grassmeans.artifacts.writing import write_manifest
from grassmeans.corpus.corpus import Corpus, open_corpus
from grassmeans.corpus.shard import Shard
from grassmeans.errors import InputError
from grassmeans.outputs.ownership import Paths
from grassmeans.outputs.places import output_folder
from grassmeans.progress import progress_bar
from grassmeans_explorer.grammar.layer import (
    FORMAT_VERSION,
    KIND,
    VALUES,
    GrammarLayer,
    ShardGrammar,
    write_shard,
    write_values,
)


@dataclass(frozen=True, slots=True)
class DocumentGrammar:
    """The grammar of a document's tokens, as many as the corpus has."""

    lemma: Sequence[str]
    pos: Sequence[str]
    tag: Sequence[str]
    relation: Sequence[str]
    head: Sequence[int]
    """Where the head of each token stands, from it; 0 for none."""
    sentences: Sequence[int]
    """The numbers of the tokens that begin a sentence."""


class GrammarSource(Protocol):
    """What tells the grammar of documents."""

    @property
    def name(self) -> str:
        """For the manifest."""
        ...

    def describe(self, shard: Shard, corpus: Corpus) -> Iterator[DocumentGrammar | None]:
        """The grammar of each document of a shard, in order; None where nothing is known."""
        ...


class _Values:
    """A list of values that grows, and the numbers of them."""

    def __init__(self) -> None:
        self._numbers = {"": 0}

    def number(self, values: Sequence[str]) -> Integers:
        known = self._numbers
        plain = (" ".join(value.split()) for value in values)
        return np.array([known.setdefault(value, len(known)) for value in plain], np.int32)

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)


def make_layer(
    corpus: Corpus | str | Path,
    output: str | Path,
    source: GrammarSource,
    *,
    inputs: Paths = (),
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> GrammarLayer:
    """Write the grammar of a corpus as a layer beside it.

    `InputError` where the source knows none of its documents.
    """
    opened = open_corpus(corpus)
    values = {name: _Values() for name in VALUES}
    n_described = n_relations = n_missing = 0
    with (
        output_folder(output, KIND, inputs=[opened.path, *inputs], overwrite=overwrite) as building,
        progress_bar("documents", opened.n_documents, unit="documents", show=show_progress) as go,
    ):
        for number, shard in enumerate(opened.shards):
            found = []
            for one in source.describe(shard, opened):
                found.append(one)
                go(1)
            grammar = _collect(shard, found, values)
            write_shard(building.folder, number, grammar)
            n_missing += sum(one is None for one in found)
            n_described += sum(len(one.lemma) for one in found if one is not None)
            n_relations += int((grammar.head != 0).sum())
        if not n_described:
            raise InputError(
                f"{source.name} has the grammar of no document of {opened.path.name}: is it what "
                "the corpus was read from?"
            )
        write_values(building.folder, {name: list(own) for name, own in values.items()})
        about = {
            "corpus": opened.manifest["digest"],
            "source": source.name,
            "shards": [shard.sizes.n_tokens for shard in opened.shards],
            "n_described": n_described,
            "n_relations": n_relations,
            "n_documents_missing": n_missing,
        }
        write_manifest(building.folder, KIND, FORMAT_VERSION, about)
    return GrammarLayer.open(output, opened)


def _collect(
    shard: Shard, documents: Sequence[DocumentGrammar | None], values: dict[str, _Values]
) -> ShardGrammar:
    """The arrays of a shard, zeros where nothing is known; a document begins a sentence."""
    n_tokens = shard.sizes.n_tokens
    numbers = {name: np.zeros(n_tokens, np.int32) for name in VALUES}
    head = np.zeros(n_tokens, np.int32)
    sentences: list[int] = []
    offsets = shard.document_offsets.tolist()
    for document, (start, end) in zip(documents, pairwise(offsets), strict=True):
        if start < end:
            sentences.append(start)
        if document is None:
            continue
        for name in VALUES:
            numbers[name][start:end] = values[name].number(getattr(document, name))
        head[start:end] = document.head
        sentences += [start + place for place in document.sentences if place > 0]
    return ShardGrammar(numbers, head, np.array(sentences, np.int64))


@contextlib.contextmanager
def open_layer(
    corpus: Corpus, layer: str | Path | None = None, pipeline: str | None = None
) -> Iterator[GrammarLayer | None]:
    """A layer in a folder, or one that a spaCy pipeline makes until the block ends, or none."""
    from grassmeans_explorer.grammar.pipeline import PipelineGrammar, load_pipeline

    if layer is not None and pipeline is not None:
        raise InputError("grammar comes from a layer or from a pipeline: name one of them")
    if layer is not None:
        yield GrammarLayer.open(layer, corpus)
    elif pipeline is not None:
        source = PipelineGrammar(load_pipeline(pipeline), pipeline)
        with temporary_folder() as folder:
            yield make_layer(corpus, folder / "grammar", source)
    else:
        yield None
