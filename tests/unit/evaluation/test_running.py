from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.errors import InputError
from grassmeans.evaluation.key_files import Key, Label
from grassmeans.evaluation.running import evaluate_clustering
from grassmeans.evaluation.task_senses import digest_of_model, find_task_senses, settings_of
from grassmeans.evaluation.tasks.instances import Instance


@pytest.fixture
def corpus(tmp_path) -> Corpus:
    texts = ["nest crane nest", "beam crane beam", "nest seal nest", "beam seal beam"] * 3
    return Corpus.from_texts(texts, tmp_path / "corpus")


def test_scores_and_record(small_model, small_task) -> None:
    result = evaluate_clustering(small_task, small_model)
    # Clusters {1,3,4} {2}, classes {1,3} {2,4}.
    assert result.scores is not None
    assert result.scores.all.accuracy == 75
    assert result.counts["n_not_located"] == result.counts["n_poor_context"] == 1
    record = result.to_dict()
    assert record["all"]["n_clusters"] == 2
    assert record["all"]["f_score"] == pytest.approx(100 * 2 / 6, abs=1e-4)
    assert record["all"]["v_measure_interval"] is None
    assert record["n"] == record["all"]
    assert record["parameters"]["induce"] == "on-corpus"
    assert record["parameters"]["window"] == 2  # of the model's rules
    assert record["digests"] == {"model": digest_of_model(small_model), "data": small_task.digest}


def test_graded_task_has_fuzzy_scores(small_model, small_task) -> None:
    record = evaluate_clustering(
        replace(small_task, graded=True), small_model, decode="soft"
    ).to_dict()
    assert {"fnmi", "fbc"} <= record["all"].keys()
    assert record["parameters"]["sharpness"] == 10.0


def test_senses_of_the_test_instances(small_model, small_task) -> None:
    result = evaluate_clustering(small_task, small_model, induce="on-test", random_state=3)
    assert result.parameters["random_state"] == 3
    first, second, *rest = (labels[0].name for labels in result.key.labels["crane.n"].values())
    assert first != second
    assert rest == ["crane.n.1", "crane.n.1"]


def test_missing_words_are_induced_from_the_corpus(small_model, small_task, corpus) -> None:
    seal = Instance("9", "Seal", "n", "nest ", "seal", "")
    task = replace(small_task, instances=(*small_task.instances, seal))
    without = evaluate_clustering(task, small_model)
    assert without.words_without_senses == ("Seal.n",)
    assert without.counts["n_unlabelled"] == 1
    result = evaluate_clustering(task, small_model, corpus=corpus)
    assert result.words_without_senses == ()
    assert result.counts["n_words_induced"] == 1
    assert result.digests["corpus"] == corpus.manifest["digest"]


def test_other_number_of_senses_is_induced_anew(small_model, small_task, corpus) -> None:
    with pytest.raises(InputError, match=r"no word of jsonl has senses \(crane.n\): give a corpus"):
        evaluate_clustering(small_task, small_model, n_senses=3)
    settings = settings_of(small_model, 1)
    senses = find_task_senses(small_task, small_model, settings, n_senses=1, corpus=corpus)
    assert senses.inventory.sense_counts == {"crane": 1}
    assert senses.n_induced == 1
    kept = find_task_senses(
        small_task, small_model, settings_of(small_model), n_senses=2, corpus=corpus
    )
    assert kept.n_induced == 0


def test_instances_without_labels_are_answered_only(small_model, small_task) -> None:
    result = evaluate_clustering(replace(small_task, gold=Key({})), small_model)
    assert result.scores is None
    assert result.key.labels["crane.n"]["2"] == (Label("crane.n.2"),)
    assert "all" not in result.to_dict()


def test_digest_of_a_model_follows_its_content(small_model) -> None:
    before = digest_of_model(small_model)
    assert digest_of_model(small_model) == before
    small_model.rules = replace(small_model.rules, window=3)
    assert digest_of_model(small_model) != before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"induce": "here"}, "induce must be one of on-corpus, on-test, got 'here'"),
        ({"decode": "x"}, "decode must be one of hard, soft"),
        ({"induce": "on-test", "n_senses": 4}, "ask for fewer senses"),
        ({"n_senses": 0}, r"n_senses must be .*1 or more"),
    ],
)
def test_mistakes(small_model, small_task, options, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate_clustering(small_task, small_model, **options)


def test_task_without_instances(small_model, small_task) -> None:
    with pytest.raises(InputError, match="has no instances"):
        evaluate_clustering(replace(small_task, instances=()), small_model)


def test_gold_key_of_another_test_set(small_model, small_task) -> None:
    other = Key({"seal.n": {"9": (Label("animal"),)}})
    with pytest.raises(InputError, match="gold key has none of the 4 instances"):
        evaluate_clustering(replace(small_task, gold=other), small_model)


def test_numbers_are_plain(small_model, small_task) -> None:
    record = evaluate_clustering(small_task, small_model).to_dict()
    assert not any(isinstance(value, np.generic) for value in record["all"].values())
