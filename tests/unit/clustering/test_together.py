"""Many words at once on a GPU, and what a GPU does on the CPU, against word by word."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_devices
from grassmeans.clustering import directions as alone
from grassmeans.clustering.kgrassmeans import KGrassmeans, fit_together
from grassmeans.clustering.loop import INITS, FitOptions, Grouping, InducedDirections
from grassmeans.clustering.together import ask_nearest, ask_once, solve_alone, take_steps
from grassmeans.errors import InputError
from grassmeans.geometry.rules import GroupingRules


@pytest.fixture(scope="module", params=[gpu_devices.PLAIN, gpu_devices.GPU])
def device(request):
    with gpu_devices.use_device(request.param) as name:
        yield name


def planted(n: int, rng, rank: int = 2, dim: int = 12, n_groups: int = 3, poor: int = 0):
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
            planted(n, rng, rank=1 if signed else 2, n_groups=k, poor=poor),
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
    asked = [Grouping(planted(n, rng), 3, random_state=n) for n in (200, 170, 90, 30, 25)]
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
    asked = [Grouping(planted(n, rng), 3, random_state=n) for n in (40, 60, 50, 45, 55)]
    whole = solve_all(asked, device)
    monkeypatch.setattr(induction, "_BLOCK_BYTES", 12 * 60 * 2 * 12 * 2)
    monkeypatch.setattr(induction, "_PRODUCT_BYTES", 1)
    for found, expected in zip(solve_all(asked, device), whole, strict=True):
        assert_same(found, expected, signed=False)


def test_estimators_are_fitted_together_as_alone(device) -> None:
    rng = np.random.default_rng(3)
    contexts = [planted(n, rng, n_groups=k) for n, k in ((300, 3), (120, 2), (30, 2))]
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
    first, second = (Grouping(planted(30, rng), 2, random_state=0) for _ in range(2))

    def ask_twice():
        (found,) = yield [first]
        (again,) = yield [Grouping(first.bases, 2, directions=found.directions)]
        return again

    twice, once = take_steps([ask_twice(), ask_once(second)])
    assert_same(twice, solve_alone(first), signed=False)
    assert_same(once, solve_alone(second), signed=False)
