"""Rules for plain values that come from outside: those of a manifest, and arguments of a call.

A rule takes a value and gives what was expected, in words, or nothing where the value is sound.
"""

from __future__ import annotations

import functools
import inspect
import math
import os
import sys
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias, TypeVar

from grassmeans.errors import ArtifactError, InputError

Rule: TypeAlias = Callable[[Any], str | None]
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_SHOWN = 60
_LARGEST = 2**62
_MOST_FLOAT = sys.float_info.max
MOST_WORKERS = 1_000


def expect(expected: str, is_sound: Callable[[Any], object]) -> Rule:
    """A rule: what is expected, in words, and whether a value is that."""
    return lambda value: None if is_sound(value) else expected


text = expect("a text", lambda value: isinstance(value, str))
flag = expect("true or false", lambda value: isinstance(value, bool))
function = expect("a function", callable)
nothing = expect("one of None", lambda value: value is None)


def _is_a(value: Any, kind: Any) -> bool:
    """Whether a value is of a kind; true and false are no numbers."""
    return isinstance(value, kind) and not isinstance(value, bool)


path = expect(
    "a path",
    lambda value: _is_a(value, str | os.PathLike) and str(value) and "\0" not in str(value),
)
measured = expect(  # also a number that is not known (NaN)
    "a number",
    lambda value: isinstance(value, float) or (_is_a(value, int) and abs(value) <= _MOST_FLOAT),
)


def whole(smallest: int = 0, largest: int = _LARGEST) -> Rule:
    """A whole number in a range, its ends included."""
    is_open = largest == _LARGEST
    ends = f", {smallest:,} or more" if is_open else f" from {smallest:,} to {largest:,}"
    return expect(
        f"a whole number{ends}",
        lambda value: _is_a(value, Integral) and smallest <= value <= largest,
    )


def number(smallest: float = -math.inf, largest: float = math.inf) -> Rule:
    """A finite number in a range, its ends included."""

    def is_sound(value: Any) -> bool:
        # An integer may be too large for a float, so it is compared as it is.
        return _is_a(value, Real) and smallest <= value <= largest and abs(value) <= _MOST_FLOAT

    return expect(f"a number from {smallest:g} to {largest:g}", is_sound)


def instance_of(*kinds: type) -> Rule:
    """An object of one of some classes."""
    names = " or ".join(f"a {kind.__name__}" for kind in kinds)
    return expect(names, lambda value: isinstance(value, kinds))


def one_of(*choices: Any) -> Rule:
    """One of a few values."""
    return expect(
        f"one of {', '.join(map(str, choices))}",
        lambda value: any(type(value) is type(choice) and value == choice for choice in choices),
    )


def optional(rule: Rule) -> Rule:
    """What a rule allows, or None."""

    def check(value: Any) -> str | None:
        expected = None if value is None else rule(value)
        return None if expected is None else f"{expected}, or None"

    return check


def either(*rules: Rule) -> Rule:
    """What one of several rules allows."""

    def check(value: Any) -> str | None:
        found = [rule(value) for rule in rules]
        return None if None in found else " or ".join(str(expected) for expected in found)

    return check


def each(rule: Rule) -> Rule:
    """A list of values that all follow a rule."""

    def check(value: Any) -> str | None:
        if not isinstance(value, list):
            return "a list"
        found = next(((i, e) for i, item in enumerate(value) if (e := rule(item))), None)
        return None if found is None else f"a list whose item {found[0]} is {found[1]}"

    return check


def row(*rules: Rule) -> Rule:
    """A list with one value for each rule."""

    def check(value: Any) -> str | None:
        if not isinstance(value, list) or len(value) != len(rules):
            return f"a list of {len(rules)}"
        found = list(filter(None, (rule(v) for rule, v in zip(rules, value, strict=True))))
        return f"a list where an item is {found[0]}" if found else None

    return check


