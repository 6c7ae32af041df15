r"""The query language: a text -> what it asks for, or the place of the mistake.

A query is a sequence of tokens in the way of CQL, the corpus query language::

    query     = choice [ "within" ( "s" | "doc" ) ]
    choice    = sequence { "|" sequence }
    sequence  = item { item }
    item      = ( token | "(" choice ")" ) [ "?" | "*" | "+" | "{" n "}" | "{" n "," m "}" ]
    token     = string | "[" [ condition ] "]"
    condition = part { "|" part }
    part      = factor { "&" factor }
    factor    = "!" factor | "(" condition ")" | attribute ( "=" | "!=" ) string

A string stands in double quotes and is a regular expression of the whole value; ``\"`` is a quote
in it. Alone it is one of the attribute ``word``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import regex

from grassmeans.errors import InputError
from grassmeans_explorer.querying.patterns import PatternError, check_pattern, compile_pattern

ATTRIBUTES = ("word", "lemma", "tag", "pos", "sense")
SENTENCE, DOCUMENT = "s", "doc"
LONGEST_QUERY = 2_000
LONGEST_MATCH = 100
"""Tokens of a match; what repeats without an end goes no further."""
MOST_TOKENS = 400
"""Token places of a query, each repetition counted."""
_DEEPEST = 40

_LEXEME = regex.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*") | (?P<name>[^\W\d]\w*) | (?P<number>\d+)
    | (?P<sign>!=|[][(){}|&!=?*+,])""",
    regex.VERBOSE | regex.DOTALL,
)
_SPACE = regex.compile(r"\s*")
_END = "the end"


class QueryError(InputError):
    """A query that cannot be read: what was expected at which column, from 1."""

    def __init__(self, message: str, query: str, place: int) -> None:
        super().__init__(message)
        self.query = query
        self.column = place + 1

    def __str__(self) -> str:
        shown = " ".join(self.query[max(self.column - 21, 0) : self.column + 19].split())
        return f"column {self.column}: {self.args[0]} (near {shown!r})"


@dataclass(frozen=True, slots=True)
class ValueTest:
    """Whether the value of an attribute fits a regular expression as a whole."""

    attribute: str
    pattern: str
    place: int = field(default=0, compare=False)
    """Of the attribute in the query, in characters from 0."""


@dataclass(frozen=True, slots=True)
class Negation:
    """What holds where another condition does not."""

    inner: Condition


@dataclass(frozen=True, slots=True)
class Conjunction:
    """What holds where all parts do; without any part, everywhere."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Disjunction:
    """What holds where one of the parts does."""

    parts: tuple[Condition, ...]


Condition = ValueTest | Negation | Conjunction | Disjunction
ANYTHING = Conjunction(())


@dataclass(frozen=True, slots=True)
class Token:
    """One token on which a condition holds."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Sequence:
    """Items that follow each other."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several items."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Repetition:
    """An item, so many times; ``most`` is None for any number."""

    item: Item
    least: int
    most: int | None


Item = Token | Sequence | Choice | Repetition


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked for."""

    text: str
    item: Item
    within: str = DOCUMENT


@dataclass(frozen=True, slots=True)
class _Lexeme:
    kind: str
    text: str
    place: int


def parse_query(text: str) -> Query:
    """Read a query; `QueryError` with the column of the first mistake."""
    if len(text) > LONGEST_QUERY:
        problem = f"a query has at most {LONGEST_QUERY:,} characters, got {len(text):,}"
        raise QueryError(problem, text, LONGEST_QUERY)
    return _Parser(text).read_query()


def count_tokens(item: Item) -> int:
    """How many token places an item has, each repetition counted."""
    if isinstance(item, Token):
        return 1
    if isinstance(item, Repetition):
        return count_tokens(item.item) * max(item.least, item.most or 1, 1)
    return sum(map(count_tokens, item.items))


def may_be_empty(item: Item) -> bool:
    """Whether no token at all is a match of an item."""
    if isinstance(item, Token):
        return False
    if isinstance(item, Repetition):
        return item.least == 0 or may_be_empty(item.item)
    if isinstance(item, Choice):
        return any(map(may_be_empty, item.items))
    return all(map(may_be_empty, item.items))


def _split(text: str) -> list[_Lexeme]:
    found = []
    place = _SPACE.match(text).end()
    while place < len(text):
        match = _LEXEME.match(text, place)
        if match is None:
            problem = f"{text[place]!r} is no part of a query"
            if text[place] == '"':
                problem = 'this string has no closing "'
            raise QueryError(problem, text, place)
        found.append(_Lexeme(match.lastgroup, match.group(), place))
        place = _SPACE.match(text, match.end()).end()
    return [*found, _Lexeme("end", _END, len(text))]


_Node = TypeVar("_Node")


