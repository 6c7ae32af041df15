from __future__ import annotations

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.laboratory.rivals.cosine_senses import _update_centres, cluster_on_sphere


def at_angles(degrees: list[float]) -> np.ndarray:
    radians = np.deg2rad(degrees)
    return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


def test_two_groups_by_hand() -> None:
    rows = at_angles([80, 0, 10, 20, 100])
    found = cluster_on_sphere(rows, 2, rng=np.random.default_rng(0))
    # The larger group is first. The centre of 0, 10, 20 is at 10, that of 80, 100 at 90 degrees.
    assert found.labels.tolist() == [1, 0, 0, 0, 1]
    assert np.allclose(found.centres, at_angles([10, 90]), atol=1e-6)
    expected = 4 * (1 - np.cos(np.deg2rad(10)))
    assert found.objective_path[-1] == pytest.approx(expected, abs=1e-5)


def test_centres_have_unit_length_where_means_would_be_short() -> None:
    # The mean of both rows is (0.5, 0).
    rows = at_angles([-60, 60])
    found = cluster_on_sphere(rows, 1, rng=np.random.default_rng(0))
    assert found.centres[0].tolist() == pytest.approx([1.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_the_objective_never_goes_up_and_labels_are_nearest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(300, 12)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = cluster_on_sphere(rows, 7, n_init=3, rng=rng)
    assert np.all(np.diff(found.objective_path) <= 1e-4)
    assert np.allclose(np.linalg.norm(found.centres, axis=1), 1.0, atol=1e-5)
    cosines = rows @ found.centres.T
    assert np.array_equal(cosines.argmax(axis=1), found.labels)
    assert found.objective_path[-1] == pytest.approx(float((1 - cosines.max(axis=1)).sum()), 1e-4)
    assert np.all(np.diff(np.bincount(found.labels)) <= 0)


def test_the_best_of_several_restarts_is_kept() -> None:
    rng = np.random.default_rng(9)
    rows = rng.normal(size=(200, 5)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    one, many = (
        cluster_on_sphere(rows, 8, n_init=n, rng=np.random.default_rng(1)).objective_path[-1]
        for n in (1, 10)
    )
    assert many < one


def test_an_empty_group_goes_to_the_worst_fitting_row() -> None:
    rows = at_angles([0, 2, 40])
    centres = at_angles([1, 200])
    labels = np.array([0, 0, 0])
    fits = (rows @ centres[0]).astype(np.float64)
    updated = _update_centres(rows, labels, fits, centres)
    assert np.allclose(updated[1], rows[2])
    assert np.allclose(updated[0], at_angles([14])[0], atol=0.02)


def test_equal_rows_make_one_group() -> None:
    rows = np.repeat(at_angles([30]), 6, axis=0)
    found = cluster_on_sphere(rows, 3, rng=np.random.default_rng(0))
    assert found.labels.tolist() == [0] * 6
    assert np.allclose(found.centres, rows[:1])


@pytest.mark.parametrize("n_clusters", [0, 4])
def test_a_number_of_clusters_that_cannot_be(n_clusters: int) -> None:
    with pytest.raises(InputError, match=f"from 1 to the number of rows, 3; got {n_clusters}"):
        cluster_on_sphere(at_angles([0, 1, 2]), n_clusters, rng=np.random.default_rng(0))
