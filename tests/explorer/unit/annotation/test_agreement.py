"""Alpha and kappa: values worked out by hand, and those that were published."""

from __future__ import annotations

import pytest

from grassmeans.errors import InputError
from grassmeans_explorer.annotation.agreement import measure_alpha, measure_kappa

# Four observers and twelve units, of Krippendorff's "Computing Krippendorff's alpha-reliability".
OBSERVERS = ["12332141 2...", "123322412 5.3", ".33323422 51.", "123324412 51."]
OBSERVERS = [row.replace(" ", "") for row in OBSERVERS]
UNITS = [[int(row[i]) for row in OBSERVERS if row[i] != "."] for i in range(12)]


def test_alpha_is_that_of_the_published_example():
    assert measure_alpha(UNITS) == pytest.approx(0.743, abs=5e-4)
    assert measure_alpha(UNITS, "ordinal") == pytest.approx(0.815, abs=5e-4)


def test_alpha_by_hand():
    units = [["a", "a"], ["a", "b"], ["b", "b"], ["b"]]
    # Together: aa 2, ab 1, ba 1, bb 2; three of each, six in all. 1 - 5 * 2 / (2 * 9).
    assert measure_alpha(units) == pytest.approx(1 - 5 * 2 / 18)
    # Three values of a unit are three pairs, each counting a half: aa 1, ab 1, ba 1; a 2, b 1.
    assert measure_alpha([["a", "a", "b"]]) == pytest.approx(1 - 2 * 2 / (2 * 2))


def test_ranks_that_are_far_apart_weigh_more():
    near, far = [[1, 2], [3, 3], [1, 1]], [[1, 3], [2, 2], [1, 1]]
    assert measure_alpha(near) == measure_alpha(far)
    assert measure_alpha(near, "ordinal") > measure_alpha(far, "ordinal")
    # n: 1 three, 2 one, 3 two; middles 1.5, 3.5, 5. Observed 2 * 4; expected 2 (3 * 4 + 6 * 12.25
    # + 2 * 2.25).
    expected = 2 * (3 * 4 + 6 * 12.25 + 2 * 2.25)
    assert measure_alpha(near, "ordinal") == pytest.approx(1 - 5 * 8 / expected)


def test_nothing_to_disagree_about_has_no_value():
    assert measure_alpha([]) is None
    assert measure_alpha([["a"], ["b"]]) is None
    assert measure_alpha([["a", "a"], ["a", "a"]]) is None
    assert measure_kappa([], []) is None
    assert measure_kappa("aa", "aa") is None
    with pytest.raises(InputError, match="level"):
        measure_alpha([], "interval")


def test_kappa_by_hand():
    first = "y" * 25 + "n" * 25
    second = "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15
    # They agree on 35 of 50; chance gives 0.5 * 0.6 + 0.5 * 0.4.
    assert measure_kappa(first, second) == pytest.approx((0.7 - 0.5) / 0.5)
    assert measure_kappa("ab", "ba") == pytest.approx(-1.0)
