import numpy as np
import pytest

from grassmeans.kernels.cpu.eigen import leading_eigenpairs

ROTATION = np.linalg.qr(np.random.default_rng(0).standard_normal((12, 12)))[0]


def solve_one(matrix, rank):
    values, vectors = leading_eigenpairs(np.array(matrix, np.float64)[:, :, None].copy(), rank)
    return values[:, 0], vectors[:, :, 0]


def with_spectrum(eigenvalues):
    return ROTATION @ np.diag(np.asarray(eigenvalues, np.float64)) @ ROTATION.T


def test_two_by_two_by_hand():
    values, vectors = solve_one([[2.0, 1.0], [1.0, 2.0]], 2)
    np.testing.assert_allclose(values, [3.0, 1.0], rtol=1e-14)
    np.testing.assert_allclose(np.abs(vectors), np.full((2, 2), np.sqrt(0.5)), rtol=1e-12)
    assert vectors[0, 0] * vectors[0, 1] > 0 > vectors[1, 0] * vectors[1, 1]


def test_one_by_one():
    values, vectors = solve_one([[5.0]], 1)
    assert values[0] == 5.0
    assert abs(vectors[0, 0]) == 1.0


@pytest.mark.parametrize(
    ("matrix", "rank"),
    [
        (np.zeros((5, 5)), 3),
        (np.eye(20), 4),
        (np.ones((6, 6)), 3),  # rank one
        (np.diag([3.0, 3.0, 3.0, 1.0]), 4),
        (np.kron(np.eye(4), np.ones((3, 3))), 4),  # one value four times
        (np.kron(np.eye(4), np.ones((3, 3))) * 1e-12, 5),
        (with_spectrum([5.0] * 4 + [1.0] * 8), 6),
        (with_spectrum(10.0 ** -np.arange(12)), 6),  # graded
        (with_spectrum(1.0 + 1e-10 * np.arange(12)), 12),  # one cluster
        (with_spectrum(np.arange(12)) * 1e12, 12),
    ],
    ids=["zero", "identity", "rank1", "diagonal", "blocks", "tiny", "repeated", "graded",
         "cluster", "huge"],
)  # fmt: skip
def test_awkward_matrices(matrix, rank):
    values, vectors = solve_one(matrix, rank)
    scale = max(np.trace(matrix), 1e-300)
    expected = np.linalg.eigvalsh(matrix)[::-1][:rank]
    # A member of a cluster narrower than the bisection may come out as its neighbour.
    np.testing.assert_allclose(values, expected, rtol=0, atol=2e-10 * scale)
    np.testing.assert_allclose(vectors @ vectors.T, np.eye(rank), atol=1e-12)
    residual = matrix @ vectors.T - vectors.T * values
    assert np.abs(residual).max() <= 2e-10 * scale


def test_a_lane_depends_on_its_neighbours_by_rounding_only():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((7, 9, 15))
    grams = np.einsum("lid,ljd->ijl", rows, rows)
    together = leading_eigenpairs(np.ascontiguousarray(grams), 3)
    for lane in range(7):
        values, vectors = solve_one(grams[:, :, lane], 3)
        np.testing.assert_allclose(values, together[0][:, lane], rtol=1e-13)
        aligned = np.abs((vectors * together[1][:, :, lane]).sum(axis=1))  # signs are free
        np.testing.assert_allclose(aligned, 1.0, rtol=1e-12)


def test_padding_gets_no_weight():
    padded = np.zeros((6, 6))
    padded[:3, :3] = [[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]]
    values, vectors = solve_one(padded, 3)
    plain_values, _ = solve_one(padded[:3, :3], 3)
    np.testing.assert_allclose(values, plain_values, rtol=1e-14)
    assert np.abs(vectors[:, 3:]).max() < 1e-14
