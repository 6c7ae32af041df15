from __future__ import annotations

import numpy as np
import pytest

from grassmeans.senses.logistic import fit_logistic


def test_two_values_with_known_odds() -> None:
    # Right in 1 of 4 at 0, in 3 of 4 at 1: log odds of -log 3 and log 3.
    values = np.repeat([0.0, 1.0], 4)
    right = np.array([True, False, False, False, True, True, True, False])
    found = fit_logistic(values, right, np.full(8, 1 / 8))
    assert found.intercept == pytest.approx(-np.log(3), abs=0.01)  # but for the ridge
    assert found.slope == pytest.approx(2 * np.log(3), abs=0.02)


def test_answers_of_one_kind_are_held_by_the_ridge() -> None:
    found = fit_logistic(np.array([0.0, 1.0]), np.array([True, True]), np.full(2, 0.5))
    assert np.isfinite(found).all()
