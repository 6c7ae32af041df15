"""Query + corpus -> where it matches: from every place at which a match begins, the longest.

Places are looked for from the rarest token that a match must have, by the word index, or by one
pass over the shard's tokens as an array where its words are many. From all these places at once the
automaton goes on token by token; nothing is done for every token of a corpus but by NumPy.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from grassmeans.arrays import Booleans, Indices
from grassmeans.errors import InputError
from grassmeans_explorer.querying.automaton import (
    Anchor,
    Automaton,
    build_automaton,
    choose_anchors,
)
from grassmeans_explorer.querying.conditions import ConditionCompiler, Fitting
from grassmeans_explorer.querying.language import LONGEST_MATCH, SENTENCE, Condition, Query
from grassmeans_explorer.querying.source import QuerySource, ShardReader

MOST_MATCHES = 100_000
SECONDS = 30.0
_AT_ONCE = 1 << 16
_TOKENS_A_LOOKUP = 4_000  # that are passed over in the time of one look into the index


class SlowQueryError(InputError):
    """A query that takes longer than it may."""


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """How long a query may take, and how much it may find."""

    seconds: float = SECONDS
    matches: int = MOST_MATCHES
    checkpoint: Callable[[], None] | None = None
    """Called while it goes on: an error that it raises ends the query, for who has given up."""


@dataclass(frozen=True, slots=True)
class Spans:
    """Stretches of tokens of a corpus, in text order: ``starts[i]:ends[i]``."""

    starts: Indices
    ends: Indices
    is_complete: bool  # whether these are all

    def __len__(self) -> int:
        return len(self.starts)


class Clock:
    """Ends a query that has had its time."""

    def __init__(self, limits: QueryLimits) -> None:
        self.end = time.monotonic() + limits.seconds
        self._limits = limits

    def check(self) -> None:
        """`SlowQueryError` where the time is over; what the limits' checkpoint raises."""
        if self._limits.checkpoint is not None:
            self._limits.checkpoint()
        if time.monotonic() > self.end:
            raise SlowQueryError(
                f"the query takes longer than {self._limits.seconds:g} s: ask for rarer words, or "
                "for fewer repetitions"
            )


def find_spans(source: QuerySource, query: Query, limits: QueryLimits | None = None) -> Spans:
    """The matches of a query, the first ones where they are more than the limit."""
    chosen = limits or QueryLimits()
    clock = Clock(chosen)
    compiler = ConditionCompiler(source, clock.end)
    automaton = build_automaton(query.item)
    fittings = [compiler.compile(condition) for condition in automaton.conditions]
    counts = np.append(np.asarray(source.corpus.vocabulary.counts, np.int64), 0)
    counts[-1] = max(source.corpus.n_tokens - int(counts.sum()), 0)

    def count(condition: Condition) -> int:
        return int(counts[compiler.compile(condition).possible].sum())

    anchors = [
        (anchor, compiler.compile(anchor.condition).possible)
        for anchor in choose_anchors(query.item, count)
    ]
    search = _Search(automaton, fittings, anchors)
    starts, ends = [], []
    n_found = 0
    for number in range(len(source.corpus.shards)):
        clock.check()
        reader = source.open_shard(number, clock.check)
        left = chosen.matches - n_found
        first, end = _search_shard(reader, query, search, left, clock)
        starts.append(first + reader.shard.first_position)
        ends.append(end + reader.shard.first_position)
        n_found += len(first)
        if n_found > chosen.matches:
            break
    kept = slice(chosen.matches)
    nothing = np.empty(0, np.int64)
    return Spans(
        np.concatenate([nothing, *starts])[kept],
        np.concatenate([nothing, *ends])[kept],
        n_found <= chosen.matches,
    )


