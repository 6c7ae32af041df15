from __future__ import annotations

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.senses.same_sense import (
    KnownPairs,
    SamenessCurve,
    expect_sameness,
    fit_sameness,
    pair_contexts,
)

NONE_ALIKE = np.zeros((3, 3), np.bool_)


def test_a_curve_by_hand() -> None:
    found = SamenessCurve(-2.0, 10.0).probability([0.2, 0.4, np.nan])
    np.testing.assert_allclose(found[:2], [0.5, 1 / (1 + np.exp(-2))])
    assert np.isnan(found[2])
    with pytest.raises(InputError, match="finite"):
        SamenessCurve(0.0, float("inf"))


def test_contexts_are_paired_with_those_of_their_word_and_of_a_near_one() -> None:
    # Three words along axes; the third lies near the second.
    lines = np.array([[1, 0, 0], [0, 1, 0], [0, 0.8, 0.6]], np.float32)
    samples = [np.repeat(line[None, None], 6, axis=0) for line in lines]
    found = pair_contexts(samples, NONE_ALIKE, signed=True)
    assert sum(found.same) == sum(~found.same) == 9
    assert found.similarities[found.same].tolist() == [1.0] * 9
    expected = [0, 0, 0, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8]  # the first word has none near
    np.testing.assert_allclose(found.similarities[~found.same], expected, atol=1e-6)


def test_words_that_nobody_could_tell_apart_are_not_paired() -> None:
    lines = np.array([[1, 0, 0], [0, 1, 0], [0, 0.8, 0.6]], np.float32)
    samples = [np.repeat(line[None, None], 6, axis=0) for line in lines]
    alike = np.zeros((3, 3), np.bool_)
    alike[1, 2] = alike[2, 1] = True
    found = pair_contexts(samples, alike, signed=True)
    assert found.similarities[~found.same].tolist() == [0.0] * 9
    assert pair_contexts(samples, np.ones((3, 3), np.bool_), signed=True).same.all()


def test_neighbours_in_the_text_are_not_paired() -> None:
    rays = np.eye(8, dtype=np.float32)[np.repeat(np.arange(4), 2)][:, None]  # two of each in a row
    found = pair_contexts([rays], NONE_ALIKE[:1, :1], signed=True)
    assert found.same.tolist() == [True] * 4
    assert found.similarities.tolist() == [0.0] * 4


def test_too_few_pairs_tell_nothing() -> None:
    one = np.ones((4, 1, 2), np.float32)
    assert fit_sameness(pair_contexts([one], NONE_ALIKE[:1, :1])) is None
    assert fit_sameness(pair_contexts([], NONE_ALIKE[:0, :0])) is None


def test_one_sense_and_two_are_as_likely_however_many_pairs_there_are() -> None:
    # Above 0.5 lie 3 of 4 pairs of one word and 1 of 4 of two; of the latter there are ten times
    # as many.
    same = np.repeat([True, False], [200, 2000])
    above = np.concatenate([np.arange(200) % 4 > 0, np.arange(2000) % 4 == 0])
    found = fit_sameness(KnownPairs(above.astype(np.float32), same))
    assert found is not None
    np.testing.assert_allclose(found.probability([0.0, 1.0]), [0.25, 0.75], atol=0.01)


def test_a_curve_that_falls_is_none() -> None:
    same = np.repeat([True, False], 200)
    assert fit_sameness(KnownPairs((~same).astype(np.float32), same)) is None


def test_an_expected_curve_by_hand() -> None:
    # c = 0.8: means 0.64 and 0; q = 0.64 * 1.09 = 0.6976, q^2 = 0.48664576.
    # Variances, in 1000 dimensions: 0.48664576 - 0.4096 + n and n, n = 0.51335424 / 1000.
    found = expect_sameness(np.zeros(40), [0.6], 1000)
    noise = 0.51335424 / 1000
    one, two = 0.07704576 + noise, noise
    slope = 0.64 / ((one + two) / 2)
    half = 0.64 * two**0.5 / (one**0.5 + two**0.5)
    assert found is not None
    assert found.slope == pytest.approx(slope)
    assert found.intercept == pytest.approx(-slope * half)


def test_too_few_senses_tell_nothing() -> None:
    assert expect_sameness(np.zeros(8), [0.6], 100) is None
    assert expect_sameness(np.zeros(40), [], 100) is None
    assert expect_sameness(np.ones(40), [0.6], 100) is None  # senses that do not differ
