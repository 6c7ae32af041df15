import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.senses import sense_number
from grassmeans.senses.directions import InducedDirections, refine_directions
from grassmeans.senses.kgrassmeans import KGrassmeans
from grassmeans.senses.sense_number import (
    CHANCE,
    EXPONENT,
    FitOptions,
    choose_level,
    induce_any_number,
    merge_cheapest_pair,
    trace_mergers,
)
from grassmeans.senses.settings import InductionSettings

DIM = 60


def planes_near(direction, n, rng, noise=0.1):
    """Bases (n, 3, DIM) of subspaces that nearly contain a direction."""
    rows = rng.standard_normal((n, 3, DIM))
    rows[:, 0] = direction + noise * rng.standard_normal((n, DIM))
    return np.linalg.qr(rows.transpose(0, 2, 1))[0].transpose(0, 2, 1).astype(np.float32)


def planted(sizes, seed=0, common=1.0):
    """Groups around different directions that share a part, as the senses of one word do."""
    rng = np.random.default_rng(seed)
    parts = [
        planes_near(np.eye(DIM)[k] + common * np.eye(DIM)[-1], size, rng)
        for k, size in enumerate(sizes)
    ]
    return np.concatenate(parts)


def level(shares, kept):
    """A level with groups of these shares of 1,000 contexts, and what it keeps of them."""
    labels = np.repeat(np.arange(len(shares)), (1000 * np.array(shares)).round().astype(int))
    directions = np.eye(len(shares), DIM, dtype=np.float32)
    return InducedDirections(
        directions, labels.astype(np.int32), (1 - kept) * 1000, 1, np.array([1.0])
    )


@pytest.mark.parametrize(
    "sizes", [(200,), (150, 100), (120, 100, 80), (120, 100, 90, 80, 70)], ids=len
)
def test_the_planted_number_is_found(sizes):
    bases = planted(sizes)
    found = induce_any_number(bases, random_state=0)
    assert len(found.directions) == len(sizes)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    assert (found.labels == truth).mean() > 0.97  # both have the largest group first


def test_a_score_by_hand():
    # x = 0.13 + 1.5 / 1000 = 0.1315, y = 0.04. Two senses must gain 0.1315 log 2 = 0.09115:
    # log(0.5445 / 0.5) - 0.04 log(0.4555 / 0.5) = 0.08526 + 0.00373 = 0.08899 is too little,
    # log(0.5465 / 0.5) - 0.04 log(0.4535 / 0.5) = 0.08893 + 0.00390 = 0.09283 is enough.
    assert pytest.approx(0.1315) == EXPONENT + CHANCE / 1000
    one = level([1.0], 0.5)
    assert choose_level([one, level([0.6, 0.4], 0.5445)], 1.0) == 0
    assert choose_level([one, level([0.6, 0.4], 0.5465)], 1.0) == 1
    # Three must gain 0.1315 log 1.5 = 0.05332 more: 0.575 gives 0.05085 + 0.00260 = 0.05345.
    two = level([0.6, 0.4], 0.5465)
    assert choose_level([one, two, level([0.4, 0.3, 0.3], 0.574)], 1.0) == 1
    assert choose_level([one, two, level([0.4, 0.3, 0.3], 0.576)], 1.0) == 2


def test_granularity_divides_the_exponent():
    # log(0.53 / 0.5) - 0.04 log(0.47 / 0.5) = 0.06075 = 0.08764 log 2
    levels = [level([1.0], 0.5), level([0.6, 0.4], 0.53)]
    assert choose_level(levels, 1.0) == 0
    assert choose_level(levels, 0.1315 / 0.08764 - 0.01) == 0
    assert choose_level(levels, 0.1315 / 0.08764 + 0.01) == 1


def test_a_second_sense_that_leaves_nothing_counts_where_one_kept_nearly_all():
    # log(1 / 0.97) + 0.04 log(0.03 / 0.001) = 0.03046 + 0.13605, more than 0.09115
    assert choose_level([level([1.0], 0.97), level([0.6, 0.4], 0.99999)], 1.0) == 1
    assert choose_level([level([1.0], 0.999), level([0.6, 0.4], 0.99999)], 1.0) == 0


def test_levels_with_a_tiny_group_are_left_out():
    levels = [level([1.0], 0.5), level([0.981, 0.019], 0.7), level([0.5, 0.48, 0.02], 0.7)]
    assert choose_level(levels, 1.0) == 2
    assert choose_level(levels[:2], 1.0) == 0


