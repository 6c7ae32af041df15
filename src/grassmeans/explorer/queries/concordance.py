"""Keyword-in-context lines of a word with the sense of each, filtered, sorted and paged.

With a corpus every occurrence is there. Plain paging reads only the lines of the page; filters and
orders that need the senses measure the word's occurrences once (of very many a random sample, see
`grassmeans.explorer.queries.measuring`) and remember the distances. Without a corpus the lines are
the model's examples.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from grassmeans.explorer.limits import (
    BoundedCache,
    Kept,
    NothingThereError,
    TooMuchError,
    WordNotFoundError,
    bound_bytes,
)
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.changes import find_groups
from grassmeans.explorer.queries.induce import is_induced, model_with
from grassmeans.explorer.queries.lines import (
    LINE_WIDTH,
    Line,
    are_lines_stored,
    read_lines,
    stored_lines_of,
)
from grassmeans.explorer.queries.lookup import check_typed
from grassmeans.explorer.queries.measuring import (
    MeasuredWord,
    is_measured,
    measure_positions,
    measure_word,
)
from grassmeans.explorer.queries.occurrences import (
    EVERYTHING,
    LineSample,
    choose_positions,
    count_occurrences,
)
from grassmeans.explorer.queries.searching import (
    BY_SENSE,
    POSITION,
    Search,
    order_by_sense,
    order_positions,
    stand_near,
)
from grassmeans.explorer.queries.words import check_sense
from grassmeans.explorer.work import UNLIMITED, Checkpoint

_SEARCHES: Kept[BoundedCache[NDArray[np.bool_]]] = bound_bytes(
    lambda memory: memory.search_bytes, lambda found: found.nbytes
)


@dataclass(frozen=True, slots=True)
class LineFilter:
    """Which lines, and in which order."""

    sense: int | None = None  # 0 is "I don't know"
    idk_only: bool = False  # the same as sense=0
    min_confidence: float = 0.0
    # What must stand near the occurrence. Without a corpus: text that the line must contain.
    search: Search = field(default_factory=Search)
    sort: str = POSITION  # see `SORT_PATTERN`
    n_senses: int | None = None  # induced anew, so many; None for the model's
    # Only lines of documents in this group, as "date:decade" or a field tells it.
    by: str = ""
    group: str = ""
    sample: LineSample = EVERYTHING  # which occurrences are looked at in the first place

    @property
    def needs_senses(self) -> bool:
        """Whether the senses of all lines must be known."""
        chosen = self.sense is not None or self.idk_only or self.min_confidence > 0.0
        return chosen or self.sort in BY_SENSE


@dataclass(frozen=True, slots=True)
class Lines:
    """A page of lines."""

    total: int  # lines on all pages
    # Where the lines come from a sample of the word's occurrences: its size. None otherwise.
    measured: int | None
    lines: tuple[Line, ...]
    occurrences: int = 0  # of the word in the corpus; without one, example lines


@dataclass(frozen=True, slots=True)
class Examples:
    """A page of the lines of one sense; ``total`` counts all pages."""

    total: int
    examples: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class ChosenLines:
    """The lines of a word that pass a filter."""

    key: str
    directions: NDArray[np.float32]  # (n_senses, dim), none for a word that only the corpus has
    positions: NDArray[np.int64]  # (n,) in the order that was asked for
    measured: MeasuredWord | None  # the same with senses, where they had to be told
    n_looked_at: int
    n_occurrences: int

    @property
    def share(self) -> float:
        """Which part of the word's occurrences was looked at."""
        return self.n_looked_at / max(self.n_occurrences, 1)

    @property
    def sampled(self) -> int | None:
        """The size of the sample, where it is one."""
        return self.n_looked_at if self.n_looked_at < self.n_occurrences else None


def choose_lines(
    opened: OpenModel, word: str, wanted: LineFilter, check: Checkpoint
) -> ChosenLines:
    """The lines of a word that pass a filter, in order; needs a corpus."""
    corpus = opened.require_corpus("looking at lines")
    key, directions = _find_senses(opened, word, wanted, check)
    n_all = count_occurrences(opened, key, wanted.sample)
    if not wanted.needs_senses:
        is_plain = not wanted.search and wanted.sort == POSITION
        most = None if is_plain else opened.limits.work.searched_lines
        positions = choose_positions(opened, key, wanted.sample, most)
        kept = positions[_pass_words(opened, key, positions, wanted, check)]
        kept = kept[order_positions(corpus, kept, wanted.sort)]
        return ChosenLines(key, directions, kept, None, len(positions), n_all)
    measured = measure_word(opened, key, directions, check, wanted.sample)
    passes = _pass_words(opened, key, measured.positions, wanted, check)
    passes &= measured.confidence >= wanted.min_confidence
    if wanted.sense is not None:
        passes &= measured.senses == wanted.sense
    if wanted.idk_only:
        passes &= measured.senses == 0
    found = measured[passes]
    if wanted.sort in BY_SENSE:
        found = found[order_by_sense(found, wanted.sort)]
    else:
        found = found[order_positions(corpus, found.positions, wanted.sort)]
    return ChosenLines(key, directions, found.positions, found, len(measured.positions), n_all)


