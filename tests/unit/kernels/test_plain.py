from __future__ import annotations

import numpy as np
import pytest

from grassmeans import principal_subspaces
from grassmeans.errors import InputError
from grassmeans.kernels import get_kernels


def test_both_devices_agree_on_contexts_of_every_size() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((40, 12)).astype(np.float32)
    context_ids = rng.integers(0, 40, (600, 7)).astype(np.int32)  # more than one block
    context_ids[rng.random(context_ids.shape) < rng.random((600, 1))] = -1
    expected = principal_subspaces(context_ids, vectors, 5, device="cpu")
    found = principal_subspaces(context_ids, vectors, 5, device="numpy")
    np.testing.assert_array_equal(found.any(axis=2), expected.any(axis=2))
    np.testing.assert_allclose(found, expected, atol=1e-3)
    projectors = [np.einsum("nrd,nre->nde", bases, bases) for bases in (found, expected)]
    np.testing.assert_allclose(*projectors, atol=1e-4)


def test_a_basis_worked_out_by_hand() -> None:
    # Three times e1 and once -e2: squared singular values 3 and 1.
    vectors = np.array([[1, 0, 0], [0, -1, 0]], np.float32)
    ids = np.array([[0, -1, 0, 1, 0], [-1, -1, -1, -1, -1]], np.int32)
    bases, squares, totals = get_kernels("numpy").solve_subspaces(ids, vectors, 3)
    np.testing.assert_allclose(bases[0], [[1, 0, 0], [0, 1, 0], [0, 0, 0]], atol=1e-7)
    np.testing.assert_allclose(squares, [[3, 1, 0], [0, 0, 0]], atol=1e-12)
    np.testing.assert_allclose(totals, [4, 0])


def test_no_contexts() -> None:
    bases = principal_subspaces(np.empty((0, 4), np.int32), np.eye(3), 2, device="numpy")
    assert bases.shape == (0, 2, 3)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_vectors_that_are_not_finite_are_found(bad) -> None:
    vectors = np.array([[1, 0], [bad, 1]], np.float32)
    with (
        pytest.raises(InputError, match=r"1 contexts .*NaN or infinity .*context 1"),
        np.errstate(all="ignore"),
    ):
        principal_subspaces(np.array([[0, 0], [0, 1]]), vectors, 1, device="numpy")
