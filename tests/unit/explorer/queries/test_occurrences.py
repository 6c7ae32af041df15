"""How sure lines are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from grassmeans.explorer.queries.occurrences import tell_senses
from grassmeans.models.model import SenseModel
from grassmeans.senses.calibration import CALIBRATION

DISTANCES = np.array([[0.0, 0.8], [0.6, 0.8], [0.8, 0.8], [math.nan, math.nan]], np.float32)


def give(model: SenseModel, manifest: dict[str, object]) -> SenseModel:
    return SenseModel(model.encoder, model.inventory, model.tokenizer, manifest)


def test_confidence_is_the_probability_to_be_right(topic_model) -> None:
    # Margins of 0.4, 0.2 and 0, and 0.01 that is added: odds of ten times as much.
    model = give(topic_model, {CALIBRATION: {"intercept": math.log(10.0), "log_margin": 1.0}})
    senses, sure = tell_senses(model, "crane", DISTANCES)
    assert sure == pytest.approx([4.1 / 5.1, 2.1 / 3.1, 0.1 / 1.1, 0.0], abs=1e-6)
    assert senses.tolist() == [1, 0, 0, 0]
    assert (sure >= 0.7).tolist() == [True, False, False, False]


def test_without_a_calibration_it_is_the_probability_of_the_sense(topic_model) -> None:
    model = give(topic_model, {})
    assert model.choose_sharpness() == 10.0
    first, second = np.exp(-10.0 * np.array([0.6, 0.8]))
    _, sure = tell_senses(model, "crane", DISTANCES[1:3])
    assert sure == pytest.approx([first / (first + second), 0.5], abs=1e-6)
