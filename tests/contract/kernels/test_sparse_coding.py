from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import orthogonal_mp

from grassmeans_lab.kernels import NO_ATOM, SparseCodes

KERNEL = "code_signals"


def unit_rows(rng: np.random.Generator, n: int, dim: int) -> np.ndarray:
    rows = rng.normal(size=(n, dim)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def dense(codes: SparseCodes, n_atoms: int) -> np.ndarray:
    full = np.zeros((len(codes.ids), n_atoms + 1))  # the last column takes what is no atom
    np.put_along_axis(full, codes.ids.astype(np.int64), codes.coefficients, axis=1)
    return full[:, :-1]


def test_orthogonal_atoms_by_hand(kernels) -> None:
    atoms = np.eye(3, dtype=np.float32)
    signals = np.array([[3.0, -4.0, 1.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]], np.float32)
    codes = kernels.code_signals(signals, atoms, 2)
    assert codes.ids.tolist() == [[1, 0], [2, NO_ATOM], [NO_ATOM, NO_ATOM]]
    assert codes.coefficients.tolist() == [[-4.0, 3.0], [2.0, 0.0], [0.0, 0.0]]
    assert kernels.find_residuals(signals, atoms, codes).tolist() == [
        [0, 0, 1],
        [0, 0, 0],
        [0, 0, 0],
    ]


def test_all_coefficients_are_solved_again_by_hand(kernels) -> None:
    # (1, 1) is nearest to (0.6, 0.8): 1.4. What is left is best met by (1, 0), and both together
    # give it exactly: 1.25 * (0.6, 0.8) + 0.25 * (1, 0).
    atoms = np.array([[1.0, 0.0], [0.6, 0.8]], np.float32)
    codes = kernels.code_signals(np.array([[1.0, 1.0]], np.float32), atoms, 2)
    assert codes.ids.tolist() == [[1, 0]]
    assert codes.coefficients[0] == pytest.approx([1.25, 0.25], abs=1e-6)


@pytest.mark.parametrize("sparsity", [1, 3, 5])
def test_the_same_codes_as_scikit_learn(kernels, sparsity: int) -> None:
    rng = np.random.default_rng(sparsity)
    atoms = unit_rows(rng, 60, 20)
    signals = rng.normal(size=(300, 20)).astype(np.float32)
    expected = orthogonal_mp(
        atoms.T.astype(np.float64), signals.T.astype(np.float64), n_nonzero_coefs=sparsity
    )
    found = dense(kernels.code_signals(signals, atoms, sparsity), len(atoms))
    assert np.allclose(found, expected.T, atol=1e-4)


def test_more_atoms_asked_for_than_there_are(kernels) -> None:
    codes = kernels.code_signals(np.ones((1, 4), np.float32), np.eye(4, dtype=np.float32)[:2], 5)
    assert sorted(codes.ids[0].tolist()) == [0, 1]


def test_a_doubled_atom_is_not_chosen_twice(kernels) -> None:
    atoms = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], np.float32)
    codes = kernels.code_signals(np.array([[2.0, 1.0, 1.0]], np.float32), atoms, 3)
    assert codes.ids.tolist() == [[0, 2, NO_ATOM]]


def test_improving_one_atom_by_hand(kernels) -> None:
    # Both signals use the atom (1, 0) with coefficient 1. Their sum is (2, 1): the new atom is
    # (2, 1) / sqrt(5), the new coefficients are the products with it.
    signals = np.array([[1.0, 0.0], [1.0, 1.0]], np.float32)
    atoms = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)
    codes = SparseCodes(np.array([[0], [0]], np.int32), np.ones((2, 1), np.float32))
    residuals = kernels.find_residuals(signals, atoms, codes)
    n_users = kernels.improve_atoms(residuals, atoms, codes)
    root = np.sqrt(5.0)
    assert n_users.tolist() == [2, 0]
    assert np.allclose(atoms, [[2 / root, 1 / root], [0, 1]], atol=1e-6)
    assert np.allclose(codes.coefficients, [[2 / root], [3 / root]], atol=1e-6)
    assert np.allclose(residuals, [[1 - 4 / 5, -2 / 5], [1 - 6 / 5, 1 - 3 / 5]], atol=1e-6)


def test_improving_never_leaves_more_over(kernels) -> None:
    rng = np.random.default_rng(3)
    signals = rng.normal(size=(400, 16)).astype(np.float32)
    atoms = unit_rows(rng, 30, 16)
    codes = kernels.code_signals(signals, atoms, 3)
    residuals = kernels.find_residuals(signals, atoms, codes)
    before = float(np.square(residuals).sum())
    kernels.improve_atoms(residuals, atoms, codes)
    assert float(np.square(residuals).sum()) < before
    # What was changed in place still belongs together.
    assert np.allclose(residuals, kernels.find_residuals(signals, atoms, codes), atol=1e-4)
    assert np.allclose(np.linalg.norm(atoms, axis=1), 1.0, atol=1e-5)