class _Parser:
    """Reads one query from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lexemes = _split(text)
        self._number = 0
        self._depth = 0

    @property
    def _next(self) -> _Lexeme:
        return self._lexemes[self._number]

    def _fail(self, expected: str, at: _Lexeme | None = None) -> QueryError:
        found = at or self._next
        shown = found.text if found.kind == "end" else repr(found.text)
        return QueryError(f"expected {expected}, found {shown}", self._text, found.place)

    def _take(self, sign: str) -> bool:
        """Go beyond a sign, if it is next."""
        if self._next.kind in ("string", "end") or self._next.text != sign:
            return False
        self._number += 1
        return True

    def _expect(self, sign: str, expected: str) -> None:
        if not self._take(sign):
            raise self._fail(expected)

    def read_query(self) -> Query:
        """The whole query."""
        item = self._read_choice()
        within = DOCUMENT
        if self._take("within"):
            within = self._next.text
            if within not in (SENTENCE, DOCUMENT):
                raise self._fail(f"{SENTENCE} or {DOCUMENT} after within")
            self._number += 1
        if self._next.kind != "end":
            raise self._fail("a token, | or within")
        if count_tokens(item) > MOST_TOKENS:
            problem = f"a query has at most {MOST_TOKENS} tokens, each repetition counted"
            raise QueryError(problem, self._text, 0)
        if may_be_empty(item):
            problem = "the query fits where there is no token at all: ask for one at least"
            raise QueryError(problem, self._text, 0)
        return Query(self._text, item, within)

    def _deeper(self, read: Callable[[], _Node]) -> _Node:
        if self._depth == _DEEPEST:
            problem = f"brackets stand in more than {_DEEPEST} others"
            raise QueryError(problem, self._text, self._next.place)
        self._depth += 1
        found = read()
        self._depth -= 1
        return found

    def _read_choice(self) -> Item:
        items = [self._read_sequence()]
        while self._take("|"):
            items.append(self._read_sequence())
        return items[0] if len(items) == 1 else Choice(tuple(items))

    def _read_sequence(self) -> Item:
        items: list[Item] = []
        while (item := self._read_item(is_first=not items)) is not None:
            items.append(item)
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _read_item(self, *, is_first: bool) -> Item | None:
        item: Item
        if self._next.kind == "string":
            item = Token(self._read_test("word", self._next))
        elif self._take("["):
            item = Token(ANYTHING if self._next.text == "]" else self._read_condition())
            self._expect("]", "], & or |")
        elif self._take("("):
            item = self._deeper(self._read_choice)
            self._expect(")", ") or |")
        elif is_first:
            raise self._fail('a token: "word", [...] or (...)')
        else:
            return None
        bounds = self._read_bounds()
        return item if bounds is None else Repetition(item, *bounds)

    def _read_bounds(self) -> tuple[int, int | None] | None:
        place = self._next
        for sign, bounds in (("?", (0, 1)), ("*", (0, None)), ("+", (1, None))):
            if self._take(sign):
                return bounds
        if not self._take("{"):
            return None
        least = self._read_number()
        most = least
        if self._take(","):
            most = self._read_number()
        elif least is None:
            raise self._fail("a number")
        self._expect("}", "} or ,")
        if most == 0 or max(least or 0, most or 0) > LONGEST_MATCH or (most or 100) < (least or 0):
            expected = f"{{n,m}} with n not above m, and m from 1 to {LONGEST_MATCH}"
            raise self._fail(expected, place)
        return least or 0, most

    def _read_number(self) -> int | None:
        if self._next.kind != "number":
            return None
        self._number += 1
        return min(int(self._lexemes[self._number - 1].text[:9]), 10**6)

    def _read_condition(self) -> Condition:
        parts = [self._read_part()]
        while self._take("|"):
            parts.append(self._read_part())
        return parts[0] if len(parts) == 1 else Disjunction(tuple(parts))

    def _read_part(self) -> Condition:
        parts = [self._read_factor()]
        while self._take("&"):
            parts.append(self._read_factor())
        return parts[0] if len(parts) == 1 else Conjunction(tuple(parts))

    def _read_factor(self) -> Condition:
        if self._take("!"):
            return Negation(self._deeper(self._read_factor))
        if self._take("("):
            inner = self._deeper(self._read_condition)
            self._expect(")", "), & or |")
            return inner
        name = self._next
        if name.kind != "name" or name.text not in ATTRIBUTES:
            raise self._fail(f"an attribute ({', '.join(ATTRIBUTES)}), ! or (")
        self._number += 1
        if self._take("!="):
            return Negation(self._read_test(name.text, name))
        self._expect("=", "= or !=")
        return self._read_test(name.text, name)

    def _read_test(self, attribute: str, begin: _Lexeme) -> ValueTest:
        found = self._next
        if found.kind != "string":
            raise self._fail('a value in double quotes, "..."')
        self._number += 1
        value = found.text[1:-1].replace('\\"', '"')
        try:
            check_pattern(value)
            compile_pattern(value)
        except PatternError as error:
            place = found.place + 1 + error.place
            raise QueryError(str(error), self._text, place) from error
        if not value:
            raise QueryError("a value is empty", self._text, found.place)
        return ValueTest(attribute, value, begin.place)
