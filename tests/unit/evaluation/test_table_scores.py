from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from grassmeans.evaluation.table_scores import (
    PrecisionRecall,
    adjusted_rand,
    b_cubed,
    mapped_accuracy,
)

# Clusters {0,1,2} {3}, classes {0,1} {2,3}.
TABLE = np.array([[2, 1], [0, 1]])


def test_b_cubed_by_hand() -> None:
    # Shares of the cluster: 2/3, 2/3, 1/3, 1. Shares of the class: 1, 1, 1/2, 1/2.
    found = b_cubed(TABLE)
    assert found.precision == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1) / 4)
    assert found.recall == pytest.approx(3 / 4)
    assert found.f == pytest.approx(2 * (2 / 3) * (3 / 4) / (2 / 3 + 3 / 4))


def test_b_cubed_of_one_cluster_and_of_instances_alone() -> None:
    assert b_cubed(np.array([[3, 1]])) == PrecisionRecall((9 + 1) / 16, 1.0)
    assert b_cubed(np.array([[1, 0], [1, 0], [0, 1]])) == PrecisionRecall(
        1.0, pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
    )


def test_f_of_nothing_is_nothing() -> None:
    assert PrecisionRecall(0.0, 0.0).f == 0.0


def test_adjusted_rand_by_hand() -> None:
    # 1 pair together in both; 3 and 2 pairs in clusters and classes, of 6: 3 * 2 / 6 by chance.
    assert adjusted_rand(TABLE) == pytest.approx((1 - 1) / (2.5 - 1))
    # 2 together, 2 and 3 pairs of 10: 0.6 by chance.
    assert adjusted_rand(np.array([[2, 0], [1, 0], [0, 2]])) == pytest.approx((2 - 0.8) / (3 - 0.8))


def test_adjusted_rand_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    clusters, classes = rng.integers(4, size=100), rng.integers(3, size=100)
    table = np.zeros((4, 3), dtype=np.int64)
    np.add.at(table, (clusters, classes), 1)
    assert adjusted_rand(table) == pytest.approx(adjusted_rand_score(classes, clusters))


@pytest.mark.parametrize("table", [[[1]], [[5]], [[1, 0], [0, 1]]])
def test_adjusted_rand_of_equal_clusterings(table) -> None:
    assert adjusted_rand(np.array(table)) == 1.0


def test_accuracy_maps_each_cluster_to_one_class() -> None:
    assert mapped_accuracy(TABLE) == 3 / 4
    # The two halves of the first class cannot both stand for it.
    assert mapped_accuracy(np.array([[2, 0], [2, 0], [0, 1]])) == 3 / 5
    # The greedy choice (5, then 0) is worse than 4 + 4.
    assert mapped_accuracy(np.array([[5, 4], [4, 0]])) == 8 / 13
