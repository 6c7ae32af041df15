"""Scores of collocates: by hand, and as statistics has them."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from grassmeans.corpus.association import measure_log_dice, measure_log_likelihood


def test_log_dice_by_hand():
    # Always together: 14. Half as often: 13. Never: -inf.
    assert measure_log_dice([8, 4, 0], [8, 8, 8], [8, 8, 8]).tolist() == [14.0, 13.0, -np.inf]
    # 2 * 3 / (10 + 14) = 1 / 4, two below the highest.
    assert measure_log_dice(3, 10, 14) == pytest.approx(12.0)
    assert measure_log_dice(0, 0, 0) == -np.inf


def test_log_likelihood_by_hand():
    # Cells 2, 2, 2, 6 with expectations 16/12, 32/12, 32/12, 64/12.
    expected = 2 * (2 * log(24 / 16) + 4 * log(24 / 32) + 6 * log(72 / 64))
    assert measure_log_likelihood(2, 4, 4, 12) == pytest.approx(expected)
    # As many as expected: nothing. None where some were expected: negative.
    assert measure_log_likelihood(2, 4, 6, 12) == pytest.approx(0.0)
    assert measure_log_likelihood(0, 6, 6, 12) == pytest.approx(-2 * 12 * log(2))
    assert measure_log_likelihood(0, 0, 0, 0) == 0.0


def test_log_likelihood_is_that_of_statistics():
    table = np.array([[110, 2442], [111, 29114]])  # Dunning's "the swiss"
    found = measure_log_likelihood(110, table[0].sum(), table[:, 0].sum(), table.sum())
    other = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
    assert found == pytest.approx(other)
    assert found == pytest.approx(270.72, abs=2.0)