def _find_senses(
    opened: OpenModel, word: str, wanted: LineFilter, check: Checkpoint
) -> tuple[str, NDArray[np.float32]]:
    """A word's key and the directions of its senses; none for a word that only the corpus has."""
    try:
        model, key = model_with(opened, word, wanted.n_senses, check)
    except WordNotFoundError:
        key = opened.key_of(word)
        if wanted.needs_senses or wanted.n_senses is not None or not opened.is_in_corpus(key):
            raise
        return key, opened.no_directions
    return key, model.inventory.directions(key)


def _pass_words(
    opened: OpenModel, key: str, positions: NDArray[np.int64], wanted: LineFilter, check: Checkpoint
) -> NDArray[np.bool_]:
    """(n,) which occurrences pass what has nothing to do with senses: group and search."""
    passes = np.ones(len(positions), np.bool_)
    corpus = opened.require_corpus("looking at lines")
    if wanted.by:
        documents = find_groups(opened, wanted.by)
        if wanted.group not in documents.names:
            raise NothingThereError(f"there is no group {wanted.group!r} by {wanted.by!r}")
        groups = documents.parts[0].groups[corpus.documents_of(positions)]
        passes &= groups == documents.names.index(wanted.group)
    if wanted.search:
        seconds = opened.limits.work.pattern_seconds
        passes &= _SEARCHES.of(opened).get_or_make(
            (key, wanted.search, wanted.sample, wanted.needs_senses),
            lambda: stand_near(corpus, positions, wanted.search, check, seconds),
        )
    return passes


def find_lines(
    opened: OpenModel,
    word: str,
    wanted: LineFilter,
    *,
    offset: int = 0,
    limit: int = 50,
    width: int = LINE_WIDTH,
    check: Checkpoint = UNLIMITED,
) -> Lines:
    """One page of a word's lines, each with so many characters on either side."""
    check_typed(opened, wanted.search.text, "a search")
    if width > opened.limits.request.line_characters:
        most = opened.limits.request.line_characters
        raise TooMuchError(f"a line has at most {most} characters on a side here, got {width:,}")
    if opened.corpus is None:
        if wanted.n_senses is not None:
            opened.require_corpus("inducing senses anew")
        return _page_of_examples(opened, word, wanted, offset, limit, check)
    chosen = choose_lines(opened, word, wanted, check)
    rows = slice(offset, offset + limit)
    page = chosen.measured[rows] if chosen.measured else _measure_page(opened, chosen, rows, check)
    return Lines(
        len(chosen.positions), chosen.sampled, read_lines(opened, page, width), chosen.n_occurrences
    )


def _measure_page(
    opened: OpenModel, chosen: ChosenLines, rows: slice, check: Checkpoint
) -> MeasuredWord:
    """The lines of a page with their senses, in the order of the page."""
    positions = chosen.positions[rows]
    order = np.argsort(positions)
    measured = measure_positions(opened, chosen.key, positions[order], chosen.directions, check)
    return measured[np.argsort(order)]


def find_examples(
    opened: OpenModel,
    word: str,
    number: int,
    *,
    offset: int = 0,
    limit: int = 20,
    check: Checkpoint = UNLIMITED,
) -> Examples:
    """The lines of one sense, nearest to its direction first; hidden senses have none."""
    model, key = model_with(opened, word, None, check)
    directions = model.inventory.directions(key)
    check_sense(key, len(directions), number)
    if opened.corpus is None:
        found = [x for x in stored_lines_of(opened, word, check) if x.sense == number]
        return Examples(len(found), tuple(found[offset : offset + limit]))
    measured = measure_word(opened, key, directions, check)
    rows = np.flatnonzero(measured.senses == number)
    rows = rows[np.argsort(measured.distances[rows, number - 1], kind="stable")]
    page = measured[rows[offset : offset + limit]]
    return Examples(len(rows), read_lines(opened, page, LINE_WIDTH))


def needs_work(opened: OpenModel, word: str, wanted: LineFilter) -> bool:
    """Whether `find_lines` has to induce, to measure or to search first."""
    if opened.corpus is None:
        return not are_lines_stored(opened, word)
    if wanted.search or wanted.sort != POSITION or not is_induced(opened, word, wanted.n_senses):
        return True
    if not wanted.needs_senses:
        return False
    model, key = model_with(opened, word, wanted.n_senses, UNLIMITED)
    return not is_measured(opened, key, model.inventory.directions(key), wanted.sample)


def _page_of_examples(
    opened: OpenModel, word: str, wanted: LineFilter, offset: int, limit: int, check: Checkpoint
) -> Lines:
    if wanted.search and wanted.search.is_pattern:
        opened.require_corpus("searching with regular expressions")
    found = stored_lines_of(opened, word, check)
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
    return Lines(len(chosen), None, tuple(chosen[offset : offset + limit]), len(found))