def record(
    required: Mapping[str, Rule] | None = None, optional: Mapping[str, Rule] | None = None
) -> Rule:
    """Named values; other names are let be."""

    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return "named values"
        problem = find_problem(value, required or {}, optional or {})
        return None if problem is None else f"named values where {problem}"

    return check


def find_problem(
    values: Mapping[str, Any], required: Mapping[str, Rule], optional: Mapping[str, Rule]
) -> str | None:
    """What is wrong with named values; None where they follow the rules."""
    for name, rule in (*required.items(), *optional.items()):
        if name not in values:
            if name in required:
                return f"{name!r} is there"
            continue
        expected = rule(values[name])
        if expected is not None:
            inner = "" if " where " in expected else f", not {shorten(values[name])}"
            return f"{name!r} is {expected}{inner}"
    return None


def check_values(
    path: Path,
    values: Any,
    required: Mapping[str, Rule],
    optional: Mapping[str, Rule] | None = None,
) -> None:
    """Refuse values of a file that do not follow the rules, with one line that names the file."""
    problem = "it holds named values"
    if isinstance(values, dict):
        problem = find_problem(values, required, optional or {}) or ""
    if problem:
        raise ArtifactError(
            f"{path} is truncated or damaged (expected that {problem}): build the folder again"
        )


_USUAL = {
    **dict.fromkeys(("word", "device", "name"), text),
    **dict.fromkeys(("column", "by"), optional(text)),
    **dict.fromkeys(("path", "output", "path_or_name"), path),
    **dict.fromkeys(("overwrite", "calibrated", "marks", "keep_breaks", "drop_repeats"), flag),
    **dict.fromkeys(("min_count", "max_contexts"), optional(whole(1))),
    **dict.fromkeys(("before", "after"), whole(0, 10_000)),
    **dict.fromkeys(("limit", "first"), optional(whole(0))),
    **dict.fromkeys(("n", "position", "number", "width"), whole()),
    "batch_size": whole(1),
    "checkpoint": optional(path),
    "confidence": optional(number(0.0, 1.0)),
    "language": expect("a code such as 'en', or None", lambda value: isinstance(value, str | None)),
    "on_progress": optional(function),
    "random_state": whole(0, 2**63 - 1),
    "sharpness": optional(number(0.0, 1e9)),
    "show_progress": optional(flag),
    "workers": optional(whole(1, MOST_WORKERS)),
}
"""What arguments of these names are, wherever they are taken."""


def check_arguments(
    **rules: Rule | None,
) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """A public door: calls whose arguments do not follow the rules are refused at once.

    Arguments of usual names (`_USUAL`) need no rule, and have none where it is None.
    """

    def decorate(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        signature = inspect.signature(function)
        usual = {name: _USUAL[name] for name in signature.parameters if name in _USUAL}
        chosen = {name: rule for name, rule in (usual | rules).items() if rule is not None}

        @functools.wraps(function)
        def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            try:
                given = signature.bind(*args, **kwargs).arguments
            except TypeError as error:  # which does not say whose arguments they are
                raise TypeError(f"{function.__qualname__}(): {error}") from None
            for name, rule in chosen.items():
                if name in given:
                    _check(name, given[name], rule)
            return function(*args, **kwargs)

        return call

    return decorate


def check_fields(owner: object, **rules: Rule) -> None:
    """Refuse settings, attributes of their owner, that do not follow the rules."""
    for name, rule in rules.items():
        _check(name, getattr(owner, name), rule)


def _check(name: str, value: Any, rule: Rule) -> None:
    if (expected := rule(value)) is not None:
        raise InputError(f"{name} must be {expected}; got {shorten(value)}")


def as_plain(value: Any) -> Any:
    """A value as Python and JSON have it: NumPy's numbers are no numbers of theirs."""
    return value.item() if hasattr(value, "item") else value


def shorten(value: Any) -> str:
    """A value in a message: not more than a line of it."""
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."
