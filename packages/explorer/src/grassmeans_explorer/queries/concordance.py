"""Keyword-in-context lines of a word with the sense of each, filtered, sorted and paged.

With a corpus every occurrence is there. Plain paging reads only the lines of the page; filters and
orders that need the senses measure the word's occurrences once (of very many a random sample, see
`grassmeans_explorer.queries.occurrences`) and remember the distances. Without a corpus the lines
are the model's examples.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from grassmeans.arrays import Booleans, Floats, Indices
from grassmeans.change.grouping import GroupedDocuments, group_documents
from grassmeans.errors import InputError
from grassmeans_explorer import limits
from grassmeans_explorer.limits import BoundedCache, Kept
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries import occurrences, searching
from grassmeans_explorer.queries.induce import model_with
from grassmeans_explorer.queries.lines import (
    LINE_WIDTH,
    SPREAD,
    Line,
    find_documents,
    read_lines,
    spread_documents,
    stored_lines_of,
)
from grassmeans_explorer.queries.lookup import check_typed
from grassmeans_explorer.queries.occurrences import LineSample, MeasuredWord, measure_word
from grassmeans_explorer.queries.words import check_sense, require_word
from grassmeans_explorer.work import begin_long_work

_FEW = 8
_GROUPS: Kept[BoundedCache[GroupedDocuments]] = Kept(lambda _: BoundedCache(_FEW))
_SEARCHES: Kept[BoundedCache[Booleans]] = limits.bound_bytes(
    lambda memory: memory.search_bytes, lambda found: found.nbytes
)


@dataclass(frozen=True, slots=True)
class LineFilter:
    """Which lines, and in which order."""

    sense: int | None = None  # 0 is "I don't know"
    idk_only: bool = False  # the same as sense=0
    min_confidence: float = 0.0
    # What must stand near the occurrence. Without a corpus: text that the line must contain.
    search: searching.Search = field(default_factory=searching.Search)
    sort: str = searching.POSITION  # see `SORT_PATTERN`
    n_senses: int | None = None  # induced anew, so many; None for the model's
    # Only lines of documents in this group, as "date:decade" or a field tells it.
    by: str = ""
    group: str = ""
    # Which occurrences are looked at in the first place.
    sample: LineSample = occurrences.EVERYTHING

    @property
    def needs_senses(self) -> bool:
        """Whether the senses of all lines must be known."""
        chosen = self.sense is not None or self.idk_only or self.min_confidence > 0.0
        return chosen or self.sort in searching.BY_SENSE


@dataclass(frozen=True, slots=True)
class Lines:
    """A page of lines."""

    total: int  # lines on all pages
    # Where the lines come from a sample of the word's occurrences: its size. None otherwise.
    measured: int | None
    lines: tuple[Line, ...]
    occurrences: int = 0  # of the word in the corpus; without one, example lines
    # What the senses of these lines are called, by their numbers.
    names: Mapping[int, str] = field(default_factory=dict)
    forms: tuple[str, ...] = ()  # the other words that a form with a wildcard stands for

    @classmethod
    def of(cls, chosen: ChosenLines, shown: tuple[Line, ...]) -> Lines:
        """Some of the lines that were chosen."""
        counts = len(chosen.positions), chosen.sampled, shown, chosen.n_occurrences
        return cls(*counts, _name_senses(shown, chosen.names), chosen.forms)


@dataclass(frozen=True, slots=True)
class Examples:
    """A page of the lines of one sense; ``total`` counts all pages."""

    total: int
    examples: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class ChosenLines:
    """The lines of a word that pass a filter."""

    key: str
    directions: Floats  # (n_senses, dim), none for a word that only the corpus has
    positions: Indices  # (n,) in the order that was asked for
    measured: MeasuredWord | None  # the same with senses, where they had to be told
    n_looked_at: int
    n_occurrences: int
    names: Mapping[int, str] = field(default_factory=dict)  # of the senses, by their numbers
    forms: tuple[str, ...] = ()  # as of `Lines`

    @property
    def share(self) -> float:
        """Which part of the word's occurrences was looked at."""
        return self.n_looked_at / max(self.n_occurrences, 1)

    @property
    def sampled(self) -> int | None:
        """The size of the sample, where it is one."""
        return self.n_looked_at if self.n_looked_at < self.n_occurrences else None


