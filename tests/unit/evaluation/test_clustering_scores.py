from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, v_measure_score

from grassmeans.errors import InputError
from grassmeans.evaluation.clustering_scores import (
    ClusteringScores,
    PrecisionRecall,
    adjusted_rand,
    b_cubed,
    mapped_accuracy,
    paired_f_score,
    v_measure,
)
from grassmeans.evaluation.instances import Key, Label, read_key
from grassmeans.evaluation.reports import Interval

KEY = Key({word: {f"{word}.{i}": (Label(name),) for i, name in enumerate("xxy")} for word in "ab"})
SEMEVAL = Path(__file__).parents[4] / "shared" / "data" / "semeval-2010-task14"
# Clusters {0,1,2} {3}, classes {0,1} {2,3}.
TABLE = np.array([[2, 1], [0, 1]])


def make_key(**words: str) -> Key:
    """``make_key(bank_n="aab")``: the word bank.n with the instances 0, 1, 2 labelled a, a, b.

    A dot leaves the instance out.
    """
    return Key(
        {
            word.replace("_", "."): {
                f"{word}.{number}": (Label(label),)
                for number, label in enumerate(labels)
                if label != "."
            }
            for word, labels in words.items()
        }
    )


def test_perfect_answer_whatever_the_labels() -> None:
    scores = ClusteringScores.compare(make_key(a="xxyz"), make_key(a="1123"))
    assert scores.all.v_measure == pytest.approx(100)
    assert scores.all.f_score == pytest.approx(100)
    assert scores.all.n_clusters == 3


def test_paired_f_by_hand() -> None:
    # Clusters {0,1,2} {3}, classes {0,1} {2,3}: 3 + 1 pairs against 1 + 1, one in common.
    scores = ClusteringScores.compare(make_key(a="xxxy"), make_key(a="1122"))
    precision, recall = 1 / 4, 1 / 2
    assert scores.all.f_score == pytest.approx(100 * 2 * precision * recall / (precision + recall))


def test_instance_alone_on_one_side_only_is_no_common_pair() -> None:
    # Clusters {0} {1} {2}, classes {0,1} {2}: 3 pairs against 1 + 1, only {2} in common.
    assert paired_f_score(np.array([[1, 0], [1, 0], [0, 1]])) == pytest.approx(
        2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2)
    )
    assert paired_f_score(np.array([[1], [1]])) == 0


def test_v_measure_by_hand() -> None:
    # Clusters {0,1,2} {3}, classes {0,1} {2,3}; entropies in bits.
    conditional_class = 3 / 4 * (np.log2(3) - 2 / 3)
    homogeneity = 1 - conditional_class
    entropy_clusters = 2 - 3 / 4 * np.log2(3)
    completeness = 1 - 0.5 / entropy_clusters
    expected = 2 * homogeneity * completeness / (homogeneity + completeness)
    assert v_measure(np.array([[2, 1], [0, 1]])) == pytest.approx(expected)


def test_v_measure_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    clusters, classes = rng.integers(5, size=200), rng.integers(3, size=200)
    table = np.zeros((5, 3), dtype=np.int64)
    np.add.at(table, (clusters, classes), 1)
    assert v_measure(table) == pytest.approx(v_measure_score(classes, clusters))


def test_v_measure_of_degenerate_tables() -> None:
    assert v_measure(np.array([[3, 4]])) == 0  # one cluster
    assert v_measure(np.array([[3], [4]])) == 0  # one class, cut in two
    assert v_measure(np.array([[5]])) == 1
    assert v_measure(np.array([[2, 2], [2, 2]])) == pytest.approx(0)


def test_unanswered_instances_are_one_more_cluster() -> None:
    gold = make_key(a="1122")
    partial = ClusteringScores.compare(make_key(a="x..y"), gold)
    explicit = ClusteringScores.compare(make_key(a="xooy"), gold)
    assert partial.all == explicit.all
    assert partial.all.n_clusters == 3
    assert (partial.n_unanswered, explicit.n_unanswered) == (2, 0)


