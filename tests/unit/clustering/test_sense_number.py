import numpy as np
import pytest

import gpu_devices
from grassmeans.clustering import directions as alone
from grassmeans.clustering import sense_number
from grassmeans.clustering.kgrassmeans import KGrassmeans, fit_together
from grassmeans.clustering.loop import INITS, FitOptions, Grouping, InducedDirections
from grassmeans.clustering.sense_number import (
    ask_nearest,
    ask_once,
    drop_small,
    find_any_number,
    find_different,
    solve_alone,
    take_steps,
)
from grassmeans.clustering.settings import InductionSettings
from grassmeans.errors import InputError
from grassmeans.geometry.rules import GroupingRules

DIM = 60


def induce_any_number(bases, **settings):
    """What an estimator with these settings finds."""
    plan = KGrassmeans("auto", **settings)._plan(bases)
    return sense_number.take_steps([plan], "cpu")[0]


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
    solve = sense_number.solve_alone

    def watch(grouping):
        if grouping.directions is None:
            seen.append(len(grouping.bases))
        return solve(grouping)

    monkeypatch.setattr(sense_number, "solve_alone", watch)
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
            "n_senses must be a whole number from 1 to 10,000, or \"auto\"; got 'many'",
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
    with pytest.raises(
        InputError, match="max_senses must be a whole number from 1 to 10,000; got 0"
    ):
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


@pytest.fixture(scope="module", params=[gpu_devices.PLAIN, gpu_devices.GPU])
def device(request):
    with gpu_devices.use_device(request.param) as name:
        yield name


def plant_words(n: int, rng, rank: int = 2, dim: int = 12, n_groups: int = 3, poor: int = 0):
    """Bases (n, rank, dim) of subspaces that hold one of some directions, nearly."""
    rows = rng.standard_normal((n, rank, dim))
    shares = np.arange(n_groups, 0, -1.0)  # no two groups are equally large
    own = rng.choice(n_groups, n, p=shares / shares.sum())
    rows[:, 0] = 4 * np.eye(dim)[own] + rng.standard_normal((n, dim)) / 4
    bases = np.linalg.qr(rows.transpose(0, 2, 1))[0].transpose(0, 2, 1)
    bases *= np.sign((bases[:, :1] * rows[:, :1]).sum(axis=2, keepdims=True))
    bases[:poor] = 0.0
    return np.ascontiguousarray(bases, np.float32)


def solve_all(asked, device: str) -> list[InducedDirections]:
    return take_steps([ask_once(grouping) for grouping in asked], device)


def assert_same(found: InducedDirections, expected: InducedDirections, signed: bool) -> None:
    cosines = (found.directions * expected.directions).sum(axis=1)
    np.testing.assert_allclose(cosines if signed else np.abs(cosines), 1.0, atol=1e-4)
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert found.inertia == pytest.approx(expected.inertia, rel=1e-4)
    last = expected.objective_path[-1]
    assert found.objective_path[-1] == pytest.approx(last, rel=1e-4, abs=1e-5)
    assert (np.diff(found.objective_path) < 0).all()


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("signed", [False, True])
def test_words_of_all_sizes_are_grouped_as_alone(device, signed, init) -> None:
    rng = np.random.default_rng(0)
    shapes = [(70, 3, 0), (30, 2, 2), (50, 1, 0), (41, 3, 5), (90, 3, 0), (9, 1, 0)]
    asked = [
        Grouping(
            plant_words(n, rng, rank=1 if signed else 2, n_groups=k, poor=poor),
            k,
            FitOptions(init=init, signed=signed),
            random_state=number,
        )
        for number, (n, k, poor) in enumerate(shapes)
    ]
    for found, one in zip(solve_all(asked, device), asked, strict=True):
        assert_same(found, solve_alone(one), signed)


def test_samples_come_first_as_alone(device, monkeypatch) -> None:
    monkeypatch.setattr(alone, "SMALLEST_SAMPLE", 20)
    monkeypatch.setattr(alone, "_SAMPLE_PER_SENSE", 1)
    rng = np.random.default_rng(1)
    asked = [Grouping(plant_words(n, rng), 3, random_state=n) for n in (200, 170, 90, 30, 25)]
    assert [len(alone.plan_samples(len(one.bases), 3)) for one in asked] == [3, 3, 2, 1, 1]
    for found, one in zip(solve_all(asked, device), asked, strict=True):
        assert_same(found, solve_alone(one), signed=False)