def choose_lines(opened: OpenModel, word: str, wanted: LineFilter) -> ChosenLines:
    """The lines of a word that pass a filter, in order; needs a corpus."""
    corpus = opened.require_corpus("looking at lines")
    is_plain = not wanted.search and wanted.sort == searching.POSITION
    if not is_plain:
        begin_long_work()
    key, directions, names = _find_senses(opened, word, wanted)
    n_all = occurrences.count_occurrences(opened, key, wanted.sample)
    forms = occurrences.list_forms(opened, key, wanted.sample)
    if not wanted.needs_senses:
        most = None if is_plain else opened.limits.work.searched_lines
        positions = occurrences.choose_positions(opened, key, wanted.sample, most)
        kept = positions[_pass_words(opened, key, positions, wanted)]
        kept = kept[searching.order_positions(corpus, kept, wanted.sort)]
        return ChosenLines(key, directions, kept, None, len(positions), n_all, names, forms)
    measured = measure_word(opened, key, directions, wanted.sample)
    passes = _pass_words(opened, key, measured.positions, wanted)
    passes &= measured.confidence >= wanted.min_confidence
    if wanted.sense is not None:
        passes &= measured.senses == wanted.sense
    if wanted.idk_only:
        passes &= measured.senses == 0
    found = measured[passes]
    if wanted.sort == "sense":
        order = np.lexsort((-found.confidence, found.senses))
    elif wanted.sort in searching.BY_SENSE:  # the surest first, or the least sure
        sign = 1 if wanted.sort == "unsure" else -1
        order = np.argsort(sign * found.confidence, kind="stable")
    else:
        order = searching.order_positions(corpus, found.positions, wanted.sort)
    found = found[order]
    counts = len(measured.positions), n_all
    return ChosenLines(key, directions, found.positions, found, *counts, names, forms)


def _find_senses(
    opened: OpenModel, word: str, wanted: LineFilter
) -> tuple[str, Floats, Mapping[int, str]]:
    """A word's key, the directions of its senses and what they are called.

    There are none for a word that only the corpus has.
    """
    try:
        model, key = model_with(opened, word, wanted.n_senses)
    except limits.WordNotFoundError:
        key = opened.key_of(word)
        if wanted.needs_senses or wanted.n_senses is not None or not opened.is_in_corpus(key):
            raise
        return key, opened.no_directions, {}
    return key, model.inventory.directions(key), model.inventory.names_of(key)


def _name_senses(lines: tuple[Line, ...], names: Mapping[int, str]) -> dict[int, str]:
    """The names of the senses that lines have."""
    return {number: names.get(number, "") for number in sorted({x.sense for x in lines} - {0})}


def _pass_words(opened: OpenModel, key: str, positions: Indices, wanted: LineFilter) -> Booleans:
    """(n,) which occurrences pass what has nothing to do with senses: group and search."""
    passes = np.ones(len(positions), np.bool_)
    corpus = opened.require_corpus("looking at lines")
    if wanted.by:
        documents = find_groups(opened, wanted.by)
        if wanted.group not in documents.names:
            raise limits.NothingThereError(f"there is no group {wanted.group!r} by {wanted.by!r}")
        groups = documents.parts[0].groups[corpus.documents_of(positions)]
        passes &= groups == documents.names.index(wanted.group)
    if wanted.search:
        seconds = opened.limits.work.pattern_seconds
        passes &= _SEARCHES.of(opened).get_or_make(
            (key, wanted.search, wanted.sample, wanted.needs_senses),
            lambda: searching.stand_near(corpus, positions, wanted.search, seconds),
        )
    return passes


