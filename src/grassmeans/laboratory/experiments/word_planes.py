"""One word's senses, and its context planes as a picture: what several experiments share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.laboratory.experiments.drawing import finish, new_canvas
from grassmeans.laboratory.experiments.findings import Cell, DataTable, Figure, SkipExperimentError
from grassmeans.laboratory.experiments.setup import ExperimentSetup
from grassmeans.pictures.colours import sense_colour
from grassmeans.pictures.page import planes_figure
from grassmeans.pictures.planes import PlanesScene
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.model import SenseModel, rules_for
from grassmeans.senses.settings import InductionSettings

_PANEL_INCHES = 2.9
_LINE_LENGTH = 1.2
_PAGE = np.array([[1, 0.75], [1, -0.75], [-1, -0.75], [-1, 0.75]])
_ELEVATION = 24.0
_AZIMUTHS = np.arange(-135.0, -44.0, 3.0)  # -90 faces the plane of two lines

Panel = tuple[str, Sequence[int], bool]
"""Title of a panel, numbers of the senses in it, and whether their planes are drawn."""


def induce_word_model(setup: ExperimentSetup, word: str, settings: InductionSettings) -> SenseModel:
    """A model of one word, induced on the spot.

    Raises
    ------
    SkipExperimentError
        Where the word does not occur, or too seldom.
    """
    setup.require_words(word)
    inventory = SenseInventory.induce(
        setup.corpus, setup.vectors, [word], settings=settings, workers=1, show_progress=False
    )
    if inventory.skipped:
        raise SkipExperimentError(f"{word!r} {inventory.skipped[0].reason}")
    rules = rules_for(setup.corpus.tokenizer, setup.corpus.function_words, settings)
    return SenseModel(setup.vectors, inventory, rules)


def measure_similarities(
    bases: NDArray[np.float32], directions: NDArray[np.floating]
) -> NDArray[np.float64]:
    """(n_contexts, n_directions) lengths of unit directions projected on the subspaces.

    Parameters
    ----------
    bases : (n_contexts, rank, dim)
        Orthonormal rows.
    directions : (n_directions, dim)
        Of any length above 0.
    """
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    lengths: NDArray[np.float64] = np.linalg.norm(bases @ unit.T.astype(np.float64), axis=1)
    return lengths


def draw_planes(name: str, caption: str, scene: PlanesScene, panels: Sequence[Panel]) -> Figure:
    """Planes and their lines, side by side in panels; and all of them to turn about.

    Parameters
    ----------
    panels : sequence of (title, senses, with planes)
        The fixed picture; the interactive one has the whole scene.
    """
    size = (max(_PANEL_INCHES * len(panels), 4.0), 3.4)
    canvas, axes = new_canvas(
        size, ncols=len(panels), squeeze=False, subplot_kw={"projection": "3d"}
    )
    turn = _turn_upright(scene)
    azimuth = _find_azimuth(scene, turn)
    for place, (title, senses, with_planes) in zip(axes[0], panels, strict=True):
        if with_planes:
            _add_planes(place, scene, senses, turn)
        _add_lines(place, scene, senses, turn)
        place.set_title(title, fontsize=9, y=1.05)
        _tidy(place, azimuth)
    return replace(finish(canvas, name, caption), html=planes_figure(scene, name))


def list_planes(name: str, caption: str, scene: PlanesScene) -> DataTable:
    """The context lines behind a picture, with the planes they became."""
    names = {line.sense: line.name for line in scene.lines}
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            plane.sense,
            names[plane.sense],
            f"…{plane.left}[{plane.word}]{plane.right}…",
            plane.similarity,
        )
        for plane in scene.planes
    )
    columns = ("sense", "marked by", "context", "cosine to the line")
    return DataTable(name, columns, rows, caption, shown=True)


def list_coordinates(name: str, scene: PlanesScene) -> DataTable:
    """The numbers of a picture: directions of lines, and two vectors for each plane."""
    rows: list[tuple[Cell, ...]] = [("line", line.sense, *line.direction) for line in scene.lines]
    rows += [
        ("plane", plane.sense, *vector)
        for plane in scene.planes
        for vector in plane.basis  # two rows a plane
    ]
    return DataTable(name, ("what", "sense", "x", "y", "z"), tuple(rows))


def _turn_upright(scene: PlanesScene) -> NDArray[np.float64]:
    """(3, 3) rotation after which the middle of the lines points up, and two lines face us."""
    lines = np.array([line.direction for line in scene.lines])
    middle = lines.sum(axis=0)
    # More rows than three dimensions: the first independent ones become the axes.
    rows = np.vstack([middle, lines[-1:] - lines[:1], np.eye(3)])
    axes: list[NDArray[np.float64]] = []
    for row in rows:
        rest = row - sum((row @ axis) * axis for axis in axes)
        length = float(np.linalg.norm(rest))
        if length > 1e-6 and len(axes) < 3:
            axes.append(rest / length)
    up, right, depth = axes
    return np.array([right, depth, up])


def _find_azimuth(scene: PlanesScene, turn: NDArray[np.float64]) -> float:
    """The side, in degrees, from which planes are seen least edge on."""
    bases = np.array([plane.basis for plane in scene.planes])
    normals = np.cross(bases[:, 0], bases[:, 1]) @ turn.T
    angles, height = np.radians(_AZIMUTHS), np.radians(_ELEVATION)
    across = np.column_stack([np.cos(angles), np.sin(angles)]) * np.cos(height)
    eyes = np.column_stack([across, np.full(len(angles), np.sin(height))])
    return float(_AZIMUTHS[np.abs(eyes @ normals.T).min(axis=1).argmax()])


def _add_planes(
    place: Any, scene: PlanesScene, senses: Sequence[int], turn: NDArray[np.float64]
) -> None:
    from matplotlib.colors import to_rgba
    from mpl_toolkits.mplot3d.art3d import (  # type: ignore[import-untyped,unused-ignore]
        Poly3DCollection,
    )

    lines = {line.sense: np.array(line.direction) for line in scene.lines}
    for plane in scene.planes:
        if plane.sense in senses:
            corners = _PAGE @ _align_basis(np.array(plane.basis), lines[plane.sense]) @ turn.T
            colour = sense_colour(plane.sense)
            page = Poly3DCollection(
                [corners],
                facecolor=to_rgba(colour, 0.15),
                edgecolor=to_rgba(colour, 0.9),
                linewidth=0.9,
            )
            place.add_collection3d(page)


def _align_basis(basis: NDArray[np.float64], line: NDArray[np.float64]) -> NDArray[np.float64]:
    """(2, 3) the same plane with its first row along the line, so that planes look like pages."""
    x, y = basis @ line
    length = np.hypot(x, y)
    if length < 1e-6:  # the line stands upright on the plane
        return basis
    turned: NDArray[np.float64] = np.array([[x, y], [-y, x]]) / length @ basis
    return turned


def _add_lines(
    place: Any, scene: PlanesScene, senses: Sequence[int], turn: NDArray[np.float64]
) -> None:
    for line in scene.lines:
        if line.sense in senses:
            end = _LINE_LENGTH * turn @ np.array(line.direction)
            colour = sense_colour(line.sense)
            place.plot(*np.column_stack([-end, end]), color=colour, linewidth=2.4)


def _tidy(place: Any, azimuth: float) -> None:
    place.set(xlim=(-1, 1), ylim=(-1, 1), zlim=(-1, 1))
    place.set_axis_off()
    place.set_box_aspect((1, 1, 1), zoom=1.22)
    place.view_init(elev=_ELEVATION, azim=azimuth)
