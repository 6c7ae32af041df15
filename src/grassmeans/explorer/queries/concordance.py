"""Keyword-in-context lines of a word with the sense of each, filtered, sorted and paged.

With a corpus every occurrence is there. Plain paging reads only the lines of the page; filters and
orders that need the senses measure the word's occurrences once (at most ``measured_lines`` of
them, evenly spread) and remember the distances. Without a corpus the lines are the model's
examples.

The confidence of a line is the probability of its nearest sense under soft decoding.
The document around a line can be read as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import digest_of_array
from grassmeans.change.grouping import GroupedDocuments, group_documents
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import ConcordanceLine
from grassmeans.corpus.tokenizer import normalize_text
from grassmeans.errors import InputError
from grassmeans.explorer.limits import ConflictError, NothingThereError
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.induction import is_induced, model_with, word_id_of
from grassmeans.explorer.queries.words import Line, check_query, example_lines_of
from grassmeans.explorer.work import Checkpoint
from grassmeans.geometry.distances import SenseLines
from grassmeans.senses.decoding import decode_hard, decode_soft

LINE_WIDTH = 80
_AT_ONCE = 8192


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


@dataclass(frozen=True, slots=True)
class MeasuredWord:
    """Distances of a word's occurrences.

    Attributes
    ----------
    positions : (n,) int64
    distances : (n, n_senses) float32
        Rows of NaN have too few known words around them.
    senses : (n,) int16
        Number of the nearest sense, 0 where it is too far.
    confidence : (n,) float32
    """

    positions: NDArray[np.int64]
    distances: NDArray[np.float32]
    senses: NDArray[np.int16]
    confidence: NDArray[np.float32]

    @property
    def n_bytes(self) -> int:
        """Memory that it takes."""
        arrays = (self.positions, self.distances, self.senses, self.confidence)
        return sum(array.nbytes for array in arrays)

    def __getitem__(self, rows: slice | NDArray[np.int64] | NDArray[np.bool_]) -> MeasuredWord:
        return MeasuredWord(
            self.positions[rows], self.distances[rows], self.senses[rows], self.confidence[rows]
        )


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


def measure_word(
    opened: OpenModel,
    key: str,
    directions: NDArray[np.float32],
    checkpoint: Checkpoint,
) -> MeasuredWord:
    """Distances of all occurrences of a word, or of an even sample of very many."""

    def make() -> MeasuredWord:
        corpus = opened.require_corpus("looking at lines")
        positions = corpus.positions(word_id_of(opened, key))
        most = opened.limits.work.measured_lines
        if len(positions) > most:
            positions = positions[np.arange(most) * len(positions) // most]
        return measure_positions(opened, key, positions, directions, checkpoint)

    return opened.distances.get_or_make((key, digest_of_array(directions)), make)


def measure_positions(
    opened: OpenModel,
    key: str,
    positions: NDArray[np.int64],
    directions: NDArray[np.float32],
    checkpoint: Checkpoint,
) -> MeasuredWord:
    """Distances of occurrences at given positions, which are in text order."""
    corpus = opened.require_corpus("looking at lines")
    lines = SenseLines.collect([directions])
    distances = np.empty((len(positions), len(directions)), np.float32)
    for start in range(0, len(positions), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        for inside, occurrences in corpus.occurrences(positions[part]):
            same = np.zeros(len(occurrences), np.int64)
            distances[part][inside] = opened.base.encoder.measure(occurrences, same, lines)
        checkpoint(start / len(positions))
    if len(positions) == 0:
        return MeasuredWord(positions, distances, np.empty(0, np.int16), np.empty(0, np.float32))
    senses = (decode_hard(distances, opened.base.idk_threshold) + 1).astype(np.int16)
    confidence = decode_soft(distances).max(axis=1).astype(np.float32)
    return MeasuredWord(positions, distances, senses, confidence)


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


def find_groups(opened: OpenModel, by: str) -> GroupedDocuments:
    """The documents of the corpus in groups; `ConflictError` where they cannot be grouped so."""
    corpus = opened.require_corpus("grouping documents")
    try:
        return opened.groups.get_or_make(by, lambda: group_documents(corpus, by))
    except InputError as error:
        raise ConflictError(str(error)) from error


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


REACH = 12
"""Words on each side of an occurrence that a search looks at; about as many as a line shows."""

_MOST_WORDS = 8
_SEARCH_BLOCK = 1 << 16


def stand_near(
    corpus: Corpus, positions: NDArray[np.int64], query: str, checkpoint: Checkpoint
) -> NDArray[np.bool_]:
    """Which occurrences have every word of the query within `REACH` words, in their document.

    The token ids are compared and no text is read. The last word of the query may be the beginning
    of a word; words beyond the eighth are not looked at.

    Parameters
    ----------
    positions : (n,) int64
        In text order.

    Returns
    -------
    (n,) bool
        All true for a query without a word.
    """
    words = corpus.tokenizer.tokenize(normalize_text(query))[:_MOST_WORDS]
    near = np.ones(len(positions), np.bool_)
    tables = [
        _wanted_tokens(corpus, word, is_last=i == len(words) - 1) for i, word in enumerate(words)
    ]
    steps = np.delete(np.arange(-REACH, REACH + 1), REACH)
    for part, shard, local in corpus.split_positions(positions, _SEARCH_BLOCK) if tables else ():
        first, end = shard.document_bounds(local)
        places = local[:, None] + steps
        inside = (places >= first[:, None]) & (places < end[:, None])
        found = np.asarray(shard.tokens)[np.clip(places, 0, len(shard.tokens) - 1)]
        for table in tables:
            near[part] &= (table[found] & inside).any(axis=1)
        checkpoint(part.stop / len(positions))
    return near


def _wanted_tokens(corpus: Corpus, word: str, *, is_last: bool) -> NDArray[np.bool_]:
    """(n_types + 1,) whether a token id is wanted; the last entry is for unknown words, -1."""
    vocabulary = corpus.vocabulary
    table = np.zeros(len(vocabulary) + 1, np.bool_)
    if is_last:
        alike = [i for i, other in enumerate(vocabulary.words) if other.startswith(word)]
        table[alike] = True
    elif (word_id := vocabulary.id_of(word)) >= 0:
        table[word_id] = True
    return table


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A stretch of a document around an occurrence.

    Attributes
    ----------
    text : str
        Line breaks are spaces.
    start, end : int
        Characters of the occurrence in the text.
    cut_before, cut_after : bool
        Whether the document goes on beyond the text.
    """

    document: str
    title: str
    text: str
    start: int
    end: int
    cut_before: bool
    cut_after: bool


def show_document(opened: OpenModel, position: int) -> DocumentView:
    """The text around the token at a position of the corpus."""
    corpus = opened.require_corpus("reading a document")
    if not 0 <= position < corpus.n_tokens:
        raise NothingThereError(
            f"position {position} is outside the corpus of {corpus.n_tokens:,} words"
        )
    width = opened.limits.request.document_characters
    line = corpus.line_at(position, width)
    start = len(line.left)
    return DocumentView(
        document=line.document_id,
        title=line.document_title,
        text=f"{line.left}{line.word}{line.right}",
        start=start,
        end=start + len(line.word),
        cut_before=len(line.left) >= width,
        cut_after=len(line.right) >= width,
    )
