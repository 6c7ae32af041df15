"""The lower bounds of what grassmeans needs are the versions that `make test-lowest` runs with."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]
DEVELOPMENT = ("dev", "mutation")
"""Extras of those who work on the project."""

pytestmark = pytest.mark.skipif(
    not (ROOT / "packages").is_dir(), reason="only the sources of the core are here"
)


def read_bounds() -> dict[str, Version]:
    """The lower bounds of core, extras for users, explorer and laboratory; not of development."""
    core, *added = (
        tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for folder in (ROOT, ROOT / "packages" / "explorer", ROOT / "packages" / "lab")
    )
    listed = []
    for project in (core, *added):
        extras = project.get("optional-dependencies", {})
        listed += project["dependencies"]
        listed += [r for name in extras if name not in DEVELOPMENT for r in extras[name]]
    bounds = {}
    for requirement in map(Requirement, listed):
        if requirement.name == core["name"]:  # an extra that names others
            continue
        (bound,) = requirement.specifier
        assert bound.operator == ">="
        bounds[requirement.name] = Version(bound.version)
    return bounds


def test_declared_lower_bounds_are_the_tested_ones() -> None:
    tested = {}
    for line in (ROOT / "constraints" / "lowest.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, version = line.split("==")
            tested[name] = Version(version)
    assert tested == read_bounds()
