"""A model small enough to work out its answers by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation_fixtures import small_model, small_task

__all__ = ["small_model", "small_task"]


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    """Crane against nest, beam, itself twice, and a word without a vector."""
    row = "{0}\tcrane\tn\t{1}\tn\t{2} <b> crane </b>\t{3} <b> {1} </b>\t{4}\t{4}\n"
    rows = [
        row.format(1, "nest", "nest", "a", 7.0),
        row.format(2, "beam", "nest", "a", 1.0),
        row.format(3, "crane", "nest", "nest", 9.0),
        row.format(4, "crane", "nest", "beam", 2.0),
        row.format(5, "absent", "nest", "a", 5.0),
    ]
    (tmp_path / "ratings.txt").write_text("".join(rows))
    return tmp_path
