"""What tells two sketches apart: collocates that one sense or word has rather than another."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grassmeans.collocations.collocates import FEWEST
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.models.model import SenseModel
from grassmeans.results import ColumnTypes, Tabular, types_of
from grassmeans_explorer.sketches.sketching import SketchCollocate, SketchGroup, sketch_word

_DIGITS = 3


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A collocate in a relation with two things."""

    relation: str
    word: str
    pos: str
    first: int
    """How often the first has it."""
    second: int
    first_log_dice: float | None
    """None where the first never has it."""
    second_log_dice: float | None
    difference: float
    """Of the two, positive where it belongs to the first; a missing one counts as 0."""


@dataclass(frozen=True, slots=True)
class SketchDifference(Tabular):
    """Two sketches side by side: relation by relation, the largest differences first."""

    first: str
    second: str
    compared: tuple[ComparedRow, ...]
    first_name: str = ""
    """What the first is called, where it is a sense."""
    second_name: str = ""

    def __repr__(self) -> str:
        return f"SketchDifference({self.first!r}, {self.second!r}: {len(self.compared):,})"

    def rows(self) -> list[dict[str, Any]]:
        """A collocate a row, and which of the two has it rather than the other."""
        named = (self.first, self.first_name), (self.second, self.second_name)
        sides = [f"{key} {name}".rstrip() for key, name in named]
        return [asdict(row) | {"of": sides[row.difference < 0]} for row in self.compared]

    def column_types(self) -> ColumnTypes:
        """The columns of such rows."""
        return types_of(ComparedRow)


def compare_senses(
    corpus: Corpus | str | Path,
    word: str,
    first: int,
    second: int,
    *,
    model: SenseModel | str | Path,
    fewest: int = FEWEST,
    limit: int | None = 25,
    **sketching: Any,
) -> SketchDifference:
    """Compare two senses of a word by their numbers.

    Parameters
    ----------
    fewest : int
        Times that one of the two has a collocate, at least.
    limit : int or None
        Collocates a relation for each of the two.
    **sketching
        ``layer``, ``max_contexts`` and ``random_state``, as of `sketch_word`.
    """
    sketch = sketch_word(corpus, word, model=model, complete=True, **sketching)
    groups = {group.sense: group for group in sketch.groups}
    for number in (first, second):
        if number not in groups:
            raise InputError(f"the sketch of {sketch.word!r} has no sense {number}")
    if first == second:
        raise InputError("two different senses are compared, not one with itself")
    return compare_groups(groups[first], groups[second], fewest, limit)


def compare_words(
    corpus: Corpus | str | Path,
    first: str,
    second: str,
    *,
    fewest: int = FEWEST,
    limit: int | None = 25,
    **sketching: Any,
) -> SketchDifference:
    """Compare two words, of all their senses together; the rest is as of `compare_senses`."""
    one, other = (sketch_word(corpus, x, complete=True, **sketching) for x in (first, second))
    return compare_groups(one.groups[0], other.groups[0], fewest, limit)


def compare_groups(
    first: SketchGroup, second: SketchGroup, fewest: int = FEWEST, limit: int | None = 25
) -> SketchDifference:
    """Compare two groups of complete sketches: relation by relation, the largest difference first.

    What a group does not have counts as a logDice of 0.
    """
    sides = _collect(first), _collect(second)
    rows: dict[str, list[ComparedRow]] = {}
    for key in dict.fromkeys([*sides[0], *sides[1]]):
        one, other = sides[0].get(key), sides[1].get(key)
        counts = [0 if side is None else side.count for side in (one, other)]
        if max(counts) < fewest:
            continue
        dice = None if one is None else one.log_dice
        other_dice = None if other is None else other.log_dice
        difference = round((dice or 0.0) - (other_dice or 0.0), _DIGITS)
        row = ComparedRow(*key, counts[0], counts[1], dice, other_dice, difference)
        rows.setdefault(row.relation, []).append(row)
    kept = tuple(row for own in rows.values() for row in _choose(own, limit))
    return SketchDifference(_name(first), _name(second), kept, first.name, second.name)


def _choose(rows: list[ComparedRow], limit: int | None) -> list[ComparedRow]:
    """The largest differences to either side."""
    ordered = sorted(rows, key=lambda row: -abs(row.difference))
    sides = [[row for row in ordered if sign * row.difference > 0][:limit] for sign in (1, -1)]
    return sorted([*sides[0], *sides[1]], key=lambda row: -abs(row.difference))


def _collect(group: SketchGroup) -> dict[tuple[str, str, str], SketchCollocate]:
    return {
        (relation.name, one.word, one.pos): one
        for relation in group.relations
        for one in relation.collocates
    }


def _name(group: SketchGroup) -> str:
    return group.word if group.sense is None else f"{group.word}.{group.sense}"
