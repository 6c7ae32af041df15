"""The German model of Grassmeans: data, found by its name, ``grassmeans.load("de")``."""

from pathlib import Path

FOLDER = Path(__file__).parent / "model"
