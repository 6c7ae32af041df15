"""How far the senses of a phrase can be trusted is said in words."""

from __future__ import annotations

import pytest

from grassmeans_explorer.queries.asking.phrases import judge_senses


@pytest.mark.parametrize(
    ("sizes", "looked_at", "wished", "told"),
    [
        ([7], 8, None, "They show one sense"),
        ([4, 4], 8, 2, "These senses are a guess"),
        ([100], 100, None, "All lines seem to have one sense"),
        ([90, 9], 100, None, "fewer than 10 lines: sense 2."),
        ([5, 90, 9], 104, 3, "sense 1, 3."),
    ],
)
def test_few_lines_and_single_senses_are_said_so(sizes, looked_at, wished, told):
    assert told in judge_senses(sizes, looked_at, wished)


def test_nothing_is_said_of_what_is_sure():
    assert judge_senses([50, 10], 60, None) == ""
    assert judge_senses([60], 60, 1) == ""  # one was asked for
