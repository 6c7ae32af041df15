"""Samples of lines: of a word, a phrase or a query, of some senses, of a group of documents.

A sample is the same for a seed, and a smaller one is a part of a larger one, unless every sense has
its share of the lines. Senses are told of a random part of very many lines.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Booleans, Indices
from grassmeans.change.grouping import group_documents
from grassmeans.corpus.corpus import Corpus, open_corpus
from grassmeans.errors import InputError
from grassmeans.geometry.windows import sample_positions
from grassmeans.models.model import SenseModel, open_model
from grassmeans.results import ColumnTypes, Tabular
from grassmeans.senses.inventory import SenseInventory
from grassmeans_explorer.querying.headwords import Headword, understand
from grassmeans_explorer.querying.lines import WIDTH, SpanLine, read_line
from grassmeans_explorer.querying.matches import Matches, find_matches, line_row, line_types
from grassmeans_explorer.querying.matching import Clock, QueryLimits, Spans
from grassmeans_explorer.querying.phrase_senses import PhraseSenses, find_phrase_senses
from grassmeans_explorer.querying.source import NO_SENSE, QuerySource, ShardReader

MAX_CONTEXTS = 20_000
"""Lines whose senses are told, a random part of more."""
_QUERY_BEGINS = ('"', "[", "(")

Lines = str | Headword | Matches | PhraseSenses
"""What lines are drawn from; a text is a query where it begins with one of ``"[(``, or typed."""


@dataclass(frozen=True, slots=True)
class SampledLine:
    """A line with the sense of its word."""

    line: SpanLine
    word: str
    """The word of the model that the sense belongs to; empty where there is none."""
    sense: int | None
    """0 for "I don't know"; None where no sense was told."""
    name: str
    """What the sense is called."""


@dataclass(frozen=True, slots=True)
class LineSample(Tabular):
    """Lines drawn at random, in text order."""

    asked: str
    n_lines: int
    """All lines of what was asked for, in the group."""
    n_fitting: int
    """Those that pass all filters, among the ones whose senses were told."""
    n_looked_at: int
    """Lines whose senses were told; 0 where that was not needed to choose."""
    lines: tuple[SampledLine, ...]

    def __repr__(self) -> str:
        return f"LineSample({self.asked!r}: {len(self.lines):,} of {self.n_fitting:,} lines)"

    def rows(self) -> list[dict[str, Any]]:
        """A line a row, with ``sense`` and ``sense_name``, then the fields of its document."""
        told = []
        for one in self.lines:
            row = line_row(one.line)
            own = {name: row.pop(name) for name in list(row)[:6]}
            senses = {"word": one.word, "sense": one.sense, "sense_name": one.name}
            fields = {f"document_{k}" if k in senses else k: v for k, v in row.items()}
            told.append(own | senses | fields)
        return told

    def column_types(self) -> ColumnTypes:
        """The columns of such rows."""
        return line_types() | {"word": str, "sense": int, "sense_name": str}


@dataclass(frozen=True, slots=True)
class SampleWish:
    """Which lines, and how many."""

    size: int = 50
    senses: Collection[int] = ()
    """Only these; 0 is "I don't know". Empty for lines of any sense."""
    by: str = ""
    """What groups documents: ``source``, ``date:decade``."""
    group: str = ""
    """Only lines of documents in this group."""
    stratified: bool = False
    """Whether every sense has the same share of the lines, as far as it has so many."""
    random_state: int = 0
    max_contexts: int = MAX_CONTEXTS
    width: int = WIDTH
    limits: QueryLimits = field(default_factory=QueryLimits)


@dataclass(frozen=True, slots=True)
class ToldLines:
    """Stretches of tokens with the senses of their words; asked by rows, some of them."""

    spans: Spans
    senses: Indices  # (n,) `NO_SENSE` where there is none
    words: Indices  # (n,) numbers of ``names``, -1 for none
    names: Sequence[str]
    inventory: SenseInventory | None = None  # what senses are called

    def __getitem__(self, rows: Indices | Booleans) -> ToldLines:
        spans = Spans(self.spans.starts[rows], self.spans.ends[rows], self.spans.is_complete)
        return replace(self, spans=spans, senses=self.senses[rows], words=self.words[rows])


