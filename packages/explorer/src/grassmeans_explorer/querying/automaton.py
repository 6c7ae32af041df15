"""A query as an automaton whose states are its token places, and from where to look for it.

The construction is Glushkov's: a state for each token place, of which some may come first, some
last, and each may be followed by some others; nothing is left that reads no token.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from grassmeans.arrays import Booleans, Integers
from grassmeans_explorer.querying.language import (
    LONGEST_MATCH,
    Choice,
    Condition,
    Item,
    Repetition,
    Token,
    may_be_empty,
)


@dataclass(frozen=True, slots=True)
class Automaton:
    """What follows what in a query."""

    conditions: tuple[Condition, ...]  # each once
    condition_of: Integers  # (n_states,) the number of its condition
    first: Booleans  # (n_states,) whether a match may begin with it
    last: Booleans  # (n_states,) whether one may end with it
    follow: Booleans  # (n_states, n_states) whether the second may come after the first


@dataclass(frozen=True, slots=True)
class _Part:
    """The states with which a part of a query may begin and end."""

    is_empty: bool  # whether it may read nothing
    first: tuple[int, ...]
    last: tuple[int, ...]


_NOTHING = _Part(True, (), ())


class _Builder:
    def __init__(self) -> None:
        self.numbers: dict[Condition, int] = {}
        self.states: list[int] = []
        self.follow: set[tuple[int, int]] = set()

    def add(self, item: Item) -> _Part:
        if isinstance(item, Token):
            self.states.append(self.numbers.setdefault(item.condition, len(self.numbers)))
            state = (len(self.states) - 1,)
            return _Part(False, state, state)
        if isinstance(item, Repetition):
            return self._repeat(item)
        parts = [self.add(inner) for inner in item.items]
        if isinstance(item, Choice):
            firsts = tuple(state for part in parts for state in part.first)
            lasts = tuple(state for part in parts for state in part.last)
            return _Part(any(part.is_empty for part in parts), firsts, lasts)
        return self._chain(parts)

    def _repeat(self, item: Repetition) -> _Part:
        copies = item.most or max(item.least, 1)
        parts = []
        for number in range(copies):
            part = self.add(item.item)
            is_empty = part.is_empty or number >= item.least
            parts.append(_Part(is_empty, part.first, part.last))
        if item.most is None:
            self._link(parts[-1], parts[-1])
        return self._chain(parts)

    def _chain(self, parts: list[_Part]) -> _Part:
        whole = _NOTHING
        for part in parts:
            self._link(whole, part)
            whole = _Part(
                whole.is_empty and part.is_empty,
                whole.first + part.first if whole.is_empty else whole.first,
                whole.last + part.last if part.is_empty else part.last,
            )
        return whole

    def _link(self, before: _Part, after: _Part) -> None:
        self.follow.update((one, other) for one in before.last for other in after.first)


def build_automaton(item: Item) -> Automaton:
    """The automaton of a query, which has at most `language.MOST_TOKENS` states."""
    builder = _Builder()
    whole = builder.add(item)
    n_states = len(builder.states)
    first, last = np.zeros((2, n_states), np.bool_)
    first[list(whole.first)] = True
    last[list(whole.last)] = True
    follow = np.zeros((n_states, n_states), np.bool_)
    if builder.follow:
        follow[tuple(np.array(sorted(builder.follow)).T)] = True
    numbers = np.array(builder.states, np.int32)
    return Automaton(tuple(builder.numbers), numbers, first, last, follow)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A token that stands ``least`` to ``most`` tokens behind the beginning of a match."""

    condition: Condition
    least: int
    most: int


def choose_anchors(item: Item, count: Callable[[Condition], int]) -> tuple[Anchor, ...]:
    """Tokens of which every match has one, such that few places have to be looked at.

    ``count`` tells at how many places a condition can hold.
    """

    def cost(anchors: tuple[Anchor, ...]) -> int:
        return sum(count(a.condition) * (a.most - a.least + 1) for a in anchors)

    def find(part: Item, least: int, most: int) -> tuple[Anchor, ...]:
        if isinstance(part, Token):
            return (Anchor(part.condition, min(least, LONGEST_MATCH), min(most, LONGEST_MATCH)),)
        if isinstance(part, Repetition):
            return find(part.item, least, most)
        if isinstance(part, Choice):
            return tuple(a for inner in part.items for a in find(inner, least, most))
        found = []
        for inner in part.items:
            if not may_be_empty(inner):
                found.append(find(inner, least, most))
            shortest, longest = measure_length(inner)
            least, most = least + shortest, most + longest
        return min(found, key=cost)

    return find(item, 0, 0)


def measure_length(item: Item) -> tuple[int, int]:
    """The fewest and the most tokens of an item, `LONGEST_MATCH` for without an end."""
    if isinstance(item, Token):
        return 1, 1
    if isinstance(item, Repetition):
        shortest, longest = measure_length(item.item)
        most = LONGEST_MATCH if item.most is None else item.most
        return shortest * item.least, min(longest * most, LONGEST_MATCH)
    lengths = [measure_length(inner) for inner in item.items]
    if isinstance(item, Choice):
        return min(low for low, _ in lengths), max(high for _, high in lengths)
    return sum(low for low, _ in lengths), min(sum(high for _, high in lengths), LONGEST_MATCH)
