from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from grassmeans.evaluation.pair_scores import (
    RankedPairs,
    WordArea,
    average_areas,
    find_threshold,
    score_pairs,
)


def rank(similarities: list[float], same: list[bool] | str) -> RankedPairs:
    marks = [mark == "s" for mark in same] if isinstance(same, str) else same
    return RankedPairs(np.array(similarities, np.float32), np.array(marks, np.bool_))


def test_areas_by_hand() -> None:
    assert rank([0.1, 0.2, 0.8, 0.9], "ooss").area() == 100.0
    assert rank([0.9, 0.8, 0.2, 0.1], "ooss").area() == 0.0
    # s 0.5 is above o 0.1 alone, s 0.9 above both: 3 of 4 pairs of pairs.
    assert rank([0.1, 0.5, 0.6, 0.9], "osos").area() == 75.0


def test_ties_count_half() -> None:
    assert rank([0.3, 0.3, 0.3], "sos").area() == 50.0
    # s 0.5 against o 0.5 and o 0.1: a half and a whole.
    assert rank([0.5, 0.5, 0.1], "soo").area() == 75.0


def test_one_kind_of_pairs_has_no_area() -> None:
    assert math.isnan(rank([0.1, 0.2], "ss").area())
    assert math.isnan(rank([0.1, 0.2], "oo").area())
    assert math.isnan(rank([], "").area())


def test_a_weight_is_a_number_of_copies_and_the_area_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    alike = rng.integers(20, size=200).astype(np.float32)  # many ties
    same = rng.random(200) < 0.4
    weights = rng.integers(4, size=200)
    copies = np.repeat(alike, weights), np.repeat(same, weights)
    found = RankedPairs(alike, same).area(weights.astype(np.float64))
    assert found == pytest.approx(RankedPairs(*copies).area())
    assert found == pytest.approx(100 * roc_auc_score(copies[1], copies[0]))


def test_words_weigh_by_their_instances_and_those_without_an_area_are_left_out() -> None:
    words = [WordArea("a", 10, 45, 80.0), WordArea("b", 30, 435, 60.0)]
    found = average_areas([*words, WordArea("one", 99, 4851, math.nan)])
    assert (found.n_words, found.n_instances, found.n_pairs) == (2, 40, 480)
    assert found.area == 65.0
    assert found.area_interval is not None
    # A word is drawn twice in a quarter of the samples.
    assert (found.area_interval.low, found.area_interval.high) == (60.0, 80.0)


def test_without_any_area_there_is_nothing_to_score() -> None:
    found = average_areas([WordArea("one", 9, 36, math.nan)])
    assert (found.n_words, found.area_interval) == (0, None)
    assert math.isnan(found.area)


def test_thresholds_by_hand() -> None:
    def threshold(similarities: list[float], same: str) -> float:
        marks = np.array([mark == "s" for mark in same])
        return find_threshold(np.array(similarities, np.float32), marks)

    assert threshold([1.0, 2.0, 4.0, 8.0], "ooss") == 3.0
    assert threshold([8.0, 1.0, 4.0, 2.0], "soso") == 3.0
    assert threshold([1.0, 2.0], "ss") == -math.inf
    assert threshold([1.0, 2.0], "oo") == math.inf
    # No threshold lies between equal similarities: three of four are right below them.
    assert threshold([1.0, 2.0, 2.0, 2.0], "ooss") == 1.5


def test_the_threshold_of_a_word_comes_from_other_words() -> None:
    # Two words, one in either half: the best threshold is 3 for a, and 30 for b.
    alike = np.array([1.0, 2.0, 4.0, 5.0, 10.0, 20.0, 40.0, 50.0], np.float32)
    same = np.array([False, False, True, True] * 2)
    found = score_pairs(["a"] * 4 + ["b"] * 4, alike, same)
    # With 30, a's four are called other: two are right. With 3, b's four are called same: two.
    assert found.accuracy == 50.0
    assert (found.n_words, found.n_pairs, found.same) == (2, 8, 50.0)
    # Of 16: s 4, 5 are above o 1, 2; s 40, 50 above all four.
    assert found.area == 75.0
    assert found.area_interval is not None
    assert (found.area_interval.low, found.area_interval.high) == (75.0, 100.0)


def test_a_single_word_has_an_area_alone() -> None:
    found = score_pairs(["a", "a"], np.array([0.1, 0.9], np.float32), np.array([False, True]))
    assert found.area == 100.0
    assert math.isnan(found.accuracy)
    assert (found.area_interval, found.accuracy_interval) == (None, None)
