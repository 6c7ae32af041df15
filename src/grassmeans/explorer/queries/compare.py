"""Two words, or two senses, side by side: what is near both and what only one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.collocations.near_words import ComparedCollocate
from grassmeans.explorer.limits import NothingThereError
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.collocates import (
    Lexeme,
    NearSettings,
    count_near,
    find_lexeme_lines,
    is_soon_found,
)
from grassmeans.explorer.queries.concordance import (
    LINE_WIDTH,
    LineFilter,
    find_examples,
    find_lines,
)
from grassmeans.explorer.queries.measuring import LineSample
from grassmeans.explorer.queries.stored_lines import stored_lines_of
from grassmeans.explorer.queries.words import Line, require_word, show_word
from grassmeans.explorer.work import Checkpoint
from grassmeans.pictures.planes import sense_colour
from grassmeans.senses.description import NEAREST_AMONG
from grassmeans.vectors.similarity import unit_rows

N_LINES = 6
_N_NEIGHBOURS = 30
_LOOKED_AT = 100
_DIGITS = 4
_SURE = 6.63
"""The log-likelihood of a difference that chance alone makes once in a hundred words."""


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
    opened: OpenModel,
    first: Lexeme,
    second: Lexeme,
    settings: NearSettings,
    *,
    checkpoint: Checkpoint | None = None,
) -> SideBySide:
    """Compare two words or senses: nearest words, collocates and lines.

    Raises `WordNotFoundError`, `NothingThereError`.
    """
    check = checkpoint or Checkpoint()
    directions = [_find_direction(opened, lexeme) for lexeme in (first, second)]
    collocates, lines = None, None
    if opened.corpus is not None:
        lines = [find_lexeme_lines(opened, one, settings.sample, check) for one in (first, second)]
        near = count_near(opened, lines, settings)
        kept: dict[str, Any] = {
            "limit": settings.limit,
            "fewest": settings.fewest,
            "function_words": settings.function_words,
        }
        rows = near.compare(0, 1, **kept)
        shared = near.share(0, 1, **(kept | {"limit": None}))
        alike = [row for row in shared if abs(row.log_likelihood) < _SURE]
        collocates = ComparedCollocates(
            tuple(alike[: settings.limit]),
            tuple(row for row in rows if row.log_likelihood > 0.0),
            tuple(row for row in rows if row.log_likelihood < 0.0),
        )
    sides = []
    for i, lexeme in enumerate((first, second)):
        found = None if lines is None else (len(lines[i].positions), lines[i].sampled)
        sides.append(_describe_side(opened, lexeme, found, check))
    similarity = None
    if directions[0] is not None and directions[1] is not None:
        similarity = round(float(directions[0] @ directions[1]), _DIGITS)
    names = {side.word for side in sides}
    return SideBySide(
        sides[0], sides[1], similarity, _compare_neighbours(opened, directions, names), collocates
    )


def is_quick(opened: OpenModel, lexemes: tuple[Lexeme, Lexeme], settings: NearSettings) -> bool:
    """Whether nothing has to be measured first."""
    return all(is_soon_found(opened, lexeme, settings.sample) for lexeme in lexemes)


def _find_direction(opened: OpenModel, lexeme: Lexeme) -> NDArray[np.float32] | None:
    """(dim,) of unit length; None for a word without a vector."""
    key = require_word(opened, lexeme.word)
    if lexeme.sense is not None:
        directions = opened.current.inventory.directions(key)
        if not 1 <= lexeme.sense <= len(directions):
            raise NothingThereError(
                f"{key!r} has the senses 1 to {len(directions)}, not {lexeme.sense}"
            )
        return np.asarray(directions[lexeme.sense - 1])
    vectors = opened.base.vectors
    if key not in vectors:
        return None
    vector = np.asarray(vectors.vectors[vectors.ids_of([key])[0]], np.float32)
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0.0 else None


def _describe_side(
    opened: OpenModel, lexeme: Lexeme, found: tuple[int, int | None] | None, check: Checkpoint
) -> ComparedSide:
    view = show_word(opened, lexeme.word)
    # A model may have senses that nobody has described.
    sense = next((own for own in view.senses if own.number == lexeme.sense), None)
    if lexeme.sense is not None:
        page = find_examples(opened, view.word, lexeme.sense, limit=N_LINES, checkpoint=check)
        examples = page.examples
    elif opened.corpus is None:
        examples = stored_lines_of(opened, view.word, check)[:N_LINES]
    else:
        wanted = LineFilter(sample=LineSample(N_LINES))
        examples = find_lines(
            opened, view.word, wanted, limit=N_LINES, width=LINE_WIDTH, checkpoint=check
        ).lines
    return ComparedSide(
        word=view.word,
        sense=lexeme.sense,
        name="" if sense is None else sense.name,
        colour="" if lexeme.sense is None else sense_colour(lexeme.sense),
        count=view.count,
        share=None if sense is None else sense.share,
        lines=None if found is None else found[0],
        measured=None if found is None else found[1],
        examples=examples,
    )


def _compare_neighbours(
    opened: OpenModel, directions: list[NDArray[np.float32] | None], names: set[str]
) -> ComparedNeighbours:
    """The nearest words of both, each with its cosines."""
    known = [direction for direction in directions if direction is not None]
    if len(known) < 2:
        return ComparedNeighbours((), (), ())
    vectors = opened.base.vectors
    both = np.stack(known)
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
