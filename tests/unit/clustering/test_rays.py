import numpy as np
import pytest
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from grassmeans.clustering.loop import FitOptions, Grouping
from grassmeans.clustering.rays import (
    RaySteps,
    draw_starts,
    group_rays,
    hold_rays,
    mean_ray,
    place_rays,
    solve_rays,
)
from grassmeans.errors import InputError
from grassmeans.geometry.distances import SenseLines, measure_distances, measure_senses


def unit(*rows):
    found = np.array(rows, np.float64)
    return (found / np.linalg.norm(found, axis=1, keepdims=True))[:, None].astype(np.float32)


def induce_rays(bases, n_senses, fit=FitOptions(), random_state=None):  # noqa: B008
    return solve_rays([Grouping(bases, n_senses, fit, random_state)], hold_rays)[0]


@pytest.fixture
def crowd():
    """Rays around three directions of six dimensions, the second opposite to the first."""
    rng = np.random.default_rng(5)
    centres = np.stack([np.eye(6)[0], -np.eye(6)[0], np.eye(6)[1]])
    rays = np.repeat(centres, [50, 30, 20], axis=0) + 0.1 * rng.standard_normal((100, 6))
    return unit(*rays), np.repeat([0, 1, 2], [50, 30, 20])


@pytest.mark.parametrize("init", ["random", "k-means++"])
def test_planted_rays_are_found(crowd, init):
    bases, truth = crowd
    found = induce_rays(bases, 3, FitOptions(init=init), random_state=0)
    assert found.labels.tolist() == truth.tolist()  # the largest group first
    for k in range(3):
        np.testing.assert_allclose(found.directions[k], mean_ray(bases[truth == k, 0]), atol=1e-4)
    assert (np.diff(found.objective_path) < 0).all()
    cosines = (bases[:, 0] * found.directions[found.labels]).sum(axis=1)
    assert found.objective_path[-1] == pytest.approx((1 - cosines).sum(), rel=1e-4)


def test_more_restarts_are_never_worse(crowd):
    bases, _ = crowd
    one = induce_rays(bases, 4, FitOptions(n_init=1), random_state=3).objective_path[-1]
    many = induce_rays(bases, 4, FitOptions(n_init=8), random_state=3).objective_path[-1]
    assert many <= one + 1e-6


def test_a_ray_by_hand():
    # Three rays in a plane, at 0, 30 and 180 degrees; the mean of the first two is at 15.
    bases = unit([1, 0], [np.sqrt(3), 1], [-1, 0])
    found = induce_rays(bases, 2, random_state=0)
    assert found.labels.tolist() == [0, 0, 1]
    np.testing.assert_allclose(
        found.directions[0], [np.cos(np.pi / 12), np.sin(np.pi / 12)], atol=1e-6
    )
    np.testing.assert_allclose(found.directions[1], [-1, 0], atol=1e-6)
    assert found.inertia == pytest.approx(2 * np.sin(np.pi / 12) ** 2, abs=1e-6)


def test_contexts_that_say_nothing_belong_to_the_first(crowd):
    bases, truth = crowd
    padded = np.concatenate([bases, np.zeros((70, 1, 6), np.float32)])
    found = induce_rays(padded, 3, random_state=0)
    assert found.labels.tolist() == [*truth.tolist(), *[0] * 70]
    nothing = induce_rays(np.zeros((5, 1, 6), np.float32), 2, random_state=0)
    assert nothing.labels.tolist() == [0] * 5


def test_fewer_different_rays_than_senses():
    bases = unit(*[[1, 0]] * 5, *[[0, 1]] * 3)
    found = induce_rays(bases, 4, random_state=0)
    assert found.directions.shape == (4, 2)
    assert np.isfinite(found.directions).all()
    assert len(set(found.labels[:5].tolist())) == 1
    assert found.labels[0] != found.labels[5]


def test_what_points_away_is_as_far_as_can_be():
    bases = unit([1, 0], [-1, 0], [1, 1])
    assert measure_distances(bases, np.eye(1, 2, dtype=np.float32), signed=True)[:, 0] == (
        pytest.approx([0, 1, np.sqrt(0.5)], abs=1e-6)
    )
    assert place_rays(bases, np.array([[-1, 0], [1, 0]], np.float32)).labels.tolist() == [0, 1, 0]


