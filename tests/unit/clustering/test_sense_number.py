import numpy as np
import pytest

from grassmeans.clustering import sense_number, together
from grassmeans.clustering.kgrassmeans import KGrassmeans
from grassmeans.clustering.loop import InducedDirections
from grassmeans.clustering.sense_number import drop_small, find_any_number, find_different
from grassmeans.clustering.settings import InductionSettings
from grassmeans.errors import InputError
from grassmeans.geometry.rules import GroupingRules

DIM = 60


def induce_any_number(bases, **settings):
    """What an estimator with these settings finds."""
    plan = KGrassmeans("auto", **settings)._plan(bases)
    return together.take_steps([plan], "cpu")[0]


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


@pytest.mark.parametrize(
    "sizes", [(200,), (150, 100), (120, 100, 80), (120, 100, 90, 80, 70)], ids=len
)
def test_the_planted_number_is_found(sizes):
    bases = planted(sizes)
    found = induce_any_number(bases, random_state=0)
    assert len(found.directions) == len(sizes)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    assert (found.labels == truth).mean() > 0.97  # both have the largest group first


def grouped(directions, labels):
    """Groups with these directions, before anything is merged."""
    found = np.asarray(directions, np.float32)
    return InducedDirections(found, np.asarray(labels, np.int32), 0.0, 1, np.array([1.0]))


def test_small_groups_go_and_the_largest_stays():
    sizes = [600, 380, 12, 8]  # 2% of 1,000 is 20
    found = drop_small(grouped(np.eye(4), np.repeat(range(4), sizes)))
    assert found.directions.tolist() == np.eye(4)[:2].tolist()
    assert np.bincount(found.labels + 1).tolist() == [20, 600, 380]
    few = drop_small(grouped(np.eye(2), [0, 0, 0, 1]))  # fewer than ten each
    assert few.directions.tolist() == [[1.0, 0.0]]
    for sizes in ([600, 380, 20], [80, 10]):  # just enough
        labels = np.repeat(range(len(sizes)), sizes)
        assert len(drop_small(grouped(np.eye(len(sizes)), labels)).directions) == len(sizes)


def test_granularity_turns_the_limit():
    # The two directions share a part: (1 + c^2) cos = c^2, 0.5 for c = 1. The limit is 0.8^(1/g).
    bases = planted((100, 100), common=1.0)
    assert 0.8 ** (1 / 0.25) < 0.5 < 0.8 ** (1 / 0.4)
    numbers = {
        dial: len(induce_any_number(bases, granularity=dial, random_state=0).directions)
        for dial in (0.2, 0.4, 1.0)
    }
    assert numbers == {0.2: 1, 0.4: 2, 1.0: 2}


def test_the_limit_is_the_encoders():
    bases = planted((100, 100), common=1.0)
    assert (
        len(
            induce_any_number(
                bases, rules=GroupingRules(merge_cosine=0.3), random_state=0
            ).directions
        )
        == 1
    )
    for limit, n_senses in ((0.3, 1), (0.8, 2)):
        rules = GroupingRules(merge_cosine=limit)
        assert KGrassmeans("auto", rules=rules, random_state=0).fit(bases).n_senses_ == n_senses


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
    for most in (2, 1):
        found = induce_any_number(bases, rules=GroupingRules(most), random_state=0)
        assert len(found.directions) == most


def test_a_large_sense_does_not_swallow_the_others():
    # As "capital" in an encyclopedia: a city nine times out of ten.
    for merge_cosine in (0.8, 0.6):
        bases = planted((1300, 150, 50), common=0.3)
        rules = GroupingRules(merge_cosine=merge_cosine)
        found = induce_any_number(bases, rules=rules, random_state=0)
        assert np.bincount(found.labels).tolist() == pytest.approx([1300, 150, 50], abs=10)


def test_a_sense_needs_ten_contexts_unless_all_are_few():
    found = induce_any_number(planted((60, 9)), granularity=50.0, random_state=0)
    assert np.bincount(found.labels).min() >= 10
    for sizes in ((9, 9), (4, 4), (2, 2)):
        found = induce_any_number(planted(sizes, common=0.0), random_state=0)
        assert np.bincount(found.labels).tolist() == list(sizes)


def lines_in_a_plane(*angles):
    radians = np.deg2rad(angles)
    return np.stack([np.cos(radians), np.sin(radians)], axis=1)[:, None].astype(np.float32)


def test_granularity_turns_the_limit_of_few_contexts_too():
    # Estimated cosine 0.175 (see test_trees); 0.64^(1/g) is 0.168 and 0.226.
    bases = lines_in_a_plane(0, 10, 80, 90)
    numbers = [len(induce_any_number(bases, granularity=g).directions) for g in (0.25, 0.3)]
    assert numbers == [1, 2]


def test_the_most_senses_of_few_contexts():
    bases = planted((4, 4, 4), common=0.0)
    numbers = [
        len(induce_any_number(bases, rules=GroupingRules(most)).directions) for most in (1, 2, 12)
    ]
    assert numbers == [1, 2, 3]


