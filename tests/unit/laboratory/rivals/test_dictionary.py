from __future__ import annotations

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.kernels import get_kernels
from grassmeans.laboratory.rivals.dictionary import learn_dictionary


def make_signals(
    n: int, n_atoms: int, dim: int, sparsity: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of a few planted atoms with positive coefficients, and the atoms."""
    rng = np.random.default_rng(seed)
    atoms = rng.normal(size=(n_atoms, dim))
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    chosen = rng.permuted(np.tile(np.arange(n_atoms), (n, 1)), axis=1)[:, :sparsity]
    coefficients = rng.uniform(0.5, 1.5, size=(n, sparsity))
    return np.einsum("nk,nkd->nd", coefficients, atoms[chosen]).astype(np.float32), atoms


def test_planted_atoms_are_found() -> None:
    signals, planted = make_signals(3000, 30, 24, 2, seed=0)
    found = learn_dictionary(signals, 30, 2, n_iterations=30)
    # Signed: coefficients are positive, so the atoms must point the planted way.
    best = (planted @ found.atoms.T).max(axis=1)
    assert (best > 0.98).sum() >= 27
    assert found.objective_path[-1] < 0.1 * float(np.square(signals).sum())


def test_the_objective_never_goes_up() -> None:
    rng = np.random.default_rng(1)
    signals = rng.normal(size=(600, 20)).astype(np.float32)
    path = learn_dictionary(signals, 40, 4, n_iterations=15).objective_path
    assert len(path) == 15
    assert np.all(np.diff(path) <= 1e-5 * path[0])
    assert path[-1] < 0.9 * path[0]


def test_doubles_make_room_for_other_atoms() -> None:
    # Plain K-SVD ends here with two atoms for one planted atom (cosine 0.99 and more).
    signals, _ = make_signals(3000, 30, 24, 2, seed=5)
    atoms = learn_dictionary(signals, 30, 2, n_iterations=30, random_state=5).atoms
    cosines = np.abs(atoms @ atoms.T)[~np.eye(30, dtype=bool)]
    assert cosines.max() < 0.9


def test_codes_belong_to_the_atoms() -> None:
    rng = np.random.default_rng(2)
    signals = rng.normal(size=(300, 12)).astype(np.float32)
    found = learn_dictionary(signals, 20, 3, n_iterations=5)
    left = float(np.square(get_kernels().find_residuals(signals, found.atoms, found.codes)).sum())
    assert left <= found.objective_path[-1] * (1 + 1e-5)
    sums = np.bincount(found.codes.ids.ravel(), found.codes.coefficients.ravel(), minlength=20)
    assert np.all(sums >= 0.0)


def test_the_same_state_gives_the_same_atoms() -> None:
    signals, _ = make_signals(400, 10, 8, 2, seed=4)
    first, second, other = (
        learn_dictionary(signals, 10, 2, n_iterations=3, random_state=state).atoms
        for state in (5, 5, 6)
    )
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_too_few_vectors_are_explained() -> None:
    signals = np.zeros((10, 3), np.float32)
    signals[:4] = 1.0
    with pytest.raises(InputError, match=r"5 atoms need at least as many vectors .* got 4"):
        learn_dictionary(signals, 5, 2)
