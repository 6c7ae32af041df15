"""Words near a word or one of its senses; two of them side by side, with what is near which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.collocations.collocates import (
    DEFAULT_SPAN,
    FEWEST,
    SCORES,
    Collocate,
    ComparedCollocate,
    NearWords,
    count_near_words,
)
from grassmeans.pictures.planes import sense_colour
from grassmeans.senses.describing import NEAREST_AMONG
from grassmeans.vectors.similarity import unit_rows
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries import concordance, occurrences
from grassmeans_explorer.queries.concordance import ChosenLines, LineFilter
from grassmeans_explorer.queries.induce import model_with
from grassmeans_explorer.queries.lines import Line, stored_lines_of
from grassmeans_explorer.queries.occurrences import LineSample
from grassmeans_explorer.queries.words import check_sense, require_word, show_word
from grassmeans_explorer.work import begin_long_work, checkpoint

N_LINES = 6
_N_NEIGHBOURS = 30
_LOOKED_AT = 100
_DIGITS = 4
_SURE = 6.63
"""The log-likelihood of a difference that chance alone makes once in a hundred words."""


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A word, or one of its senses; 0 is "I don't know"."""

    word: str
    sense: int | None = None
    n_senses: int | None = None  # induced anew, so many; None for the model's


@dataclass(frozen=True, slots=True)
class NearSettings:
    """What counts as near, and which words are told."""

    before: int = DEFAULT_SPAN
    after: int = DEFAULT_SPAN
    by: str = SCORES[0]
    fewest: int = FEWEST
    limit: int = 50
    function_words: bool = False
    sample: LineSample = occurrences.EVERYTHING

    @property
    def told(self) -> dict[str, Any]:
        """Which words are told, as `NearWords` takes it."""
        names = ("limit", "fewest", "function_words")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class CollocatesView:
    """Collocates of a word or a sense."""

    word: str
    sense: int | None
    lines: int
    measured: int | None  # of a sample of the occurrences, its size; None for all of them
    occurrences: int  # of the word
    collocates: tuple[Collocate, ...]
    name: str = ""  # of the sense


def find_lexeme_lines(opened: OpenModel, lexeme: Lexeme, sample: LineSample) -> ChosenLines:
    """The occurrences of a word or a sense, in text order."""
    opened.require_corpus("looking at lines")
    if lexeme.sense is None:
        key = opened.key_of(lexeme.word)
        most = opened.limits.work.searched_lines
        positions = occurrences.choose_positions(opened, key, sample, most)
        n_all = occurrences.count_occurrences(opened, key, sample)
        return ChosenLines(key, opened.no_directions, positions, None, len(positions), n_all)
    model, key = model_with(opened, lexeme.word, lexeme.n_senses)
    check_sense(key, len(model.inventory.directions(key)), lexeme.sense)
    wanted = LineFilter(sense=lexeme.sense, n_senses=lexeme.n_senses, sample=sample)
    return concordance.choose_lines(opened, lexeme.word, wanted)


def count_near(
    opened: OpenModel, lines: Sequence[ChosenLines], settings: NearSettings
) -> NearWords:
    """Count the words near the occurrences of lexemes."""
    return count_near_words(
        opened.require_corpus("looking for collocates"),
        [found.positions for found in lines],
        before=settings.before,
        after=settings.after,
        shares=[found.share for found in lines],
    )


def find_collocates(opened: OpenModel, lexeme: Lexeme, settings: NearSettings) -> CollocatesView:
    """The words that stand near a word or a sense more often than by chance."""
    begin_long_work()
    lines = find_lexeme_lines(opened, lexeme, settings.sample)
    checkpoint(0.9)
    near = count_near(opened, [lines], settings)
    ranked = near.rank(0, by=settings.by, **settings.told)
    looked_at = len(lines.positions), lines.sampled, lines.n_occurrences
    name = lines.names.get(lexeme.sense or 0, "")
    return CollocatesView(lines.key, lexeme.sense, *looked_at, ranked, name)


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One of the two."""

    word: str
    sense: int | None
    name: str
    colour: str
    count: int  # of the word
    share: float | None  # of the sense among the word's occurrences
    lines: int | None  # occurrences that were looked at; None without a corpus
    measured: int | None  # of a sample of the word's occurrences, its size
    examples: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class ComparedNeighbour:
    """A near word, and its cosine to both."""

    word: str
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class ComparedNeighbours:
    """Near words of both, and of one alone, the nearest first."""

    shared: tuple[ComparedNeighbour, ...]
    first: tuple[ComparedNeighbour, ...]
    second: tuple[ComparedNeighbour, ...]


@dataclass(frozen=True, slots=True)
class ComparedCollocates:
    """Collocates of both, about as often near each; and of the one rather than the other."""

    shared: tuple[ComparedCollocate, ...]
    first: tuple[ComparedCollocate, ...]
    second: tuple[ComparedCollocate, ...]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Two words, or two senses."""

    first: ComparedSide
    second: ComparedSide
    similarity: float | None  # cosine of the two; None where one has no vector
    neighbours: ComparedNeighbours
    collocates: ComparedCollocates | None  # None without a corpus


