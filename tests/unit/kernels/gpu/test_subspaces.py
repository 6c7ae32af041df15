"""Subspaces on a GPU, and its kernels on the CPU, against the CPU's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpu_devices
from grassmeans.errors import InputError
from grassmeans.geometry.subspaces import context_energies, principal_subspaces

RANK, DIM, WIDTH = 3, 10, 12  # one shape: kernels are compiled for each


@pytest.fixture(scope="module", params=gpu_devices.DEVICES)
def device(request):
    with gpu_devices.use_device(request.param) as name:
        yield name


def assert_same_subspaces(found, expected, energies) -> None:
    np.testing.assert_array_equal(found.any(axis=2), expected.any(axis=2))
    np.testing.assert_allclose(
        np.einsum("nrd,nsd->nrs", found, found),
        np.einsum("nrd,nsd->nrs", expected, expected),
        atol=1e-5,
    )
    # Between two equal singular values any basis will do; the span tells where there is a gap.
    squares = energies.squared_singular_values
    gaps = (squares[:, RANK - 1] - squares[:, RANK]) / np.maximum(squares[:, 0], 1e-30)
    clear = gaps > 1e-3
    projectors = [np.einsum("nrd,nre->nde", b[clear], b[clear]) for b in (found, expected)]
    np.testing.assert_allclose(*projectors, atol=1e-4)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), scale=st.sampled_from([0.01, 1.0, 50.0]), common=st.booleans())
def test_subspaces_are_those_of_the_cpu(device, seed, scale, common) -> None:
    rng = np.random.default_rng(seed)
    vectors = (scale * (rng.standard_normal((30, DIM)) + 3.0 * common)).astype(np.float32)
    vectors[1] = -vectors[0]
    ids = rng.integers(-1, 30, (40, WIDTH))
    ids[rng.random(ids.shape) < rng.random((40, 1))] = -1
    expected = principal_subspaces(ids, vectors, RANK)
    found = principal_subspaces(ids, vectors, RANK, device=device)
    assert_same_subspaces(found, expected, context_energies(ids, vectors, RANK + 1))
    energies = context_energies(ids, vectors, RANK, device=device)
    reference = context_energies(ids, vectors, RANK)
    largest = np.maximum(reference.totals, 1e-30)[:, None]
    np.testing.assert_allclose(
        energies.squared_singular_values / largest,
        reference.squared_singular_values / largest,
        atol=1e-6,
    )
    np.testing.assert_allclose(energies.totals, reference.totals, rtol=1e-5, atol=1e-30)


def test_contexts_wider_than_the_kernels_take(device) -> None:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((60, DIM)).astype(np.float32)
    ids = rng.integers(-1, 60, (25, 41))
    expected = principal_subspaces(ids, vectors, RANK)
    found = principal_subspaces(ids, vectors, RANK, device=device)
    assert_same_subspaces(found, expected, context_energies(ids, vectors, RANK + 1))


def test_no_contexts(device) -> None:
    ids = np.empty((0, WIDTH), np.int32)
    found = principal_subspaces(ids, np.ones((4, DIM)), RANK, device=device)
    assert found.shape == (0, RANK, DIM)


def test_vectors_that_are_not_finite_are_found(device) -> None:
    vectors = np.ones((3, DIM), np.float32)
    vectors[2] = np.inf
    ids = np.array([[0] * WIDTH, [0] * (WIDTH - 1) + [2]])
    with pytest.raises(InputError, match=r"1 contexts .*NaN or infinity .*context 1"):
        principal_subspaces(ids, vectors, RANK, device=device)
