"""Figures by matplotlib, as small SVG; one function for each kind that the experiments need."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from grassmeans.errors import MissingExtraError
from grassmeans.laboratory.experiments.findings import Figure
from grassmeans.pictures.colours import SENSE_COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

SIZE = (6.0, 3.4)
_DPI = 110
_INK = {"svg.hashsalt": "grassmeans", "font.size": 9, "axes.spines.top": False}
_INK |= {"axes.spines.right": False, "svg.fonttype": "none", "figure.autolayout": True}


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
    canvas, axes = _start()
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
    canvas, axes = _start()
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
    name: str,
    caption: str,
    matrix: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
) -> Figure:
    """A matrix of shares (a confusion table, say) as coloured squares with their numbers."""
    canvas, axes = _start((4.2, 3.2))
    cells = np.asarray(matrix, np.float64)
    axes.imshow(cells, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    for (i, j), share in np.ndenumerate(cells):
        colour = "white" if share > 0.5 else "black"
        axes.text(j, i, f"{share:.2f}", ha="center", va="center", color=colour, fontsize=8)
    return finish(canvas, name, caption)


def draw_intervals(
    name: str,
    caption: str,
    labels: Sequence[str],
    panels: Mapping[str, Sequence[Measured]],
) -> Figure:
    """Scores side by side: a line for each label, a panel for each score.

    Parameters
    ----------
    panels : mapping
        The score's name -> one `Measured` for each label. The paper's stand as open diamonds.
    """
    size = (SIZE[0] * 1.4, 1.2 + 0.24 * len(labels))
    canvas, axes = _start(size, ncols=len(panels), sharey=True, squeeze=False)
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


def new_canvas(size: tuple[float, float] = SIZE, **options: Any) -> tuple[Canvas, Any]:
    """A figure and its axes for a picture of one's own; end with `finish`."""
    return _start(size, **options)


def finish(canvas: Canvas, name: str, caption: str) -> Figure:
    """Render a figure; the same figure always gives the same bytes."""
    from matplotlib import rc_context

    text, pixels = io.StringIO(), io.BytesIO()
    with rc_context(_INK):
        canvas.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        canvas.savefig(pixels, format="png", dpi=_DPI, metadata={"Software": None})
    png = base64.b64encode(pixels.getvalue()).decode()
    return Figure(name, caption, svg=_body_of(text.getvalue()), png=png)


def _start(size: tuple[float, float] = SIZE, **options: Any) -> tuple[Canvas, Any]:
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure as NewCanvas
    except ImportError as error:
        raise MissingExtraError("matplotlib", "figures", "drawing figures") from error
    with rc_context(_INK):
        canvas = NewCanvas(figsize=size)
        return canvas, canvas.subplots(**options)


def _body_of(document: str) -> str:
    """Only the svg element, so that it can stand inside a page."""
    return document[document.index("<svg") :]
