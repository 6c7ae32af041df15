"""Documents of the corpus: one to read, and how often lines of a word stand in which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.explorer.limits import NothingThereError
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.changes import find_groups
from grassmeans.explorer.queries.concordance import LineFilter, choose_lines
from grassmeans.explorer.queries.lookup import check_typed
from grassmeans.explorer.work import UNLIMITED, Checkpoint

BY_DOCUMENT = "document"
_MOST_DOCUMENTS = 100
_MILLION = 1_000_000
_DIGITS = 3
_CHARACTERS_A_WORD = 6
"""About, with the space behind it: how far to go for the text before or after."""


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A stretch of a document around an occurrence.

    Attributes
    ----------
    text : str
        Line breaks part its paragraphs.
    start, end : int
        Characters of the occurrence in the text.
    cut_before, cut_after : bool
        Whether the document goes on beyond the text.
    earlier, later : int or None
        Positions to ask for, to read on there.
    fields : mapping of str to str
        What else is known of the document: a date, a source.
    """

    document: str
    title: str
    text: str
    start: int
    end: int
    cut_before: bool
    cut_after: bool
    earlier: int | None = None
    later: int | None = None
    fields: dict[str, str] = field(default_factory=dict)


def show_document(opened: OpenModel, position: int) -> DocumentView:
    """The text around the token at a position of the corpus."""
    corpus = opened.require_corpus("reading a document")
    if not 0 <= position < corpus.n_tokens:
        raise NothingThereError(
            f"position {position} is outside the corpus of {corpus.n_tokens:,} words"
        )
    width = opened.limits.request.document_characters
    line = corpus.line_at(position, width, keep_breaks=True)
    shard, local = corpus.locate(position)
    first, end = (
        shard.first_position + int(bound[0]) for bound in shard.document_bounds(np.array([local]))
    )
    step = 2 * width // _CHARACTERS_A_WORD
    start = len(line.left)
    cut_before, cut_after = len(line.left) >= width, len(line.right) >= width
    return DocumentView(
        document=line.document_id,
        title=line.document_title,
        text=f"{line.left}{line.word}{line.right}",
        start=start,
        end=start + len(line.word),
        cut_before=cut_before,
        cut_after=cut_after,
        earlier=max(first, position - step) if cut_before else None,
        later=min(end - 1, position + step) if cut_after else None,
        fields=dict(line.fields),
    )


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
    opened: OpenModel, word: str, wanted: LineFilter, by: str, *, check: Checkpoint = UNLIMITED
) -> Frequencies:
    """Count the lines that pass a filter by groups of documents.

    These are by a field, a time (``date:decade``), or "document": those with most lines.
    """
    corpus = opened.require_corpus("counting by groups of documents")
    check_typed(opened, wanted.search.text, "a search")
    grouped = None if by == BY_DOCUMENT else find_groups(opened, by)
    chosen = choose_lines(opened, word, wanted, check)
    documents = corpus.documents_of(np.sort(chosen.positions))
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
            GroupFrequency(name, count, size, _per_million(count, size, chosen.share))
            for name, count, size in zip(names, counts.tolist(), sizes.tolist(), strict=True)
        ),
    )


def _per_million(count: int, size: int, share: float) -> float | None:
    return round(_MILLION * count / size / share, _DIGITS) if size else None


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