@dataclass(frozen=True, slots=True)
class _Search:
    """A query, ready to be looked for."""

    automaton: Automaton
    fittings: list[Fitting]  # of the automaton's conditions
    anchors: list[tuple[Anchor, Booleans]]  # with the words on which each can stand

    def iterate_places(self, reader: ShardReader) -> Iterator[tuple[Indices, int]]:
        """Places at which matches may begin, many at once; those of two anchors may come twice.

        With each of them, up to which place no other will come any more; -1 for nowhere.
        """
        for anchor, words in self.anchors:
            found = _find_words(reader, words)
            steps = np.arange(anchor.least, anchor.most + 1)
            at_once = max(_AT_ONCE // len(steps), 1)
            for start in range(0, len(found), at_once):
                part = found[start : start + at_once]
                first, _ = reader.shard.document_bounds(part)
                places = part[:, None] - steps
                settled = int(part[-1]) - anchor.most if len(self.anchors) == 1 else -1
                yield np.unique(places[places >= first[:, None]]), settled


def _search_shard(
    reader: ShardReader, query: Query, search: _Search, most: int, clock: Clock
) -> tuple[Indices, Indices]:
    """Where matches in a shard begin and end, in text order: the first ones, if more than most."""
    nothing = np.empty(0, np.int64)
    starts, ends = [nothing], [nothing]
    for candidates, settled in search.iterate_places(reader):
        places = candidates
        _, limits = reader.shard.document_bounds(places)
        found = _run(reader, search, places, limits, clock.check)
        if query.within == SENTENCE:
            places = places[found > 0]
            limits = reader.sentence_ends(places)
            found = _run(reader, search, places, limits, clock.check)
        starts.append(places[found > 0])
        ends.append(found[found > 0])
        if sum(map(len, starts)) > most:
            n_settled = len(np.unique(np.concatenate([own[own <= settled] for own in starts])))
            if n_settled > most:
                break
    first, rows = np.unique(np.concatenate(starts), return_index=True)
    return first, np.concatenate(ends)[rows]


def _find_words(reader: ShardReader, table: Booleans) -> Indices:
    """Where words stand in a shard, in order: by the index, or by a pass over all of it."""
    ids = np.flatnonzero(table[:-1])
    if not table[-1] and len(ids) * _TOKENS_A_LOOKUP < len(reader.tokens):
        parts = [reader.shard.positions(i) for i in ids.tolist()]
        return np.sort(np.concatenate([np.empty(0, np.int64), *parts]))
    return np.flatnonzero(table[reader.tokens])


def _run(
    reader: ShardReader,
    search: _Search,
    places: Indices,
    limits: Indices,
    check: Callable[[], None],
) -> Indices:
    """(n,) where the longest match from each place ends, before its limit; 0 for none."""
    automaton = search.automaton
    found = np.zeros(len(places), np.int64)
    rows = np.arange(len(places))
    reach = np.broadcast_to(automaton.first, (len(places), len(automaton.first)))
    follow = automaton.follow.astype(np.float32)
    for step in range(LONGEST_MATCH):
        check()
        inside = places[rows] + step < limits[rows]
        rows, reach = rows[inside], reach[inside]
        active = _read_token(reader, search, reach, places[rows] + step)
        alive = active.any(axis=1)
        rows, active = rows[alive], active[alive]
        found[rows[(active & automaton.last).any(axis=1)]] = step + 1
        if not len(rows):
            break
        reach = active.astype(np.float32) @ follow > 0.0
    return np.where(found > 0, places + found, 0)


def _read_token(reader: ShardReader, search: _Search, reach: Booleans, places: Indices) -> Booleans:
    """(n, n_states) the states that can be reached and whose conditions hold at the places."""
    active = np.zeros(reach.shape, np.bool_)
    for number, fitting in enumerate(search.fittings):
        columns = np.flatnonzero(search.automaton.condition_of == number)
        own = reach[:, columns]
        rows = np.flatnonzero(own.any(axis=1))
        rows = rows[fitting.holds(reader, places[rows])]
        active[np.ix_(rows, columns)] = own[rows]
    return active
