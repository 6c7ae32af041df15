"""How often lines of a word stand in groups of documents: of a source, a time, or one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.concordance import LineFilter, choose_lines
from grassmeans.explorer.queries.documents import find_groups
from grassmeans.explorer.queries.words import check_query
from grassmeans.explorer.work import Checkpoint

BY_DOCUMENT = "document"
_MOST_DOCUMENTS = 100
_MILLION = 1_000_000
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class GroupFrequency:
    """Lines in a group of documents."""

    group: str
    count: int
    n_words: int  # of all its documents
    # Lines in a million words; an estimate where a sample of the lines was looked at.
    per_million: float | None


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Lines of a word by groups of documents."""

    word: str
    by: str
    total: int  # lines that were looked for
    measured: int | None  # of a sample of the occurrences, its size; None for all of them
    occurrences: int
    left_out: int  # lines in no group, or in documents beyond the first
    groups: tuple[GroupFrequency, ...]


def count_lines(
    opened: OpenModel,
    word: str,
    wanted: LineFilter,
    by: str,
    *,
    checkpoint: Checkpoint | None = None,
) -> Frequencies:
    """Count the lines that pass a filter by groups of documents.

    Parameters
    ----------
    by : str
        A field, a time (``date:decade``), or "document": those with most lines.
    """
    corpus = opened.require_corpus("counting by groups of documents")
    check_query(opened, wanted.search.text)
    grouped = None if by == BY_DOCUMENT else find_groups(opened, by)
    chosen = choose_lines(opened, word, wanted, checkpoint or Checkpoint())
    documents = corpus.documents_of(np.sort(chosen.positions))
    share = chosen.n_looked_at / max(chosen.n_occurrences, 1)
    if grouped is None:
        names, counts, sizes = _count_documents(corpus, documents)
    else:
        groups = np.asarray(grouped.parts[0].groups)
        names = list(grouped.names)
        counts = _count_in_groups(groups[documents], len(names))
        sizes = _count_in_groups(groups, len(names), _count_words(corpus))
    return Frequencies(
        word=chosen.key,
        by=by,
        total=len(chosen.positions),
        measured=chosen.sampled,
        occurrences=chosen.n_occurrences,
        left_out=len(documents) - int(counts.sum()),
        groups=tuple(
            GroupFrequency(
                group=name,
                count=count,
                n_words=size,
                per_million=round(_MILLION * count / size / share, _DIGITS) if size else None,
            )
            for name, count, size in zip(names, counts.tolist(), sizes.tolist(), strict=True)
        ),
    )


def _count_in_groups(
    groups: NDArray[np.int32], n_groups: int, weights: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    kept = groups >= 0
    own = None if weights is None else weights[kept]
    return np.bincount(groups[kept], own, n_groups).astype(np.int64)


def _count_words(corpus: Corpus) -> NDArray[np.int64]:
    """(n_documents,) how many words each document has."""
    return np.concatenate([np.diff(shard.document_offsets) for shard in corpus.shards])


def _count_documents(
    corpus: Corpus, documents: NDArray[np.int64]
) -> tuple[Sequence[str], NDArray[np.int64], NDArray[np.int64]]:
    """Titles, lines and words of the documents with most lines."""
    numbers, counts = np.unique(documents, return_counts=True)
    best = np.argsort(-counts, kind="stable")[:_MOST_DOCUMENTS]
    names = []
    for number in numbers[best].tolist():
        identifier, title, _ = corpus.describe_document(number)
        names.append(title or identifier)
    return names, counts[best], _count_words(corpus)[numbers[best]]
