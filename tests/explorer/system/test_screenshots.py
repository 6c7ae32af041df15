"""Pictures of the explorer in the documentation: each is made by a command, and small."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

pytest.importorskip("PIL", reason="needs Pillow")

DOCS = Path(__file__).parents[3] / "docs"


def test_every_picture_of_the_page_is_made_by_the_command():
    script = runpy.run_path(str(DOCS / "hooks" / "screenshots.py"))
    shown = re.findall(r"figures/explorer-([a-z]+)\.png", (DOCS / "explorer.md").read_text("utf-8"))
    assert sorted(shown) == sorted(script["PICTURES"])
    for name in shown:
        size = (DOCS / "figures" / f"explorer-{name}.png").stat().st_size
        assert size < script["MOST_BYTES"]
