from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grassmeans import principal_subspaces
from grassmeans.errors import InputError
from grassmeans.kernels import get_kernels, plain
from grassmeans.kernels.arguments import RunningText

# Token 0 is dropped; the others have the rows 10, 20, 30.
ROWS = np.array([-1, 10, 20, 30], np.int32)


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


def contexts(tokens, places, *, drop_repeats=False):
    text = RunningText(np.array(tokens, np.int32), np.array([0, len(tokens)]), ROWS)
    positions = np.array(places, np.int64)
    return get_kernels("numpy").gather_contexts(text, positions, 2, drop_repeats).tolist()


def test_nearest_kept_words_stand_around_the_middle() -> None:
    assert contexts([1, 2, 0, 3, 0, 1, 2], [3]) == [[10, 20, 10, 20]]
    assert contexts([3, 0, 1], [0, 2]) == [[-1, -1, 10, -1], [-1, 30, -1, -1]]


def test_a_target_without_a_vector_has_a_context() -> None:
    assert contexts([1, 0, 2], [1]) == [[-1, 10, 20, -1]]


def test_repeats_of_the_target_are_kept_or_left_out() -> None:
    tokens = [1, 3, 3, 2, 3]
    assert contexts(tokens, [2]) == [[10, 30, 20, 30]]
    assert contexts(tokens, [1, 2, 3], drop_repeats=True) == [
        [-1, 10, 20, -1],
        [-1, 10, 20, -1],
        [30, 30, 30, -1],
    ]


@pytest.mark.parametrize("drop_repeats", [False, True])
def test_nothing_to_find(drop_repeats) -> None:
    assert contexts([], [], drop_repeats=drop_repeats) == []
    assert contexts([0, 0], [1], drop_repeats=drop_repeats) == [[-1] * 4]
    assert contexts([3, 3], [0], drop_repeats=True) == [[-1] * 4]


def test_matrices_of_an_encoder_are_restored_one_at_a_time() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 256, (6, 200, 300)).astype(np.uint8)
    scales = rng.random((6, 200)).astype(np.float32)
    expected = (codes.astype(np.float32) - np.float32(127.5)) * scales[:, :, None]
    tracemalloc.start()
    packed = get_kernels("numpy").pack_matrices(codes, scales)
    for number, matrix in enumerate(packed):
        np.testing.assert_array_equal(matrix, expected[number])
        assert matrix.T.flags.c_contiguous
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(packed) == number + 1 == 6
    assert peak < expected.nbytes
    whole = plain.restore_matrices(codes, scales)
    np.testing.assert_array_equal(whole, expected)
    assert whole.transpose(0, 2, 1).flags.c_contiguous


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.integers(-1, 3), min_size=1, max_size=30),
    st.integers(0, 30),
    st.integers(1, 4),
    st.booleans(),
)
def test_the_kernel_for_corpora_finds_the_same(tokens, cut, window, drop_repeats) -> None:
    ids = np.array(tokens, np.int32)
    text = RunningText(ids, np.array([0, min(cut, len(ids)), len(ids)]), ROWS)
    places = np.flatnonzero(ids >= 0)
    found, expected = (
        get_kernels(device).gather_contexts(text, places, window, drop_repeats)
        for device in ("numpy", "cpu")
    )
    np.testing.assert_array_equal(found, expected)
