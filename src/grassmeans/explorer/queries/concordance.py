"""Keyword-in-context lines of a word with the sense of each, filtered, sorted and paged.

With a corpus every occurrence is there. Plain paging reads only the lines of the page; filters and
orders that need the senses measure the word's occurrences once (at most ``measured_lines`` of
them, evenly spread) and remember the distances. Without a corpus the lines are the model's
examples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import digest_of_array
from grassmeans.corpus.shard import ConcordanceLine
from grassmeans.explorer.limits import NothingThereError
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.documents import find_groups
from grassmeans.explorer.queries.induction import is_induced, model_with, word_id_of
from grassmeans.explorer.queries.measuring import MeasuredWord, measure_positions, measure_word
from grassmeans.explorer.queries.searching import stand_near
from grassmeans.explorer.queries.words import Line, check_query, example_lines_of
from grassmeans.explorer.work import Checkpoint

LINE_WIDTH = 80


@dataclass(frozen=True, slots=True)
class LineFilter:
    """Which lines, and in which order.

    Attributes
    ----------
    sense : int or None
        Number of a sense; 0 is "I don't know".
    idk_only : bool
        The same as ``sense=0``.
    query : str
        Words that must stand near the occurrence; the last one may be the beginning of a word.
        Without a corpus: text that the line must contain.
    sort : {"position", "confidence", "sense"}
        The surest lines come first, under "sense" within each sense.
    n_senses : int or None
        Senses induced anew, so many; None for the model's.
    by, group : str
        Only lines of documents in this group, as ``date:decade`` or a field tells it.
    """

    sense: int | None = None
    idk_only: bool = False
    min_confidence: float = 0.0
    query: str = ""
    sort: str = "position"
    n_senses: int | None = None
    by: str = ""
    group: str = ""

    @property
    def needs_senses(self) -> bool:
        """Whether the senses of all lines must be known."""
        chosen = self.sense is not None or self.idk_only or self.min_confidence > 0.0
        return chosen or self.sort != "position"


@dataclass(frozen=True, slots=True)
class Lines:
    """A page of lines."""

    total: int  # lines on all pages
    # Where the lines come from a sample of the word's occurrences: its size. None otherwise.
    measured: int | None
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Examples:
    """A page of the lines of one sense; ``total`` counts all pages."""

    total: int
    examples: tuple[Line, ...]


def find_lines(
    opened: OpenModel,
    word: str,
    wanted: LineFilter,
    *,
    offset: int = 0,
    limit: int = 50,
    checkpoint: Checkpoint | None = None,
) -> Lines:
    """One page of a word's lines."""
    check = checkpoint or Checkpoint()
    check_query(opened, wanted.query)
    if opened.corpus is None:
        if wanted.n_senses is not None:
            opened.require_corpus("inducing senses anew")
        found = example_lines_of(opened, word)
        return _page_of_examples(found, wanted, offset, limit)
    model, key = model_with(opened, word, wanted.n_senses, check)
    directions = model.inventory.directions(key)
    if not wanted.needs_senses:
        positions = opened.corpus.positions(word_id_of(opened, key))
        positions = positions[_in_group(opened, positions, wanted)]
        if wanted.query:
            positions = positions[stand_near(opened.corpus, positions, wanted.query, check)]
        page = measure_positions(opened, key, positions[offset : offset + limit], directions, check)
        return Lines(len(positions), None, _read_lines(opened, page))
    measured = measure_word(opened, key, directions, check)
    rows = _choose(opened, measured, wanted, check)
    n_all = int(opened.corpus.vocabulary.counts[word_id_of(opened, key)])
    sampled = len(measured.positions) if len(measured.positions) < n_all else None
    page = measured[rows[offset : offset + limit]]
    return Lines(len(rows), sampled, _read_lines(opened, page))


