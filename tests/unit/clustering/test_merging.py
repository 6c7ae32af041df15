import numpy as np
import pytest

from grassmeans.clustering.directions import refine_directions
from grassmeans.clustering.loop import FitOptions, InducedDirections
from grassmeans.clustering.merging import (
    UNMATCHED,
    LineGroups,
    RayGroups,
    is_apart,
    match_groups,
    measure_rarity,
    merge_cheapest_pair,
    merge_groups,
    start_groups,
)
from grassmeans.errors import InputError
from grassmeans.geometry.rules import GroupingRules

DIM = 60


def grouped(directions, labels):
    """Groups with these directions, before anything is merged."""
    found = np.asarray(directions, np.float32)
    return InducedDirections(found, np.asarray(labels, np.int32), 0.0, 1, np.array([1.0]))


def planes_near(direction, n, rng, noise=0.1):
    """Bases (n, 3, DIM) of subspaces that nearly contain a direction."""
    rows = rng.standard_normal((n, 3, DIM))
    rows[:, 0] = direction + noise * rng.standard_normal((n, DIM))
    return np.linalg.qr(rows.transpose(0, 2, 1))[0].transpose(0, 2, 1).astype(np.float32)


def test_merging_by_hand():
    # Lines at 0, 20 and 90 degrees with two, one and two contexts. cos 20 = 0.94, cos 70 = 0.34.
    angles = np.radians([0.0, 0.0, 20.0, 90.0, 90.0])
    lines = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    bases = lines[:, None].astype(np.float32)
    three = grouped(lines[[0, 2, 3]], [0, 0, 1, 2, 2])
    assert merge_groups(LineGroups(bases, three), 0.95).tolist() == [0, 1, 2]
    assert merge_groups(LineGroups(bases, three), 0.9).tolist() == [0, 0, 1]
    # The leading axis of 2 e e' + f f' with an angle of 20 degrees between e and f lies at half the
    # angle of the vector 2 (1, 0) + (cos 40, sin 40): atan2(0.6428, 2.7660) / 2 = 6.54 degrees. So
    # the merged group is 83.46 degrees away from the third, whose cosine is 0.114.
    assert merge_groups(LineGroups(bases, three), 0.12).tolist() == [0, 0, 1]
    assert merge_groups(LineGroups(bases, three), 0.11).tolist() == [0, 0, 0]


def test_contexts_of_no_group_have_no_say():
    bases = np.eye(3, dtype=np.float32)[:, None]
    # Lines at cosine 0.8; with the third context in the first group they would be at 0.57.
    two = grouped([[1, 0, 0], [0.8, 0.6, 0]], [0, 1, -1])
    assert merge_groups(LineGroups(bases, two), 0.7).tolist() == [0, 0]


def test_the_closest_pair_is_merged():
    rng = np.random.default_rng(3)
    near = np.eye(DIM)[0] + 0.3 * np.eye(DIM)[5]
    parts = [np.eye(DIM)[0], np.eye(DIM)[1], near / np.linalg.norm(near)]
    bases = np.concatenate([planes_near(u, 80, rng, 0.02) for u in parts])
    found = refine_directions(bases, np.array(parts, np.float32), FitOptions(max_iter=1))
    merged = merge_cheapest_pair(bases, found)
    assert merged.shape == (2, DIM)
    between = parts[0] + parts[2]
    assert abs(merged[1] @ between) / np.linalg.norm(between) > 0.99
    assert abs(merged[0] @ parts[1]) > 0.99


def test_rays_are_merged_by_their_means():
    # Rays at 0, 60 and 180 degrees. The mean of two at 0 and one at 60 is (2.5, 0.866), at 19.1
    # degrees; that of the third is 160.9 degrees away, whose cosine is -0.945.
    angles = np.radians([0.0, 0.0, 60.0, 180.0])
    bases = np.stack([np.cos(angles), np.sin(angles)], axis=1)[:, None].astype(np.float32)
    three = grouped(bases[[0, 2, 3], 0], [0, 0, 1, 2])
    assert merge_groups(RayGroups(bases, three), 0.51).tolist() == [0, 1, 2]
    assert merge_groups(RayGroups(bases, three), 0.49).tolist() == [0, 0, 1]
    assert merge_groups(RayGroups(bases, three), -0.94).tolist() == [0, 0, 1]
    assert merge_groups(RayGroups(bases, three), -0.95).tolist() == [0, 0, 0]
    # As lines the first and the third are one, and nearer than the second to either.
    assert merge_groups(LineGroups(bases, three), 0.99).tolist() == [0, 1, 0]


