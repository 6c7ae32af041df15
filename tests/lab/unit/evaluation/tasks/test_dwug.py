from __future__ import annotations

import json

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.loading import open_task
from grassmeans.evaluation.running import RunSettings, evaluate
from grassmeans_lab.evaluation.tasks.dwug import ChangeResult, ChangeTask, WordChange, read_graded


def write_data(folder, uses, change="lemma\tgraded\tbinary\ncrane_nn\t0.9\t1\nlake_nn\t0.1\t0\n"):
    folder.mkdir(exist_ok=True)
    (folder / "uses.jsonl").write_text("".join(json.dumps(use) + "\n" for use in uses))
    (folder / "change.tsv").write_text(change)
    return folder


def make_use(number, target, period, right, label=None):
    use = {"id": f"{target}_nn.{number}", "target": target, "pos": "n", "left": "the "}
    return use | {"word": target, "right": f" {right}", "period": period, "label": label}


def test_scores_are_correlations_with_the_graded_change():
    words = [
        WordChange("a", 0.1, {"jsd": 0.2, "apd": 0.3, "prt": float("nan")}, (3, 3)),
        WordChange("b", 0.5, {"jsd": 0.4, "apd": 0.2, "prt": float("nan")}, (3, 3)),
        WordChange("c", 0.9, {"jsd": 0.6, "apd": 0.1, "prt": float("nan")}, (3, 4)),
    ]
    scores = ChangeResult(task="dwug", words=tuple(words), senses=None).to_dict()["all"]
    assert scores["n_uses"] == 19
    assert scores["spearman_jsd"] == 100.0
    assert scores["spearman_apd"] == -100.0
    assert scores["spearman_prt"] is None
    assert scores["v_measure"] is None


def test_a_model_tells_the_word_that_changed(small_model, tmp_path):
    uses = [make_use(i, "crane", 1, "nest", "crane_nn.0") for i in range(6)]
    uses += [make_use(6 + i, "crane", 2, "beam", "crane_nn.1") for i in range(6)]
    uses += [make_use(i, "lake", 1 + i % 2, "nest") for i in range(12)]
    result = evaluate(open_task("dwug", write_data(tmp_path / "d", uses)), small_model)
    found = result.to_dict()
    (row,) = result.rows()
    assert row["n_words"] == found["all"]["n_words"]
    assert found["words"]["crane_nn"]["jsd"] == 1.0
    assert found["words"]["crane_nn"]["n_uses"] == [6, 6]
    for name in ("apd", "prt"):
        assert found["words"]["crane_nn"][name] > found["words"]["lake_nn"][name]
    assert found["all"]["spearman_prt"] == 100.0
    assert found["all"]["v_measure"] == 100.0
    assert found["all"]["ari"] == 100.0


def test_words_that_a_model_lacks_get_senses_from_their_uses(small_model, tmp_path):
    change = "lemma\tgraded\nlake_nn\t0.4\n"
    uses = [make_use(i, "lake", 1, "nest") for i in range(8)]
    uses += [make_use(8 + i, "lake", 2, "beam") for i in range(8)]
    task = ChangeTask(write_data(tmp_path / "d", uses, change))
    result = task.score(_as_system(small_model), RunSettings())
    assert result.counts["n_words_induced"] == 1
    assert result.words_without_senses == ()


def _as_system(model):
    from grassmeans.evaluation.systems import ModelSystem

    return ModelSystem(model)


@pytest.mark.parametrize(
    ("uses", "change", "message"),
    [
        ([{"id": "a.1", "target": "a", "left": "", "right": ""}], None, "1 or 2 as period"),
        ([], "lemma\tbinary\na_nn\t1\n", "columns lemma and graded"),
        ([], "lemma\tgraded\na_nn\tmuch\n", "line 2: expected a number"),
        ([], "lemma\tgraded\na_nn\t1\na_nn\t1\n", "line 3: expected a word once"),
        ([make_use(1, "boat", 1, "x")], None, "no use belongs to a word"),
    ],
)
def test_files_that_are_not_such(tmp_path, uses, change, message):
    folder = write_data(tmp_path / "d", uses, *([change] if change else []))
    with pytest.raises(InputError, match=message):
        ChangeTask(folder)


def test_a_folder_without_the_files(tmp_path):
    with pytest.raises(InputError, match=r"has no file uses\.jsonl"):
        ChangeTask(tmp_path)


def test_graded_change_by_word(tmp_path):
    write_data(tmp_path, [])
    assert read_graded(tmp_path / "change.tsv") == {"crane_nn": 0.9, "lake_nn": 0.1}
    assert np.isfinite(list(read_graded(tmp_path / "change.tsv").values())).all()
