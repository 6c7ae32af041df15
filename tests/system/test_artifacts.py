"""What would be published: archives hold what they should; the core works from its wheel alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_BYTES = 3_000_000

pytestmark = pytest.mark.skipif(
    not (ROOT / "packages").is_dir(), reason="only the sources of the core are here"
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Wheels and source archives of core, explorer and laboratory; not 48 MB of English."""
    pytest.importorskip("hatchling", reason="needs hatchling")
    folder = tmp_path_factory.mktemp("dist")
    found = {}
    for package in (ROOT, ROOT / "packages" / "explorer", ROOT / "packages" / "lab"):
        command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
        subprocess.run(command, cwd=package, check=True, capture_output=True)
    for path in folder.iterdir():
        print(f"{path.name}: {path.stat().st_size:,} bytes")
        found[path.name.split("-")[0] + path.suffix] = path
    return found


def test_they_are_small(built: dict[str, Path]) -> None:
    sizes = {name: path.stat().st_size for name, path in built.items()}
    assert len(sizes) == 6
    assert max(sizes.values()) <= MOST_BYTES, sizes


def test_wheels_hold_their_licence_and_no_leftovers(built: dict[str, Path]) -> None:
    for path in (path for path in built.values() if path.suffix == ".whl"):
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
            (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
            about = Parser().parsestr(wheel.read(metadata).decode())
        assert about["License-Expression"] == "Apache-2.0"
        assert about.get_all("License-File") == ["LICENSE", "NOTICE"]
        assert any(name.endswith("/py.typed") for name in names)
        assert not [name for name in names if re.search(r"__pycache__|\\.nb[ci]$|^tests/", name)]
        assert not re.search(r"\]\((?!https?:|#)", about.get_payload())  # links lead somewhere


def test_the_source_archive_has_documentation_and_tests(built: dict[str, Path]) -> None:
    with tarfile.open(built["grassmeans.gz"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "README.md", "NOTICE", "LICENSE", "CHANGELOG.md", "docs/index.md", "release/readme.py",
        "src/grassmeans/py.typed", "tests/conftest.py",
        "tests/data/models-0.1.0/plain/manifest.json",
    } <= names  # fmt: skip


def test_the_wheel_works_without_the_repository(built: dict[str, Path], tmp_path: Path) -> None:
    with zipfile.ZipFile(built["grassmeans.whl"]) as wheel:
        wheel.extractall(tmp_path / "site")
    away = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    ask = (
        "import grassmeans, sys; print(grassmeans.__file__); from grassmeans.cli.main import run; "
    )
    done = subprocess.run(
        [sys.executable, "-c", ask + "sys.argv = ['grassmeans', '--version']; run()"],
        cwd=tmp_path, env=away | {"PYTHONPATH": str(tmp_path / "site")},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    where, version = done.stdout.split("\n")[:2]
    assert where.startswith(str(tmp_path))
    assert re.fullmatch(r"grassmeans \d+\.\d+\.\d+", version)
