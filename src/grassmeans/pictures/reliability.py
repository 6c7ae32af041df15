"""Confidence against right answers, as an SVG picture."""

from __future__ import annotations

from html import escape

from grassmeans.errors import InputError
from grassmeans.evaluation.reliability import Reliability, ReliabilityReport
from grassmeans.pictures.planes import IDK_COLOUR, sense_colour

_SIDE, _LEFT, _TOP, _BOTTOM = 320, 56, 16, 48
_LEGEND = 300
_STEPS = range(0, 101, 20)
_SMALLEST, _LARGEST = 2.0, 9.0


def draw_reliability(report: ReliabilityReport) -> str:
    """Draw a curve for each group of answers: on the diagonal, confidence says what is so.

    A point stands for the answers of a bin of confidence; its area, for how many of the group they
    are. Left of the dashed line there is no answer.
    """
    if not report.groups:
        raise InputError("there is nothing to draw: give a corpus or a test set")
    width, height = _LEFT + _SIDE + _LEGEND, _TOP + _SIDE + _BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        *_draw_frame(report.at_least),
    ]
    for number, (name, group) in enumerate(report.groups.items(), start=1):
        parts += _draw_group(name, group, number)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _draw_frame(at_least: float) -> list[str]:
    grey = IDK_COLOUR
    parts = [
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}" fill="none" '
        f'stroke="{grey}"/>',
        _line(0, 0, 100, 100, f'stroke="{grey}"'),
        _line(100 * at_least, 0, 100 * at_least, 100, f'stroke="{grey}" stroke-dasharray="4 4"'),
        _write(_LEFT + _SIDE / 2, _TOP + _SIDE + 38, "confidence, %", "middle"),
        f'<text transform="translate(16 {_TOP + _SIDE / 2:.0f}) rotate(-90)" '
        'text-anchor="middle">right answers, %</text>',
    ]
    for step in _STEPS:
        parts.append(_write(_across(step), _TOP + _SIDE + 18, str(step), "middle"))
        parts.append(_write(_LEFT - 8, _down(step) + 4, str(step), "end"))
    return parts


def _draw_group(name: str, group: Reliability, number: int) -> list[str]:
    colour = sense_colour(number)
    places = [(_across(part.confidence), _down(part.right)) for part in group.bins]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>']
    total = max(sum(part.n_instances for part in group.bins), 1)
    for (x, y), part in zip(places, group.bins, strict=True):
        radius = _SMALLEST + (_LARGEST - _SMALLEST) * (part.n_instances / total) ** 0.5
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}" '
            'fill-opacity="0.7"/>'
        )
    left, top = _LEFT + _SIDE + 20, _TOP + 18 + (number - 1) * 56
    remark = f"{group.answered:.0f}% answered, {group.accuracy:.0f}% of these right"
    error = f"calibration error {group.calibration_error:.1f}"
    return [
        *parts,
        _write(left, top, name, "start", f' fill="{colour}" font-weight="bold"'),
        _write(left, top + 17, remark, "start"),
        _write(left, top + 34, error, "start"),
    ]


def _across(percent: float) -> float:
    return _LEFT + _SIDE * percent / 100


def _down(percent: float) -> float:
    return _TOP + _SIDE * (1 - percent / 100)


def _line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    ends = (
        f'x1="{_across(x1):.1f}" y1="{_down(y1):.1f}" x2="{_across(x2):.1f}" y2="{_down(y2):.1f}"'
    )
    return f"<line {ends} {style}/>"


def _write(x: float, y: float, text: str, anchor: str, style: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{escape(text)}</text>'
