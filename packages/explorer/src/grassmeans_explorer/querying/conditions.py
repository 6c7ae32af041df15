"""Conditions of a query on tokens: on which words they can hold at all, and where they do.

What depends on the vocabulary alone becomes a table over it, once for a query. Tags and senses are
looked at only where the words around them leave it open.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grassmeans.arrays import Booleans, Indices
from grassmeans.errors import InputError
from grassmeans_explorer.querying import language
from grassmeans_explorer.querying.patterns import compile_pattern, find_fitting, is_plain
from grassmeans_explorer.querying.source import QuerySource, ShardReader


class UnknownAttributeError(InputError):
    """An attribute that this corpus does not have."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place
        """Where in the query, in characters from 0."""


class Fitting(ABC):
    """A condition, ready to be looked for."""

    possible: Booleans
    """(n_types + 1,) the words on which it can hold; the last is for unknown ones."""

    @abstractmethod
    def holds(self, shard: ShardReader, places: Indices) -> Booleans:
        """(n,) whether it holds at places of a shard."""


@dataclass(frozen=True, eq=False)
class _ByWord(Fitting):
    possible: Booleans

    def holds(self, shard: ShardReader, places: Indices) -> Booleans:
        found: Booleans = self.possible[shard.tokens[places]]
        return found


@dataclass(frozen=True, eq=False)
class _ByLayer(Fitting):
    possible: Booleans
    attribute: str
    fits: Booleans  # (n_values,)

    def holds(self, shard: ShardReader, places: Indices) -> Booleans:
        layer = shard.source.layer
        assert layer is not None
        numbers = layer.numbers_of(self.attribute, shard.number)
        found: Booleans = self.fits[numbers[places]]
        return found


@dataclass(frozen=True, eq=False)
class _BySense(Fitting):
    possible: Booleans
    fits: Booleans  # (n_senses + 2,) from 0 on; the last is for words without senses

    def holds(self, shard: ShardReader, places: Indices) -> Booleans:
        found = self.possible[shard.tokens[places]]
        rows = np.flatnonzero(found)
        found[rows] = self.fits[shard.senses_at(places[rows])]
        return found


@dataclass(frozen=True, eq=False)
class _Negation(Fitting):
    possible: Booleans
    inner: Fitting

    def holds(self, shard: ShardReader, places: Indices) -> Booleans:
        return ~self.inner.holds(shard, places)


@dataclass(frozen=True, eq=False)
class _Joined(Fitting):
    """All parts hold, or one of them; those that take longer are asked last, and where they count.

    One part decides alone where it is ``decisive``: false for all, true for one.
    """

    possible: Booleans
    parts: tuple[Fitting, ...]
    decisive: bool

    def holds(self, shard: ShardReader, places: Indices) -> Booleans:
        found = np.full(len(places), not self.decisive)
        for part in self.parts:
            rows = np.flatnonzero(found != self.decisive)
            found[rows] = part.holds(shard, places[rows])
        return found


_COST = (_ByWord, _ByLayer, _Joined, _Negation, _BySense)


class ConditionCompiler:
    """Turns conditions into `Fitting`; equal ones only once."""

    def __init__(self, source: QuerySource, end: float = float("inf")) -> None:
        self._source = source
        self._end = end  # on the monotonic clock, when patterns have had their time
        self._known: dict[language.Condition, Fitting] = {}

    def compile(self, condition: language.Condition) -> Fitting:
        """A condition, ready to be looked for; `InputError` where an attribute is not there."""
        if condition not in self._known:
            self._known[condition] = self._make(condition)
        return self._known[condition]

    def _make(self, condition: language.Condition) -> Fitting:
        if isinstance(condition, language.ValueTest):
            return self._make_test(condition)
        if isinstance(condition, language.Negation):
            inner = self.compile(condition.inner)
            if isinstance(inner, _ByWord):
                return _ByWord(~inner.possible)
            return _Negation(self._all_words, inner)
        decisive = isinstance(condition, language.Disjunction)
        join = np.logical_or.reduce if decisive else np.logical_and.reduce
        parts = [self.compile(part) for part in condition.parts]
        if not parts:
            return _ByWord(self._all_words)
        possible: Booleans = join([part.possible for part in parts])
        words = [part for part in parts if isinstance(part, _ByWord)]
        if len(words) == len(parts):
            return _ByWord(possible)
        rest = [part for part in parts if not isinstance(part, _ByWord)]
        others = sorted(rest, key=lambda part: _COST.index(type(part)))
        tables = [_ByWord(join([part.possible for part in words]))] if words else []
        return _Joined(possible, (*tables, *others), decisive)

    @property
    def _all_words(self) -> Booleans:
        return np.ones(len(self._source.corpus.vocabulary) + 1, np.bool_)

    def _make_test(self, test: language.ValueTest) -> Fitting:
        attribute, pattern, source = test.attribute, test.pattern, self._source
        layer = source.layer
        if attribute == "sense":
            return self._make_sense(test)
        if layer is not None and attribute in layer.attributes:
            values = layer.values_of(attribute)
            fits = np.zeros(len(values), np.bool_)
            fits[self._find(values, pattern)] = True
            return _ByLayer(self._all_words, attribute, fits)
        if attribute in ("tag", "pos"):
            raise UnknownAttributeError(
                f"{attribute} is not known in this corpus: make a layer of grammar with "
                "`grassmeans annotate-grammar`, and name it with --grammar",
                test.place,
            )
        table = np.zeros(len(source.corpus.vocabulary) + 1, np.bool_)
        if attribute == "word" and is_plain(pattern):
            spelled = pattern.lower() if source.ignores_case else pattern
            table[source.ids_of(spelled)] = True
        else:
            values = source.words if attribute == "word" else source.lemmas
            table[self._find(values, pattern)] = True
        return _ByWord(table)

    def _find(self, values: Sequence[str], pattern: str) -> list[int]:
        compiled = compile_pattern(pattern, ignore_case=self._source.ignores_case)
        return find_fitting(compiled, values, range(len(values)), self._end)

    def _make_sense(self, test: language.ValueTest) -> Fitting:
        source, pattern = self._source, test.pattern
        numbers = [str(number) for number in range(source.most_senses + 1)]
        fits = np.zeros(len(numbers) + 1, np.bool_)
        fits[find_fitting(compile_pattern(pattern), numbers, range(len(numbers)), self._end)] = True
        table = np.zeros(len(source.corpus.vocabulary) + 1, np.bool_)
        if source.corpus.is_labelled:
            table[:-1] = fits[source.labels]
            return _ByWord(table)
        if source.model is None:
            raise UnknownAttributeError(
                "sense needs a model, or a corpus that was labelled by one: name the model",
                test.place,
            )
        table[list(source.entries)] = True
        return _BySense(table, fits)


def describe_value(pattern: str) -> str:
    """A word as a value of a query that fits it alone."""
    return re.sub(r'([\\.^$*+?()\[\]{}|"])', r"\\\1", pattern)
