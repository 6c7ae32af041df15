"""SCWS (Huang et al. 2012): pairs of words in context, with ratings of their similarity."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grassmeans.errors import InputError
from grassmeans.evaluation.similarity_scores import WordPair
from grassmeans.evaluation.tasks.instances import Instance, split_marked_text
from grassmeans.evaluation.text_files import read_numbered_lines

_N_COLUMNS = 8  # id, two words with part of speech, two contexts, mean; ratings follow


@dataclass(frozen=True, slots=True)
class ContextPair:
    """Two words in context; ``rating`` is the mean of ``ratings``, from 0 to 10."""

    id: str
    first: Instance
    second: Instance
    rating: float
    ratings: tuple[float, ...]

    @property
    def has_same_form(self) -> bool:
        """Whether both sides show the same word: these pairs make up SCWS-lite."""
        return self.first.target.casefold() == self.second.target.casefold()

    @property
    def word_pair(self) -> WordPair:
        """The pair without its contexts."""
        return WordPair(self.first.target, self.second.target, self.rating)


def read_scws(path: str | Path) -> list[ContextPair]:
    """Read ``ratings.txt``: tab-separated columns, targets marked by ``<b> </b>``.

    The instances are called ``1.first``, ``1.second`` and so on.

    Raises
    ------
    InputError
        With the line, where columns are missing, a rating is no number or a target is not marked.
    """
    path = Path(path)
    return [
        _parse_line(line, f"{path}, line {number}") for number, line in read_numbered_lines(path)
    ]


def _parse_line(line: str, place: str) -> ContextPair:
    columns = line.split("\t")
    if len(columns) < _N_COLUMNS:
        raise InputError(
            f"{place}: expected at least {_N_COLUMNS} columns separated by tabs (id, word1, pos1, "
            f"word2, pos2, context1, context2, mean rating), found {len(columns)}"
        )
    name, word1, pos1, word2, pos2, context1, context2, *numbers = columns
    try:
        rating, *ratings = (float(number) for number in numbers if number.strip())
    except ValueError as error:
        raise InputError(f"{place}: a rating is missing or not a number: {numbers}") from error
    return ContextPair(
        id=name,
        first=_make_instance(f"{name}.first", word1, pos1, context1, place),
        second=_make_instance(f"{name}.second", word2, pos2, context2, place),
        rating=rating,
        ratings=tuple(ratings),
    )


def _make_instance(name: str, target: str, pos: str, context: str, place: str) -> Instance:
    parts = split_marked_text(context)
    if parts is None:
        raise InputError(f"{place}: the target {target!r} is not marked by <b> </b> in its context")
    left, word, right = parts
    return Instance(name, target, pos, left, word, right)
