"""Words near a word or near one of its senses: see `grassmeans.collocations.near_words`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.collocations.near_words import (
    DEFAULT_SPAN,
    FEWEST,
    SCORES,
    Collocate,
    NearWords,
    count_near_words,
)
from grassmeans.explorer.limits import NothingThereError
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.induce import model_with
from grassmeans.explorer.queries.measuring import (
    EVERYTHING,
    LineSample,
    choose_positions,
    count_occurrences,
    is_measured,
    measure_word,
)
from grassmeans.explorer.queries.words import require_word
from grassmeans.explorer.work import Checkpoint


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
    sample: LineSample = EVERYTHING


@dataclass(frozen=True, slots=True)
class LexemeLines:
    """Occurrences of a lexeme.

    Attributes
    ----------
    positions : (n,) int64
        In text order.
    n_looked_at, n_occurrences : int
        How many occurrences of the word were looked at for them, of how many.
    """

    key: str
    positions: NDArray[np.int64]
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


@dataclass(frozen=True, slots=True)
class CollocatesView:
    """Collocates of a word or a sense."""

    word: str
    sense: int | None
    lines: int
    measured: int | None  # of a sample of the occurrences, its size; None for all of them
    occurrences: int  # of the word
    collocates: tuple[Collocate, ...]


def find_lexeme_lines(
    opened: OpenModel, lexeme: Lexeme, sample: LineSample, checkpoint: Checkpoint
) -> LexemeLines:
    """The occurrences of a word or a sense."""
    opened.require_corpus("looking at lines")
    if lexeme.sense is None:
        key = opened.key_of(lexeme.word)
        most = opened.limits.work.searched_lines
        positions = choose_positions(opened, key, sample, most)
        return LexemeLines(key, positions, len(positions), count_occurrences(opened, key, sample))
    model, key = model_with(opened, lexeme.word, lexeme.n_senses, checkpoint)
    directions = model.inventory.directions(key)
    if lexeme.sense > len(directions):
        raise NothingThereError(
            f"{key!r} has the senses 1 to {len(directions)}, not {lexeme.sense}"
        )
    measured = measure_word(opened, key, directions, checkpoint, sample)
    positions = measured.positions[measured.senses == lexeme.sense]
    n_all = count_occurrences(opened, key, sample)
    return LexemeLines(key, positions, len(measured.positions), n_all)


def is_soon_found(opened: OpenModel, lexeme: Lexeme, sample: LineSample) -> bool:
    """Whether the senses of the lines are known already."""
    if opened.corpus is None or lexeme.sense is None:
        return True
    if lexeme.n_senses is not None:
        return False
    key = require_word(opened, lexeme.word)
    return is_measured(opened, key, opened.current.inventory.directions(key), sample)


def count_near(opened: OpenModel, lines: list[LexemeLines], settings: NearSettings) -> NearWords:
    """Count the words near the occurrences of lexemes."""
    return count_near_words(
        opened.require_corpus("looking for collocates"),
        [found.positions for found in lines],
        before=settings.before,
        after=settings.after,
        shares=[found.share for found in lines],
    )


def list_collocates(
    opened: OpenModel,
    lexeme: Lexeme,
    settings: NearSettings,
    *,
    checkpoint: Checkpoint | None = None,
) -> CollocatesView:
    """The words that stand near a word or a sense more often than by chance."""
    check = checkpoint or Checkpoint()
    lines = find_lexeme_lines(opened, lexeme, settings.sample, check)
    check(0.9)
    near = count_near(opened, [lines], settings)
    return CollocatesView(
        word=lines.key,
        sense=lexeme.sense,
        lines=len(lines.positions),
        measured=lines.sampled,
        occurrences=lines.n_occurrences,
        collocates=near.rank(
            0,
            by=settings.by,
            limit=settings.limit,
            fewest=settings.fewest,
            function_words=settings.function_words,
        ),
    )
