from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from grassmeans.errors import InputError
from grassmeans.evaluation import pairs
from grassmeans.evaluation.instances import Instance, Key, Label
from grassmeans.evaluation.loading import open_named_task, open_task
from grassmeans.evaluation.pairs import (
    InstancePairsTask,
    PairsTask,
    RankedPairs,
    WordArea,
    average_areas,
    find_threshold,
    measure_area,
    score_pairs,
)
from grassmeans.evaluation.running import evaluate
from grassmeans.evaluation.systems import VectorSystem


def test_the_instances_of_a_word_are_compared_with_each_other(small_task, small_model) -> None:
    # Of nest (bird), beam (machine), nothing known (bird) and not found (machine), no pair is
    # alike; in one sense are 1 and 3, 2 and 4: all tie.
    result = evaluate(InstancePairsTask(small_task), small_model)
    found = result.to_dict()
    assert found["task"] == "pairs of jsonl"
    assert found["all"] == found["n"]
    assert (found["all"]["n_pairs"], found["all"]["area"]) == (6, 50.0)
    assert found["all"]["area_interval"] is None
    assert found["counts"]["n_not_located"] == found["counts"]["n_poor_context"] == 1
    assert found["digests"]["data"] == small_task.digest
    assert result.to_table().rows[0][:4] == ("all", "1", "4", "6")
    first, second = result.rows()
    assert [first["group"], second["group"]] == ["all", "n"]
    assert (first["n_pairs"], first["area"], first["area_low"]) == (6, 50.0, None)
    assert "area_interval" not in first


def test_areas_of_words_by_hand(small_task, small_model) -> None:
    def make(word: str, number: int, near: str) -> Instance:
        return Instance(f"{word}.{number}", word, "", f"{near} ", word, "")

    texts = {
        # mix-mix 1, nest-mix 0.36 in two senses; nest-nest is there once, in one sense.
        "crane": [("nest", "a"), ("nest", "a"), ("mix", "b"), ("mix", "b")],
        # same: nest-beam 0; other: nest-mix 0.36, beam-mix 0.64.
        "seal": [("nest", "a"), ("beam", "a"), ("mix", "b")],
        "river": [("nest", "a"), ("mix", "a")],
        "absent": [("nest", "a"), ("mix", "b")],
    }
    instances = [
        make(word, number, near)
        for word, own in texts.items()
        for number, (near, _) in enumerate(own)
    ]
    gold = {
        word: {f"{word}.{number}": (Label(sense),) for number, (_, sense) in enumerate(own)}
        for word, own in texts.items()
    }
    del gold["absent"]
    task = replace(small_task, instances=tuple(instances), gold=Key(gold))
    result = evaluate(InstancePairsTask(task), small_model)
    areas = {word.word: word.area for word in result.words}
    assert (areas["crane"], areas["seal"]) == (100.0, 0.0)
    assert np.isnan(areas["river"])
    scores = result.groups["all"]
    assert (scores.n_words, scores.n_instances) == (2, 7)
    assert scores.area == pytest.approx(100 * 4 / 7)
    assert result.counts["n_words_without_area"] == 1


@pytest.mark.parametrize("at_once", [1, 3, 512])
def test_blocks_do_not_change_the_area(at_once: int, monkeypatch) -> None:
    monkeypatch.setattr(pairs, "_COMPARED_AT_ONCE", at_once)
    rays = np.array([[1, 0], [0.8, 0.6], [0, 1], [-1, 0]], np.float32)[:, None]
    senses = np.array([0, 0, 1, 1])
    # Same: 0.8 and 0; other: 0, -1, 0.6, -0.8. 0.8 is above four, 0 above two and ties with one.
    area, n_pairs = measure_area(rays, senses, signed=True)
    assert (area, n_pairs) == (pytest.approx(100 * 6.5 / 8), 6)


def test_of_very_many_instances_a_sample_is_compared(small_model, monkeypatch) -> None:
    lines = {"nest": "bird", "beam": "machine"}
    instances = [
        Instance(f"{near}{i}", "crane", "", f"{near} ", "crane", "")
        for near in lines
        for i in range(30)
    ]
    gold = Key({"crane": {i.id: (Label(lines[i.left.strip()]),) for i in instances}})
    task = pairs.InstancePairsTask(make_task(instances, gold))
    monkeypatch.setattr(pairs, "MOST_INSTANCES", 20)
    result = evaluate(task, small_model)
    assert result.counts["n_words_sampled"] == 1
    scores = result.groups["all"]
    assert (scores.n_instances, scores.n_pairs, scores.area) == (60, 190, 100.0)


def make_task(instances, gold):
    from grassmeans.evaluation.grouping import ClusteringTask

    return ClusteringTask("jsonl", tuple(instances), gold)


