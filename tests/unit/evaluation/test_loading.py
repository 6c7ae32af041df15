from __future__ import annotations

import json
from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.clustering_scores import ClusteringScores
from grassmeans.evaluation.instances import Label
from grassmeans.evaluation.loading import load_gold, open_task, read_labels


def test_digest_tells_test_sets_apart(tmp_path: Path) -> None:
    line = {"id": "1", "target": "crane", "left": "a", "right": "b", "label": "x"}
    path = tmp_path / "a.jsonl"
    digests = []
    for change in ({}, {"label": "y"}, {"left": "c"}, {}):
        path.write_text(json.dumps(line | change))
        digests.append(open_task("jsonl", path).digest)
    assert digests[0] == digests[3]
    assert len(set(digests)) == 3


def test_labels_of_a_key_or_of_json_lines(tmp_path: Path) -> None:
    (tmp_path / "a.key").write_text("crane 1 x\n")
    line = {"id": "1", "target": "crane", "left": "a", "right": "b"}
    (tmp_path / "a.jsonl").write_text(json.dumps(line | {"label": "x"}))
    assert read_labels(tmp_path / "a.key") == read_labels(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").write_text(json.dumps(line))
    with pytest.raises(InputError, match="no line has a label"):
        read_labels(tmp_path / "b.jsonl")


def test_unknown_task_and_missing_data(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown task 'senseval': expected .* jsonl, sentences"):
        open_task("senseval", tmp_path)
    with pytest.raises(InputError, match="other packages add more"):
        open_task("senseval", tmp_path)
    with pytest.raises(InputError, match=r"there is nothing at .*: give the data of jsonl"):
        open_task("jsonl", tmp_path / "absent")


def test_gold_of_key_files_needs_no_test_set(tmp_path: Path) -> None:
    (tmp_path / "a.key").write_text("crane 1 x\n")
    gold, scoring = load_gold("semeval2010", tmp_path / "a.key")
    assert (gold.n_instances, scoring) == (1, ClusteringScores)
    with pytest.raises(InputError, match="sentences has no keys"):
        load_gold("sentences", tmp_path / "a.key")


def test_a_gold_key_of_ones_own(tmp_path: Path) -> None:
    line = {"id": "1", "target": "crane", "left": "a", "right": "b", "label": "x"}
    (tmp_path / "a.jsonl").write_text(json.dumps(line))
    (tmp_path / "mine.key").write_text("crane 1 y\n")
    task = open_task("jsonl", tmp_path / "a.jsonl", tmp_path / "mine.key")
    assert task.groups_instances
    assert task.gold.labels == {"crane": {"1": (Label("y"),)}}
