"""Whole key files, scored by hand: the conventions of the official scorers without their data.

The files lie in ``tests/data/scoring`` and were made for this. The tests against published scores
need the official key files and are skipped where these are not.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grassmeans.cli.main import app
from grassmeans.evaluation.instances import read_key
from grassmeans_lab.evaluation.graded_scores import GradedScores

FOLDER = Path(__file__).parents[3] / "data" / "scoring"


@pytest.fixture
def graded() -> GradedScores:
    """The graded keys; the best label of an instance weighs 1.

    win.v    gold: a  b     system: x  y
        1          1  1/2           1  0
        2          1  0             1  1/3
        3          0  1             0  1
        4          0  1             0  0   (not answered)
    dark.j: one class for two instances, a cluster for each.
    """
    system, gold = read_key(FOLDER / "graded-system.key"), read_key(FOLDER / "graded-gold.key")
    return GradedScores.compare(system, gold)


def test_fuzzy_b_cubed(graded: GradedScores) -> None:
    # win.v, agreements in clusters: 1-2 by x 1, 2-3 by y 1 - (1 - 1/3) = 1/3.
    #   In classes: 1-2 by a 1, 1-3 and 1-4 by b 1/2, 3-4 by b 1. In both: 1-2 alone, 1.
    # Precision, the mean over instances of the mean over those that share a cluster:
    #   1: {2} 1;  2: {1, 3} (1 + 0) / 2;  3: {2} 0;  4: nobody, 0.  (1 + 1/2) / 4 = 3/8
    # Recall, over those that share a class:
    #   1: {2, 3, 4} (1 + 0 + 0) / 3;  2: {1} 1;  3: {1, 4} 0;  4: {1, 3} 0.  (4/3) / 4 = 1/3
    # dark.j: nobody shares a cluster, so 0 and 0.
    win, dark = graded.words
    assert (win.fbc_precision, win.fbc_recall) == pytest.approx((100 * 3 / 8, 100 / 3))
    assert (dark.fbc_precision, dark.fbc_recall) == (0, 0)
    # Plain means over the words, and then their harmonic mean: 2 (3/16) (1/6) / (17/48) = 3/17.
    assert (graded.all.fbc_precision, graded.all.fbc_recall) == pytest.approx(
        (100 * 3 / 16, 50 / 3)
    )
    assert graded.all.fbc == pytest.approx(100 * 3 / 17)


def test_fuzzy_nmi(graded: GradedScores) -> None:
    # win.v, bins of the weights of the instances 1 to 4 (1 -> 9, 1/2 -> 4, 1/3 -> 3, 0 -> 0):
    #   a 9 9 0 0, H = 1;  b 4 0 9 9, H = 3/2;  x 9 9 0 0, H = 1;  y 0 3 9 0, H = 3/2
    # H(G) = H(S) = 5/2.
    # H(S|G): x is known from a, 0. y given a: four different pairs, 2 - 1 = 1; b is rather where y
    #   is not (they meet in 3 only: 1/2 bit against 1) and is passed over. Sum 1.
    # H(G|S): a is known from x, 0. b: x and y are both rather where b is not, so that all of its
    #   3/2 is left. Sum 3/2.
    # ((5/2 - 1) + (5/2 - 3/2)) / 2 / (5/2) = 1/2
    # dark.j: the class has no entropy, so that clusters, 1 bit each, keep all of theirs: 0.
    assert [word.fnmi for word in graded.words] == pytest.approx([50, 0])
    assert graded.all.fnmi == pytest.approx(25)
    assert graded.groups["v"].fnmi == pytest.approx(50)
    assert graded.all.n_clusters == 2
    assert (graded.n_unanswered, graded.n_unknown) == (1, 0)


def score(*options: str) -> str:
    return CliRunner().invoke(app, ["score", *options]).stdout


def test_the_command_prints_these_scores() -> None:
    files = (str(FOLDER / "graded-system.key"), str(FOLDER / "graded-gold.key"))
    found = json.loads(score(*files, "--task", "semeval2013"))
    assert found["all"]["fbc"] == 17.6471
    assert (found["all"]["fbc_precision"], found["all"]["fbc_recall"]) == (18.75, 16.6667)
    assert "what it calls precision is recall here" in found["note"]
    assert score(*files, "--task", "semeval2013", "--markdown").endswith(f"{found['note']}\n")


def test_instances_that_are_alone_agree_with_nobody(tmp_path: Path) -> None:
    gold = tmp_path / "gold.key"
    gold.write_text("a.n a.n.1 p\na.n a.n.2 p\na.n a.n.3 q\nb.v b.v.1 p\nb.v b.v.2 q\n")
    found = json.loads(score(str(gold), str(gold), "--task", "semeval2013"))
    # The last instance of a.n and both of b.v are alone: only two of three count in one word.
    assert found["all"]["fbc"] == pytest.approx(100 * (2 / 3 + 0) / 2, abs=1e-3)
    assert found["all"]["fnmi"] == 100
