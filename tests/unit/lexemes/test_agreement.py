from __future__ import annotations

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.laboratory.iteration.agreement import match_senses, mean_entropy


def test_swapped_numbers_agree_fully() -> None:
    matching = match_senses(np.array([1, 1, 2, 2, 0]), np.array([2, 2, 1, 1, 0]), 2)
    assert matching.renumbering.tolist() == [0, 2, 1]
    assert matching.agreement == 1.0


def test_idk_is_never_matched_with_a_sense() -> None:
    # The new sense 1 covers the old IDK, and two of the old sense 2.
    previous = np.array([0, 0, 0, 2, 2, 1])
    current = np.array([1, 1, 1, 1, 1, 2])
    matching = match_senses(previous, current, 2)
    assert matching.renumbering.tolist() == [0, 2, 1]
    assert matching.n_agreeing == 3
    assert matching.agreement == pytest.approx(0.5)


def test_the_matching_is_best_over_all_senses_not_greedy() -> None:
    # Greedy would give 1 -> 1 (3 occurrences) and leave 2 -> 2 with none: 3; the best is 2 + 2.
    current = np.array([1, 1, 1, 1, 1, 2, 2])
    previous = np.array([1, 1, 1, 2, 2, 1, 1])
    matching = match_senses(previous, current, 2)
    assert matching.renumbering.tolist() == [0, 2, 1]
    assert matching.n_agreeing == 4


def test_a_sense_without_occurrences_gets_the_number_that_is_left() -> None:
    matching = match_senses(np.array([3, 3]), np.array([1, 1]), 3)
    assert matching.renumbering[1] == 3
    assert sorted(matching.renumbering.tolist()) == [0, 1, 2, 3]
    assert match_senses(np.array([], int), np.array([], int), 2).agreement == 1.0


def test_labels_are_checked() -> None:
    with pytest.raises(InputError, match="same occurrences"):
        match_senses(np.array([1]), np.array([1, 1]), 1)
    with pytest.raises(InputError, match="between 0 and 2, found 3"):
        match_senses(np.array([3]), np.array([1]), 2)


def test_entropy_is_relative_to_the_number_of_senses() -> None:
    assert mean_entropy(np.array([[1.0, 0.0], [0.0, 1.0]])) == 0.0
    assert mean_entropy(np.full((3, 5), 0.2)) == pytest.approx(1.0)
    assert mean_entropy(np.array([[1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]])) == pytest.approx(0.5)
    assert mean_entropy(np.ones((4, 1))) == 0.0
    assert mean_entropy(np.empty((0, 3))) == 0.0
