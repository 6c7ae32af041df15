"""The example lines that a model keeps, for a look without a corpus."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.words import require_word
from grassmeans.senses.decoding import decode_soft


@dataclass(frozen=True, slots=True)
class Line:
    """An occurrence with its sense.

    Attributes
    ----------
    position : int
        In the corpus; without one, the number of the example.
    document : str
    left, word, right : str
    sense : int
        0 for "I don't know".
    confidence : float
        Probability of the nearest sense.
    distances : tuple of float
        To every sense; empty where there are too few known words around the occurrence.
    """

    position: int
    document: str
    left: str
    word: str
    right: str
    sense: int
    confidence: float
    distances: tuple[float, ...]


def example_lines_of(opened: OpenModel, word: str) -> list[Line]:
    """The examples of a word's visible senses, with the senses that the model keeps them under."""
    key = require_word(opened, word)
    entry = opened.current.inventory[key]
    pairs = [
        (sense.number, example)
        for sense in entry.senses
        if not sense.hidden
        for example in sense.examples
    ]
    if not pairs:
        return []
    distances = opened.current.distances(key, [(line.left, line.right) for _, line in pairs])
    confidence = decode_soft(distances).max(axis=1)
    return [
        Line(
            position=i,
            document=example.document,
            left=example.left,
            word=example.word,
            right=example.right,
            sense=number,
            confidence=round(float(confidence[i]), 4),
            distances=()
            if np.isnan(distances[i, 0])
            else tuple(round(float(d), 4) for d in distances[i]),
        )
        for i, (number, example) in enumerate(pairs)
    ]
