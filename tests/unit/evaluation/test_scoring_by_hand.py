"""Whole key files, scored by hand: the conventions of the official scorers without their data.

The files lie in ``tests/data/scoring`` and were made for this. The tests against published scores
need the official key files and are skipped where these are not.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grassmeans.cli.main import app
from grassmeans.evaluation.clustering_scores import ClusteringScores, score_clustering
from grassmeans.evaluation.graded_scores import GradedScores, score_graded
from grassmeans.evaluation.key_files import read_key

FOLDER = Path(__file__).parents[2] / "data" / "scoring"


@pytest.fixture
def hard() -> ClusteringScores:
    """The hard keys.

    bank.n: classes {1,2} {3,4} {5}; clusters {1,2} {3}, and {4,5}, which were not answered.
    run.v: classes {1,2} {3}; clusters the same.
    sea.n: classes {1} {2}; not answered at all, so one cluster {1,2}.
    """
    return score_clustering(read_key(FOLDER / "system.key"), read_key(FOLDER / "gold.key"))


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
    return score_graded(system, gold)


def test_v_measure(hard: ClusteringScores) -> None:
    # bank.n: classes and clusters both have the sizes 2, 2, 1 of 5, and so the same entropy
    #   H = 2 (2/5 log 5/2) + 1/5 log 5 = 1.521928 bits.
    # They share 2, 1, 1, 1 instances: H(both) = 2/5 log 5/2 + 3/5 log 5 = 1.921928 bits.
    # Homogeneity and completeness are 1 - (H(both) - H) / H = 1 - 0.4 / 1.521928 = 0.737175.
    entropy = 2 * 2 / 5 * math.log2(5 / 2) + 1 / 5 * math.log2(5)
    bank = 100 * (1 - 0.4 / entropy)
    assert bank == pytest.approx(73.7175, abs=1e-4)
    # run.v is perfect; sea.n has one cluster, which tells nothing of its two classes.
    assert [word.v_measure for word in hard.words] == pytest.approx([bank, 100, 0])
    # The words have 5, 3 and 2 gold instances.
    assert hard.all.v_measure == pytest.approx((5 * bank + 3 * 100 + 2 * 0) / 10)
    assert hard.groups["n"].v_measure == pytest.approx((5 * bank + 2 * 0) / 7)


def test_paired_f_score(hard: ClusteringScores) -> None:
    # bank.n: clusters have 1 + 1 + 1 pairs, {3} counts as one because it is alone; classes have
    # 1 + 1 + 1, {5} alone. In common: {1,2}. {3} is alone in its cluster but not in its class, {5}
    # the other way round: no common pairs. Precision 1/3, recall 1/3.
    # run.v: {1,2}, and {3}, which is alone on both sides: 2 of 2. sea.n: no common pair.
    assert [word.f_score for word in hard.words] == pytest.approx([100 / 3, 100, 0])
    assert hard.all.f_score == pytest.approx((5 * 100 / 3 + 3 * 100 + 2 * 0) / 10)
    assert hard.groups["v"].f_score == pytest.approx(100)


def test_number_of_clusters_and_of_answers(hard: ClusteringScores) -> None:
    # The unanswered are a cluster: 3, 2 and 1, and a plain mean over words.
    assert [word.n_clusters for word in hard.words] == [3, 2, 1]
    assert hard.all.n_clusters == 2
    assert hard.groups["n"].n_clusters == 2
    # bank.n.4, bank.n.5 and both of sea.n; bank.n.9 is none of the gold key's.
    assert (hard.n_unanswered, hard.n_unknown) == (4, 1)


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


def test_the_command_prints_these_scores(hard: ClusteringScores, graded: GradedScores) -> None:
    files = (str(FOLDER / "system.key"), str(FOLDER / "gold.key"))
    found = json.loads(score(*files))
    # Four decimals in JSON, two in tables.
    assert found["all"]["v_measure"] == 66.8588
    assert found["all"]["f_score"] == 46.6667
    assert "note" not in found
    assert score(*files, "--markdown").splitlines()[2].startswith("| all | 3 | 10 | 66.86 |")
    files = (str(FOLDER / "graded-system.key"), str(FOLDER / "graded-gold.key"))
    found = json.loads(score(*files, "--task", "semeval2013"))
    assert found["all"]["fbc"] == 17.6471
    assert (found["all"]["fbc_precision"], found["all"]["fbc_recall"]) == (18.75, 16.6667)
    assert "what it calls precision is recall here" in found["note"]
    assert score(*files, "--task", "semeval2013", "--markdown").endswith(f"{found['note']}\n")
