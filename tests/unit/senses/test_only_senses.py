from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from grassmeans import load
from grassmeans.errors import ArtifactError, InputError
from grassmeans.senses.calibration import Calibration, ConfidenceRule
from grassmeans.senses.only_senses import Strangers, expect_strangers, fit_strangers

SENTENCES = Path(__file__).parents[2] / "data" / "only-senses.jsonl"
STRANGERS = Strangers(0.0, 0.1, 0.25)
USUAL = 0.6  # c = 0.8, with a spread of 0.2


def confidence(distance: float, usual: float = USUAL) -> float:
    return float(STRANGERS.confidence(np.array([distance]), np.array([usual]))[0])


def test_the_odds_by_hand():
    # c = 0.28: exp(2.8^2 / 2) * 0.1 strangers to exp(-2.6^2 / 2) / 0.2 own, nine times as frequent.
    odds = 9 * np.exp(2.8**2 / 2 - 2.6**2 / 2) * 0.1 / 0.2
    assert confidence(0.96) == pytest.approx(odds / (1 + odds))  # 0.8854
    # c = 0: exp(-8) / 2, nine times.
    assert confidence(1.0) == pytest.approx(4.5 * np.exp(-8) / (1 + 4.5 * np.exp(-8)))


def test_nearer_is_never_less_sure():
    found = [confidence(distance) for distance in np.linspace(0.0, 1.0, 101)]
    assert np.all(np.diff(found) <= 0.0)
    assert confidence(0.0) == confidence(USUAL)  # nearer than usual is as usual


def test_without_evidence_there_is_what_is_assumed():
    assert confidence(np.nan) == 0.9
    assert confidence(0.5, np.nan) == 0.9
    # Contexts of a word that lie no nearer to its line than strangers do tell nothing.
    assert confidence(0.5, 1.0) == pytest.approx(0.9)


def test_an_only_sense_is_judged_where_its_usual_distance_is_known():
    curve = Calibration(3.0, 1.0, STRANGERS)
    rows = [[0.6, np.nan], [1.0, np.nan], [0.6, 0.8], [np.nan, np.nan]]
    near, far, chosen, nothing = curve.confidence(rows, USUAL)
    assert (near, nothing) == (0.9999, pytest.approx(np.nan, nan_ok=True))  # none is more certain
    assert far == pytest.approx(confidence(1.0))
    assert chosen == Calibration(3.0, 1.0).confidence([[0.6, 0.8]])[0]
    assert curve.confidence([[1.0]]).tolist() == [1.0]  # not measured
    assert ConfidenceRule(curve, 0.7).is_unsure([[0.6], [1.0]], USUAL).tolist() == [False, True]


def test_expected_strangers_are_those_of_made_up_contexts():
    rng = np.random.default_rng(0)
    lines = rng.normal(size=(400, 40)) + 0.3  # all a little to one side
    lines /= np.linalg.norm(lines, axis=1, keepdims=True)
    rest = rng.normal(size=lines.shape)
    rest /= np.linalg.norm(rest, axis=1, keepdims=True)
    contexts = 0.8 * lines + 0.6 * rest
    measured = (contexts @ lines.T)[~np.eye(400, dtype=bool)]
    found = expect_strangers(lines, [0.6, 0.6])
    assert found is not None
    assert found.mean == pytest.approx(measured.mean(), abs=0.005)
    assert found.spread == pytest.approx(measured.std(), abs=0.005)
    assert expect_strangers(lines[:31], [0.6]) is None


def test_strangers_that_were_measured():
    found = fit_strangers(np.array([-0.1, 0.1]), np.array([0.6, 1.4]))
    assert found is not None
    assert (found.mean, found.spread, found.own_spread) == pytest.approx((0.0, 0.1, 0.4))
    assert fit_strangers(np.array([-0.1, 0.1]), np.array([1.0])) == Strangers(0.0, 0.1, 0.3)
    assert fit_strangers(np.array([0.1, 0.1]), np.array([1.0])) is None


def test_strangers_are_stored_with_the_curve():
    curve = Calibration(3.0, 1.0, STRANGERS)
    assert Calibration.from_dict(curve.to_dict()) == curve
    assert Calibration(3.0, 1.0).to_dict() == {"intercept": 3.0, "log_margin": 1.0}
    with pytest.raises(ArtifactError, match="calibration is damaged"):
        Calibration.from_dict(curve.to_dict() | {"strangers": {"mean": 0.0, "spread": -1.0}})
    with pytest.raises(InputError, match="spreads above 0"):
        Strangers(0.0, 0.0)


@pytest.mark.parametrize("held_out", [False, True])
def test_the_english_model_knows_most_senses_that_it_lacks(held_out):
    """Sentences that the rule was chosen with (42 and 36), and others written after it (20, 20)."""
    model = load("en")
    rows = [json.loads(line) for line in SENTENCES.read_text().splitlines()]
    given = {True: [], False: []}
    for row in (row for row in rows if row["held_out"] is held_out):
        (word,) = model.tag(row["text"], words=row["word"])
        assert word.only_sense
        given[row["has_sense"]].append(word.sense)
    assert np.mean(given[True]) >= 0.95
    assert np.mean(given[False]) <= 0.35
