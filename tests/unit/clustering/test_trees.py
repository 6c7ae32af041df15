from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

from grassmeans.clustering.kgrassmeans import KGrassmeans
from grassmeans.clustering.trees import (
    PairGroups,
    group_by_silhouette,
    measure_silhouette,
    split_by_tree,
)
from grassmeans.errors import InputError
from grassmeans.geometry.rules import GroupingRules


def make_rays(centres, n: int, spread: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.asarray(centres, float), n, axis=0)
    rows += spread * rng.standard_normal(rows.shape)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


THREE = make_rays([[1, 0, 0, 0], [-1, 0.2, 0, 0], [0, 0, 1, 0.5]], 30, 0.2)


def test_a_silhouette_is_the_usual_one() -> None:
    distances = 1.0 - THREE.astype(np.float64) @ THREE.T
    np.fill_diagonal(distances, 0.0)
    labels = np.repeat([0, 1, 2], 30)
    expected = silhouette_score(distances, labels, metric="precomputed")
    assert measure_silhouette(distances, labels) == pytest.approx(expected)
    alone = np.array([0, 0, 1])
    by_hand = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 2.0], [4.0, 2.0, 0.0]])
    # (4 - 1) / 4, (2 - 1) / 2, and 0 for the one that is alone.
    assert measure_silhouette(by_hand, alone) == pytest.approx(1.25 / 3)


def test_groups_that_show_are_found() -> None:
    senses = group_by_silhouette(THREE, 0.95, 12)
    assert [len(set(senses[i : i + 30])) for i in (0, 30, 60)] == [1, 1, 1]
    assert len(set(senses)) == 3
    assert len(set(group_by_silhouette(THREE, 0.95, 2))) == 2


def test_groups_that_lie_close_are_one() -> None:
    one = make_rays([[1, 0, 0, 0]], 60, 0.1)
    assert not group_by_silhouette(one, 0.95, 12).any()
    assert len(set(group_by_silhouette(one, 1.1, 12))) > 1
    assert group_by_silhouette(one[:2], 0.95, 12).tolist() == [0, 0]


def test_nearness_is_estimated_from_pairs() -> None:
    cosines = np.array([[1.0, 0.8, 0.2], [0.8, 1.0, 0.4], [0.2, 0.4, 1.0]])
    groups = PairGroups(cosines, np.array([0, 0, 1]))
    # 0.3 across, 0.8 inside the first, 1 for the one that is alone.
    assert groups.cosines()[0, 1] == pytest.approx(0.3 / np.sqrt(0.8))
    groups.join(0, 1)
    assert groups.shares.tolist() == [1.0]
    # All six pairs: twice 0.8, 0.2 and 0.4.
    assert groups.cosines()[0, 0] == pytest.approx((3 + 2 * 1.4) / 9 / (2 * 1.4 / 6))


def test_a_tree_splits_into_so_many() -> None:
    found = split_by_tree(THREE, 3)
    assert np.bincount(found.labels).tolist() == [30, 30, 30]
    np.testing.assert_allclose(np.linalg.norm(found.directions, axis=1), 1.0, rtol=1e-5)
    assert len(split_by_tree(THREE[:2], 5).directions) == 2


@pytest.mark.parametrize("few", [10, 1000])
def test_the_estimator_has_the_tree(few) -> None:
    rules = GroupingRules(by_tree=True, few_contexts=few, part_cosine=0.95)
    found = KGrassmeans("auto", signed=True, rules=rules).fit(THREE)
    assert found.n_senses_ == 3
    assert np.array_equal(found.predict(THREE), found.labels_)
    with pytest.raises(InputError, match="signed=True"):
        KGrassmeans("auto", rules=rules).fit(THREE)