def find_examples(
    opened: OpenModel,
    word: str,
    number: int,
    *,
    offset: int = 0,
    limit: int = 20,
    checkpoint: Checkpoint | None = None,
) -> Examples:
    """The lines of one sense, nearest to its direction first; hidden senses have none."""
    check = checkpoint or Checkpoint()
    model, key = model_with(opened, word, None, check)
    directions = model.inventory.directions(key)
    if not 1 <= number <= len(directions):
        raise NothingThereError(f"{key!r} has the senses 1 to {len(directions)}, not {number}")
    if opened.corpus is None:
        found = [line for line in example_lines_of(opened, word) if line.sense == number]
        return Examples(len(found), tuple(found[offset : offset + limit]))
    measured = measure_word(opened, key, directions, check)
    rows = np.flatnonzero(measured.senses == number)
    rows = rows[np.argsort(measured.distances[rows, number - 1], kind="stable")]
    return Examples(len(rows), _read_lines(opened, measured[rows[offset : offset + limit]]))


def needs_work(opened: OpenModel, word: str, wanted: LineFilter) -> bool:
    """Whether `find_lines` has to induce, to measure or to search first."""
    if opened.corpus is None:
        return False
    if wanted.query or not is_induced(opened, word, wanted.n_senses):
        return True
    if not wanted.needs_senses:
        return False
    model, key = model_with(opened, word, wanted.n_senses, Checkpoint())
    return (key, digest_of_array(model.inventory.directions(key))) not in opened.distances


def _choose(
    opened: OpenModel, measured: MeasuredWord, wanted: LineFilter, checkpoint: Checkpoint
) -> NDArray[np.int64]:
    """Rows of the lines that pass the filters, in order."""
    passes = measured.confidence >= wanted.min_confidence
    if wanted.sense is not None:
        passes &= measured.senses == wanted.sense
    if wanted.idk_only:
        passes &= measured.senses == 0
    passes &= _in_group(opened, measured.positions, wanted)
    rows = np.flatnonzero(passes)
    if wanted.query and opened.corpus is not None:
        positions = measured.positions[rows]
        rows = rows[stand_near(opened.corpus, positions, wanted.query, checkpoint)]
    if wanted.sort == "confidence":
        rows = rows[np.argsort(-measured.confidence[rows], kind="stable")]
    elif wanted.sort == "sense":
        rows = rows[np.lexsort((-measured.confidence[rows], measured.senses[rows]))]
    return rows


def _in_group(
    opened: OpenModel, positions: NDArray[np.int64], wanted: LineFilter
) -> NDArray[np.bool_]:
    """(n,) which occurrences stand in documents of the group that is asked for."""
    if not wanted.by:
        return np.ones(len(positions), np.bool_)
    corpus = opened.require_corpus("grouping documents")
    documents = find_groups(opened, wanted.by)
    if wanted.group not in documents.names:
        raise NothingThereError(f"there is no group {wanted.group!r} by {wanted.by!r}")
    groups = documents.parts[0].groups[corpus.documents_of(positions)]
    return np.asarray(groups == documents.names.index(wanted.group))


def _read_lines(opened: OpenModel, page: MeasuredWord) -> tuple[Line, ...]:
    corpus = opened.require_corpus("looking at lines")
    lines = []
    for i, position in enumerate(page.positions.tolist()):
        found: ConcordanceLine = corpus.line_at(position, LINE_WIDTH)
        distances = page.distances[i]
        lines.append(
            Line(
                position=position,
                document=found.document_title or found.document_id,
                left=found.left,
                word=found.word,
                right=found.right,
                sense=int(page.senses[i]),
                confidence=round(float(page.confidence[i]), 4),
                distances=()
                if np.isnan(distances[0])
                else tuple(round(float(d), 4) for d in distances),
                fields=dict(found.fields),
            )
        )
    return tuple(lines)


def _page_of_examples(found: list[Line], wanted: LineFilter, offset: int, limit: int) -> Lines:
    query = wanted.query.casefold()
    chosen = [
        line
        for line in found
        if (wanted.sense is None or line.sense == wanted.sense)
        and not (wanted.idk_only and line.sense != 0)
        and line.confidence >= wanted.min_confidence
        and query in f"{line.left}{line.word}{line.right}".casefold()
    ]
    if wanted.sort == "confidence":
        chosen.sort(key=lambda line: -line.confidence)
    elif wanted.sort == "sense":
        chosen.sort(key=lambda line: (line.sense, -line.confidence))
    return Lines(len(chosen), None, tuple(chosen[offset : offset + limit]))