def compare_lexemes(
    opened: OpenModel, first: Lexeme, second: Lexeme, settings: NearSettings
) -> SideBySide:
    """Compare two words or senses: nearest words, collocates and lines.

    Raises `WordNotFoundError`, `NothingThereError`. Long where senses have to be measured first.
    """
    both = first, second
    directions = [_find_direction(opened, lexeme) for lexeme in both]
    collocates = None
    lines: list[ChosenLines | None] = [None, None]
    if opened.corpus is not None:
        chosen = [find_lexeme_lines(opened, lexeme, settings.sample) for lexeme in both]
        near = count_near(opened, chosen, settings)
        rows = near.compare(0, 1, **settings.told)
        shared = near.compare(0, 1, shared=True, **(settings.told | {"limit": None}))
        alike = [row for row in shared if abs(row.log_likelihood) < _SURE]
        collocates = ComparedCollocates(
            tuple(alike[: settings.limit]),
            tuple(row for row in rows if row.log_likelihood > 0.0),
            tuple(row for row in rows if row.log_likelihood < 0.0),
        )
        lines = [*chosen]
    left, right = (_describe_side(opened, *pair) for pair in zip(both, lines, strict=True))
    known = [direction for direction in directions if direction is not None]
    if len(known) < 2:
        return SideBySide(left, right, None, ComparedNeighbours((), (), ()), collocates)
    neighbours = _compare_neighbours(opened, np.stack(known), {left.word, right.word})
    similarity = round(float(known[0] @ known[1]), _DIGITS)
    return SideBySide(left, right, similarity, neighbours, collocates)


def _find_direction(opened: OpenModel, lexeme: Lexeme) -> Floats | None:
    """(dim,) of unit length; None for a word without a vector."""
    key = require_word(opened, lexeme.word)
    if lexeme.sense is not None:
        directions = opened.current.inventory.directions(key)
        check_sense(key, len(directions), lexeme.sense)
        return np.asarray(directions[lexeme.sense - 1])
    vectors = opened.base.vectors
    if key not in vectors:
        return None
    vector = np.asarray(vectors.vectors[vectors.ids_of([key])[0]], np.float32)
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0.0 else None


def _describe_side(opened: OpenModel, lexeme: Lexeme, lines: ChosenLines | None) -> ComparedSide:
    view = show_word(opened, lexeme.word)
    # A model may have senses that nobody has described.
    sense = next((own for own in view.senses if own.number == lexeme.sense), None)
    if lexeme.sense is not None:
        page = concordance.find_examples(opened, view.word, lexeme.sense, limit=N_LINES)
        examples = page.examples
    elif opened.corpus is None:
        examples = stored_lines_of(opened, view.word)[:N_LINES]
    else:
        wanted = LineFilter(sample=LineSample(N_LINES))
        examples = concordance.find_lines(opened, view.word, wanted, limit=N_LINES).lines
    return ComparedSide(
        word=view.word,
        sense=lexeme.sense,
        name="" if sense is None else sense.name,
        colour="" if lexeme.sense is None else sense_colour(lexeme.sense),
        count=view.count,
        share=None if sense is None else sense.share,
        lines=None if lines is None else len(lines.positions),
        measured=None if lines is None else lines.sampled,
        examples=examples,
    )


def _compare_neighbours(opened: OpenModel, both: Floats, names: set[str]) -> ComparedNeighbours:
    """The nearest words of (2, dim) directions, each with its cosines."""
    vectors = opened.base.vectors
    found = vectors.nearest(both, _LOOKED_AT, first=NEAREST_AMONG)
    left_out = names | opened.base.encoder.function_words
    lists = [
        [vectors.words[row] for row in rows if vectors.words[row] not in left_out][:_N_NEIGHBOURS]
        for rows in found.ids
    ]
    words = list(dict.fromkeys([*lists[0], *lists[1]]))
    rows = np.asarray(vectors.vectors[vectors.ids_of(words)], np.float32)
    cosines = unit_rows(rows) @ both.T
    pairs = {
        word: ComparedNeighbour(word, *(round(float(value), _DIGITS) for value in row))
        for word, row in zip(words, cosines, strict=True)
    }
    shared = set(lists[0]) & set(lists[1])
    return ComparedNeighbours(
        tuple(sorted((pairs[w] for w in shared), key=lambda p: -min(p.first, p.second))),
        tuple(pairs[word] for word in lists[0] if word not in shared),
        tuple(pairs[word] for word in lists[1] if word not in shared),
    )
