"""An EXIT-like chart of iterative decoding, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from grassmeans.errors import InputError
from grassmeans.laboratory.iteration.rounds import RoundReport

_SIZE = 420
_MARGIN = 50
_SPARE = 0.05  # of information, around the points
_COLOUR = "#0a6"


def draw_exit_chart(reports: Sequence[RoundReport]) -> str:
    """What the labels tell before (x) and after (y) each round.

    Information is 1 less the mean entropy of the soft labels. The steps go up between the rounds'
    points and the diagonal; where they meet, further rounds tell nothing new.
    """
    if not reports:
        raise InputError("a chart needs the report of at least one round")
    known = [1.0 - report.mean_entropy for report in reports]
    low = max(0.0, min(known) - _SPARE)
    high = min(1.0, max(known) + _SPARE)
    scale = (_SIZE - 2 * _MARGIN) / (high - low)

    def place(x: float, y: float) -> str:
        return f"{_MARGIN + (x - low) * scale:.1f},{_SIZE - _MARGIN - (y - low) * scale:.1f}"

    steps: list[str] = []
    for before, after in pairwise(known):
        steps += [place(before, before), place(before, after), place(after, after)]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_SIZE}" height="{_SIZE}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        _line([place(low, low), place(high, high)], "#999"),
        _line([place(low, high), place(low, low), place(high, low)], "black"),
        _line(steps, _COLOUR, 2),
    ]
    for report, (before, after) in zip(reports[1:], pairwise(known), strict=True):
        x, y = place(before, after).split(",")
        lines.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{_COLOUR}"/>')
        lines.append(f'<text x="{float(x) + 6:.1f}" y="{float(y) - 6:.1f}">{report.number}</text>')
    return "\n".join([*lines, *_name_axes(low, high), "</svg>"]) + "\n"


def _line(points: Sequence[str], colour: str, width: int = 1) -> str:
    return (
        f'<polyline points="{" ".join(points)}" stroke="{colour}" stroke-width="{width}" '
        'fill="none"/>'
    )


def _name_axes(low: float, high: float) -> list[str]:
    bottom, left, middle = _SIZE - _MARGIN, _MARGIN, _SIZE / 2
    lines = []
    for value, at in ((low, 0), (high, _SIZE - 2 * _MARGIN)):
        anchors = (
            f'x="{left + at}" y="{bottom + 16}" text-anchor="middle"',
            f'x="{left - 6}" y="{bottom - at}" text-anchor="end"',
        )
        lines += [f"<text {anchor}>{value:.2f}</text>" for anchor in anchors]
    return [
        *lines,
        f'<text x="{middle}" y="{_SIZE - 12}" text-anchor="middle">'
        "information of the labels before the round</text>",
        f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">'
        "after the round</text>",
    ]