@pytest.mark.parametrize("signed", [False, True])
def test_given_directions_are_ordered_by_size(device, signed) -> None:
    bases = np.eye(4, dtype=np.float32)[[1, 0, 1, 2, 1, 0], None]
    bases = np.concatenate([bases, np.zeros((2, 1, 4), np.float32)])
    lines = np.eye(4, dtype=np.float32)[:3]
    (found,) = solve_all([ask_nearest(bases, lines, FitOptions(signed=signed))], device)
    np.testing.assert_allclose(found.directions, lines[[1, 0, 2]], atol=1e-6)
    assert found.labels.tolist() == [0, 1, 0, 2, 0, 1, 0, 0]
    assert found.inertia == pytest.approx(2.0, abs=1e-5)


def test_rays_that_point_away_from_all_directions_stay_with_their_word(device) -> None:
    # The second word has more senses: what fills up the first one's must draw no contexts.
    towards = np.array([[1, 0, 0], [1, 0.1, 0], [-1, 0.2, 0]], np.float32)
    towards /= np.linalg.norm(towards, axis=1, keepdims=True)
    others = np.eye(3, dtype=np.float32)[[0, 1, 2, 0, 1, 2]]
    fit = FitOptions(n_init=2, signed=True)
    asked = [Grouping(towards[:, None], 1, fit, 0), Grouping(others[:, None], 3, fit, 0)]
    for found, one in zip(solve_all(asked, device), asked, strict=True):
        assert_same(found, solve_alone(one), signed=True)


def test_memory_cuts_words_into_blocks(device, monkeypatch) -> None:
    from grassmeans.kernels.gpu import induction

    rng = np.random.default_rng(2)
    asked = [Grouping(plant_words(n, rng), 3, random_state=n) for n in (40, 60, 50, 45, 55)]
    whole = solve_all(asked, device)
    monkeypatch.setattr(induction, "_BLOCK_BYTES", 12 * 60 * 2 * 12 * 2)
    monkeypatch.setattr(induction, "_PRODUCT_BYTES", 1)
    for found, expected in zip(solve_all(asked, device), whole, strict=True):
        assert_same(found, expected, signed=False)


def test_estimators_are_fitted_together_as_alone(device) -> None:
    rng = np.random.default_rng(3)
    contexts = [plant_words(n, rng, n_groups=k) for n, k in ((300, 3), (120, 2), (30, 2))]
    settings = {"n_senses": "auto", "rules": GroupingRules(6, 0.7)}
    groupers = [KGrassmeans(**settings, random_state=0, device=device) for _ in contexts]
    fit_together(groupers, contexts)
    for grouper, own in zip(groupers, contexts, strict=True):
        expected = KGrassmeans(**settings, random_state=0).fit(own)
        assert grouper.n_senses_ == expected.n_senses_
        np.testing.assert_array_equal(grouper.labels_, expected.labels_)
        np.testing.assert_allclose(grouper.transform(own), expected.transform(own), atol=2e-3)


def noise(n: int, seed: int, rank: int = 1):
    """Contexts without groups, whose restarts end in different places after many iterations."""
    rows = np.random.default_rng(seed).standard_normal((n, rank, 6))
    return (rows / np.linalg.norm(rows, axis=2, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("signed", [False, True])
def test_the_best_restart_is_kept(device, signed) -> None:
    asked = [
        Grouping(noise(80, seed), 4, FitOptions(n_init=n_init, signed=signed), seed)
        for seed in range(3)
        for n_init in (1, 6)
    ]
    found = [word.objective_path[-1] for word in solve_all(asked, device)]
    assert found == pytest.approx([solve_alone(one).objective_path[-1] for one in asked], rel=1e-3)
    assert all(many <= one for one, many in zip(found[::2], found[1::2], strict=True))
    assert any(many < 0.99 * one for one, many in zip(found[::2], found[1::2], strict=True))


@pytest.mark.parametrize("signed", [False, True])
def test_every_word_has_its_own_limit_and_tolerance(device, signed) -> None:
    bases = noise(80, 0)
    asked = [
        Grouping(bases, 4, FitOptions(n_init=1, signed=signed, **options), 0)
        for options in ({"max_iter": 1}, {"max_iter": 3}, {"tol": 0.05}, {"tol": 0.0})
    ]
    n_iter = [word.n_iter for word in solve_all(asked, device)]
    assert n_iter[:2] == [1, 3]
    assert n_iter[2] < n_iter[3]


def test_more_senses_than_contexts_are_refused(device) -> None:
    with pytest.raises(InputError, match="n_senses=3 is more than the number of contexts"):
        KGrassmeans(3, device=device).fit(np.eye(2))


def test_steps_of_words_may_be_of_any_number() -> None:
    rng = np.random.default_rng(4)
    first, second = (Grouping(plant_words(30, rng), 2, random_state=0) for _ in range(2))

    def ask_twice():
        (found,) = yield [first]
        (again,) = yield [Grouping(first.bases, 2, directions=found.directions)]
        return again

    twice, once = take_steps([ask_twice(), ask_once(second)])
    assert_same(twice, solve_alone(first), signed=False)
    assert_same(once, solve_alone(second), signed=False)
