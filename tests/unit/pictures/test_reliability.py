from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.reliability import ReliabilityReport, score_reliability
from grassmeans.pictures.reliability import draw_reliability


def test_points_stand_at_confidence_and_right_answers() -> None:
    group = score_reliability(np.array([0.75, 0.75]), np.array([True, False]))
    picture = draw_reliability(ReliabilityReport({"a & b": group}, 0.7))
    ElementTree.fromstring(picture)  # well-formed
    # 56 + 320 * 0.75 across, 16 + 320 * (1 - 0.5) down; the only bin has the largest point.
    assert re.findall(r'<circle cx="([0-9.]+)" cy="([0-9.]+)" r="([0-9.]+)"', picture) == [
        ("296.0", "176.0", "9.0")
    ]
    assert "a &amp; b" in picture
    assert "100% answered, 50% of these right" in picture
    assert "calibration error 25.0" in picture


def test_nothing_is_not_drawn() -> None:
    with pytest.raises(InputError, match="nothing to draw"):
        draw_reliability(ReliabilityReport({}, 0.7))