def sample_lines(
    corpus: Corpus | str | Path,
    asked: Lines,
    wish: SampleWish | None = None,
    *,
    model: SenseModel | str | Path | None = None,
) -> LineSample:
    """Draw lines at random.

    Parameters
    ----------
    corpus : Corpus or path
    asked : str, Headword, Matches or PhraseSenses
        A word or phrase as it is typed, a query, or what was found before.
    wish : SampleWish, optional
        Which of its lines, and how many.
    model : SenseModel, path or name, optional
        Whose senses lines have: of a query, that of the first word with senses in each match. A
        phrase has no sense of its words; where lines are chosen by sense, those of the phrase are
        induced with the model's contexts.
    """
    wanted = wish or SampleWish()
    opened = open_corpus(corpus)
    source = QuerySource(opened, None if model is None else open_model(model))
    if wanted.size < 1:
        raise InputError(f"a sample has 1 line or more, got {wanted.size}")
    has_senses = model is not None or opened.is_labelled or isinstance(asked, PhraseSenses)
    if (wanted.senses or wanted.stratified) and not has_senses:
        raise InputError("senses of lines need a model, or a labelled corpus: name the model")
    asked = _resolve(source, asked, wanted)
    name, spans = _list_spans(asked)
    spans = _choose_group(opened, spans, wanted)
    n_lines, n_looked_at = len(spans.starts), 0
    seed = wanted.random_state
    if wanted.senses or wanted.stratified:
        spans = thin_spans(spans, wanted.max_contexts, seed)
        n_looked_at = len(spans.starts)
        told = tell_senses(source, asked, spans, wanted.limits)
        if wanted.senses:
            told = told[np.isin(told.senses, list(wanted.senses))]
        n_fitting = len(told.senses)
        told = told[choose_rows(told.senses, wanted.size, seed, stratified=wanted.stratified)]
    else:
        n_fitting = n_lines
        told = tell_senses(source, asked, thin_spans(spans, wanted.size, seed), wanted.limits)
    return LineSample(name, n_lines, n_fitting, n_looked_at, read_told(opened, told, wanted.width))


