from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from grassmeans.errors import InputError
from grassmeans_lab.rivals.cosine_senses import find_centres


def at_angles(degrees: list[float]) -> np.ndarray:
    radians = np.deg2rad(degrees)
    return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_two_groups_by_hand(kind) -> None:
    rows = kind(at_angles([80, 0, 10, 20, 100]))
    found = find_centres(rows, 2, n_init=5, rng=np.random.default_rng(0))
    # The larger group is first. The centre of 0, 10, 20 is at 10, that of 80, 100 at 90 degrees.
    assert np.allclose(found, at_angles([10, 90]), atol=1e-6)


def test_centres_have_unit_length_where_means_would_be_short() -> None:
    # The mean of both rows is (0.5, 0).
    found = find_centres(at_angles([-60, 60]), 1, n_init=1, rng=np.random.default_rng(0))
    assert found[0].tolist() == pytest.approx([1.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_larger_groups_come_first(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(300, 12)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    centres = find_centres(rows, 7, n_init=3, rng=rng)
    assert np.allclose(np.linalg.norm(centres, axis=1), 1.0, atol=1e-5)
    sizes = np.bincount((rows @ centres.T).argmax(axis=1))
    assert np.all(np.diff(sizes) <= 0)
    assert sizes.sum() == 300


def test_equal_rows_make_one_group() -> None:
    rows = np.repeat(at_angles([30]), 6, axis=0)
    found = find_centres(rows, 3, n_init=5, rng=np.random.default_rng(0))
    assert np.allclose(found, rows[:1])


@pytest.mark.parametrize("n_clusters", [0, 4])
def test_a_number_of_clusters_that_cannot_be(n_clusters: int) -> None:
    with pytest.raises(InputError, match=f"from 1 to the number of rows, 3; got {n_clusters}"):
        find_centres(at_angles([0, 1, 2]), n_clusters, n_init=1, rng=np.random.default_rng(0))
