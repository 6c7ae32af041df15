"""Rounded rows: no number moves by more than half a scale, and rounding again changes nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grassmeans.vectors.quantising import quantise_rows

MATRICES = hnp.arrays(
    np.float32,
    st.tuples(st.integers(1, 5), st.integers(1, 9)),
    elements=st.floats(-1e6, 1e6, width=32),
)
ROUNDING = 1 + 1e-5  # of float32 arithmetic, relative to half a scale


@settings(max_examples=50, deadline=None)
@given(MATRICES, st.sampled_from([4, 6, 8]))
def test_error_is_at_most_half_a_scale(matrix: np.ndarray, bits: int) -> None:
    rows = quantise_rows(matrix, bits)

    error = np.abs(rows.restore().astype(np.float64) - matrix)
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    slack = 1e-6 * largest + 1e-40
    assert (error <= rows.scales[:, None] / 2 * ROUNDING + slack).all()


@settings(max_examples=50, deadline=None)
@given(MATRICES, st.sampled_from([4, 6, 8]))
def test_rounding_again_keeps_the_codes(matrix: np.ndarray, bits: int) -> None:
    matrix = np.where(np.abs(matrix) < 1e-20, 0, matrix)  # scales this small lose their digits
    once = quantise_rows(matrix, bits)

    again = quantise_rows(once.restore(), bits)

    np.testing.assert_array_equal(again.codes[once.scales > 0], once.codes[once.scales > 0])
    np.testing.assert_allclose(again.restore(), once.restore(), rtol=1e-6)
