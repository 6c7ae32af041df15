from __future__ import annotations

import numpy as np

from grassmeans.clustering.matching import UNMATCHED, match_groups


def test_a_class_has_one_group() -> None:
    # The first class is divided: 5 and 4 of it; the larger group gets it.
    assert match_groups(np.array([[5, 0], [4, 0], [1, 3]])).tolist() == [0, UNMATCHED, 1]


def test_what_has_nothing_in_common_is_not_matched() -> None:
    assert match_groups(np.array([[2, 0], [3, 0]])).tolist() == [UNMATCHED, 0]


def test_all_together_count_and_not_the_first() -> None:
    # 3 + 4 is more than 4 + 0.
    assert match_groups(np.array([[4, 3], [4, 0]])).tolist() == [1, 0]