def test_distances_to_the_senses_of_own_words():
    lines = SenseLines.collect([np.eye(2, dtype=np.float32), -np.eye(1, 2, dtype=np.float32)])
    bases = np.concatenate([unit([1, 0], [1, 0], [-3, 4]), np.zeros((1, 1, 2), np.float32)])
    found = measure_senses(bases, np.array([0, 1, 0, 1]), lines, signed=True)
    expected = [[0, 1], [1, np.nan], [1, 0.6], [np.nan, np.nan]]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    plain = measure_senses(bases, np.array([0, 1, 0, 1]), lines)
    np.testing.assert_allclose(plain[:3], [[0, 1], [0, np.nan], [0.8, 0.6]], atol=1e-6)


def test_too_many_senses_and_subspaces_are_refused():
    with pytest.raises(InputError, match="more than the number of contexts"):
        induce_rays(unit([1, 0]), 2)
    with pytest.raises(InputError, match="rank 2"):
        induce_rays(np.stack([np.eye(2, dtype=np.float32)] * 3), 2)


def test_the_number_of_threads_changes_no_bit():
    rng = np.random.default_rng(0)
    rays = rng.standard_normal((2000, 256)) + 0.5 * rng.standard_normal((4, 256)).repeat(500, 0)
    found = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            found.append(induce_rays(unit(*rays), 5, random_state=0).directions)
    np.testing.assert_array_equal(*found)


@pytest.fixture
def noise():
    """Rays without groups, which take many iterations."""
    return unit(*np.random.default_rng(1).standard_normal((400, 8)))[:, 0]


def group_once(rays, **options):
    """Where the only restart ends: directions (5, dim), iterations and objectives."""
    fit = FitOptions(n_init=1, **options)
    found = group_rays(rays, 5, fit, rng=np.random.default_rng(0))
    return found.directions[0], int(found.n_iter[0]), found.path


def test_iterations_are_limited(noise):
    assert group_once(noise)[1] > 4
    for limit in (0, 1, 4):
        assert group_once(noise, max_iter=limit)[1] == limit
    starts, _, _ = group_once(noise, max_iter=0)
    assert ((starts @ noise.T).max(axis=1) > 1 - 1e-6).all()  # rays as they are


def test_iterations_end_when_the_objective_moves_by_less_than_the_tolerance_per_ray(noise):
    moves = -np.diff(group_once(noise, tol=0.002)[2])
    assert (moves[:-1] > 0.002 * 400).all()
    assert 0 < moves[-1] <= 0.002 * 400
    assert group_once(noise, tol=0.0)[1] > len(moves)


def test_starts_are_spread_out():
    # After one of the nine that are the same, only the tenth is away from it; and the reverse.
    rays = unit(*[[1, 0]] * 9, [0, 1])[:, 0]
    fit = FitOptions(n_init=20, init="k-means++")
    starts = draw_starts(rays, 2, fit, np.random.default_rng(0))
    np.testing.assert_allclose(starts.sum(axis=1), np.ones((20, 2)), atol=1e-6)


@pytest.mark.parametrize("init", ["random", "k-means++"])
def test_sparse_rays_are_grouped_as_dense_ones(crowd, init):
    rays = np.where(np.abs(crowd[0][:, 0]) > 0.1, crowd[0][:, 0], 0).astype(np.float32)
    dense, sparse = (
        group_rays(rows, 3, FitOptions(init=init), rng=np.random.default_rng(0))
        for rows in (rays, csr_array(rays))
    )
    np.testing.assert_allclose(dense.directions, sparse.directions, atol=1e-5)
    np.testing.assert_allclose(dense.path, sparse.path, rtol=1e-4)


def test_a_group_without_rays_takes_the_ray_that_fits_worst():
    # Two starts at the same place: the second group has no ray at first.
    rays = unit([1, 0], [1, 0.02], [0.5, 1])[:, 0]
    for rows in (rays, csr_array(rays)):
        steps = RaySteps(rows)
        both = np.stack([rays[0], rays[0]])[None]
        found = steps.assign(both)
        assert found.labels.tolist() == [[0], [0], [0]]
        directions = steps.improve(found, both, 1)
        np.testing.assert_allclose(directions[0], [mean_ray(rays), rays[0]], atol=1e-6)
        steps.relocate(found, directions)
        np.testing.assert_allclose(directions[0], [mean_ray(rays), rays[2]], atol=1e-6)
