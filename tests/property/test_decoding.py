import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from grassmeans.senses.decoding import IDK, decode_hard, decode_soft

distances = st.tuples(st.integers(0, 20), st.integers(1, 8)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.floats(0, 1))
)


@settings(max_examples=50, deadline=None)
@given(distances, st.floats(0, 1))
def test_hard_labels_are_nearest_or_idk(values, threshold):
    labels = decode_hard(values, threshold)
    always = decode_hard(values, None)
    known = labels != IDK
    np.testing.assert_array_equal(labels[known], values.argmin(axis=1)[known])
    np.testing.assert_array_equal(known, values.min(axis=1) < threshold)
    assert (always >= 0).all()


@settings(max_examples=50, deadline=None)
@given(distances, st.floats(0, 1000))
def test_probabilities_sum_to_one_and_follow_the_distances(values, sharpness):
    probabilities = decode_soft(values, sharpness)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    nearest = values.argmin(axis=1)
    rows = np.arange(len(values))
    np.testing.assert_array_equal(probabilities[rows, nearest], probabilities.max(axis=1))