def test_rays_are_merged_pair_by_pair():
    # Rays at -45, 45, -60 and 60 degrees in a plane:
    # the means of (-45, 45) and of (-60, 60) have one direction, and the cosines of the four pairs
    # are those of 15, 105, 105 and 15 degrees: 0.354 in the mean.
    angles = np.radians([-45.0, 45.0, -60.0, 60.0])
    bases = np.stack([np.cos(angles), np.sin(angles)], axis=1)[:, None].astype(np.float32)
    two = grouped(np.array([[1.0, 0.0], [1.0, 0.0]]), [0, 0, 1, 1])
    assert merge_groups(RayGroups(bases, two), 0.99).tolist() == [0, 0]
    assert merge_groups(start_groups(bases, two, signed=True, by_pairs=True), 0.36).tolist() == [
        0,
        1,
    ]
    assert merge_groups(start_groups(bases, two, signed=True, by_pairs=True), 0.35).tolist() == [
        0,
        0,
    ]
    # A ray at 180 degrees: to the four together -0.604 in the mean, to the first two -0.707.
    more = np.concatenate([bases, [[[-1.0, 0.0]]]]).astype(np.float32)
    three = grouped(np.array([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]]), [0, 0, 1, 1, 2])
    groups = RayGroups(more, three, by_pairs=True)
    assert merge_groups(groups, 0.35).tolist() == [0, 0, 1]
    assert groups.cosines()[0, 1] == pytest.approx(-(np.sqrt(2) + 1) / 4, abs=1e-6)


def test_the_limit_falls_for_rare_groups():
    # A group of 1% is ten times as rare as a tenth: the ease is taken off once, of 0.1% not twice
    # but of 1% once, of 10% not at all.
    bases = np.repeat(np.eye(2, dtype=np.float32), [99, 1], axis=0)[:, None]
    two = grouped(np.eye(2), [0] * 99 + [1])
    assert merge_groups(RayGroups(bases, two), 0.3, 0.31).tolist() == [0, 0]
    assert merge_groups(RayGroups(bases, two), 0.3, 0.29).tolist() == [0, 1]
    assert merge_groups(RayGroups(bases, two), 0.3).tolist() == [0, 1]  # only where asked for
    even = np.repeat(np.eye(2, dtype=np.float32), [90, 10], axis=0)[:, None]
    tenth = grouped(np.eye(2), [0] * 90 + [1] * 10)
    assert merge_groups(RayGroups(even, tenth), 0.3, 0.9).tolist() == [0, 1]


def test_rarity_by_hand():
    # A hundredth is ten times rarer than a tenth, nothing counts as a ten-thousandth, and what is
    # more frequent than a tenth is not rare. The smaller of two groups tells.
    found = measure_rarity(np.array([0.5, 0.1, 0.01, 0.0]))
    expected = [[0, 0, 1, 3], [0, 0, 1, 3], [1, 1, 1, 3], [3, 3, 3, 3]]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("kind", [LineGroups, RayGroups])
def test_a_merged_group_has_the_shares_of_both(kind):
    # Two groups of 5% in one direction are a tenth together, which is not rare: the third stays.
    # One of 5% alone is log10(0.1 / 0.05) = 0.301 nearer than its cosine of 0.
    bases = np.repeat(np.eye(2, dtype=np.float32)[[0, 0, 1]], [5, 5, 90], axis=0)[:, None]
    three = grouped(np.eye(2)[[0, 0, 1]], np.repeat([0, 1, 2], [5, 5, 90]))
    groups = kind(bases, three)
    assert groups.shares.tolist() == [0.05, 0.05, 0.9]
    assert merge_groups(groups, 0.2, 1.0).tolist() == [0, 0, 1]
    np.testing.assert_allclose(groups.shares, [0.1, 0.9])
    alone = grouped(np.eye(2), np.repeat([0, -1, 1], [5, 5, 90]))
    assert merge_groups(kind(bases, alone), 0.31, 1.0).tolist() == [0, 1]
    assert merge_groups(kind(bases, alone), 0.30, 1.0).tolist() == [0, 0]


