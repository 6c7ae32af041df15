from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.key_files import Key, Label
from grassmeans.evaluation.running import evaluate
from grassmeans.evaluation.systems import VectorSystem
from grassmeans.evaluation.tasks import pairs
from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.evaluation.tasks.loading import open_named_task, open_task
from grassmeans.evaluation.tasks.pairs import InstancePairsTask, PairsTask, measure_area


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