def test_from_which_number_on_contexts_are_not_few():
    # Eight are too few for two groups of ten, unless they are grouped as few.
    bases = planted((4, 4), common=0.0)
    numbers = {
        few: len(induce_any_number(bases, rules=rules, random_state=0).directions)
        for few, rules in ((8, GroupingRules(few_contexts=8)), (9, GroupingRules(few_contexts=9)))
    }
    assert numbers == {8: 1, 9: 2}
    model = KGrassmeans("auto", rules=GroupingRules(few_contexts=8), random_state=0).fit(bases)
    assert model.n_senses_ == 1


def test_the_limit_of_few_contexts_is_the_encoders():
    bases = lines_in_a_plane(0, 10, 80, 90)  # 0.175 again
    for cosine, n_senses in ((0.17, 1), (0.18, 2)):
        rules = GroupingRules(part_cosine=cosine)
        assert KGrassmeans("auto", rules=rules).fit(bases).n_senses_ == n_senses


@pytest.mark.parametrize(("n", "n_groups"), [(9, 1), (19, 1), (20, 2), (119, 11), (300, 12)])
def test_every_group_could_have_ten_contexts_before_any_are_merged(n, n_groups):
    (asked,) = next(find_any_number(planted((n,)), GroupingRules(few_contexts=1)))
    assert asked.n_senses == n_groups


def test_repeated_contexts_are_no_senses_of_their_own():
    once = planted((4, 4), common=0.0)
    assert find_different(np.concatenate([once[2:], once])).tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    many = np.repeat(once, 40, axis=0)
    found = induce_any_number(many, granularity=1.5, random_state=0)
    assert np.bincount(found.labels).tolist() == [160, 160]


def test_groups_are_never_tiny():
    bases = planted((300, 200, 8))
    found = induce_any_number(bases, granularity=20.0, random_state=0)
    sizes = np.bincount(found.labels)
    assert sizes.min() >= max(10, 0.02 * len(bases))
    assert (np.diff(sizes) <= 0).all()


def test_a_large_word_is_decided_on_a_sample(monkeypatch):
    monkeypatch.setattr(sense_number, "SAMPLE", 200)
    seen = []
    solve = together.solve_alone

    def watch(grouping):
        if grouping.directions is None:
            seen.append(len(grouping.bases))
        return solve(grouping)

    monkeypatch.setattr(together, "solve_alone", watch)
    found = induce_any_number(planted((400, 300, 200)), random_state=0)
    assert seen[0] == 200
    assert 850 < sum(seen[1:]) <= 900  # the groups, of all contexts
    assert np.bincount(found.labels).tolist() == pytest.approx([400, 300, 200], abs=20)


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
            "n_senses must be a whole number, 1 to 10,000, or \"auto\"; got 'many'",
        ),
        ({"n_senses": 0}, "n_senses must be a whole number"),
        ({"granularity": 0.0}, "granularity must be a number above 0; got 0.0"),
        ({"granularity": float("nan")}, "granularity must be a number above 0"),
        ({"granularity": "fine"}, "granularity must be a number above 0; got 'fine'"),
    ],
)
def test_wrong_numbers_are_explained(options, message):
    with pytest.raises(InputError, match=message):
        InductionSettings(**options)
    with pytest.raises(InputError, match=message):
        KGrassmeans(**options).fit(np.eye(4))


def test_the_most_senses_of_settings_are_explained():
    with pytest.raises(InputError, match="max_senses must be a whole number, 1 to 10,000; got 0"):
        InductionSettings(max_senses=0)


def rays_near(directions, sizes, seed=0, noise=0.5):
    """Bases (n, 1, DIM) of rays around directions."""
    rng = np.random.default_rng(seed)
    rays = np.repeat(np.asarray(directions, np.float64), sizes, axis=0)
    rays += noise / np.sqrt(DIM) * rng.standard_normal(rays.shape)
    return (rays / np.linalg.norm(rays, axis=1, keepdims=True))[:, None].astype(np.float32)


def test_opposite_rays_are_two_senses_and_one_line():
    bases = rays_near([np.eye(DIM)[0], -np.eye(DIM)[0]], [120, 80])
    rules = GroupingRules(merge_cosine=0.5)
    signed = KGrassmeans("auto", signed=True, rules=rules, random_state=0).fit(bases)
    assert signed.labels_.tolist() == [0] * 120 + [1] * 80
    assert signed.directions_ @ signed.directions_.T == pytest.approx(
        np.array([[1, -1], [-1, 1]]), abs=0.02
    )
    np.testing.assert_array_equal(signed.labels_, signed.predict(bases))
    lines = KGrassmeans("auto", rules=rules, random_state=0).fit(bases)
    assert lines.n_senses_ == 1


def test_a_rare_group_must_lie_farther_away():
    # Two means at a cosine of 0.4, one of 4% of the contexts: log10(0.1 / 0.04) = 0.398.
    other = 0.4 * np.eye(DIM)[0] + np.sqrt(1 - 0.16) * np.eye(DIM)[1]
    bases = rays_near([np.eye(DIM)[0], other], [480, 20], noise=0.1)

    def count(ease):
        rules = GroupingRules(2, merge_cosine=0.5, rare_ease=ease)
        return KGrassmeans("auto", signed=True, rules=rules, random_state=0).fit(bases).n_senses_

    assert count(0.0) == 2
    assert count(0.2) == 2  # 0.4 + 0.08 is less than the limit
    assert count(0.3) == 1  # 0.4 + 0.12 is not