def test_contexts_of_zeros_alone_are_one_sense():
    found = induce_any_number(np.zeros((40, 2, 5), np.float32), random_state=0)
    assert found.directions.shape == (1, 5)
    assert not found.labels.any()


def test_more_granularity_never_gives_fewer_senses():
    bases = np.concatenate([planted((90, 70, 50), common=3.0), planted((80,), seed=1, common=0.3)])
    numbers = [
        len(induce_any_number(bases, granularity=dial, random_state=0).directions)
        for dial in (0.1, 0.5, 1.0, 2.0, 5.0, 50.0)
    ]
    assert numbers == sorted(numbers)
    assert numbers[0] == 1
    assert numbers[-1] > 4


def test_the_most_senses_are_respected():
    bases = planted((60, 60, 60, 60))
    assert len(induce_any_number(bases, 2, random_state=0).directions) == 2
    assert len(induce_any_number(bases, 1, random_state=0).directions) == 1


def test_a_sense_needs_ten_contexts():
    bases = planted((9, 9))
    assert len(induce_any_number(bases, granularity=50.0, random_state=0).directions) == 1
    assert len(induce_any_number(planted((10, 10)), random_state=0).directions) == 2


def test_groups_are_never_tiny():
    bases = planted((300, 200, 8))
    found = induce_any_number(bases, granularity=20.0, random_state=0)
    sizes = np.bincount(found.labels)
    assert sizes.min() >= max(10, 0.02 * len(bases))
    assert (np.diff(sizes) <= 0).all()


def test_a_large_word_is_decided_on_a_sample(monkeypatch):
    monkeypatch.setattr(sense_number, "SAMPLE", 200)
    seen = []
    trace = trace_mergers

    def watch(bases, *rest, **options):
        seen.append(len(bases))
        return trace(bases, *rest, **options)

    monkeypatch.setattr(sense_number, "trace_mergers", watch)
    found = induce_any_number(planted((400, 300, 200)), random_state=0)
    assert seen == [200]
    assert np.bincount(found.labels).tolist() == pytest.approx([400, 300, 200], abs=20)


def test_the_closest_pair_is_merged():
    rng = np.random.default_rng(3)
    near = np.eye(DIM)[0] + 0.3 * np.eye(DIM)[5]
    parts = [np.eye(DIM)[0], np.eye(DIM)[1], near / np.linalg.norm(near)]
    bases = np.concatenate([planes_near(u, 80, rng, 0.02) for u in parts])
    found = refine_directions(bases, np.array(parts, np.float32), max_iter=1)
    merged = merge_cheapest_pair(bases, found)
    assert merged.shape == (2, DIM)
    between = parts[0] + parts[2]
    assert abs(merged[1] @ between) / np.linalg.norm(between) > 0.99
    assert abs(merged[0] @ parts[1]) > 0.99


def test_levels_go_from_one_sense_up_and_keep_ever_more():
    levels = trace_mergers(planted((80, 70, 60)), 5, fit=FitOptions(), random_state=0)
    assert [len(level.directions) for level in levels] == [1, 2, 3, 4, 5]
    assert (np.diff([level.inertia for level in levels]) < 0).all()


def test_the_same_seed_gives_the_same_senses():
    bases = planted((90, 60))
    one, two = (induce_any_number(bases, random_state=4) for _ in range(2))
    np.testing.assert_array_equal(one.directions, two.directions)
    np.testing.assert_array_equal(one.labels, two.labels)


def test_the_estimator_tells_the_number():
    bases = planted((100, 80, 60))
    model = KGrassmeans(n_senses="auto", random_state=0).fit(bases)
    assert model.n_senses_ == 3
    assert model.transform(bases).shape == (240, 3)
    np.testing.assert_array_equal(model.labels_, model.predict(bases))
    assert KGrassmeans(n_senses=2, random_state=0).fit(bases).n_senses_ == 2
    assert model.get_feature_names_out().size == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"n_senses": "many"},
            "n_senses must be a whole number, 1 or more, or \"auto\"; got 'many'",
        ),
        ({"n_senses": 0}, "n_senses must be a whole number"),
        ({"granularity": 0.0}, "granularity must be a number above 0; got 0.0"),
        ({"granularity": float("nan")}, "granularity must be a number above 0"),
        ({"granularity": "fine"}, "granularity must be a number above 0; got 'fine'"),
        ({"max_senses": 0}, "max_senses must be a whole number, 1 or more; got 0"),
    ],
)
def test_wrong_numbers_are_explained(options, message):
    with pytest.raises(InputError, match=message):
        InductionSettings(**options)
    with pytest.raises(InputError, match=message):
        KGrassmeans(**options).fit(np.eye(4))
