from __future__ import annotations

import numpy as np
import pytest

from grassmeans.senses.calibration import Calibration, ConfidenceRule, Strangers
from grassmeans.senses.decoding import IdkRule
from grassmeans.tagging.answering import Answer, Answering

CURVE = Calibration(2.0, 1.0)
SHARES = {"bank": (0.2, 0.8), "moon": (1.0,), "gone": (0.0, 0.0)}
NOTHING = (np.nan, np.nan)


def answer(
    key: str, row: tuple[float, float], rule: IdkRule, curve=CURVE, usual: float | None = None
) -> Answer:
    n_senses = np.array([len(SHARES[key])])
    distances = np.array([row], np.float32)
    answering = Answering(rule, curve, 10.0)
    (found,) = answering.answer(distances, n_senses, [key], SHARES.__getitem__, usual)
    return found


@pytest.mark.parametrize(
    ("rule", "sense"),
    [
        (None, 2),
        (0.99, 0),
        (ConfidenceRule(CURVE, 0.0), 2),
        (ConfidenceRule(CURVE, 0.8), 2),
        (ConfidenceRule(CURVE, 0.81), 0),
    ],
)
def test_with_nothing_around_the_most_frequent_sense_counts(rule: IdkRule, sense: int) -> None:
    assert answer("bank", NOTHING, rule) == (sense, (), (0.2, 0.8), 0.8)


def test_an_only_sense_is_right_where_strangers_are_not_known() -> None:
    for rule in (None, 0.6, ConfidenceRule(CURVE, 1.0)):
        assert answer("moon", NOTHING, rule) == (1, (), (1.0,), 1.0)
        assert answer("moon", (0.5, np.nan), rule) == (1, (0.5,), (1.0,), 1.0)
    assert answer("moon", (0.5, np.nan), 0.6, None) == (1, (0.5,), (1.0,), None)


def test_an_only_sense_that_is_too_far_is_not_known() -> None:
    assert answer("moon", (0.5, np.nan), 0.5).sense == 0
    curve = Calibration(2.0, 1.0, Strangers(0.0, 0.1))
    rule = ConfidenceRule(curve, 0.7)
    assert answer("moon", (0.6, np.nan), rule, curve, 0.6).sense == 1
    far = answer("moon", (1.0, np.nan), rule, curve, 0.6)
    assert far.sense == 0
    assert far.confidence < 0.1
    # With nothing to go by, what is assumed of any only sense.
    assert answer("moon", NOTHING, rule, curve, 0.6) == (1, (), (1.0,), 0.9)
    assert answer("moon", NOTHING, ConfidenceRule(curve, 0.95), curve, 0.6).sense == 0


def test_hidden_senses_are_no_answer() -> None:
    assert answer("gone", NOTHING, None).sense == 0


def test_distances_decide_where_there_are_some() -> None:
    found = answer("bank", (0.5, 1.0), ConfidenceRule(CURVE, 0.8))
    assert found.sense == 1
    score = 2 + np.log(np.sqrt(0.75) + 0.01)
    assert found.confidence == pytest.approx(1 / (1 + np.exp(-score)))  # 0.866
    assert found.probabilities == pytest.approx((1 / (1 + np.exp(-5)), 1 / (1 + np.exp(5))))
    assert answer("bank", (0.5, 1.0), ConfidenceRule(CURVE, 0.87)).sense == 0
    assert answer("bank", (0.5, 1.0), 0.5).sense == 0
    assert answer("bank", (0.5, 1.0), 0.51).sense == 1