def test_word_that_was_not_answered_is_one_cluster() -> None:
    scores = ClusteringScores.compare(Key({}), make_key(a="112"))
    assert scores.words[0].n_clusters == 1
    assert scores.all.v_measure == 0
    assert scores.all.f_score == pytest.approx(100 * 2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2))
    assert scores.n_unanswered == 3


def test_scores_are_weighted_by_gold_instances_but_cluster_counts_are_not() -> None:
    # a.n (6 instances) is perfect with 2 clusters; b.v (2 instances) is wrong, in one cluster.
    gold = make_key(a_n="111222", b_v="12")
    scores = ClusteringScores.compare(make_key(a_n="xxxyyy", b_v="xx"), gold)
    assert scores.all.v_measure == pytest.approx(75)
    assert scores.all.f_score == pytest.approx(75)
    assert scores.all.n_clusters == 1.5
    assert list(scores.groups) == ["all", "n", "v"]
    assert scores.groups["n"].v_measure == pytest.approx(100)
    assert scores.groups["v"].f_score == 0
    assert (scores.groups["n"].n_instances, scores.groups["v"].n_words) == (6, 1)
    assert [score.word for score in scores.words] == ["a.n", "b.v"]


def test_answers_that_gold_does_not_know_are_counted_and_ignored() -> None:
    gold = make_key(a="1122")
    scores = ClusteringScores.compare(make_key(a="xxyyzzz", other="x"), gold)
    assert scores.all.v_measure == pytest.approx(100)
    assert scores.n_unknown == 4
    assert scores.n_unanswered == 0


def test_same_label_of_two_words_is_not_the_same_cluster() -> None:
    scores = ClusteringScores.compare(make_key(a="xx", b="xx"), make_key(a="11", b="22"))
    assert scores.all.v_measure == pytest.approx(100)


def test_gold_without_instances_is_refused() -> None:
    with pytest.raises(InputError, match="no instances"):
        ClusteringScores.compare(make_key(a="x"), Key({}))


def test_other_scores_are_weighted_in_the_same_way() -> None:
    gold = make_key(a_n="111222", b_v="12")
    scores = ClusteringScores.compare(make_key(a_n="xxxyyy", b_v="xx"), gold)
    # b.v in one cluster: precision 1/2, recall 1, half of it right, no better than chance.
    assert scores.all.b_cubed_precision == pytest.approx((6 * 100 + 2 * 50) / 8)
    assert scores.all.b_cubed_recall == pytest.approx(100)
    assert scores.all.b_cubed == pytest.approx((6 * 100 + 2 * 200 / 3) / 8)
    assert scores.all.accuracy == pytest.approx((6 + 1) / 8 * 100)
    assert scores.all.ari == pytest.approx(75)
    assert scores.all.v_measure_interval == Interval(0, 100)
    assert scores.groups["n"].v_measure_interval is None


def test_adjectives_have_a_group_of_their_own() -> None:
    key = make_key(dark_j="12", x_q="12")
    assert list(ClusteringScores.compare(key, key).groups) == ["all", "j"]


def test_b_cubed_by_hand() -> None:
    # Shares of the cluster: 2/3, 2/3, 1/3, 1. Shares of the class: 1, 1, 1/2, 1/2.
    found = b_cubed(TABLE)
    assert found.precision == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1) / 4)
    assert found.recall == pytest.approx(3 / 4)
    assert found.f == pytest.approx(2 * (2 / 3) * (3 / 4) / (2 / 3 + 3 / 4))


def test_b_cubed_of_one_cluster_and_of_instances_alone() -> None:
    assert b_cubed(np.array([[3, 1]])) == PrecisionRecall((9 + 1) / 16, 1.0)
    assert b_cubed(np.array([[1, 0], [1, 0], [0, 1]])) == PrecisionRecall(
        1.0, pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
    )


