"""The lower bounds of what grassmeans needs are the versions that `make test-lowest` runs with."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]


def test_declared_lower_bounds_are_the_tested_ones() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {}
    for requirement in map(Requirement, project["dependencies"]):
        (bound,) = requirement.specifier
        assert bound.operator == ">="
        declared[requirement.name] = Version(bound.version)
    tested = {}
    for line in (ROOT / "constraints" / "lowest.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, version = line.split("==")
            tested[name] = Version(version)
    assert tested == declared
