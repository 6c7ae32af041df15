"""Distributions that are there for a test: a folder on the path with metadata, as pip leaves one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from grassmeans.plugins import find_plugins


def install_model(name: str, folder: Path, site: Path, patch: pytest.MonkeyPatch) -> None:
    """Let ``folder`` be an installed model of that name, and the only one if ``site`` is new."""
    site.mkdir(exist_ok=True)
    about = site / f"model_{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: model-{name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[grassmeans.models]\n{name} = model_{name}:FOLDER\n")
    (site / f"model_{name}.py").write_text(f"FOLDER = {str(folder)!r}\n")
    patch.syspath_prepend(str(site))
    find_plugins.cache_clear()


def uninstall_all(patch: pytest.MonkeyPatch) -> None:
    """Let no distribution add anything."""
    patch.setattr(sys, "path", [place for place in sys.path if "site-packages" not in place])
    find_plugins.cache_clear()
