"""The colours of senses, the same in every picture."""

from __future__ import annotations

SENSE_COLOURS = (
    "#d1495b",
    "#2878b5",
    "#3a9d5d",
    "#e08e1b",
    "#7d5ba6",
    "#148f9b",
    "#b0562a",
    "#66707a",
)
IDK_COLOUR = "#8a8a8a"


def sense_colour(number: int) -> str:
    """The colour of a sense, by its number from 1; grey for "I don't know", 0."""
    return SENSE_COLOURS[(number - 1) % len(SENSE_COLOURS)] if number > 0 else IDK_COLOUR
