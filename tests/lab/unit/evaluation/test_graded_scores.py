from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.instances import Key, Label
from grassmeans.evaluation.running import evaluate
from grassmeans_lab.evaluation.graded_scores import (
    GradedScores,
    fuzzy_b_cubed,
    fuzzy_nmi,
    memberships,
)

GOLD = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], float)


def make_key(**words: list[str]) -> Key:
    """``make_key(a=["x", "x/1 y/0.5"])``: two instances of the word a, and their labels."""

    def parse(text: str) -> tuple[Label, ...]:
        parts = [part.partition("/") for part in text.split()]
        return tuple(Label(name, float(weight or 1)) for name, _, weight in parts)

    return Key(
        {
            word.replace("_", "."): {
                f"{word}.{i}": parse(text) for i, text in enumerate(texts) if text
            }
            for word, texts in words.items()
        }
    )


def test_memberships_make_the_best_label_weigh_one() -> None:
    found = memberships([(Label("x", 4), Label("y", 2)), (), (Label("y", 0.3), Label("z", 0))])
    assert found.tolist() == [[1, 0.5], [0, 0], [0, 1]]


def test_label_given_twice_counts_with_its_larger_weight() -> None:
    assert memberships([(Label("x", 1), Label("y", 4), Label("x", 2))]).tolist() == [[0.5, 1]]


def test_fuzzy_b_cubed_by_hand() -> None:
    # Agreement in clusters: 1 of (0,1), 1 - |0.5 - 1| of (0,2). In classes: 1 of (0,1).
    system = np.array([[1, 0.5], [1, 0], [0, 1]])
    gold = np.array([[1, 0], [1, 0], [0, 1]], float)
    found = fuzzy_b_cubed(system, gold)
    assert found.precision == pytest.approx(((1 + 0) / 2 + 1 + 0) / 3)
    assert found.recall == pytest.approx((1 + 1 + 0) / 3)  # the last has no other of its class


def test_fuzzy_b_cubed_takes_part_of_an_agreement() -> None:
    # Gold weights 1 and 0.25 agree by 0.25, the clusters by 1: a quarter of it is right.
    found = fuzzy_b_cubed(np.array([[1.0], [1.0]]), np.array([[1, 0], [0.25, 1]]))
    assert found.precision == pytest.approx(0.25)
    assert found.recall == pytest.approx(1.0)


def test_instances_alone_score_nothing_in_fuzzy_b_cubed() -> None:
    assert fuzzy_b_cubed(np.eye(3), np.ones((3, 1))).f == 0
    assert fuzzy_b_cubed(np.eye(3), np.eye(3)).f == 0


def test_fuzzy_nmi_of_hard_clusters_by_hand() -> None:
    # Classes {0,1} {2,3}, clusters {0,1,2} {3}; x is asked of a and y of b, the others are
    # complements. h = H(1/4): H(G) = 2, H(S) = 2h, H(G|S) = 2 (1.5 - h), H(S|G) = 2 (1.5 - 1).
    system = np.array([[1, 0], [1, 0], [1, 0], [0, 1]], float)
    h = 2 - 3 / 4 * np.log2(3)
    expected = ((2 - 2 * (1.5 - h)) + (2 * h - 1)) / 2 / 2
    assert fuzzy_nmi(system, GOLD) == pytest.approx(expected)
    assert expected == pytest.approx(0.311278, abs=1e-6)


def test_fuzzy_nmi_of_graded_clusters_by_hand() -> None:
    # Bins of x: 9, 9, 4, 0, so H(x) = 1.5 and H(x|a) = 0.5; everything else is known.
    system = np.array([[1, 0], [1, 0], [0.5, 1], [0, 1]])
    assert fuzzy_nmi(system, GOLD) == pytest.approx(((2 - 0) + (2.5 - 0.5)) / 2 / 2.5)


