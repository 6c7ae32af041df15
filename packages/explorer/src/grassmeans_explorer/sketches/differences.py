"""What tells two sketches apart: collocates that one sense or word has rather than another."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from grassmeans.errors import InputError
from grassmeans.results import Tabular
from grassmeans_explorer.sketches.sketching import SketchCollocate, SketchGroup, WordSketch


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
    """None where the first does not have it so often as to be shown."""
    second_log_dice: float | None
    difference: float
    """Of the two, positive where it belongs to the first; a missing one counts as 0."""


@dataclass(frozen=True, slots=True)
class SketchDifference(Tabular):
    """Two sketches side by side: the largest differences first, relation by relation."""

    first: str
    second: str
    compared: tuple[ComparedRow, ...]

    def __repr__(self) -> str:
        return f"SketchDifference({self.first!r}, {self.second!r}: {len(self.compared):,})"

    def rows(self) -> list[dict[str, Any]]:
        """A collocate a row."""
        return [asdict(row) for row in self.compared]


def compare_senses(sketch: WordSketch, first: int, second: int) -> SketchDifference:
    """Compare two senses of a word by their numbers."""
    groups = {group.sense: group for group in sketch.groups}
    for number in (first, second):
        if number not in groups:
            raise InputError(f"the sketch of {sketch.word!r} has no sense {number}")
    if first == second:
        raise InputError("two different senses are compared, not one with itself")
    return _compare(groups[first], groups[second])


def compare_words(first: WordSketch, second: WordSketch) -> SketchDifference:
    """Compare two words, whose sketches are of all their senses together."""
    if len(first.groups) != 1 or len(second.groups) != 1:
        raise InputError("words are compared as wholes: make their sketches without a model")
    return _compare(first.groups[0], second.groups[0])


def _compare(first: SketchGroup, second: SketchGroup) -> SketchDifference:
    sides = [_collect(first), _collect(second)]
    rows = []
    for key in dict.fromkeys([*sides[0], *sides[1]]):
        one, other = sides[0].get(key), sides[1].get(key)
        dice = None if one is None else one.log_dice
        other_dice = None if other is None else other.log_dice
        rows.append(
            ComparedRow(
                *key,
                first=0 if one is None else one.count,
                second=0 if other is None else other.count,
                first_log_dice=dice,
                second_log_dice=other_dice,
                difference=round((dice or 0.0) - (other_dice or 0.0), 3),
            )
        )
    order = {name: place for place, name in enumerate(dict.fromkeys(row.relation for row in rows))}
    rows.sort(key=lambda row: (order[row.relation], -abs(row.difference)))
    return SketchDifference(_name(first), _name(second), tuple(rows))


def _collect(group: SketchGroup) -> dict[tuple[str, str, str], SketchCollocate]:
    return {
        (relation.name, one.word, one.pos): one
        for relation in group.relations
        for one in relation.collocates
    }


def _name(group: SketchGroup) -> str:
    return group.word if group.sense is None else f"{group.word}.{group.sense}"
