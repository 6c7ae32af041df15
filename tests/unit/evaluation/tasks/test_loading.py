from __future__ import annotations

import json
from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.key_files import Label
from grassmeans.evaluation.tasks.loading import load_gold, load_task, open_task, read_labels

XML = (
    '<instances lemma="win" partOfSpeech="v"><instance id="win.v.1" lemma="win" partOfSpeech="v" '
    'token="win" tokenStart="3" tokenEnd="6">We win.</instance></instances>'
)
OLD_XML = "<win.v.test><win.v.1><TargetSentence>We win.</TargetSentence></win.v.1></win.v.test>"


@pytest.fixture
def semeval2013(tmp_path: Path) -> Path:
    folder = tmp_path / "task13"
    (folder / "keys" / "gold").mkdir(parents=True)
    (folder / "keys" / "gold" / "all.key").write_text("win.v win.v.1 win%1/4 win%2/2\n")
    (folder / "contexts").mkdir()
    (folder / "contexts" / "win.v.xml").write_text(XML)
    return folder


def test_semeval2013(semeval2013: Path) -> None:
    task = load_task("semeval2013", semeval2013)
    assert task.graded
    assert [instance.word for instance in task.instances] == ["win"]
    assert task.gold.labels == {"win.v": {"win.v.1": (Label("win%1", 4), Label("win%2", 2))}}
    assert load_gold("semeval2013", semeval2013) == task.gold


def test_semeval2010_and_a_gold_key_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "win.v.xml").write_text(OLD_XML)
    with pytest.raises(InputError, match=r"no gold key: expected gold\.key"):
        load_task("semeval2010", tmp_path)
    (tmp_path / "mine.key").write_text("win.v win.v.1 s\n")
    task = load_task("semeval2010", tmp_path, tmp_path / "mine.key")
    assert not task.graded
    assert task.gold.n_instances == 1


def test_digest_tells_test_sets_apart(tmp_path: Path) -> None:
    line = {"id": "1", "target": "crane", "left": "a", "right": "b", "label": "x"}
    path = tmp_path / "a.jsonl"
    digests = []
    for change in ({}, {"label": "y"}, {"left": "c"}, {}):
        path.write_text(json.dumps(line | change))
        digests.append(load_task("jsonl", path).digest)
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
    with pytest.raises(InputError, match="unknown task 'senseval': expected one of semeval2010"):
        load_task("senseval", tmp_path)
    with pytest.raises(InputError, match="there is nothing at"):
        load_task("jsonl", tmp_path / "absent")
    with pytest.raises(InputError, match=r"expected one of semeval2010, .*, scws, wordsim"):
        open_task("senseval", tmp_path)
    with pytest.raises(InputError, match=r"there is nothing at .*: give the data of scws"):
        open_task("scws", tmp_path / "absent")


def test_any_test_set_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "pairs.txt").write_text("a b 5\n")
    assert open_task("wordsim", tmp_path).name == "wordsim"
    (tmp_path / "ratings.txt").write_text("1\ta\tn\tb\tn\t<b> a </b>\t<b> b </b>\t2.0\t2.0\n")
    assert open_task("scws", tmp_path / "ratings.txt").targets == ("a", "b")
    line = {"id": "1", "target": "crane", "left": "a", "right": "b", "label": "x"}
    (tmp_path / "a.jsonl").write_text(json.dumps(line))
    assert open_task("jsonl", tmp_path / "a.jsonl").groups_instances
