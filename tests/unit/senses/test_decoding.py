import pickle

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.senses.calibration import Calibration, ConfidenceRule, Strangers
from grassmeans.senses.decoding import (
    IDK,
    Limits,
    SenseDistances,
    decode,
    decode_hard,
    decode_soft,
)

NO_CONTEXT = [np.nan, np.nan]


def test_hard_labels_by_hand():
    distances = [[0.2, 0.5], [0.59, 0.3], [0.6, 0.7], [0.4, 0.4], NO_CONTEXT]
    assert decode_hard(distances).tolist() == [0, 1, IDK, 0, IDK]


def test_the_threshold_itself_is_idk():
    assert decode_hard([[0.25, 1.0]], idk_threshold=0.25).tolist() == [IDK]
    assert decode_hard([[0.24, 1.0]], idk_threshold=0.25).tolist() == [0]


def test_without_a_threshold_only_missing_contexts_are_idk():
    assert decode_hard([[1.0, 0.9], NO_CONTEXT], idk_threshold=None).tolist() == [1, IDK]


def test_soft_probabilities_by_hand():
    # exp(-10 * 0.1) / (exp(-1) + exp(-2)) = e / (e + 1)
    probabilities = decode_soft([[0.1, 0.2], NO_CONTEXT])
    np.testing.assert_allclose(probabilities[0], [np.e / (np.e + 1), 1 / (np.e + 1)], rtol=1e-12)
    np.testing.assert_array_equal(probabilities[1], [0.5, 0.5])


def test_distances_that_a_model_measured_are_decoded_by_its_limits():
    far = np.array([[0.9, 0.7], [0.9, 0.8], [0.1, 0.2]], np.float32)
    measured = SenseDistances(far, Limits(0.75, 1.0, None))
    assert decode_hard(far).tolist() == [IDK, IDK, 0]
    assert decode_hard(measured).tolist() == [1, IDK, 0]
    for same in (measured, pickle.loads(pickle.dumps(measured)), measured[[0, 1, 2]]):
        assert decode(same).tolist() == decode(same, idk_threshold="model").tolist() == [1, IDK, 0]
    assert decode(measured, idk_threshold=0.6).tolist() == [IDK, IDK, 0]
    assert decode(measured, idk_threshold=None).tolist() == [1, 1, 0]
    assert decode(np.asarray(measured)).tolist() == [IDK, IDK, 0]
    # exp(-0.1) / (exp(-0.1) + exp(-0.2)) = 1 / (1 + exp(-0.1)), and with the paper's sharpness e
    assert decode(measured, "soft")[2, 0] == pytest.approx(1 / (1 + np.exp(-0.1)), rel=1e-6)
    assert decode_soft(far)[2, 0] == pytest.approx(np.e / (np.e + 1), rel=1e-6)
    assert decode_soft(measured, 10)[2, 0] == pytest.approx(np.e / (np.e + 1), rel=1e-6)


def test_an_only_sense_is_judged_by_its_usual_distance():
    rule = ConfidenceRule(Calibration(3.0, 1.0, Strangers(0.1, 0.05, 0.05)), 0.7)
    far = np.array([[0.3], [0.995]], np.float32)
    assert decode_hard(far, rule).tolist() == [0, 0]  # nothing is known of what is usual
    assert decode_hard(SenseDistances(far, Limits(rule, 1.0, 0.3))).tolist() == [0, IDK]


def test_sharpness_one_cannot_exceed_four_tenths_with_five_senses():
    # The most decided distances there are: 1 / (1 + 4 / e) = 0.4046
    best = decode_soft([[0.0, 1.0, 1.0, 1.0, 1.0]], sharpness=1.0)[0, 0]
    assert best == pytest.approx(0.4046, abs=1e-4)
    assert decode_soft([[0.0, 1.0, 1.0, 1.0, 1.0]])[0, 0] > 0.999


def test_soft_decoding_is_stable_for_extreme_sharpness():
    np.testing.assert_array_equal(decode_soft([[0.9, 1.0]], sharpness=1e6), [[1.0, 0.0]])
    np.testing.assert_array_equal(decode_soft([[0.9, 1.0]], sharpness=0.0), [[0.5, 0.5]])


def test_no_occurrences():
    assert decode_hard(np.empty((0, 3))).shape == (0,)
    assert decode_soft(np.empty((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("distances", [[0.1, 0.2], np.empty((2, 0)), [["a", "b"]], [[0.1], [0, 1]]])
def test_distances_of_another_shape_are_refused(distances):
    with pytest.raises(InputError, match=r"\(n, n_senses\)"):
        decode_hard(distances)


def test_a_row_that_is_partly_nan_is_refused():
    with pytest.raises(InputError, match="row 1"):
        decode_soft([[0.1, 0.2], [np.nan, 0.2]])


@pytest.mark.parametrize("threshold", [-0.1, 1.1, np.nan])
def test_thresholds_out_of_range_are_refused(threshold):
    with pytest.raises(InputError, match="a number from 0 to 1"):
        decode_hard([[0.1]], threshold)


@pytest.mark.parametrize("sharpness", [-1.0, np.nan, np.inf])
def test_sharpness_out_of_range_is_refused(sharpness):
    with pytest.raises(InputError, match="sharpness"):
        decode_soft([[0.1]], sharpness)
