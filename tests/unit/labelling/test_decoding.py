from __future__ import annotations

import numpy as np

from grassmeans.labelling.decoding import draw_senses


def test_draws_fall_between_the_bounds() -> None:
    probabilities = np.array([[0.25, 0.5, 0.25]] * 4)
    draws = np.array([0.0, 0.25, 0.749, 0.75])
    assert draw_senses(probabilities, np.full(4, 3), draws).tolist() == [1, 2, 2, 3]


def test_rounding_gives_no_sense_beyond_the_last() -> None:
    """Ten times 0.1 sums to 0.9999999999999999, the largest number that is ever drawn.

    Another word has eleven senses, so that the table has a column for one more.
    """
    probabilities = np.array([[0.1] * 10 + [0.0]])
    largest = np.nextafter(1.0, 0.0)
    assert np.cumsum(probabilities)[9] == largest
    assert draw_senses(probabilities, np.array([10]), np.array([largest])).tolist() == [10]
