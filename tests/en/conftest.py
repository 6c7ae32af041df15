"""Makes the scripts of the English distribution importable, and small repositories to read."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "packages" / "en" / "scripts"))


@pytest.fixture
def make_repository(tmp_path: Path) -> Callable[..., Path]:
    """A function that commits files, given as path -> text, to a new repository."""
    if shutil.which("git") is None:
        pytest.skip("git is not here")

    def make(files: dict[str, str | bytes], name: str = "repository") -> Path:
        folder = tmp_path / name
        for path, text in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
        person = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
        for command in (("init", "-q"), ("add", "."), (*person, "commit", "-q", "-m", "Texts")):
            subprocess.run(["git", "-C", str(folder), *command], check=True)
        return folder

    return make
