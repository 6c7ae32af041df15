"""The English model of Grassmeans: data, found by its name, ``grassmeans.load("en")``."""

from pathlib import Path

FOLDER = Path(__file__).parent / "model"