def choose_rows(
    senses: Indices, size: int, random_state: int = 0, *, stratified: bool = False
) -> Indices:
    """Rows drawn at random, in order: of all, or the same share of each sense where there are.

    What a rare sense cannot give goes to the others.
    """
    rows = np.arange(len(senses), dtype=np.int64)
    if not stratified:
        return sample_positions(rows, size, random_state)
    numbers, counts = np.unique(senses, return_counts=True)
    order = np.argsort(counts, kind="stable")
    chosen, left = [np.empty(0, np.int64)], size
    for done, i in enumerate(order.tolist()):
        share = min(int(counts[i]), left // (len(order) - done))
        own = rows[senses == numbers[i]]
        chosen.append(sample_positions(own, share, [random_state, int(numbers[i]) + 1]))
        left -= share
    return np.sort(np.concatenate(chosen))


def _resolve(
    source: QuerySource, asked: Lines, wanted: SampleWish
) -> Headword | Matches | PhraseSenses:
    """What a text asks for; a phrase with its own senses, where lines are chosen by them."""
    if isinstance(asked, str):
        if asked.lstrip().startswith(_QUERY_BEGINS):
            return find_matches(source, asked, limits=wanted.limits)
        asked = understand(source.corpus, asked, model=source.model, limits=wanted.limits)
    if not isinstance(asked, Headword):
        return asked
    if not asked.count:
        raise InputError(asked.reason or f"{asked.asked!r} does not occur")
    if asked.length > 1 and source.model is not None and (wanted.senses or wanted.stratified):
        return find_phrase_senses(
            source.corpus, asked, source.model, random_state=wanted.random_state
        )
    return asked


def _list_spans(asked: Headword | Matches | PhraseSenses) -> tuple[str, Spans]:
    """What is asked for by its name, and all its stretches of tokens."""
    if isinstance(asked, PhraseSenses):
        length = asked.phrase.count(" ") + 1
        return asked.phrase, Spans(asked.positions, asked.positions + length, True)
    return asked.query if isinstance(asked, Matches) else asked.word, asked.spans


def _choose_group(corpus: Corpus, spans: Spans, wanted: SampleWish) -> Spans:
    if not wanted.by:
        return spans
    documents = group_documents(corpus, wanted.by)
    if wanted.group not in documents.names:
        known = ", ".join(documents.names)
        raise InputError(f"there is no group {wanted.group!r} by {wanted.by!r}: {known}")
    groups = documents.parts[0].groups[corpus.documents_of(spans.starts)]
    own = groups == documents.names.index(wanted.group)
    return Spans(spans.starts[own], spans.ends[own], spans.is_complete)


def thin_spans(spans: Spans, size: int, random_state: int) -> Spans:
    """A random part of spans, in order; all of them where they are not so many."""
    rows = sample_positions(np.arange(len(spans.starts)), size, random_state)
    return Spans(spans.starts[rows], spans.ends[rows], spans.is_complete)


def tell_senses(
    source: QuerySource,
    asked: Headword | Matches | PhraseSenses,
    spans: Spans,
    limits: QueryLimits,
) -> ToldLines:
    """The senses of lines: of the first word in each that has senses; none of a phrase's words.

    Where a phrase has senses of its own, the spans are among those that were looked at.
    """
    n = len(spans.starts)
    senses, words = np.full(n, NO_SENSE, np.int64), np.full(n, -1, np.int64)
    if isinstance(asked, PhraseSenses):
        senses = asked.senses[np.searchsorted(asked.positions, spans.starts)]
        return ToldLines(
            spans, senses, np.zeros(n, np.int64), [asked.entry.word], asked.model.inventory
        )
    is_labelled = source.corpus.is_labelled
    is_phrase = isinstance(asked, Headword) and asked.length > 1
    if is_phrase or (source.model is None and not is_labelled):
        return ToldLines(spans, senses, words, [])
    clock = Clock(limits)
    readers: dict[int, ShardReader] = {}
    for step in range(int((spans.ends - spans.starts).max(initial=0))):
        rows = np.flatnonzero((senses == NO_SENSE) & (spans.starts + step < spans.ends))
        for part, shard, local in source.corpus.split_positions(spans.starts[rows] + step):
            if len(local):
                number = source.corpus.shards.index(shard)
                if number not in readers:
                    readers[number] = source.open_shard(number, clock.check)
                reader = readers[number]
                senses[rows[part]] = reader.senses_at(local)
                tokens = reader.tokens[local]
                words[rows[part]] = tokens if is_labelled else source.entry_numbers[0][tokens]
    words[senses == NO_SENSE] = -1
    names = source.words if is_labelled else source.entry_numbers[1]
    return ToldLines(
        spans, senses, words, names, None if source.model is None else source.model.inventory
    )


def read_told(corpus: Corpus, told: ToldLines, width: int) -> tuple[SampledLine, ...]:
    """The text of lines, with the names of their senses."""
    found = []
    columns = (told.spans.starts, told.spans.ends, told.senses, told.words)
    for start, end, sense, number in zip(*(x.tolist() for x in columns), strict=True):
        line = read_line(corpus, start, end, width)
        word = told.names[number] if number >= 0 else ""
        name = ""
        if sense > 0 and told.inventory is not None and word in told.inventory:
            name = told.inventory.names_of(word).get(sense, "")
        found.append(SampledLine(line, word, None if sense == NO_SENSE else sense, name))
    return tuple(found)
