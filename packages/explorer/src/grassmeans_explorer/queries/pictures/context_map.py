"""A map of a word's contexts: every sense has a corner of its own, and contexts lie between them.

Corners stand on a ring, each as far from the next as every other; like senses stand side by side.
A context lies at the mean of all corners, weighted by how well it fits their senses: near a corner
it has this sense and no other, between two corners it could have either, and in the middle it fits
all equally, well or badly. So no two senses can fall together, which they do in a projection of the
distances: of seven senses two axes keep but a part.

The weights are a softmax of squared distances. How sharp it is, is chosen for each word: the
contexts of one model lie nearer to their senses than those of another, and half of the contexts are
to lie in the outer part of the ring.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering

from grassmeans.arrays import Doubles, Floats, Indices
from grassmeans.clustering.loop import sample_evenly
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.induce import DEFAULT_CONTEXTS, model_with
from grassmeans_explorer.queries.lines import LINE_WIDTH, stored_lines_of
from grassmeans_explorer.queries.occurrences import measure_positions, sample_word
from grassmeans_explorer.work import begin_long_work

RING, BETWEEN, ALONE = "ring", "between", "alone"
_TYPICAL = 0.8  # weight that half of the contexts give to their first sense, or more
_SHARPEST = 1e4
_HALVINGS = 60
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class MapPoint:
    """A context on the map, with its sense, confidence, line and position in the corpus."""

    x: float
    y: float
    sense: int
    confidence: float
    left: str
    word: str
    right: str
    position: int | None
    document: str


@dataclass(frozen=True, slots=True)
class MapSense:
    """The corner of a sense: where a context would be that fits it alone."""

    sense: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class ContextMap:
    """A map of a word's contexts.

    Attributes
    ----------
    layout : str
        ``ring`` of three senses or more; ``between`` two senses, from left to right, and the
        better a context fits its sense, the higher it lies; ``alone``, where one sense has its
        best contexts on the right, and up and down mean nothing.
    """

    layout: str
    points: tuple[MapPoint, ...]
    senses: tuple[MapSense, ...]


def draw_map(opened: OpenModel, word: str, limit: int, n_senses: int | None = None) -> ContextMap:
    """A plane in which every sense has its corner, and contexts lie near the corners they fit.

    Of the corpus's contexts an even sample is shown; without a corpus, the lines that the model
    keeps.
    """
    begin_long_work()
    model, key = model_with(opened, word, n_senses)
    directions = np.asarray(model.inventory.directions(key))
    if opened.corpus is None:
        found = [line for line in stored_lines_of(opened, key) if line.distances][:limit]
        distances = np.array([line.distances for line in found]).reshape(-1, len(directions))
        facts = [(x.sense, x.confidence, x.left, x.word, x.right, None, x.document) for x in found]
    else:
        contexts = sample_word(opened, key, DEFAULT_CONTEXTS).contexts
        positions = sample_evenly(contexts.positions, limit)
        measured = measure_positions(opened, key, positions, directions)
        distances = measured.distances.astype(np.float64)
        facts = []
        for i, position in enumerate(positions.tolist()):
            line = opened.corpus.line_at(position, LINE_WIDTH)
            told = int(measured.senses[i]), _round(measured.confidence[i])
            document = line.document_title or line.document_id
            facts.append((*told, line.left, line.word, line.right, position, document))
    visible = np.flatnonzero(directions.any(axis=1))
    shown = directions[visible]
    likeness = shown @ shown.T
    if not model.encoder.lines_have_ends:
        likeness = np.abs(likeness)
    layout, places, corners = place_contexts(distances[:, visible], likeness)
    points = tuple(
        MapPoint(_round(x), _round(y), *fact)
        for (x, y), fact in zip(places.tolist(), facts, strict=True)
    )
    senses = tuple(
        MapSense(int(number) + 1, _round(x), _round(y))
        for number, (x, y) in zip(visible, corners.tolist(), strict=True)
    )
    return ContextMap(layout, points, senses)


def place_contexts(distances: Doubles, likeness: Floats) -> tuple[str, Doubles, Doubles]:
    """The layout, (n, 2) places of contexts and (n_senses, 2) corners of their senses.

    By (n, n_senses) distances, NaN where a context says nothing, and (n_senses, n_senses) cosines
    between the senses. The same for the same numbers: nothing is drawn by lot.
    """
    squares = np.nan_to_num(np.square(distances), nan=1.0)
    n_senses = squares.shape[1]
    fits = 1.0 - squares.min(axis=1, initial=1.0)
    if n_senses < 2:
        best = fits.max(initial=0.0)
        corners = np.array([[best, 0.0]] * n_senses).reshape(-1, 2)
        return ALONE, np.stack([fits, 0.0 * fits], axis=1), corners
    weights = weigh_senses(squares)
    if n_senses > 2:
        corners = place_corners(likeness)
        return RING, weights @ corners, corners
    # Two corners make a line. Across it: how well a context fits the better one of its senses.
    lowest, highest = fits.min(initial=1.0), fits.max(initial=0.0)
    heights = (fits - lowest) / max(highest - lowest, 1e-9)
    places = np.stack([weights[:, 1] - weights[:, 0], heights], axis=1)
    return BETWEEN, places, np.array([[-1.0, 1.0], [1.0, 1.0]])


def weigh_senses(squares: Doubles) -> Doubles:
    """(n, n_senses) how well contexts fit their senses, by squared distances; rows sum to 1.

    The softmax is as sharp as it has to be for half of the contexts to give their first sense the
    weight of `_TYPICAL`.
    """
    behind = squares - squares.min(axis=1, keepdims=True)
    low, high = 0.0, _SHARPEST
    for _ in range(_HALVINGS if len(behind) else 0):
        middle = (low + high) / 2.0
        # The first sense is behind by nothing: its weight is one over the sum.
        if np.median(1.0 / np.exp(-middle * behind).sum(axis=1)) < _TYPICAL:
            low = middle
        else:
            high = middle
    weights = np.exp(-high * behind)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def place_corners(likeness: Floats) -> Doubles:
    """(n_senses, 2) places on a ring of radius 1: the first sense at the top, like ones abreast."""
    n_senses = len(likeness)
    pairs = 1.0 - np.asarray(likeness, np.float64)[np.triu_indices(n_senses, 1)]
    pairs = np.clip(pairs, 0.0, None)
    order: Indices = leaves_list(optimal_leaf_ordering(linkage(pairs, "average"), pairs))
    order = np.roll(order, -int(np.flatnonzero(order == 0)[0]))
    if order[1] > order[-1]:  # both ways round are the same ring: the lower number comes first
        order = np.roll(order[::-1], 1)
    angles = np.pi / 2.0 - 2.0 * np.pi * np.arange(n_senses) / n_senses
    corners = np.empty((n_senses, 2))
    corners[order] = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return corners


def _round(value: float) -> float:
    return round(float(value), _DIGITS)
