from __future__ import annotations

import base64
import re

import numpy as np
import pytest

from grassmeans_lab.experiments.drawing import (
    draw_curves,
    draw_histograms,
    draw_matrix,
    finish,
    new_canvas,
)

DRAWINGS = {
    "histograms": lambda: draw_histograms(
        "h", "c", {"own": np.arange(20) / 20, "random": [0.1, 0.2]}, "similarity"
    ),
    "curves": lambda: draw_curves(
        "c",
        "c",
        {"here": ([1, 2, 4], [0.1, 0.5, 0.2]), "paper": ([2], [0.4])},
        "x",
        "y",
        errors={"here": [0.1, 0.1, 0.1]},
        log_x=True,
    ),
    "matrix": lambda: draw_matrix("m", "c", [[0.9, 0.1], [0.25, 0.75]], ["a", "b"], ["1", "2"]),
}


@pytest.fixture(autouse=True)
def _needs_matplotlib():
    pytest.importorskip("matplotlib")


@pytest.mark.parametrize("kind", DRAWINGS)
def test_the_same_input_gives_the_same_bytes(kind):
    first, second = DRAWINGS[kind](), DRAWINGS[kind]()
    assert first == second
    assert first.svg.startswith("<svg")
    assert first.svg.rstrip().endswith("</svg>")
    assert base64.b64decode(first.png).startswith(b"\x89PNG")


def _texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_labels_are_in_the_picture():
    assert {"own", "random", "similarity", "share"} <= set(_texts(DRAWINGS["histograms"]().svg))
    assert {"here", "paper", "x", "y"} <= set(_texts(DRAWINGS["curves"]().svg))


def test_a_matrix_shows_its_numbers():
    numbers = [text for text in _texts(DRAWINGS["matrix"]().svg) if "." in text]
    assert numbers == ["0.90", "0.10", "0.25", "0.75"]


def test_own_canvas():
    canvas, axes = new_canvas((2, 1))
    axes.set_title("mine")
    figure = finish(canvas, "own", "a caption")
    assert (figure.name, figure.caption, figure.html) == ("own", "a caption", "")
    assert "mine" in _texts(figure.svg)
