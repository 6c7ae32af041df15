"""Sentences with the words that decided for a sense, as an SVG picture."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from grassmeans.errors import InputError
from grassmeans.models.model import SenseModel
from grassmeans.pictures.planes import sense_colour
from grassmeans.tagging.explaining import find_deciding_places

_LETTER, _LINE, _MARGIN, _SIZE = 8.4, 28, 16, 14
_NAME_GAP = 24


def draw_listening(model: SenseModel, sentences: Iterable[str]) -> str:
    """Draw sentences in which one word is marked ``<b>word</b>``, a line each.

    The marked word has the colour of its sense, and every other word is shaded by its share in the
    decision, the heaviest one most. The sense's name stands behind the sentence.
    """
    lines = [_Line(model, sentence) for sentence in sentences]
    if not lines:
        raise InputError("there is no sentence to draw")
    names = _MARGIN + max(len(line.text) for line in lines) * _LETTER + _NAME_GAP
    width = names + max(len(line.name) for line in lines) * _LETTER + _MARGIN
    height = len(lines) * _LINE + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
        f'width="{width:.0f}" font-family="monospace" font-size="{_SIZE}">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, line in enumerate(lines):
        parts += line.draw(_MARGIN / 2 + number * _LINE, names)
    return "\n".join([*parts, "</svg>"]) + "\n"


class _Line:
    def __init__(self, model: SenseModel, sentence: str) -> None:
        tagged = model.tag(sentence, idk_threshold=None)
        if len(tagged) != 1:
            raise InputError(
                f"mark one word that the model has senses for, <b>word</b>, in {sentence!r}"
            )
        self.text, self.target = tagged.text, tagged[0]
        (self.places,) = find_deciding_places(model, tagged)
        names = {sense.number: sense.name for sense in model.senses(self.target.key).senses}
        name = names.get(self.target.sense) or f"sense {self.target.sense}"
        self.name = f"{self.target.word}: {name}"

    def draw(self, top: float, names: float) -> list[str]:
        colour = sense_colour(self.target.sense)
        heaviest = max((place.weight for place in self.places), default=1.0)
        parts = [
            _box(place.start, place.end, top, colour, place.weight / heaviest)
            for place in self.places
            if place.weight > 0.0
        ]
        start, end = self.target.start, self.target.end
        under = top + _LINE - 4
        parts.append(
            f'<line x1="{_across(start):.1f}" x2="{_across(end):.1f}" y1="{under}" y2="{under}" '
            f'stroke="{colour}" stroke-width="3"/>'
        )
        pieces = (
            (_across(0), self.text[:start], ""),
            (_across(start), self.text[start:end], f' fill="{colour}" font-weight="bold"'),
            (_across(end), self.text[end:], ""),
            (names, self.name, f' fill="{colour}"'),
        )
        return parts + [_write(x, top, text, style) for x, text, style in pieces]


def _across(column: int) -> float:
    return _MARGIN + column * _LETTER


def _box(start: int, end: int, top: float, colour: str, share: float) -> str:
    width = (end - start) * _LETTER + 2
    return (
        f'<rect x="{_across(start) - 1:.1f}" y="{top + 2}" width="{width:.1f}"'
        f' height="{_LINE - 8}" rx="3" fill="{colour}" fill-opacity="{0.65 * share:.3f}"/>'
    )


def _write(x: float, top: float, text: str, style: str) -> str:
    """A piece of text, as wide as its letters whatever font there is."""
    stripped = text.strip()
    if not stripped:
        return ""
    x += (len(text) - len(text.lstrip())) * _LETTER
    return (
        f'<text x="{x:.1f}" y="{top + 17}" textLength="{len(stripped) * _LETTER:.1f}"{style}>'
        f"{escape(stripped)}</text>"
    )
