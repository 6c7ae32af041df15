"""Regular expressions of words: what they may hold, and that they end in time."""

from __future__ import annotations

import time

import pytest

from grassmeans_explorer.querying import patterns
from grassmeans_explorer.querying.patterns import (
    PatternError,
    SlowPatternError,
    check_pattern,
    compile_pattern,
    find_fitting,
    is_plain,
)

WORDS = ["bank", "banks", "embankment", "Bank"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [("bank", [0]), ("bank.*", [0, 1]), (".*bank.*", [0, 1, 2]), ("(em)?bank(s|ment)", [1, 2])],
)
def test_a_pattern_fits_whole_words(pattern, found):
    check_pattern(pattern)
    assert find_fitting(compile_pattern(pattern), WORDS, range(4)) == found
    assert find_fitting(compile_pattern(pattern), WORDS, [3]) == []
    if pattern == "bank":
        assert find_fitting(compile_pattern(pattern, ignore_case=True), WORDS, range(4)) == [0, 3]


@pytest.mark.parametrize(
    ("pattern", "place"), [("(?=a)", 0), (r"a(b)\1", 4), ("(?<n>a)", 0), ("ab(?i)", 2), ("a{e}", 1)]
)
def test_what_needs_more_than_a_word_is_refused_with_its_place(pattern, place):
    with pytest.raises(PatternError, match="is not for here") as caught:
        check_pattern(pattern)
    assert caught.value.place == place


def test_what_is_no_pattern_is_told():
    for pattern in ("(a", "[a", "a**b)"):
        with pytest.raises(PatternError, match="no regular expression"):
            compile_pattern(pattern)
    with pytest.raises(PatternError, match="1,000 characters"):
        check_pattern("a" * 1_001)


def test_a_pattern_that_never_ends_is_ended(monkeypatch):
    monkeypatch.setattr(patterns, "_SECONDS_A_WORD", 0.05)
    began = time.monotonic()
    with pytest.raises(SlowPatternError, match="too long"):
        find_fitting(compile_pattern("(a|aa|aaa)+b(a|b)*c"), ["a" * 60], [0])
    assert time.monotonic() - began < 5
    with pytest.raises(SlowPatternError, match="too long"):
        find_fitting(compile_pattern("a"), WORDS, range(4), end=time.monotonic() - 1)


def test_plain_words_are_told_from_patterns():
    assert is_plain("crane's")
    assert is_plain("état")
    assert not any(map(is_plain, ("a.", "a*", "[ab]", "a|b", r"a\d")))