def find_groups(opened: OpenModel, by: str) -> GroupedDocuments:
    """The documents of the corpus in groups; `ConflictError` where they cannot be grouped so."""
    corpus = opened.require_corpus("grouping documents")
    try:
        return _GROUPS.of(opened).get_or_make(by, lambda: group_documents(corpus, by))
    except InputError as error:
        raise limits.ConflictError(str(error)) from error


def find_lines(
    opened: OpenModel,
    word: str,
    wanted: LineFilter,
    *,
    offset: int = 0,
    limit: int = 50,
    width: int = LINE_WIDTH,
) -> Lines:
    """One page of a word's lines, each with so many characters on either side.

    It is long where senses have to be induced or all lines measured, searched or sorted first.
    """
    check_typed(opened, wanted.search.text, "a search")
    if width > (most := opened.limits.request.line_characters):
        raise limits.TooMuchError(
            f"a line has at most {most} characters on a side here, got {width:,}"
        )
    rows = slice(offset, offset + limit)
    if opened.corpus is None:
        if wanted.n_senses is not None:
            opened.require_corpus("inducing senses anew")
        return _page_of_examples(opened, word, wanted, rows)
    chosen = choose_lines(opened, word, wanted)
    if chosen.measured is not None:
        page = chosen.measured[rows]
    else:
        positions = chosen.positions[rows]
        order = np.argsort(positions)
        measured = occurrences.measure_positions(
            opened, chosen.key, positions[order], chosen.directions
        )
        page = measured[np.argsort(order)]
    found = read_lines(opened, page, width)
    return Lines.of(chosen, found)


def find_examples(
    opened: OpenModel, word: str, number: int, *, offset: int = 0, limit: int = 20
) -> Examples:
    """The lines of one sense, nearest first and of different documents; hidden senses have none."""
    model, key = model_with(opened, word, None)
    directions = model.inventory.directions(key)
    check_sense(key, len(directions), number)
    if opened.corpus is None:
        found = [x for x in stored_lines_of(opened, word) if x.sense == number]
        found = [found[i] for i in spread_documents([x.document for x in found])]
        return Examples(len(found), tuple(found[offset : offset + limit]))
    measured = measure_word(opened, key, directions)
    rows = np.flatnonzero(measured.senses == number)
    rows = rows[np.argsort(measured.distances[rows, number - 1], kind="stable")]
    first = offset // SPREAD * SPREAD  # the beginning of the block in which the page begins
    near = rows[first : offset + limit + SPREAD]
    documents = find_documents(opened.corpus, measured.positions[near])
    rows[first : first + len(near)] = near[spread_documents(documents)]
    page = measured[rows[offset : offset + limit]]
    return Examples(len(rows), read_lines(opened, page, LINE_WIDTH))


def _page_of_examples(opened: OpenModel, word: str, wanted: LineFilter, rows: slice) -> Lines:
    if wanted.search and wanted.search.is_pattern:
        opened.require_corpus("searching with regular expressions")
    found = stored_lines_of(opened, word)
    query = wanted.search.text.strip().casefold()
    chosen = [
        line
        for line in found
        if (wanted.sense is None or line.sense == wanted.sense)
        and not (wanted.idk_only and line.sense != 0)
        and line.confidence >= wanted.min_confidence
        and query in f"{line.left}{line.word}{line.right}".casefold()
    ]
    if wanted.sort in ("confidence", "unsure"):
        chosen.sort(key=lambda line: line.confidence, reverse=wanted.sort == "confidence")
    elif wanted.sort == "sense":
        chosen.sort(key=lambda line: (line.sense, -line.confidence))
    elif wanted.sort == "document":
        chosen.sort(key=lambda line: line.document.casefold())
    elif wanted.sort.startswith("left"):
        chosen.sort(key=lambda line: line.left.casefold().split()[::-1][int(wanted.sort[-1]) - 1 :])
    elif wanted.sort.startswith("right"):
        chosen.sort(key=lambda line: line.right.casefold().split()[int(wanted.sort[-1]) - 1 :])
    shown = tuple(chosen[rows])
    names = opened.current.inventory.names_of(require_word(opened, word))
    return Lines(len(chosen), None, shown, len(found), _name_senses(shown, names))
