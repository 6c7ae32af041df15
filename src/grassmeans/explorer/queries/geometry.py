"""The geometry of a word: its context planes in space, and a map of its contexts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.clustering.loop import sample_evenly
from grassmeans.errors import InputError
from grassmeans.explorer.limits import ConflictError
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.induce import DEFAULT_CONTEXTS, model_with
from grassmeans.explorer.queries.lines import LINE_WIDTH, stored_lines_of
from grassmeans.explorer.queries.measuring import measure_positions
from grassmeans.explorer.queries.occurrences import sample_word
from grassmeans.explorer.queries.words import check_sense
from grassmeans.explorer.work import UNLIMITED, Checkpoint
from grassmeans.pictures.planes import TextLine, build_scene, choose_senses

_PLANE = 2
_PLANES = 5  # of each sense
_STORED = 6  # of each sense, where there is no corpus
_NEAR = 5
_LOOKED_AT = 2_000  # contexts among which the nearest are looked for
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


@dataclass(frozen=True, slots=True)
class MapSense:
    """Where a context would be that holds the whole of a sense's direction and no other."""

    sense: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class MapAxes:
    """What the axes are: shares of the variance, and where the senses lie."""

    explained: tuple[float, ...]
    senses: tuple[MapSense, ...]


@dataclass(frozen=True, slots=True)
class ContextMap:
    """A map of a word's contexts."""

    points: tuple[MapPoint, ...]
    axes: MapAxes


def show_planes(
    opened: OpenModel,
    word: str,
    senses: Sequence[int] | None = None,
    n_senses: int | None = None,
    check: Checkpoint = UNLIMITED,
) -> dict[str, Any]:
    """Context planes and the lines they meet in, as the viewer takes them.

    `NothingThereError`, `ConflictError` for a sense that there is not, or that is hidden; where
    there is no line to draw.
    """
    model, key = model_with(opened, word, n_senses, check)
    directions = np.asarray(model.inventory.directions(key))
    visible = np.flatnonzero(directions.any(axis=1))
    if senses is None:
        chosen = [int(visible[k - 1]) + 1 for k in choose_senses(directions[visible])]
    else:
        chosen = list(dict.fromkeys(senses))
        for number in chosen:
            check_sense(key, len(directions), number)
            if number - 1 not in visible:
                raise ConflictError(f"sense {number} of {key!r} is hidden: show it first")
    if opened.corpus is None:
        lines = _stored_lines(opened, key, chosen, check)
    else:
        lines = _nearest_lines(opened, key, directions, chosen, check)
    try:
        return build_scene(model, key, senses=chosen, lines=lines).to_dict()
    except InputError as error:  # no line with two known words
        raise ConflictError(str(error)) from error


def _stored_lines(
    opened: OpenModel, key: str, chosen: Sequence[int], check: Checkpoint
) -> list[TextLine]:
    """Of each chosen sense, a few of the lines that the model keeps: its examples come first."""
    found = stored_lines_of(opened, key, check)
    own = [[line for line in found if line.sense == number][:_STORED] for number in chosen]
    return [TextLine(x.sense, x.left, x.word, x.right) for lines in own for x in lines]


def _nearest_lines(
    opened: OpenModel,
    key: str,
    directions: NDArray[np.float32],
    chosen: Sequence[int],
    check: Checkpoint,
) -> list[TextLine]:
    """Of each chosen sense, a few lines of the corpus among the fifth that lies nearest to it."""
    corpus = opened.require_corpus("drawing planes")
    positions = sample_word(opened, key, _LOOKED_AT, check).contexts.positions
    distances = measure_positions(opened, key, positions, directions, check).distances
    known = np.where(np.isnan(distances), np.inf, distances)
    nearest = known.argmin(axis=1)
    lines = []
    for number in chosen:
        own = np.where(nearest == number - 1, known[:, number - 1], np.inf)
        order = np.argsort(own, kind="stable")[: int(np.isfinite(own).sum())]
        # The very nearest often come from one text, and their planes are all but the same.
        near = order[: max(_PLANES, len(order) // _NEAR)]
        for row in near[_spread(len(near))]:
            line = corpus.line_at(int(positions[row]), LINE_WIDTH)
            lines.append(TextLine(number, line.left, line.word, line.right, int(positions[row])))
    return lines


def _spread(n_lines: int) -> NDArray[np.int64]:
    """Some of so many lines, evenly spread."""
    return np.unique(np.linspace(0, max(n_lines - 1, 0), min(_PLANES, n_lines)).astype(np.int64))


def draw_map(
    opened: OpenModel,
    word: str,
    limit: int,
    n_senses: int | None = None,
    check: Checkpoint = UNLIMITED,
) -> ContextMap:
    """A plane in which contexts of the same sense lie together.

    A context is described by the squared cosines between its subspace and each sense's direction;
    the map shows the two main axes of these numbers. So it shows what the senses are told by. Of
    the corpus's contexts an even sample is shown; without a corpus, the lines that the model keeps.
    """
    model, key = model_with(opened, word, n_senses, check)
    directions = np.asarray(model.inventory.directions(key))
    if opened.corpus is None:
        found = [line for line in stored_lines_of(opened, key, check) if line.distances][:limit]
        distances = np.array([line.distances for line in found]).reshape(-1, len(directions))
        facts = [(x.sense, x.confidence, x.left, x.word, x.right, None) for x in found]
    else:
        contexts = sample_word(opened, key, DEFAULT_CONTEXTS, check).contexts
        positions = sample_evenly(contexts.positions, limit)
        measured = measure_positions(opened, key, positions, directions, check)
        distances = measured.distances.astype(np.float64)
        facts = []
        for i, position in enumerate(positions.tolist()):
            line = opened.corpus.line_at(position, LINE_WIDTH)
            confidence = round(float(measured.confidence[i]), _DIGITS)
            told = int(measured.senses[i]), confidence, line.left, line.word, line.right
            facts.append((*told, position))
    visible = np.flatnonzero(directions.any(axis=1))
    places, axes = _project(1.0 - np.square(distances[:, visible]), visible + 1)
    points = tuple(
        MapPoint(_round(x), _round(y), *fact)
        for (x, y), fact in zip(places.tolist(), facts, strict=True)
    )
    return ContextMap(points, axes)


def _project(
    features: NDArray[np.float64], numbers: NDArray[np.int64]
) -> tuple[NDArray[np.float64], MapAxes]:
    """(n, 2) principal components of (n, n_senses) features, and the place of each sense."""
    n_senses = len(numbers)
    centre = features.mean(axis=0) if len(features) else np.zeros(n_senses)
    _, sizes, axes = np.linalg.svd(features - centre, full_matrices=False)
    # A fixed sign: the largest part of an axis is positive.
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    plane = np.zeros((_PLANE, n_senses))
    plane[: len(axes)] = (axes * signs[:, None])[:_PLANE]
    total = float(np.square(sizes).sum())
    explained = [float(size**2) / total if total > 0.0 else 0.0 for size in sizes[:_PLANE]]
    explained += [0.0] * (_PLANE - len(explained))
    corners = (np.eye(n_senses) - centre) @ plane.T
    senses = tuple(
        MapSense(int(number), _round(x), _round(y))
        for number, (x, y) in zip(numbers, corners.tolist(), strict=True)
    )
    rounded = tuple(_round(share) for share in explained)
    return (features - centre) @ plane.T, MapAxes(rounded, senses)


def _round(value: float) -> float:
    return round(float(value), _DIGITS)
