"""Subspaces and the products of K-Grassmeans: the same numbers as plain NumPy."""

import numba
import numpy as np
import pytest

KERNEL = "solve_subspaces"
RANK, DIM = 3, 20


@pytest.fixture(scope="module")
def bases():
    rows = np.random.default_rng(0).standard_normal((300, DIM, RANK))
    return np.ascontiguousarray(np.linalg.qr(rows)[0].transpose(0, 2, 1), dtype=np.float32)


@pytest.fixture(scope="module")
def directions():
    drawn = np.random.default_rng(1).standard_normal((2, 5, DIM))
    return (drawn / np.linalg.norm(drawn, axis=2, keepdims=True)).astype(np.float32)


def projections_of(bases, directions):
    return np.einsum("nrd,...d->n...r", bases.astype(float), directions.astype(float))


def test_subspaces_match_a_singular_value_decomposition(kernels):
    rng = np.random.default_rng(2)
    vectors = rng.standard_normal((50, DIM)).astype(np.float32)
    context_ids = rng.integers(0, 50, (150, 9)).astype(np.int32)
    context_ids[rng.random((150, 9)) < 0.2] = -1
    context_ids[7] = -1
    bases, squares, totals = kernels.solve_subspaces(context_ids, vectors, RANK)
    for ids, basis, square, total in zip(context_ids, bases, squares, totals, strict=True):
        rows = vectors[ids[ids >= 0]].astype(float)
        _, sigma, right = np.linalg.svd(rows, full_matrices=False)
        kept = min(RANK, int((sigma > 1e-5 * sigma[:1].max(initial=0)).sum()))
        np.testing.assert_allclose(total, (sigma**2).sum(), rtol=1e-6)
        np.testing.assert_allclose(square[:kept], sigma[:kept] ** 2, rtol=1e-5)
        assert not square[kept:].any()
        assert not basis[kept:].any()
        gap = 1.0 if kept in (0, len(sigma)) else 1 - sigma[kept] ** 2 / sigma[kept - 1] ** 2
        np.testing.assert_allclose(
            basis.T @ basis, right[:kept].T @ right[:kept], atol=1e-5 / max(gap, 1e-2)
        )


def test_subspaces_without_bases(kernels):
    vectors = np.eye(4, DIM, dtype=np.float32)
    bases, squares, totals = kernels.solve_subspaces(
        np.array([[0, 0, 1]], np.int32), vectors, 2, with_bases=False
    )
    assert bases.shape == (0, 2, DIM)
    np.testing.assert_allclose(squares, [[2.0, 1.0]], rtol=1e-12)
    np.testing.assert_allclose(totals, [3.0], rtol=1e-12)


def test_assignment_and_products(kernels, bases, directions):
    labels, gains, products = kernels.assign_contexts(bases, directions)
    projections = projections_of(bases, directions)
    squares = (projections**2).sum(axis=-1)
    np.testing.assert_array_equal(labels, squares.argmax(axis=2))
    np.testing.assert_allclose(gains, squares.max(axis=2), atol=1e-6)
    for restart in range(2):
        for sense in range(5):
            group = labels[:, restart] == sense
            expected = np.einsum("nr,nrd->d", projections[group, restart, sense], bases[group])
            np.testing.assert_allclose(products[restart, sense], expected, atol=1e-4)


def test_the_first_of_equal_directions_wins(kernels, bases, directions):
    twins = np.repeat(directions[:1, :1], 3, axis=1)
    labels, _, _ = kernels.assign_contexts(bases, twins)
    assert not labels.any()


def test_group_products_with_given_labels(kernels, bases, directions):
    labels = np.random.default_rng(3).integers(0, 5, (300, 2)).astype(np.int32)
    products = kernels.apply_groups(bases, labels, directions)
    projections = projections_of(bases, directions)
    group = labels[:, 1] == 4
    expected = np.einsum("nr,nrd->d", projections[group, 1, 4], bases[group])
    np.testing.assert_allclose(products[1, 4], expected, atol=1e-4)


def test_projections_and_inner_products(kernels, bases, directions):
    squares = kernels.square_projections(bases, directions[0])
    expected = (projections_of(bases, directions[0]) ** 2).sum(axis=-1)
    np.testing.assert_allclose(squares, expected, atol=1e-6)
    grams = kernels.multiply_bases(bases)
    np.testing.assert_allclose(grams, np.broadcast_to(np.eye(RANK), grams.shape), atol=1e-6)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="one core only")
def test_results_do_not_depend_on_the_number_of_threads(kernels, bases, directions):
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((40, DIM)).astype(np.float32)
    context_ids = rng.integers(-1, 40, (500, 8)).astype(np.int32)

    def compute():
        labels, gains, products = kernels.assign_contexts(bases, directions)
        return (
            *kernels.solve_subspaces(context_ids, vectors, RANK),
            labels,
            gains,
            products,
            kernels.apply_groups(bases, labels, directions),
            kernels.square_projections(bases, directions[0]),
        )

    before = numba.get_num_threads()
    results = []
    for n_threads in (1, 2):
        numba.set_num_threads(n_threads)
        results.append(compute())
    numba.set_num_threads(before)
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)


def test_projections_of_the_directions_of_its_own_word(kernels, bases, directions):
    lines = np.ascontiguousarray(directions.reshape(-1, DIM)[:6])
    offsets = np.array([0, 1, 4, 6])
    words = np.random.default_rng(5).integers(0, 3, len(bases))
    found = kernels.project_own(bases, lines, offsets, words)
    everything = (projections_of(bases, lines) ** 2).sum(axis=-1)
    assert found.shape == (len(bases), 3)
    for row, word in enumerate(words):
        first, end = offsets[word : word + 2]
        np.testing.assert_allclose(found[row, : end - first], everything[row, first:end], atol=1e-6)
        assert np.isnan(found[row, end - first :]).all()
