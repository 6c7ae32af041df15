"""Models that are installed for a test, and no others."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from secrets import token_hex

import pytest

from grassmeans import plugins


def install_models(folders: Mapping[str, Path], site: Path, patch: pytest.MonkeyPatch) -> None:
    """Let these folders be the installed models, by their names, as distributions would say."""
    found = []
    for name, folder in folders.items():
        module = f"model_{token_hex(4)}"  # a name that no test before has imported
        (site / f"{module}.py").write_text(f"FOLDER = {str(folder)!r}\n")
        found.append(EntryPoint(name, f"{module}:FOLDER", plugins.MODELS))
    patch.syspath_prepend(str(site))
    patch.setattr(plugins, "entry_points", lambda group: [p for p in found if p.group == group])
    plugins.find_plugins.cache_clear()
