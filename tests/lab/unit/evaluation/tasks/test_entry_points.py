from __future__ import annotations

import json
from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.clustering_scores import ClusteringScores
from grassmeans.evaluation.instances import Label
from grassmeans.evaluation.loading import load_gold, open_task
from grassmeans_lab.evaluation.graded_scores import GradedScores

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
    task = open_task("semeval2013", semeval2013)
    assert task.scoring is GradedScores
    assert [instance.word for instance in task.instances] == ["win"]
    assert task.gold.labels == {"win.v": {"win.v.1": (Label("win%1", 4), Label("win%2", 2))}}
    assert load_gold("semeval2013", semeval2013) == (task.gold, GradedScores)


def test_semeval2010_and_a_gold_key_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "win.v.xml").write_text(OLD_XML)
    with pytest.raises(InputError, match=r"no gold key: expected gold\.key"):
        open_task("semeval2010", tmp_path)
    (tmp_path / "mine.key").write_text("win.v win.v.1 s\n")
    task = open_task("semeval2010", tmp_path, tmp_path / "mine.key")
    assert task.scoring is ClusteringScores
    assert task.gold.n_instances == 1


def test_unknown_task_and_missing_data(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected one of jsonl, .*scws.*semeval2010.*wordsim"):
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
