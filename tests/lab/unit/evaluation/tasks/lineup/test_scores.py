from __future__ import annotations

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.errors import InputError
from grassmeans_lab.evaluation.tasks.lineup.scores import (
    Lineups,
    Ranking,
    draw_lineups,
    gather_definitions,
    mean_power_sums,
    measure_curves,
    power_sums,
    rank_by_senses,
    rank_by_words,
)
from grassmeans_lab.evaluation.tasks.lineup.task import LineupSense

VECTORS = WordVectors(["a", "b", "c"], np.array([[3, 0], [0, -4], [1, 2]], np.float32))
SENSES = (
    LineupSense("w", "w.1", ("a", "b")),
    LineupSense("w", "w.2", ("unknown",)),
    LineupSense("x", "x.1", ("c", "unknown")),
)


@pytest.mark.parametrize(
    ("p", "first", "last"), [(1, 11.0, 5.0), (2, np.hypot(3, 8), 5.0), (np.inf, 8.0, 5.0)]
)
def test_power_sums(p: float, first: float, last: float) -> None:
    definitions = gather_definitions(SENSES, VECTORS, VECTORS.vectors)
    assert definitions.is_known.tolist() == [True, False, True]
    # (1, 2) . a = 3, . b = -8, . c = 5
    found = power_sums(np.array([[1, 2]], np.float32), definitions, p)
    assert found[:, 0] == pytest.approx([first, 0, last])


def test_power_between_the_usual_ones() -> None:
    definitions = gather_definitions(SENSES, VECTORS, VECTORS.vectors)
    found = power_sums(np.array([[1, 2]], np.float32), definitions, 3)
    assert found[0, 0] == pytest.approx((27 + 512) ** (1 / 3))


def test_mean_over_the_vocabulary() -> None:
    definitions = gather_definitions(SENSES, VECTORS, VECTORS.vectors)
    # p = 1; first sense: a gives 9 + 0, b 0 + 16, c 3 + 8; last: 3, 8, 5.
    means = mean_power_sums(VECTORS.vectors, definitions, 1)
    assert means[[0, 2]] == pytest.approx([36 / 3, 16 / 3])
    assert np.isinf(means[1])


def test_no_known_definition() -> None:
    with pytest.raises(InputError, match="no word that defines a sense has a vector"):
        gather_definitions(SENSES[1:2], VECTORS, VECTORS.vectors)


def test_lineups_hold_all_true_senses_and_others() -> None:
    senses = [LineupSense(f"w{i // 3}", f"s{i}", ("x",)) for i in range(30)]
    lineups = draw_lineups(senses, ["w0", "w7"], 10, 0)
    for row, true, own in zip(
        lineups.senses, lineups.is_true, ([0, 1, 2], [21, 22, 23]), strict=True
    ):
        assert sorted(row[true].tolist()) == own
        assert len(set(row.tolist())) == 10
    alone = draw_lineups(senses, ["w7"], 10, 0)
    assert alone.senses[0].tolist() == lineups.senses[1].tolist()
    other_seed = draw_lineups(senses, ["w7"], 10, 1)
    assert other_seed.senses[0].tolist() != alone.senses[0].tolist()


def test_sense_defined_by_the_target_is_no_distractor() -> None:
    senses = [
        LineupSense("shore", "shore.1", ("bank",)),
        LineupSense("bank", "bank.1", ("river",)),
        LineupSense("oak", "oak.1", ("tree",)),
    ]
    assert set(draw_lineups(senses, ["bank"], 2, 0).senses[0].tolist()) == {1, 2}
    with pytest.raises(InputError, match="needs 2 senses of other words, the testbed has 1"):
        draw_lineups(senses, ["bank"], 3, 0)
    with pytest.raises(InputError, match="leaves no room for others in a lineup of 1"):
        draw_lineups(senses, ["bank"], 1, 0)


def test_senses_name_two_each_and_the_best_score_counts() -> None:
    lineups = Lineups(np.array([[2, 0, 1, 3]]), np.array([[True, False, False, True]]))
    by_words = rank_by_words(np.array([[0.0], [1.0], [0.5], [-1.0]]), lineups)
    assert by_words.scores.tolist() == [[0.5, 0.0, 1.0, -1.0]]
    # In the order of the lineup, the vectors score 1 0 2 0 and 3 0 0 4: with the word's own
    # 1.5 0 3 -1 and 3.5 0 1 3. The first names the third and first, the second first and last.
    sense_scores = np.array([[0, 0], [2, 0], [1, 3], [0, 4]], np.float32)
    ranking = rank_by_senses(by_words, sense_scores, np.array([0, 0]), lineups)
    assert ranking.scores.tolist() == [[3.5, 0.0, 3.0, 3.0]]
    assert ranking.is_named.tolist() == [[True, False, True, True]]
    # Output in turn: first (true), third, last (true; equal, but later), second.
    curves = measure_curves(ranking, lineups.is_true, (1, 2, 3, 4))
    assert curves.precision[0] == pytest.approx([1, 1 / 2, 2 / 3, 2 / 4])
    assert curves.recall[0] == pytest.approx([1 / 2, 1 / 2, 1, 1])
    only_named = measure_curves(ranking, lineups.is_true, (3, 4), fill=False)
    assert only_named.n_output.tolist() == [[3, 3]]
    assert only_named.precision[0] == pytest.approx([2 / 3, 2 / 3])


def test_named_senses_come_before_better_scores() -> None:
    ranking = Ranking(np.array([[1.0, 9.0, -np.inf]]), np.array([[True, False, True]]))
    curves = measure_curves(ranking, np.array([[True, False, True]]), (1, 2, 3))
    assert curves.precision.tolist() == [[1, 0.5, 0.5]]  # the sense that is unknown stays out
    assert curves.recall.tolist() == [[0.5, 0.5, 0.5]]
    assert curves.n_output.tolist() == [[1, 2, 2]]


def test_word_without_sense_vectors_keeps_its_own_ranking() -> None:
    lineups = Lineups(np.array([[0, 1], [1, 0]]), np.array([[True, False], [True, False]]))
    by_words = rank_by_words(np.array([[1.0, 2.0], [3.0, 4.0]]), lineups)
    ranking = rank_by_senses(by_words, np.array([[5], [5]], np.float32), np.array([1]), lineups)
    assert ranking.scores.tolist() == [[1, 3], [9, 7]]
    assert ranking.is_named.all()