def test_contexts_of_no_group_count_among_all():
    # 1 of 10 in groups is not rare, but it is 1 of 100 contexts.
    bases = np.repeat(np.eye(2, dtype=np.float32)[[0, 1, 0]], [9, 1, 90], axis=0)[:, None]
    two = grouped(np.eye(2), np.repeat([0, 1, -1], [9, 1, 90]))
    groups = RayGroups(bases, two)
    np.testing.assert_allclose(groups.shares, [0.09, 0.01])
    assert merge_groups(groups, 0.5, 0.6).tolist() == [0, 0]


def test_later_groups_move_up_and_empty_ones_have_no_share():
    lines = np.eye(4)[[0, 0, 1, 2, 3]]
    five = grouped(lines, range(5))
    bases = lines[:, None].astype(np.float32)
    assert merge_groups(LineGroups(bases, five), 0.5).tolist() == [0, 0, 1, 2, 3]
    assert RayGroups(bases, grouped(lines[:3], [0] * 5)).shares.tolist() == [1.0, 0.0, 0.0]


def test_the_limit_itself_merges():
    bases = np.eye(2, dtype=np.float32)[:, None]
    two = grouped(np.eye(2), [0, 1])
    assert merge_groups(RayGroups(bases, two), 0.0).tolist() == [0, 0]
    assert merge_groups(RayGroups(bases, two), 1e-9).tolist() == [0, 1]


def test_the_cheapest_pair_by_hand():
    # 20 contexts along z, 3 along x and 1 at 30 degrees from x. To merge costs what the groups keep
    # apart less what they keep together: 20 + 3 - 20 = 3, 20 + 1 - 20 = 1, and for the last two
    # 3 + 1 - (2 + sqrt(1 + 3 cos^2 30)) = 0.197.
    angle = np.radians(30.0)
    lines = np.array([[0, 0, 1], [1, 0, 0], [np.cos(angle), np.sin(angle), 0]], np.float32)
    labels = np.repeat([0, 1, 2], [20, 3, 1])
    found = merge_cheapest_pair(lines[labels][:, None], grouped(lines, labels))
    np.testing.assert_allclose(found[0], lines[0], atol=1e-6)
    # The leading axis of 3 e e' + f f': half the angle of 3 (1, 0) + (cos 60, sin 60).
    half = np.arctan2(np.sin(2 * angle), 3 + np.cos(2 * angle)) / 2
    assert abs(found[1] @ [np.cos(half), np.sin(half), 0]) == pytest.approx(1.0, abs=1e-6)
    assert np.linalg.norm(found[1]) == pytest.approx(1.0, abs=1e-6)


def test_lines_have_ends_where_they_are_signed():
    # Opposite rays are one line.
    bases = np.array([[[1, 0]], [[-1, 0]]], np.float32)
    two = grouped(bases[:, 0], [0, 1])
    assert merge_groups(start_groups(bases, two), 0.9).tolist() == [0, 0]
    assert merge_groups(start_groups(bases, two, signed=True), 0.9).tolist() == [0, 1]


def test_only_lines_can_be_signed():
    bases = planes_near(np.eye(DIM)[0], 4, np.random.default_rng(0))
    with pytest.raises(InputError, match="rank 3"):
        start_groups(bases, grouped(np.eye(1, DIM), [0] * 4), signed=True)


def test_a_group_is_apart_where_it_would_not_be_merged():
    rules = GroupingRules(merge_cosine=0.5, rare_ease=0.2)
    assert is_apart(np.array([0.49, -0.9]), 0.1, rules)
    assert not is_apart(np.array([0.1, 0.5]), 0.1, rules)
    # A hundredth of the contexts: 0.2 more, whatever the shares of the others.
    assert is_apart(np.array([0.29]), 0.01, rules)
    assert not is_apart(np.array([0.31]), 0.01, rules)
    assert is_apart(np.empty(0), 1e-9, rules)


def test_a_class_has_one_group() -> None:
    # The first class is divided: 5 and 4 of it; the larger group gets it.
    assert match_groups(np.array([[5, 0], [4, 0], [1, 3]])).tolist() == [0, UNMATCHED, 1]


def test_what_has_nothing_in_common_is_not_matched() -> None:
    assert match_groups(np.array([[2, 0], [3, 0]])).tolist() == [UNMATCHED, 0]


def test_all_together_count_and_not_the_first() -> None:
    # 3 + 4 is more than 4 + 0.
    assert match_groups(np.array([[4, 3], [4, 0]])).tolist() == [1, 0]