def test_f_of_nothing_is_nothing() -> None:
    assert PrecisionRecall(0.0, 0.0).f == 0.0


def test_adjusted_rand_by_hand() -> None:
    # 1 pair together in both; 3 and 2 pairs in clusters and classes, of 6: 3 * 2 / 6 by chance.
    assert adjusted_rand(TABLE) == pytest.approx((1 - 1) / (2.5 - 1))
    # 2 together, 2 and 3 pairs of 10: 0.6 by chance.
    assert adjusted_rand(np.array([[2, 0], [1, 0], [0, 2]])) == pytest.approx((2 - 0.8) / (3 - 0.8))


def test_adjusted_rand_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    clusters, classes = rng.integers(4, size=100), rng.integers(3, size=100)
    table = np.zeros((4, 3), dtype=np.int64)
    np.add.at(table, (clusters, classes), 1)
    assert adjusted_rand(table) == pytest.approx(adjusted_rand_score(classes, clusters))


@pytest.mark.parametrize("table", [[[1]], [[5]], [[1, 0], [0, 1]]])
def test_adjusted_rand_of_equal_clusterings(table) -> None:
    assert adjusted_rand(np.array(table)) == 1.0


def test_accuracy_maps_each_cluster_to_one_class() -> None:
    assert mapped_accuracy(TABLE) == 3 / 4
    # The two halves of the first class cannot both stand for it.
    assert mapped_accuracy(np.array([[2, 0], [2, 0], [0, 1]])) == 3 / 5
    # The greedy choice (5, then 0) is worse than 4 + 4.
    assert mapped_accuracy(np.array([[5, 4], [4, 0]])) == 8 / 13


@pytest.mark.shared
def test_groups_as_plain_values() -> None:
    found = ClusteringScores.compare(KEY, KEY).to_dict()
    assert list(found) == ["all"]
    assert found["all"]["v_measure_interval"] == [100.0, 100.0]
    assert found["all"]["b_cubed"] == 100.0


def test_tables_have_the_columns_of_their_scores() -> None:
    hard = ClusteringScores.compare(KEY, KEY).to_table()
    assert hard.columns[3:6] == ("V", "V 95%", "F")
    assert hard.rows[0][:5] == ("all", "2", "6", "100.00", "100.0–100.0")


@pytest.mark.skipif(not SEMEVAL.is_dir(), reason="the official key files are not here")
@pytest.mark.parametrize(
    ("name", "f_score", "v", "n_clusters"),
    [
        ("mfs_all", 63.4, 0.0, 1.0),
        ("1cl1inst", 0.1, 31.7, 89.15),
        ("hermit", 26.7, 16.2, 10.78),
        ("ksu-kdd", 36.9, 15.7, 17.5),
        ("duluth-wsi", 41.1, 9.0, 4.15),
    ],
)
def test_published_scores_of_semeval_2010(name, f_score, v, n_clusters) -> None:
    system = read_key(SEMEVAL / "system-keys" / f"{name}.key")
    scores = ClusteringScores.compare(system, read_key(SEMEVAL / "gold.key"))
    assert round(scores.all.f_score, 1) == f_score
    assert round(scores.all.v_measure, 1) == v
    assert round(scores.all.n_clusters, 2) == n_clusters
    assert (scores.groups["n"].n_words, scores.groups["v"].n_words) == (50, 50)


@pytest.mark.shared
@pytest.mark.skipif(not SEMEVAL.is_dir(), reason="the official key files are not here")
@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("mfs_all", 64.1),
        ("1cl1inst", 8.0),
        ("hermit", 32.1),
        ("ksu-kdd", 43.3),
        ("duluth-wsi", 44.4),
    ],
)
def test_published_b_cubed_of_semeval_2010(name: str, published: float) -> None:
    system = read_key(SEMEVAL / "system-keys" / f"{name}.key")
    scores = ClusteringScores.compare(system, read_key(SEMEVAL / "gold.key"))
    assert round(scores.all.b_cubed, 1) == published
