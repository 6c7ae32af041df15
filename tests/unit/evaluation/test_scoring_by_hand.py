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
from grassmeans.evaluation.clustering_scores import ClusteringScores
from grassmeans.evaluation.instances import read_key

FOLDER = Path(__file__).parents[2] / "data" / "scoring"


@pytest.fixture
def hard() -> ClusteringScores:
    """The hard keys.

    bank.n: classes {1,2} {3,4} {5}; clusters {1,2} {3}, and {4,5}, which were not answered.
    run.v: classes {1,2} {3}; clusters the same.
    sea.n: classes {1} {2}; not answered at all, so one cluster {1,2}.
    """
    return ClusteringScores.compare(read_key(FOLDER / "system.key"), read_key(FOLDER / "gold.key"))


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


def score(*options: str) -> str:
    return CliRunner().invoke(app, ["score", *options]).stdout


def test_the_command_prints_these_scores() -> None:
    files = (str(FOLDER / "system.key"), str(FOLDER / "gold.key"))
    found = json.loads(score(*files))
    # Four decimals in JSON, two in tables.
    assert found["all"]["v_measure"] == 66.8588
    assert found["all"]["f_score"] == 46.6667
    assert "note" not in found
    assert score(*files, "--markdown").splitlines()[2].startswith("| all | 3 | 10 | 66.86 |")
