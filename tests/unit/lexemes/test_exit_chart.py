from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from grassmeans.errors import InputError
from grassmeans.laboratory.iteration.exit_chart import draw_exit_chart
from grassmeans.laboratory.iteration.rounds import RoundReport

SVG = "{http://www.w3.org/2000/svg}"


def reports(*entropies: float) -> list[RoundReport]:
    return [RoundReport(i, 10, 0.0, entropy, None) for i, entropy in enumerate(entropies)]


def test_points_by_hand() -> None:
    """Information 0.5, 0.6, 0.7: the axes go from 0.45 to 0.75 over 320 pixels, 50 from the edge.

    Round 1 lies at (0.5, 0.6): x = 50 + 320 / 6 = 103.3, y = 370 - 320 / 2 = 210.
    """
    chart = ElementTree.fromstring(draw_exit_chart(reports(0.5, 0.4, 0.3)))
    points = [(circle.get("cx"), circle.get("cy")) for circle in chart.iter(f"{SVG}circle")]
    assert points == [("103.3", "210.0"), ("210.0", "103.3")]
    texts = [text.text for text in chart.iter(f"{SVG}text")]
    assert texts[:2] == ["1", "2"]
    assert texts.count("0.45") == texts.count("0.75") == 2
    steps = [line.get("points") for line in chart.iter(f"{SVG}polyline")][-1]
    assert steps is not None
    assert steps.split()[:3] == ["103.3,316.7", "103.3,210.0", "210.0,210.0"]


@pytest.mark.parametrize("entropies", [(0.0,), (1.0, 1.0), (0.0, 0.0), (0.2, 0.9)])
def test_every_point_lies_inside(entropies: tuple[float, ...]) -> None:
    chart = draw_exit_chart(reports(*entropies))
    ElementTree.fromstring(chart)
    found = [float(number) for number in re.findall(r'c[xy]="([^"]+)"', chart)]
    assert len(found) == 2 * (len(entropies) - 1)
    assert all(50 <= number <= 370 for number in found)


def test_no_round_no_chart() -> None:
    with pytest.raises(InputError, match="at least one round"):
        draw_exit_chart([])
