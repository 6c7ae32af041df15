from __future__ import annotations

from pathlib import Path

import pytest

from grassmeans.artifacts import schema
from grassmeans.errors import ArtifactError

NAN = float("nan")


@pytest.mark.parametrize(
    ("rule", "sound", "wrong"),
    [
        (schema.whole(0, 5), [0, 5], [-1, 6, 2.0, True, "1", None, 10**30]),
        (schema.number(0.0, 1.0), [0, 0.5, 1], [1.1, NAN, "0", True, None]),
        (schema.number(), [-3, 10**300], [10**400, float("inf"), -float("inf"), NAN]),
        (schema.measured, [3, 0.5, NAN], ["x", True, None, -(10**400)]),
        (schema.text, ["", "x"], [1, None, ["x"]]),
        (schema.flag, [True, False], [0, 1, "true", None]),
        (schema.one_of("a", 4), ["a", 4], ["b", 4.0, None, ["a"]]),
        (schema.one_of(1), [1], [True]),
        (schema.either(schema.text, schema.nothing), ["x", None], [0, False]),
        (schema.each(schema.text), [[], ["a"]], ["a", [1], None, {}]),
        (schema.row(schema.text, schema.whole()), [["a", 1]], [["a"], [1, "a"], "a1", ["a", -1]]),
        (schema.record({"n": schema.whole()}), [{"n": 1, "m": 2}], [{}, {"n": "1"}, [], None]),
        (schema.record(optional={"n": schema.whole()}), [{}, {"n": 1}], [{"n": None}]),
    ],
)
def test_rules(rule, sound, wrong) -> None:
    assert [value for value in sound if rule(value) is not None] == []
    assert [value for value in wrong if rule(value) is None] == []


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"n": "x"}, "expected that 'n' is a whole number from 1 to 9, not 'x'"),
        ({}, "expected that 'n' is there"),
        ([], "expected that it holds named values"),
        ({"n": 1, "list": [{"deep": 3}]}, "'list' is a list whose item 0 is named values where"),
        ({"n": 1, "list": "a" * 500}, r"'list' is a list, not 'a+\.\.\.\)"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(values, message) -> None:
    rules = {"n": schema.whole(1, 9)}
    optional = {"list": schema.each(schema.record({"deep": schema.text}))}
    with pytest.raises(ArtifactError, match=message) as told:
        schema.check_values(Path("m.json"), values, rules, optional)
    assert str(told.value).startswith("m.json is truncated or damaged")
    assert len(str(told.value)) < 250


def test_a_call_that_does_not_fit_is_told_with_its_function() -> None:
    @schema.check_arguments()
    def tag(text: str, *, words: str = "") -> str:
        return text + words

    assert tag("a", words="b") == "ab"
    with pytest.raises(TypeError, match=r"tag\(\): got an unexpected keyword argument 'wrds'$"):
        tag("a", wrds="b")
    with pytest.raises(TypeError, match=r"tag\(\): too many positional arguments$"):
        tag("a", "b")
