"""What is told of benchmarks: the numbers of two versions, side by side."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    if not BENCHMARKS.is_dir():
        pytest.skip("the benchmarks are not here: only the package is tested")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("compare_results")


def test_numbers_are_named_by_their_path_and_by_what_was_varied(tables) -> None:
    result = {
        "machine": {"cores": 2},
        "model": "en",
        "loads": [{"clients": 8, "ok": True, "rate": {"median": 2.5}}],
        "sizes": [1, 3],
    }
    assert tables.read_numbers(result) == {
        "loads[clients=8].clients": 8.0,
        "loads[clients=8].rate.median": 2.5,
        "sizes[0]": 1.0,
        "sizes[1]": 3.0,
    }


def test_rows_are_of_numbers_of_both_versions_that_differ(tables) -> None:
    before = {"fast": 2.0, "same": 100.0, "near": 100.0, "zero": 0.0, "still": 0.0, "gone": 1.0}
    now = {"fast": 3.0, "same": 100.0, "near": 104.0, "zero": 1.0, "still": 0.0, "new": 1.0}
    assert tables.compare(before, now) == ["| fast | 2 | 3 | 1.50 |", "| zero | 0 | 1 |  |"]
    assert "| near | 100 | 104 | 1.04 |" in tables.compare(before, now, 0.0)


def test_results_of_a_folder_are_read_and_a_commit_that_nobody_knows_is_said(
    tables, tmp_path
) -> None:
    (tmp_path / "one.json").write_text('{"machine": {"cpu": "x", "cores": 2}, "seconds": 1.5}')
    found = tables.read_earlier(str(tmp_path), "one.json")
    assert tables.describe(found) == "x, 2"
    assert tables.read_earlier(str(tmp_path), "two.json") is None
    assert tables.count_changes(None) == "of an unknown version"
