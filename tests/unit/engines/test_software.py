from __future__ import annotations

import sys
from pathlib import Path

import numba
import numpy as np
import pytest
import scipy

from grassmeans.engines.software import describe_software, digest_of_code, tell_differences
from grassmeans.version import __version__


def test_everything_that_results_depend_on_is_told() -> None:
    found = dict(describe_software())
    assert found.pop("grassmeans").startswith(f"{__version__} (code ")
    assert found == {
        "Python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "numba": numba.__version__,
    }


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "one.py").write_text("ONE = 1")
    (tmp_path / "kernels" / "two.cu").write_text("two")
    return tmp_path


def test_a_digest_is_of_code_alone(package: Path) -> None:
    before = digest_of_code(package)
    (package / "note.txt").write_text("no code")
    assert digest_of_code(package) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda package: (package / "one.py").write_text("ONE = 2"),
        lambda package: (package / "kernels" / "two.cu").write_text("three"),
        lambda package: (package / "one.py").rename(package / "kernels" / "one.py"),
        lambda package: (package / "kernels" / "empty.py").write_text(""),
    ],
)
def test_a_digest_changes_with_code_and_its_place(change, package: Path) -> None:
    before = digest_of_code(package)
    change(package)
    assert digest_of_code(package) != before


def test_differences_are_told_in_words() -> None:
    here = {"grassmeans": "1 (code a)", "numpy": "2.0", "numba": "0.60"}
    assert tell_differences(here, here) == ""
    there = here | {"grassmeans": "1 (code b)", "numba": "0.61"}
    assert tell_differences(there, here) == (
        "grassmeans 1 (code b) in place of 1 (code a), numba 0.61 in place of 0.60"
    )
