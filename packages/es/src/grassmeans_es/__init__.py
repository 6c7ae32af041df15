"""The Spanish model of Grassmeans: data, found by its name, ``grassmeans.load("es")``."""

from pathlib import Path

FOLDER = Path(__file__).parent / "model"
