"""The agreement in a project, worked out by hand."""

from __future__ import annotations

import pytest

from grassmeans_explorer.annotation.measuring import measure_agreement
from grassmeans_explorer.annotation.project import make_project
from grassmeans_explorer.annotation.uses import Use


def make_uses(n: int) -> list[Use]:
    return [Use(f"u{i}", "crane", "A crane.", (2, 7), (0, 8)) for i in range(n)]


def test_labels_of_three_people(tmp_path):
    labels = {"1": "bird", "2": "machine", "0": "cannot decide"}
    project = make_project(tmp_path / "p", make_uses(4), ["Ann", "Bo", "Cy"], labels=labels)
    given = {"Ann": "1122", "Bo": "1120", "Cy": "12.."}
    for name, row in given.items():
        for i, label in enumerate(row):
            if label != ".":
                project.judge(name, f"u{i}", label)
    found = measure_agreement(project)
    assert dict(found.n_judged) == {"Ann": 4, "Bo": 4, "Cy": 2}
    assert (found.n_items, found.n_shared, found.alpha_ordinal) == (4, 3, None)
    # Units 111, 112, 22: together 11 is 3 + 1, 12 and 21 are 1, 22 is 2; five of 1, three of 2.
    assert found.alpha_nominal == pytest.approx(1 - 7 * 2 / (2 * 15), abs=1e-4)
    pairs = {(pair.first, pair.second): pair for pair in found.pairs}
    assert (pairs["Ann", "Bo"].n_items, pairs["Ann", "Bo"].agreed) == (3, 1.0)
    assert pairs["Ann", "Bo"].kappa == 1.0
    # Ann says 1 and 1, Cy 1 and 2: they agree on half, and so would chance.
    assert (pairs["Ann", "Cy"].agreed, pairs["Ann", "Cy"].kappa) == (0.5, 0.0)
    # Units 11 and 12: three of 1, one of 2. 1 - 3 * 2 / (2 * 3).
    assert (pairs["Ann", "Bo"].alpha, pairs["Ann", "Cy"].alpha) == (1.0, 0.0)
    assert [(one.label, one.count) for one in found.labels] == [("1", 5), ("2", 4)]
    assert found.labels[0].alpha == found.alpha_nominal  # of two labels, one says as much
    assert len(found.rows()) == 3
    assert found.to_dict()["n_judged"] == {"Ann": 4, "Bo": 4, "Cy": 2}


def test_ranks_have_an_alpha_of_ranks(tmp_path):
    project = make_project(tmp_path / "p", make_uses(3), ["Ann", "Bo"], task="relatedness")
    rows = {"Ann": ("1", "3", "1"), "Bo": ("2", "3", "1")}
    for name, row in rows.items():
        for item, label in zip(project.items, row, strict=True):
            project.judge(name, item, label)
    found = measure_agreement(project)
    expected = 2 * (3 * 4 + 6 * 12.25 + 2 * 2.25)
    assert found.alpha_ordinal == pytest.approx(1 - 5 * 8 / expected, abs=1e-4)
    assert found.pairs[0].alpha == found.alpha_ordinal  # there are no others


def test_without_judgments_there_is_no_value(tmp_path):
    project = make_project(tmp_path / "p", make_uses(2), ["Ann", "Bo"], labels={"1": "x"})
    found = measure_agreement(project)
    assert (found.alpha_nominal, found.pairs[0].kappa, found.n_shared) == (None, None, 0)
