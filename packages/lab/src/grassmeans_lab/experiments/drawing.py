"""Figures by matplotlib, as small SVG; one function for each kind that the experiments need."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grassmeans.pictures.page import planes_figure
from grassmeans.pictures.planes import SENSE_COLOURS, PlanesScene, sense_colour
from grassmeans_lab.experiments.experiment import Cell, DataTable, Figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

SIZE = (6.0, 3.4)
_DPI = 110
_INK = {"svg.hashsalt": "grassmeans", "font.size": 9, "axes.spines.top": False}
_INK |= {"axes.spines.right": False, "svg.fonttype": "none", "figure.autolayout": True}

_PANEL_INCHES = 2.9
_LINE_LENGTH = 1.2
_PAGE = np.array([[1, 0.75], [1, -0.75], [-1, -0.75], [-1, 0.75]])
_ELEVATION = 24.0
_AZIMUTHS = np.arange(-135.0, -44.0, 3.0)  # -90 faces the plane of two lines

Panel = tuple[str, Sequence[int], bool]
"""Title of a panel, numbers of the senses in it, and whether their planes are drawn."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A score with the ends of its interval, and the paper's; None where there is none."""

    value: float | None = None
    interval: tuple[float, float] | None = None
    paper: float | None = None


def draw_histograms(
    name: str, caption: str, samples: Mapping[str, ArrayLike], xlabel: str, *, bins: int = 40
) -> Figure:
    """Several samples on one axis, each as shares of its own."""
    canvas, axes = new_canvas()
    values = {label: np.asarray(sample, np.float64) for label, sample in samples.items()}
    together = np.concatenate(list(values.values()))
    edges = np.linspace(together.min(), together.max() or 1.0, bins + 1)
    for colour, (label, sample) in zip(SENSE_COLOURS, values.items(), strict=False):
        weights = np.full(len(sample), 1 / max(len(sample), 1))
        axes.hist(sample, edges, weights=weights, alpha=0.55, color=colour, label=label)
    axes.set_xlabel(xlabel)
    axes.set_ylabel("share")
    axes.legend(frameon=False)
    return finish(canvas, name, caption)


def draw_curves(
    name: str,
    caption: str,
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    xlabel: str,
    ylabel: str,
    *,
    errors: Mapping[str, Sequence[float]] | None = None,
    log_x: bool = False,
) -> Figure:
    """Curves of (x, y) with optional error bars."""
    canvas, axes = new_canvas()
    for colour, (label, (x, y)) in zip(SENSE_COLOURS, curves.items(), strict=False):
        spread = (errors or {}).get(label)
        axes.errorbar(x, y, yerr=spread, marker="o", ms=4, color=colour, label=label, capsize=2)
    if log_x:
        axes.set_xscale("log")
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    if len(curves) > 1:
        axes.legend(frameon=False)
    return finish(canvas, name, caption)


def draw_matrix(
    name: str, caption: str, matrix: ArrayLike, rows: Sequence[str], columns: Sequence[str]
) -> Figure:
    """A matrix of shares (a confusion table, say) as coloured squares with their numbers."""
    canvas, axes = new_canvas((4.2, 3.2))
    cells = np.asarray(matrix, np.float64)
    axes.imshow(cells, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    for (i, j), share in np.ndenumerate(cells):
        colour = "white" if share > 0.5 else "black"
        axes.text(j, i, f"{share:.2f}", ha="center", va="center", color=colour, fontsize=8)
    return finish(canvas, name, caption)


def draw_intervals(
    name: str, caption: str, labels: Sequence[str], panels: Mapping[str, Sequence[Measured]]
) -> Figure:
    """Scores side by side: a line for each label, a panel for each score.

    Parameters
    ----------
    panels : mapping
        The score's name -> one `Measured` for each label. The paper's stand as open diamonds.
    """
    size = (SIZE[0] * 1.4, 1.2 + 0.24 * len(labels))
    canvas, axes = new_canvas(size, ncols=len(panels), sharey=True, squeeze=False)
    for panel, (score, found) in zip(axes[0], panels.items(), strict=True):
        for place, one in enumerate(found):
            if one.interval is not None:
                panel.plot(one.interval, (place, place), color=SENSE_COLOURS[1], lw=1.5)
            if one.value is not None:
                panel.plot(one.value, place, "o", ms=5, color=SENSE_COLOURS[1])
            if one.paper is not None:
                panel.plot(one.paper, place, "D", ms=5, mfc="none", color=SENSE_COLOURS[0])
        panel.set_xlabel(score)
        panel.grid(axis="x", lw=0.4)
    axes[0, 0].set_yticks(range(len(labels)), labels)
    axes[0, 0].invert_yaxis()
    return finish(canvas, name, caption)


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


def finish(canvas: Canvas, name: str, caption: str) -> Figure:
    """Render a figure; the same figure always gives the same bytes."""
    from matplotlib import rc_context

    text, pixels = io.StringIO(), io.BytesIO()
    with rc_context(_INK):
        canvas.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        canvas.savefig(pixels, format="png", dpi=_DPI, metadata={"Software": None})
    png = base64.b64encode(pixels.getvalue()).decode()
    return Figure(name, caption, svg=_body_of(text.getvalue()), png=png)


def new_canvas(size: tuple[float, float] = SIZE, **options: Any) -> tuple[Canvas, Any]:
    """A figure and its axes for a picture; end with `finish`."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure as NewCanvas

    with rc_context(_INK):
        canvas = NewCanvas(figsize=size)
        return canvas, canvas.subplots(**options)


def _body_of(document: str) -> str:
    """Only the svg element, so that it can stand inside a page."""
    return document[document.index("<svg") :]


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
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped,unused-ignore]

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
