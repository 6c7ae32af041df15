"""Lines of a query or a phrase: by group of documents, by sense, sampled, sorted and paged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from grassmeans.arrays import Booleans, Indices
from grassmeans.corpus.corpus import Corpus
from grassmeans_explorer import limits
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries import searching
from grassmeans_explorer.queries.asking.phrases import check_number, find_senses, require_phrase
from grassmeans_explorer.queries.asking.typed import (
    ask_corpus,
    bound_query,
    find_source,
    told_to_people,
)
from grassmeans_explorer.queries.concordance import find_groups
from grassmeans_explorer.queries.documents import Frequencies, count_documents
from grassmeans_explorer.queries.lines import LINE_WIDTH
from grassmeans_explorer.querying.headwords import Headword
from grassmeans_explorer.querying.matches import Matches
from grassmeans_explorer.querying.matching import Spans
from grassmeans_explorer.querying.phrase_senses import PhraseSenses
from grassmeans_explorer.querying.samples import (
    SampledLine,
    ToldLines,
    choose_rows,
    read_told,
    tell_senses,
    thin_spans,
)
from grassmeans_explorer.work import begin_long_work, checkpoint

BY_SENSE = "sense"
SORT_PATTERN = "^(position|sense|document|left[123]|right[123]|field:[^\\x00-\\x1f]{1,80})$"


@dataclass(frozen=True, slots=True)
class MatchWish:
    """Which lines, and in which order."""

    query: str
    typed: bool = False  # a phrase as it is typed, not a query
    # Of the phrase's own senses, so many (None: as the data say): only this one; 0: "don't know".
    n_senses: int | None = None
    sense: int | None = None
    by: str = ""
    group: str = ""
    sort: str = searching.POSITION
    sample: int | None = None  # so many of these lines, at random
    seed: int = 0
    stratified: bool = False  # the same share of every sense

    @property
    def needs_senses(self) -> bool:
        """Whether the senses of all lines must be known."""
        return self.sort == BY_SENSE or (self.stratified and self.sample is not None)


@dataclass(frozen=True, slots=True)
class MatchedLine:
    """A match, and the sense of its first word that has senses, or of the phrase."""

    position: int
    end: int
    document: str
    left: str
    word: str
    right: str
    of_word: str  # whose sense it is; empty where there is none
    sense: int | None  # 0 for "I don't know"
    sense_name: str
    fields: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MatchedLines:
    """A page of lines."""

    query: str
    total: int  # lines on all pages
    found: int  # matches in the corpus, before any choice
    is_complete: bool  # whether these are all that the corpus has
    looked_at: int | None  # where senses had to be told of a random part: its size
    lines: tuple[MatchedLine, ...]


@dataclass(frozen=True, slots=True)
class _Chosen:
    asked: Headword | Matches | PhraseSenses
    spans: Spans  # in the order that was asked for
    n_found: int
    looked_at: int | None


def find_matched(
    opened: OpenModel,
    wish: MatchWish,
    *,
    offset: int = 0,
    limit: int = 50,
    width: int = LINE_WIDTH,
) -> MatchedLines:
    """One page of the lines of a query or a phrase."""
    if width > (most := opened.limits.request.line_characters):
        raise limits.TooMuchError(f"a line has at most {most} characters on a side, got {width:,}")
    corpus = opened.require_corpus("asking the corpus")
    chosen = _choose(opened, wish)
    rows = slice(offset, offset + limit)
    starts, ends = chosen.spans.starts[rows], chosen.spans.ends[rows]
    order = np.argsort(starts, kind="stable")
    told = _tell(opened, chosen.asked, Spans(starts[order], ends[order], True))
    read = read_told(corpus, told[np.argsort(order, kind="stable")], width)
    is_complete = chosen.spans.is_complete
    counts = len(chosen.spans), chosen.n_found, is_complete, chosen.looked_at
    return MatchedLines(wish.query, *counts, tuple(map(_show, read)))


def count_matched(opened: OpenModel, wish: MatchWish, by: str) -> Frequencies:
    """The lines counted by document, or by groups of documents."""
    corpus = opened.require_corpus("counting by groups of documents")
    chosen = _choose(opened, wish)
    documents = corpus.documents_of(np.sort(chosen.spans.starts))
    share = 1.0 if chosen.looked_at is None else chosen.looked_at / max(chosen.n_found, 1)
    rows, left_out = count_documents(opened, documents, by, share)
    counts = len(documents), chosen.looked_at, chosen.n_found
    return Frequencies(wish.query, by, *counts, left_out, rows)


def list_rows(lines: Iterable[MatchedLine]) -> list[dict[str, object]]:
    """The lines as rows of a table; a field that is called as a column is renamed."""
    names = ("position", "document", "left", "word", "right", "of_word", "sense", "sense_name")
    rows = []
    for line in lines:
        own = {name: getattr(line, name) for name in names}
        rows.append(own | {f"document_{k}" if k in own else k: v for k, v in line.fields.items()})
    return rows


def _show(told: SampledLine) -> MatchedLine:
    line = told.line
    text = line.document, line.left, line.match, line.right
    sense = told.word, told.sense, told.name
    return MatchedLine(line.start, line.end, *text, *sense, dict(line.fields))


def _choose(opened: OpenModel, wish: MatchWish) -> _Chosen:
    """The lines that are wanted, in order."""
    asked, spans = _find(opened, wish)
    n_found, looked_at = len(spans), None
    if wish.sort != searching.POSITION or wish.by or wish.sample:
        begin_long_work()
    corpus = opened.require_corpus("asking the corpus")
    if isinstance(asked, PhraseSenses):
        n_found = require_phrase(opened, wish.query).count
        looked_at = len(spans) if len(spans) < n_found else None
        spans = _keep(spans, asked.senses == wish.sense)
    if wish.by:
        spans = _keep(spans, _is_in_group(opened, spans, wish))
    senses = None
    if wish.needs_senses:
        encoded = opened.base.encoder.worth_keeping
        work = opened.limits.work
        most = work.encoded_lines if encoded else work.measured_lines
        if len(spans) > most:
            spans, looked_at = thin_spans(spans, most, wish.seed), most
        checkpoint(0.2)
        senses = _tell(opened, asked, spans).senses
    if wish.sample is not None:
        alike = np.zeros(len(spans), np.int64) if senses is None else senses
        rows = choose_rows(alike, wish.sample, wish.seed, stratified=wish.stratified)
        spans, senses = _take(spans, rows), None if senses is None else senses[rows]
    checkpoint(0.8)
    if wish.sort == BY_SENSE and senses is not None:
        order = np.argsort(senses, kind="stable")
    else:
        order = _order(corpus, spans, wish.sort)
    return _Chosen(asked, _take(spans, order), n_found, looked_at)


def _find(opened: OpenModel, wish: MatchWish) -> tuple[Headword | Matches | PhraseSenses, Spans]:
    check_number(opened, wish.n_senses)
    if not wish.typed:
        if wish.sense is not None:
            raise limits.ConflictError('a query names senses itself: [word="crane" & sense="1"]')
        found = ask_corpus(opened, wish.query)
        return found, found.spans
    phrase = require_phrase(opened, wish.query)
    if wish.sense is None:
        return phrase, phrase.spans
    senses = find_senses(opened, wish.query, wish.n_senses)
    if wish.sense > senses.entry.n_senses:
        raise limits.NothingThereError(f"{phrase.word!r} has no sense {wish.sense} here")
    positions = senses.positions
    return senses, Spans(positions, positions + phrase.length, phrase.is_complete)


def _tell(opened: OpenModel, asked: Headword | Matches | PhraseSenses, spans: Spans) -> ToldLines:
    with told_to_people():
        return tell_senses(find_source(opened), asked, spans, bound_query(opened))


def _is_in_group(opened: OpenModel, spans: Spans, wish: MatchWish) -> Booleans:
    documents = find_groups(opened, wish.by)
    if wish.group not in documents.names:
        raise limits.NothingThereError(f"there is no group {wish.group!r} by {wish.by!r}")
    corpus = opened.require_corpus("grouping documents")
    groups = documents.parts[0].groups[corpus.documents_of(spans.starts)]
    chosen: Booleans = groups == documents.names.index(wish.group)
    return chosen


def _keep(spans: Spans, chosen: Booleans) -> Spans:
    return _take(spans, np.flatnonzero(chosen))


def _take(spans: Spans, rows: Indices) -> Spans:
    return replace(spans, starts=spans.starts[rows], ends=spans.ends[rows])


def _order(corpus: Corpus, spans: Spans, sort: str) -> Indices:
    """(n,) rows in order: to the right it is the words behind the last one of a match."""
    if not sort.startswith("right"):
        return searching.order_positions(corpus, spans.starts, sort)
    by_end = np.argsort(spans.ends, kind="stable")
    last = spans.ends[by_end] - 1
    return by_end[searching.order_positions(corpus, last, sort)]