def test_weight_of_a_tenth_is_in_the_bin_of_none() -> None:
    system = np.array([[1, 0], [1, 0], [0.1, 1], [0, 1]])
    assert fuzzy_nmi(system, GOLD) == pytest.approx(1)


def test_fuzzy_nmi_of_degenerate_clusterings() -> None:
    assert fuzzy_nmi(np.ones((4, 1)), GOLD) == 0
    assert fuzzy_nmi(np.zeros((4, 0)), GOLD) == 0
    assert fuzzy_nmi(np.ones((4, 1)), np.ones((4, 1))) == 1
    assert fuzzy_nmi(np.zeros((4, 0)), np.ones((4, 1))) == 0


def test_complement_says_nothing() -> None:
    # Two labels that never meet determine each other, but not as the same sense.
    assert fuzzy_nmi(np.array([[1.0], [1], [0], [0]]), np.array([[0.0], [0], [1], [1]])) == 0


def test_scores_are_plain_means_over_words() -> None:
    gold = make_key(a_n=["p", "p", "q"], b_j=["p", "p", "q", "q"])
    system = make_key(a_n=["x y/0.5", "x", "y"], b_j=["m", "m", "n", "n"])
    scores = GradedScores.compare(system, gold)
    precision, recall = (0.5 + 1) / 2, (2 / 3 + 1) / 2
    assert list(scores.groups) == ["all", "j", "n"]
    assert scores.all.fbc_precision == pytest.approx(100 * precision)
    assert scores.all.fbc == pytest.approx(200 * precision * recall / (precision + recall))
    assert scores.groups["j"].fnmi == pytest.approx(100)
    assert scores.all.fnmi == pytest.approx((scores.words[0].fnmi + 100) / 2)
    assert scores.all.n_clusters == 2
    assert scores.all.fbc_interval is not None
    assert scores.groups["n"].fbc_interval is None


def test_unanswered_instances_belong_to_no_cluster() -> None:
    gold = make_key(a=["p", "p", "p", "p"], b=["p", "q"])
    scores = GradedScores.compare(make_key(a=["x", "x", "", ""], c=["x"]), gold)
    # Of 4 instances two have one of three others of their class beside them, two have none.
    assert scores.words[0].fbc_recall == pytest.approx(100 * 2 * (1 / 3) / 4)
    assert scores.words[0].fbc_precision == pytest.approx(100 * 2 / 4)
    assert (scores.words[1].fnmi, scores.words[1].fbc_recall) == (0, 0)
    assert (scores.n_unanswered, scores.n_unknown) == (4, 1)


def test_gold_without_weight_or_instances_is_refused() -> None:
    with pytest.raises(InputError, match="'a' whose labels all weigh 0"):
        GradedScores.compare(make_key(a=["x"]), make_key(a=["p/0"]))
    with pytest.raises(InputError, match="no instances"):
        GradedScores.compare(make_key(a=["x"]), Key({}))


def test_graded_tasks_get_weighted_senses_and_fuzzy_scores(small_model, small_task) -> None:
    graded = evaluate(replace(small_task, scoring=GradedScores), small_model)
    record = graded.to_dict()
    assert {"fnmi", "fbc"} <= record["all"].keys()
    assert (record["parameters"]["decoding"], record["parameters"]["sharpness"]) == ("soft", 10.0)
    # The names of precision and recall are not those of the official scorer.
    assert "what it calls precision is recall here" in record["note"]
    assert graded.to_table().to_markdown().endswith(f"\n\n{record['note']}\n")
    hard = evaluate(
        replace(small_task, scoring=GradedScores), small_model, decoding="hard"
    ).to_dict()
    assert "sharpness" not in hard["parameters"]


def test_tables_have_the_columns_of_their_scores() -> None:
    key = make_key(a=["x", "x", "y"], b=["x", "x", "y"])
    assert GradedScores.compare(key, key).to_table().columns[3:6] == ("FNMI", "FNMI 95%", "FBC")
