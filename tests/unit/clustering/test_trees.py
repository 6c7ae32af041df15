from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

from grassmeans.clustering.kgrassmeans import KGrassmeans
from grassmeans.clustering.trees import (
    PairGroups,
    group_by_silhouette,
    group_few,
    measure_likeness,
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


def test_silhouettes_tell_eight_groups_at_most_and_none_of_two_rays() -> None:
    nine = np.repeat(np.eye(9, dtype=np.float32), 3, axis=0)
    assert len(set(group_by_silhouette(nine, 0.95, 12))) == 8
    assert len(set(group_by_silhouette(nine[:24], 0.95, 12))) == 8
    assert group_by_silhouette(np.eye(2, dtype=np.float32), 0.95, 12).tolist() == [0, 0]


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
    rules = GroupingRules(by_tree=True, by_silhouette=True, few_contexts=few, part_cosine=0.95)
    found = KGrassmeans("auto", signed=True, rules=rules).fit(THREE)
    assert found.n_senses_ == 3
    assert np.array_equal(found.predict(THREE), found.labels_)


@pytest.mark.parametrize("what", ["by_tree", "by_silhouette"])
def test_lines_without_ends_have_no_such_tree(what) -> None:
    with pytest.raises(InputError, match=f"{what}=True is for lines that have ends"):
        KGrassmeans("auto", rules=GroupingRules(**{what: True})).fit(THREE)


def lines(*angles: float) -> np.ndarray:
    """Lines in a plane, by their angles in degrees."""
    radians = np.deg2rad(angles)
    return np.stack([np.cos(radians), np.sin(radians)], axis=1)[:, None].astype(np.float32)


def test_likeness_of_lines_is_the_cosine_and_of_subspaces_what_they_share() -> None:
    found = measure_likeness(lines(0, 60, 180))
    np.testing.assert_allclose(found, [[1, 0.5, 1], [0.5, 1, 0.5], [1, 0.5, 1]], atol=1e-6)
    planes = np.array([[[1, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 1]]], np.float32)
    # One of two directions is shared: sqrt(1) over sqrt(2).
    assert measure_likeness(planes)[0, 1] == pytest.approx(0.5**0.5)
    assert measure_likeness(np.zeros((2, 1, 3), np.float32)).tolist() == [[0, 0], [0, 0]]


def test_groups_part_where_the_cosine_between_them_is_small() -> None:
    bases = lines(0, 10, 80, 90)
    # Inside: cos 10 twice; across: the mean of cos 80, 90, 70 and 80; 0.17233 / 0.98481 = 0.17499.
    assert group_few(bases, 0.1751, 5).tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    assert group_few(bases, 0.1749, 5).tolist() == [0, 0, 0, 0]
    assert group_few(bases, 0.1751, 1).tolist() == [0, 0, 0, 0]


def test_contexts_that_differ_in_the_last_digit_are_one_sense() -> None:
    scales = np.float32([[1], [1 - 1e-7], [1 + 1e-7], [1]])
    for seed in range(40):  # rounding makes some of them more alike than 1
        line = make_rays(np.random.default_rng(seed).standard_normal((1, 160)), 1, 0.0)
        assert group_few((line * scales)[:, None], 0.65, 5).tolist() == [0] * 4


def test_the_limit_itself_is_one_sense() -> None:
    bases = np.eye(2, dtype=np.float32)[[0, 0, 1, 1], None]
    assert group_few(bases, 0.0, 5).tolist() == [0, 0, 0, 0]
    assert len(set(group_few(bases, 1e-9, 5).tolist())) == 2


def test_a_sense_needs_a_tenth_of_the_contexts() -> None:
    near = [0.1 * i for i in range(28)]
    # Three of 30 are a tenth, two are not; of 20 they are.
    assert not group_few(lines(*near, 90, 90.1), 0.5, 5).any()
    assert np.bincount(group_few(lines(*near[:27], 90, 90.1, 90.2), 0.5, 5)).tolist() == [27, 3]
    assert np.bincount(group_few(lines(*near[:18], 90, 90.1), 0.5, 5)).tolist() == [18, 2]


def test_what_is_like_no_other_is_no_sense() -> None:
    axes = np.eye(4, dtype=np.float32)
    near = [axes[0] + 0.1 * axes[3], axes[0], axes[1], axes[1] + 0.1 * axes[3], axes[2]]
    bases = np.stack([x / np.linalg.norm(x) for x in near])[:, None]
    found = group_few(bases, 0.5, 5)
    assert found[0] == found[1] != found[2] == found[3]
    assert found[4] == -1


@pytest.mark.parametrize("n", [1, 2, 3])
def test_fewer_than_two_pairs_are_one_sense(n) -> None:
    assert group_few(lines(0, 90, 45)[:n], 0.9, 5).tolist() == [0] * n


def test_the_clearest_split_comes_first() -> None:
    axes = np.eye(5, dtype=np.float32)
    groups = [(axes[0] + axes[4]), (axes[0] + 0.6 * axes[1] + axes[4]), axes[2]]
    bases = []
    for centre in groups:
        for side in (0.05, -0.05):
            x = centre + side * axes[3]
            bases.append(x / np.linalg.norm(x))
    found = group_few(np.stack(bases)[:, None].astype(np.float32), 0.97, 2)
    assert len(set(found[:4].tolist())) == 1
    assert found[4] == found[5] != found[0]


def test_of_two_groups_the_one_that_parts_clearest_is_split() -> None:
    # In one plane two pairs at an angle of 25 degrees, in another at 60; of three senses two are
    # the latter.
    bases = np.zeros((8, 1, 4), np.float32)
    bases[:4, :, :2] = lines(0, 1, 25, 26)
    bases[4:, :, 2:] = lines(0, 1, 60, 61)
    found = group_few(bases, 0.95, 3).tolist()
    assert len(set(found[:4])) == 1
    assert found[4] == found[5] != found[6] == found[7]
    assert len(set(found)) == 3
    assert len(set(group_few(bases, 0.95, 4).tolist())) == 4


@pytest.mark.parametrize("by_pairs", [False, True])
def test_groups_are_compared_as_the_rules_say(by_pairs) -> None:
    # Contexts have 0.6 of one line inside: groups have about one direction, and 0.36 pair by pair.
    rows = np.random.default_rng(0).normal(size=(300, 40))
    rows[:, 0] = 0.0
    rows *= 0.8 / np.linalg.norm(rows, axis=1, keepdims=True)
    rows[:, 0] = 0.6
    rules = GroupingRules(merge_cosine=0.5, by_pairs=by_pairs, few_contexts=5)
    found = KGrassmeans("auto", signed=True, rules=rules, random_state=0)
    found.fit(rows[:, None].astype(np.float32))
    assert (len(found.directions_) > 1) == by_pairs
