from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grassmeans.kernels import get_kernels

# Token 0 is dropped; the others have the rows 10, 20, 30.
ROWS = np.array([-1, 10, 20, 30], np.int32)


def contexts(tokens, places, *, drop_repeats=False):
    found = get_kernels("numpy").gather_contexts(
        np.array(tokens, np.int32),
        np.array([0, len(tokens)]),
        ROWS,
        np.array(places, np.int64),
        2,
        drop_repeats,
    )
    return found.tolist()


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


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.integers(-1, 3), min_size=1, max_size=30),
    st.integers(0, 30),
    st.integers(1, 4),
    st.booleans(),
)
def test_the_kernel_for_corpora_finds_the_same(tokens, cut, window, drop_repeats) -> None:
    text = np.array(tokens, np.int32)
    offsets = np.array([0, min(cut, len(text)), len(text)])
    places = np.flatnonzero(text >= 0)
    found, expected = (
        get_kernels(device).gather_contexts(text, offsets, ROWS, places, window, drop_repeats)
        for device in ("numpy", "cpu")
    )
    np.testing.assert_array_equal(found, expected)
