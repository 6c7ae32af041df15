"""The lower bounds of what grassmeans needs are the versions that `make test-lowest` runs with."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]
DEVELOPMENT = ("dev", "mutation")


def read_bounds() -> dict[str, Version]:
    """The lower bounds of the core, its extras for users and the laboratory; not of development."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lab = tomllib.loads((ROOT / "packages/lab/pyproject.toml").read_text(encoding="utf-8"))
    for_users = [requirement for n in extras if n not in DEVELOPMENT for requirement in extras[n]]
    listed = [*project["dependencies"], *for_users, *lab["project"]["dependencies"]]
    bounds = {}
    for requirement in map(Requirement, listed):
        if requirement.name == project["name"]:  # an extra that names others
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
