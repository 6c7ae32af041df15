import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.geometry.subspaces import context_energies, principal_subspaces

AXES = np.eye(4, dtype=np.float32) * np.array([[3], [2], [1], [1]], dtype=np.float32)


def test_orthogonal_words_by_hand():
    bases = principal_subspaces([[2, -1, 0, 1]], AXES, rank=2)
    np.testing.assert_allclose(bases, [[[1, 0, 0, 0], [0, 1, 0, 0]]], atol=1e-7)
    assert bases.dtype == np.float32


def test_a_repeated_word_counts_as_often_as_it_occurs():
    # |word 1| = 2 twice has more energy (8) than |word 2| = 1 five times (5), less than 9.
    bases = principal_subspaces([[1, 2, 2, 0, 2, 2, 2, 1]], AXES, rank=3)
    np.testing.assert_allclose(bases[0], np.eye(4)[:3], atol=1e-6)
    energies = context_energies([[1, 2, 2, 0, 2, 2, 2, 1]], AXES, rank=3)
    np.testing.assert_allclose(energies.squared_singular_values, [[9, 8, 5]], rtol=1e-6)


def test_pca_is_not_centred():
    vectors = np.array([[1.0, 0.1], [1.0, -0.1]], np.float32)
    bases = principal_subspaces([[0, 1]], vectors, rank=1)
    np.testing.assert_allclose(bases, [[[1, 0]]], atol=1e-6)  # centred, it would be [0, 1]


def test_too_few_independent_words_leave_zero_rows():
    contexts = [[0, 0, 0, -1], [-1, 3, -1, 1], [-1, -1, -1, -1]]
    bases = principal_subspaces(contexts, AXES, rank=3)
    assert np.linalg.matrix_rank(bases).tolist() == [1, 2, 0]
    assert not bases[0, 1:].any()
    assert not bases[1, 2:].any()
    assert not bases[2].any()


def test_dependent_words_that_are_not_equal_leave_zero_rows():
    rng = np.random.default_rng(0)
    pair = rng.standard_normal((2, 50))
    vectors = np.vstack([pair, pair[0] + pair[1], 2 * pair[0] - pair[1]]).astype(np.float32)
    bases = principal_subspaces([[0, 1, 2, 3]], vectors, rank=3)
    assert bases[0, :2].any(axis=1).all()
    assert not bases[0, 2].any()


def test_words_of_very_different_lengths_are_still_found():
    vectors = np.eye(3, 10, dtype=np.float32) * np.array([[1e3], [1.0], [0.2]], np.float32)
    mixed = vectors + np.roll(vectors, 1, axis=0)
    bases = principal_subspaces([[0, 1, 2]], mixed, rank=3)
    np.testing.assert_allclose(bases[0] @ bases[0].T, np.eye(3), atol=1e-5)
    np.testing.assert_allclose(bases[0].T @ bases[0], np.diag([1.0] * 3 + [0.0] * 7), atol=1e-5)


@pytest.mark.parametrize("scale", [1e-22, 1e18])
def test_the_scale_of_the_vectors_does_not_matter(scale):
    vectors = np.random.default_rng(1).standard_normal((6, 8))
    expected = principal_subspaces([range(6)], vectors)
    np.testing.assert_allclose(
        principal_subspaces([range(6)], vectors * scale), expected, atol=1e-5
    )


def test_the_largest_component_of_each_row_is_positive():
    vectors = np.random.default_rng(2).standard_normal((30, 12))
    bases = principal_subspaces(np.arange(30).reshape(5, 6), vectors)
    flipped = principal_subspaces(np.arange(30).reshape(5, 6), -vectors)
    assert (bases.max(axis=2) >= -bases.min(axis=2)).all()
    np.testing.assert_array_equal(bases, flipped)


def test_singular_weighting_scales_rows_by_sigma():
    flat = principal_subspaces([[0, 1, 2]], AXES, rank=3)
    weighted = principal_subspaces([[0, 1, 2]], AXES, rank=3, weighting="singular")
    np.testing.assert_allclose(weighted[0], flat[0] * [[1], [2 / 3], [1 / 3]], rtol=1e-6)
    assert not principal_subspaces([[-1]], AXES, weighting="singular").any()


def test_energy_shares_by_hand():
    energies = context_energies([[0, 1, 2, 3], [-1] * 4], AXES, rank=4)
    np.testing.assert_allclose(energies.totals, [15.0, 0.0])
    np.testing.assert_allclose(energies.shares[0], [9 / 15, 13 / 15, 14 / 15, 1.0], rtol=1e-6)
    assert np.isnan(energies.shares[1]).all()


def test_inputs_of_other_types_and_read_only_maps(tmp_path):
    np.save(tmp_path / "vectors.npy", AXES)
    mapped = np.load(tmp_path / "vectors.npy", mmap_mode="r")
    expected = principal_subspaces(np.array([[0, 1, -1]], np.int32), AXES, rank=2)
    for ids, vectors in (
        (np.array([[0, 1, -1]], np.int64), mapped),
        ([[0, 1, -1]], AXES.astype(np.float64)),
        (np.asfortranarray([[0, 1, -1]]), np.asfortranarray(AXES.astype(int))),
    ):
        np.testing.assert_array_equal(principal_subspaces(ids, vectors, rank=2), expected)


def test_no_contexts_give_no_bases():
    assert principal_subspaces(np.empty((0, 5), np.int32), AXES).shape == (0, 3, 4)
    assert not principal_subspaces(np.empty((2, 0), np.int32), AXES).any()


@pytest.mark.parametrize(
    ("ids", "vectors", "options", "message"),
    [
        ([0, 1], AXES, {}, r"\(n_contexts, width\), got \(2,\)"),
        ([[0.5]], AXES, {}, "must be integers, got float64"),
        ([[4]], AXES, {}, "0 to 3; found 4 to 4"),
        ([[-2, 0]], AXES, {}, "found -2 to 0"),
        ([[0]], AXES[0], {}, r"\(n_words, dim\), got \(4,\)"),
        ([[0]], [["a"]], {}, "real numbers"),
        ([[0]], AXES, {"rank": 0}, "between 1 and the vectors' dimension 4, got 0"),
        ([[0]], AXES, {"rank": 5}, "got 5"),
        ([[0]], AXES, {"rank": 1.5}, "whole number"),
        ([[0]], AXES, {"weighting": "steep"}, "'flat', 'singular'"),
        ([[0]], AXES, {"device": "abacus"}, "device must be one of 'cpu'"),
        ([[0], [1]], AXES * [[1], [np.nan], [1], [1]], {}, "first is context 1"),
        ([[0]], np.full((4, 4), np.inf), {}, "NaN or infinity"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_mistakes_are_explained(ids, vectors, options, message):
    with pytest.raises(InputError, match=message):
        principal_subspaces(ids, vectors, **options)
