import numpy as np
import pytest

from grassmeans.clustering.directions import (
    SMALLEST_SAMPLE,
    LineSteps,
    hold_lines,
    induce_directions,
    plan_samples,
)
from grassmeans.clustering.loop import Assigned, FitOptions, advance
from grassmeans.errors import InputError


def planes_through(direction, n, rng, noise=0.0):
    """Bases (n, 2, dim) of planes that contain a direction, or nearly."""
    dim = len(direction)
    rows = rng.standard_normal((n, 2, dim))
    rows[:, 0] = direction + noise * rng.standard_normal((n, dim))
    return np.linalg.qr(rows.transpose(0, 2, 1))[0].transpose(0, 2, 1).astype(np.float32)


def test_planes_that_share_a_line_are_grouped_by_it():
    rng = np.random.default_rng(0)
    bases = np.concatenate(
        [planes_through(np.eye(40)[k], n, rng) for k, n in enumerate((30, 20, 10))]
    )
    found = induce_directions(bases, 3, random_state=0)
    np.testing.assert_array_equal(found.labels, np.repeat([0, 1, 2], [30, 20, 10]))
    np.testing.assert_allclose(np.abs(found.directions @ np.eye(40)[:3].T), np.eye(3), atol=1e-3)
    assert found.inertia < 1e-4


def test_one_sense_is_the_first_principal_component_of_all_rows():
    rng = np.random.default_rng(1)
    bases = planes_through(np.ones(30), 200, rng, noise=2.0)
    found = induce_directions(bases, 1, FitOptions(n_init=1, tol=1e-9), random_state=0)
    expected = np.linalg.svd(bases.reshape(-1, 30).astype(float), full_matrices=False)[2][0]
    assert abs(found.directions[0] @ expected) > 1 - 1e-5
    squares = ((bases @ expected) ** 2).sum()
    assert found.inertia == pytest.approx(200 - squares, rel=1e-5)


def test_many_contexts_settle_on_samples_first():
    assert plan_samples(3000, 2) == [SMALLEST_SAMPLE, 3000]
    assert plan_samples(1000, 2) == [1000]
    assert plan_samples(3000, 20) == [1280, 3000]


def test_the_sampled_start_reaches_the_planted_groups_too():
    rng = np.random.default_rng(2)
    bases = np.concatenate([planes_through(np.eye(30)[k], 700, rng, noise=0.05) for k in range(4)])
    found = induce_directions(bases, 4, random_state=0)
    groups = found.labels.reshape(4, 700)
    assert (groups == groups[:, :1]).mean() > 0.99
    assert len(set(groups[:, 0])) == 4


def test_an_empty_group_moves_to_the_worst_fitting_context():
    bases = np.eye(3, dtype=np.float32)[[0, 0, 1], None, :]
    directions = np.eye(3, dtype=np.float32)[[0, 2]][None].copy()
    labels = np.zeros((3, 1), np.int32)
    gains = np.array([[1.0], [1.0], [0.0]], np.float32)
    LineSteps(bases).relocate(Assigned(labels, gains, np.empty(0)), directions)
    np.testing.assert_array_equal(directions[0], np.eye(3)[[0, 1]])


def test_contexts_of_zeros_are_no_place_to_relocate_to():
    bases = np.zeros((3, 1, 2), np.float32)
    bases[0, 0, 0] = 1.0
    directions = np.array([[[1.0, 0.0], [0.0, 1.0]]], np.float32)
    gains = np.array([[1.0], [0.0], [0.0]], np.float32)
    labels = np.zeros((3, 1), np.int32)
    LineSteps(bases).relocate(Assigned(labels, gains, np.empty(0)), directions)
    np.testing.assert_array_equal(directions[0, 1], [1.0, 0.0])


def test_contexts_of_zeros_change_nothing_for_the_others():
    rng = np.random.default_rng(3)
    bases = np.concatenate([planes_through(np.eye(20)[k], 20 + k, rng) for k in range(2)])
    padded = np.concatenate([bases, np.zeros((30, 2, 20), np.float32)])
    found = induce_directions(padded, 2, random_state=0)
    np.testing.assert_array_equal(found.labels, np.repeat([1, 0, 0], [20, 21, 30]))
    assert found.inertia == pytest.approx(30, abs=1e-3)


def test_nothing_but_zeros():
    found = induce_directions(np.zeros((6, 2, 4), np.float32), 2, random_state=0)
    assert found.inertia == 6.0
    assert not found.labels.any()


def test_fewer_different_contexts_than_senses():
    bases = np.eye(2, dtype=np.float32)[[0, 1, 0, 1, 0], None, :]
    found = induce_directions(bases, 4, random_state=0)
    assert found.inertia == pytest.approx(0, abs=1e-6)
    np.testing.assert_array_equal(found.labels, [0, 1, 0, 1, 0])


def test_restarts_do_not_affect_each_other():
    rng = np.random.default_rng(4)
    bases = planes_through(np.ones(10), 150, rng, noise=3.0)
    starts = rng.standard_normal((3, 2, 10)).astype(np.float32)
    starts /= np.linalg.norm(starts, axis=2, keepdims=True)

    def reach(some):
        (reached,) = advance(hold_lines([bases]), [150], [some], [50], 1e-5, (2,))
        return reached.history[-1]

    for start, together in zip(starts, reach(starts), strict=True):
        assert reach(start[None])[0] == pytest.approx(together, rel=1e-4)


def test_too_many_senses_are_refused_with_both_numbers():
    with pytest.raises(InputError, match=r"n_senses=3 .* n_samples=2"):
        induce_directions(np.ones((2, 1, 1), np.float32), 3)
