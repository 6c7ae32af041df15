"""Regular expressions of single words: what they may hold, and which words they fit, in time.

Patterns are tried on the words of a vocabulary, each once, and never on running text. What needs
more than a word (look-around, back references, recursion) is refused, and each try has its time, so
that no pattern keeps a program busy.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

import regex

from grassmeans.errors import InputError

_WORDS_AT_ONCE = 1024
_SECONDS_A_WORD = 0.5
_LONGEST_PATTERN = 1_000

_PART = regex.compile(
    r"""\\[bBdDsSwW.^$*+?()\[\]{}|\\/'"-] | [^\\(){}]
    | \((?!\?) | \(\?: | \) | \{\d{0,2}(,\d{0,2})?\}""",
    regex.VERBOSE,
)
_SPECIAL = frozenset("\\.^$*+?()[]{}|")


class PatternError(InputError):
    """A regular expression that cannot be read, or holds what is not for single words."""

    def __init__(self, message: str, place: int = 0) -> None:
        super().__init__(message)
        self.place = place
        """Where in the pattern, in characters from 0."""


class SlowPatternError(InputError):
    """A regular expression that takes too long on the words of a vocabulary."""


def is_plain(pattern: str) -> bool:
    """Whether a pattern stands for itself alone."""
    return _SPECIAL.isdisjoint(pattern)


def check_pattern(pattern: str) -> None:
    """Refuse, as `PatternError`, what a regular expression of a word may not have.

    Look-around, back references and the like are slow or of no use on single words.
    """
    if len(pattern) > _LONGEST_PATTERN:
        raise PatternError(f"a regular expression has at most {_LONGEST_PATTERN:,} characters")
    place = 0
    while place < len(pattern):
        part = _PART.match(pattern, place)
        if part is None:
            raise PatternError(
                f"{pattern!r}: {pattern[place : place + 3]!r} is not for here; take letters, . "
                "* + ? | [...] (...) {2,4}",
                place,
            )
        place = part.end()


def compile_pattern(pattern: str, *, ignore_case: bool = False) -> regex.Pattern[str]:
    """A pattern that has been checked; `PatternError` where it is no regular expression."""
    flags = regex.V0 | (regex.IGNORECASE if ignore_case else 0)
    try:
        return regex.compile(pattern, flags)
    except (regex.error, OverflowError, RecursionError) as error:
        place = getattr(error, "pos", None) or 0
        raise PatternError(f"{pattern!r} is no regular expression: {error}", place) from error


def find_fitting(
    pattern: regex.Pattern[str],
    words: Sequence[str],
    numbers: Iterable[int],
    end: float = float("inf"),
) -> list[int]:
    """The numbers of those words that a pattern fits as a whole, of the numbers given.

    ``end`` is on the monotonic clock; `SlowPatternError` where the pattern is not done by then, or
    takes long on a single word.
    """
    found = []
    try:
        for n, i in enumerate(numbers):
            if n % _WORDS_AT_ONCE == 0 and time.monotonic() > end:
                raise TimeoutError
            if pattern.fullmatch(words[i], timeout=_SECONDS_A_WORD) is not None:
                found.append(i)
    except TimeoutError as error:
        raise SlowPatternError(
            f"{pattern.pattern!r} takes too long to try on every word: write it more simply"
        ) from error
    return found
