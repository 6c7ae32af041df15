from __future__ import annotations

import numpy as np
import pytest

from grassmeans.evaluation.reports import (
    Interval,
    ResultTable,
    bootstrap_weighted_mean,
    bootstrap_words,
    format_value,
    round_score,
)


def test_markdown() -> None:
    table = ResultTable(("", "V"), (("all", "1.00"),))
    assert table.to_markdown() == "|  | V |\n| --- | ---: |\n| all | 1.00 |\n"


@pytest.mark.parametrize(
    ("value", "text"), [(None, "-"), (1234, "1,234"), (2.345, "2.35"), ([1.0, 2.26], "1.0–2.3")]
)
def test_values_for_people(value, text: str) -> None:
    assert format_value(value) == text


def test_json_has_no_nan() -> None:
    assert round_score(float("nan")) is None
    assert round_score(1.23456) == 1.2346


def test_scatter_of_one_word_cannot_be_known() -> None:
    assert bootstrap_weighted_mean(np.array([50.0]), np.array([3.0])) is None


def test_equal_words_have_no_scatter() -> None:
    found = bootstrap_weighted_mean(np.array([40.0, 40.0, 40.0]), np.array([1.0, 5.0, 2.0]))
    assert found == Interval(pytest.approx(40.0), pytest.approx(40.0))


def test_two_words_may_both_be_either() -> None:
    # A quarter of the samples holds the first word twice, a quarter the second.
    found = bootstrap_weighted_mean(np.array([0.0, 100.0]), np.array([1.0, 9.0]))
    assert found == Interval(0.0, 100.0)


def test_width_for_many_words_is_that_of_the_normal_law() -> None:
    values = np.tile([0.0, 10.0], 200)  # standard deviation 5
    found = bootstrap_weighted_mean(values, np.ones(400))
    assert found is not None
    half = 1.96 * 5 / np.sqrt(400)
    assert found.low == pytest.approx(5 - half, abs=0.08)
    assert found.high == pytest.approx(5 + half, abs=0.08)


def test_weights_count_in_the_samples() -> None:
    seen = []

    def remember(chosen):
        seen.append(chosen)
        return np.zeros(len(chosen))

    bootstrap_words(3, remember)
    bootstrap_words(3, remember)
    assert seen[0].shape == (1_000, 3)
    assert (seen[0] == seen[1]).all()  # the same seed, the same samples
    assert set(np.unique(seen[0])) <= {0, 1, 2}