def test_files_of_pairs(tmp_path: Path, small_model) -> None:
    texts = [("crane", "nest", "nest", 1), ("crane", "nest", "mix", 0), ("seal", "beam", "beam", 1)]
    texts += [("seal", "nest", "beam", 0), ("Unheard", "beam", "unseen", 0)]
    lines = [
        {"word": word, "text1": f"{one} {word}", "text2": f"{two} {word}", "label": label}
        for word, one, two, label in texts
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = evaluate(open_task("pairs", path), small_model)
    found = result.to_dict()
    assert (found["all"]["n_words"], found["all"]["n_pairs"]) == (3, 5)
    assert (found["all"]["same"], found["all"]["area"]) == (40.0, 100.0)
    assert found["counts"]["n_poor_context"] == 1
    assert found["counts"]["n_instances"] == 10
    assert PairsTask(path).targets == ("crane", "seal", "Unheard")
    assert open_named_task(f"pairs={path}").digest == found["digests"]["data"]


def test_sentences_are_paired(tmp_path: Path, small_model) -> None:
    lines = [{"word": "crane", "sense": s, "text": f"{s} crane"} for s in ("nest", "nest", "beam")]
    path = tmp_path / "a-sentences.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    scores = evaluate(open_task("pairs", path, of="sentences"), small_model).groups["all"]
    assert (scores.n_pairs, scores.area) == (3, 100.0)


def test_what_cannot_be_paired(small_task, small_model, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="jsonl has no instances with gold senses"):
        InstancePairsTask(replace(small_task, gold=Key({})))
    foreign = Key({"crane.n": {"9": (Label("a"),)}})
    with pytest.raises(InputError, match="none of the instances of jsonl"):
        InstancePairsTask(replace(small_task, gold=foreign))
    with pytest.raises(InputError, match=r"of=\.\.\. names the test set of pairs"):
        open_task("jsonl", tmp_path, of="sentences")
    with pytest.raises(InputError, match="vectors has no contexts"):
        evaluate(InstancePairsTask(small_task), VectorSystem(small_model.vectors))
    with pytest.raises(InputError, match="no instances to be grouped"):
        evaluate(InstancePairsTask(small_task), small_model, induce="on-test")


def rank(similarities: list[float], same: list[bool] | str) -> RankedPairs:
    marks = [mark == "s" for mark in same] if isinstance(same, str) else same
    return RankedPairs(np.array(similarities, np.float32), np.array(marks, np.bool_))


def test_areas_by_hand() -> None:
    assert rank([0.1, 0.2, 0.8, 0.9], "ooss").area() == 100.0
    assert rank([0.9, 0.8, 0.2, 0.1], "ooss").area() == 0.0
    # s 0.5 is above o 0.1 alone, s 0.9 above both: 3 of 4 pairs of pairs.
    assert rank([0.1, 0.5, 0.6, 0.9], "osos").area() == 75.0


def test_ties_count_half() -> None:
    assert rank([0.3, 0.3, 0.3], "sos").area() == 50.0
    # s 0.5 against o 0.5 and o 0.1: a half and a whole.
    assert rank([0.5, 0.5, 0.1], "soo").area() == 75.0


def test_one_kind_of_pairs_has_no_area() -> None:
    assert math.isnan(rank([0.1, 0.2], "ss").area())
    assert math.isnan(rank([0.1, 0.2], "oo").area())
    assert math.isnan(rank([], "").area())


def test_a_weight_is_a_number_of_copies_and_the_area_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    alike = rng.integers(20, size=200).astype(np.float32)  # many ties
    same = rng.random(200) < 0.4
    weights = rng.integers(4, size=200)
    copies = np.repeat(alike, weights), np.repeat(same, weights)
    found = RankedPairs(alike, same).area(weights.astype(np.float64))
    assert found == pytest.approx(RankedPairs(*copies).area())
    assert found == pytest.approx(100 * roc_auc_score(copies[1], copies[0]))


def test_words_weigh_by_their_instances_and_those_without_an_area_are_left_out() -> None:
    words = [WordArea("a", 10, 45, 80.0), WordArea("b", 30, 435, 60.0)]
    found = average_areas([*words, WordArea("one", 99, 4851, math.nan)])
    assert (found.n_words, found.n_instances, found.n_pairs) == (2, 40, 480)
    assert found.area == 65.0
    assert found.area_interval is not None
    # A word is drawn twice in a quarter of the samples.
    assert (found.area_interval.low, found.area_interval.high) == (60.0, 80.0)


def test_without_any_area_there_is_nothing_to_score() -> None:
    found = average_areas([WordArea("one", 9, 36, math.nan)])
    assert (found.n_words, found.area_interval) == (0, None)
    assert math.isnan(found.area)


def test_thresholds_by_hand() -> None:
    def threshold(similarities: list[float], same: str) -> float:
        marks = np.array([mark == "s" for mark in same])
        return find_threshold(np.array(similarities, np.float32), marks)

    assert threshold([1.0, 2.0, 4.0, 8.0], "ooss") == 3.0
    assert threshold([8.0, 1.0, 4.0, 2.0], "soso") == 3.0
    assert threshold([1.0, 2.0], "ss") == -math.inf
    assert threshold([1.0, 2.0], "oo") == math.inf
    # No threshold lies between equal similarities: three of four are right below them.
    assert threshold([1.0, 2.0, 2.0, 2.0], "ooss") == 1.5


def test_the_threshold_of_a_word_comes_from_other_words() -> None:
    # Two words, one in either half: the best threshold is 3 for a, and 30 for b.
    alike = np.array([1.0, 2.0, 4.0, 5.0, 10.0, 20.0, 40.0, 50.0], np.float32)
    same = np.array([False, False, True, True] * 2)
    found = score_pairs(["a"] * 4 + ["b"] * 4, alike, same)
    # With 30, a's four are called other: two are right. With 3, b's four are called same: two.
    assert found.accuracy == 50.0
    assert (found.n_words, found.n_pairs, found.same) == (2, 8, 50.0)
    # Of 16: s 4, 5 are above o 1, 2; s 40, 50 above all four.
    assert found.area == 75.0
    assert found.area_interval is not None
    assert (found.area_interval.low, found.area_interval.high) == (75.0, 100.0)


def test_a_single_word_has_an_area_alone() -> None:
    found = score_pairs(["a", "a"], np.array([0.1, 0.9], np.float32), np.array([False, True]))
    assert found.area == 100.0
    assert math.isnan(found.accuracy)
    assert (found.area_interval, found.accuracy_interval) == (None, None)
