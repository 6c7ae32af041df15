"""What a query has found: matches with their places, lines, and counts by document."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Indices
from grassmeans.corpus.corpus import Corpus, open_corpus
from grassmeans.models.model import SenseModel, open_model
from grassmeans.results import ColumnTypes, Tabular, types_of
from grassmeans_explorer.querying.conditions import UnknownAttributeError
from grassmeans_explorer.querying.language import QueryError, parse_query
from grassmeans_explorer.querying.lines import WIDTH, SpanLine, read_line
from grassmeans_explorer.querying.matching import QueryLimits, Spans, find_spans
from grassmeans_explorer.querying.source import QuerySource, TokenLayer

_MILLION = 1e6
_TOLD = ("start", "end", "document", "left", "match", "right")


@dataclass(frozen=True, slots=True)
class DocumentCount:
    """How often a query matches in a document."""

    number: int
    """Of the document in the corpus, from 0."""
    document: str
    """Its title, or its id where it has none."""
    count: int
    n_tokens: int
    """Of the document."""
    per_million: float
    """Matches in a million tokens of it."""


@dataclass(frozen=True, slots=True)
class Matches(Tabular):
    """The matches of a query; as a table, their first hundred lines."""

    query: str
    corpus: Corpus
    spans: Spans

    def __repr__(self) -> str:
        more = "" if self.is_complete else " and more"
        return f"Matches({self.query!r}: {len(self):,}{more})"

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def is_complete(self) -> bool:
        """Whether these are all that there are."""
        return self.spans.is_complete

    def rows(self) -> list[dict[str, Any]]:
        """``start``, ``end``, ``document``, ``left``, ``match``, ``right``."""
        return [line_row(line) for line in self.lines()]

    def column_types(self) -> ColumnTypes:
        """The columns of such rows."""
        return line_types()

    def lines(self, offset: int = 0, limit: int = 100, width: int = WIDTH) -> tuple[SpanLine, ...]:
        """The lines of some of the matches, in text order."""
        part = slice(offset, offset + limit)
        pairs = zip(self.spans.starts[part].tolist(), self.spans.ends[part].tolist(), strict=True)
        return tuple(read_line(self.corpus, start, end, width) for start, end in pairs)

    @property
    def documents(self) -> Indices:
        """(n,) the number of each match's document."""
        return self.corpus.documents_of(self.spans.starts)

    def count_by_document(self) -> tuple[DocumentCount, ...]:
        """The documents that have a match, those with most matches first."""
        numbers, counts = np.unique(self.documents, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        found = []
        for number, count in zip(numbers[order].tolist(), counts[order].tolist(), strict=True):
            shard, local = self.corpus.find_document(number)
            first, end = shard.document_offsets[local : local + 2].tolist()
            identifier, title = shard.metadata[local]
            share = round(_MILLION * count / (end - first), 1)
            found.append(DocumentCount(number, title or identifier, count, end - first, share))
        return tuple(found)


def line_types() -> ColumnTypes:
    """The columns of `line_row`, but for fields of documents."""
    return types_of(SpanLine, *_TOLD)


def line_row(line: SpanLine) -> dict[str, Any]:
    """A line as plain values; a field of the document that is called as a column is renamed."""
    own = {name: getattr(line, name) for name in _TOLD}
    return own | {f"document_{k}" if k in own else k: v for k, v in line.fields.items()}


def find_matches(
    corpus: Corpus | str | Path | QuerySource,
    query: str,
    *,
    model: SenseModel | str | Path | None = None,
    layer: TokenLayer | None = None,
    limits: QueryLimits | None = None,
) -> Matches:
    """Look for a query in a corpus; from every place at which a match begins, the longest.

    Parameters
    ----------
    corpus : Corpus, path or QuerySource
        A `QuerySource` keeps what it has learned of lemmas for the next query; it has its model and
        layer already.
    query : str
        As `grassmeans_explorer.querying.language` tells: ``[lemma="bank"] []{0,3} "river"``.
    model : SenseModel, path or name, optional
        Whose senses ``sense="2"`` means, in a corpus that is not labelled.
    layer : TokenLayer, optional
        Tags and lemmas of single tokens.
    limits : QueryLimits, optional
        Of time and of matches.

    Raises
    ------
    QueryError
        Where the query cannot be read, or names what this corpus does not have: with the column.
    SlowQueryError, SlowPatternError
        Where it takes longer than it may.
    InputError
        Where the lemmas of this corpus are not known.
    """
    parsed = parse_query(query)
    source = corpus
    if not isinstance(source, QuerySource):
        opened = None if model is None else open_model(model)
        source = QuerySource(open_corpus(source), opened, layer)
    try:
        return Matches(query, source.corpus, find_spans(source, parsed, limits))
    except UnknownAttributeError as error:
        raise QueryError(str(error), query, error.place) from error
