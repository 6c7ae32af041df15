from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.errors import InputError
from grassmeans.evaluation.clustering_scores import ClusteringScores
from grassmeans.evaluation.grouping import answer_instances, score_baselines
from grassmeans.evaluation.instances import Instance, Key, Label
from grassmeans.evaluation.running import evaluate
from grassmeans.evaluation.systems import ModelSystem
from grassmeans.models.model import SenseModel


@pytest.fixture
def corpus(tmp_path) -> Corpus:
    texts = ["nest crane nest", "beam crane beam", "nest seal nest", "beam seal beam"] * 3
    return Corpus.from_texts(texts, tmp_path / "corpus")


def answer(model: SenseModel, instances, sharpness: float | None = None):
    system = ModelSystem(model)
    return answer_instances(system, instances, system.find_senses(()), sharpness)


def induce(model: SenseModel, instances, n_senses: int = 2):
    return answer_instances(ModelSystem(model, n_senses=n_senses), instances)


def make_instances(*texts: str, target: str = "crane") -> list[Instance]:
    """Each text is cut at its ``|``, where the target stands."""
    cut = [text.partition("|") for text in texts]
    return [Instance(str(i), target, "", a, target, b) for i, (a, _, b) in enumerate(cut)]


def names(answers, word: str) -> list[str]:
    return [labels[0].name for labels in answers.key.labels[word].values()]


def test_nearest_sense_and_the_largest_where_nothing_is_known(small_model, small_task) -> None:
    answers = answer(small_model, small_task.instances)
    assert names(answers, "crane.n") == ["crane.n.1", "crane.n.2", "crane.n.1", "crane.n.1"]
    assert (answers.n_not_located, answers.n_poor_context, answers.n_without_senses) == (1, 1, 0)


def test_word_without_senses_is_one_cluster(small_model) -> None:
    instances = make_instances("nest |", "beam |", target="seal") + make_instances("mix |")
    answers = answer(small_model, instances)
    assert names(answers, "seal") == ["seal.1", "seal.1"]
    assert answers.words_without_senses == ("seal",)
    assert answers.n_without_senses == 2


def test_soft_answers_leave_out_what_is_hardly_likely(small_model) -> None:
    # mix lies at distance 0.8 of the first sense and 0.6 of the second, nest at 0 and 1.
    instances = make_instances("mix |", "nest |", "unseen |")
    answers = answer(small_model, instances, sharpness=10.0)
    mixed, certain, unknown = answers.key.labels["crane"].values()
    share = 1 / (1 + np.exp(-2))
    assert [label.name for label in mixed] == ["crane.2", "crane.1"]
    assert [label.weight for label in mixed] == pytest.approx([share, 1 - share], abs=1e-6)
    assert certain == (Label("crane.1"),)
    assert unknown == (Label("crane.1"),)


def test_function_words_and_far_words_are_not_looked_at(small_model) -> None:
    # Two kept words a side: the nest before them, and the "a" between, do not count.
    answers = answer(small_model, make_instances("nest beam a beam |"))
    assert names(answers, "crane") == ["crane.2"]


def test_senses_are_induced_from_the_instances(small_model) -> None:
    instances = make_instances("beam |", "nest |", "beam |", "|beam", "unseen |", target="seal")
    answers = induce(small_model, instances)
    assert names(answers, "seal") == ["seal.1", "seal.2", "seal.1", "seal.1", "seal.1"]
    assert answers.n_poor_context == 1


def test_too_few_instances_to_induce_from(small_model, small_task) -> None:
    answers = induce(small_model, small_task.instances, 3)
    assert answers.words_without_senses == ("crane.n",)
    # Two of the four can be used: the target that was not found is left out.
    usable = induce(small_model, small_task.instances)
    assert usable.words_without_senses == ()
    assert (usable.n_not_located, usable.n_poor_context) == (1, 1)


def test_scores_and_record(small_model, small_task) -> None:
    result = evaluate(small_task, small_model)
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
    assert record["parameters"]["decoding"] == "hard"
    assert record["parameters"]["window"] == 2  # of the model's contexts
    assert record["digests"] == {"model": small_model.digest, "data": small_task.digest}
    assert not any(isinstance(value, np.generic) for value in record["all"].values())


def test_senses_of_the_test_instances(small_model, small_task) -> None:
    system = ModelSystem(small_model, random_state=3)
    result = evaluate(small_task, system, induce="on-test")
    assert result.parameters["random_state"] == 3
    first, second, *rest = (labels[0].name for labels in result.key.labels["crane.n"].values())
    assert first != second
    assert rest == ["crane.n.1", "crane.n.1"]


def test_missing_words_are_induced_from_the_corpus(small_model, small_task, corpus) -> None:
    seal = Instance("9", "Seal", "n", "nest ", "seal", "")
    task = replace(small_task, instances=(*small_task.instances, seal))
    without = evaluate(task, small_model)
    assert without.words_without_senses == ("Seal.n",)
    assert without.counts["n_unlabelled"] == 1
    result = evaluate(task, ModelSystem(small_model, corpus=corpus))
    assert result.words_without_senses == ()
    assert result.counts["n_words_induced"] == 1
    assert result.digests["corpus"] == corpus.manifest["digest"]


def test_instances_without_labels_are_answered_only(small_model, small_task) -> None:
    result = evaluate(replace(small_task, gold=Key({})), small_model)
    assert result.scores is None
    assert result.key.labels["crane.n"]["2"] == (Label("crane.n.2"),)
    assert "all" not in result.to_dict()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"induce": "here"}, "induce must be one of on-corpus, on-test, got 'here'"),
        ({"decoding": "x"}, "decoding must be one of hard, soft, got 'x'"),
    ],
)
def test_settings_are_checked(small_model, small_task, options, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(small_task, small_model, **options)


@pytest.mark.parametrize(
    ("n_senses", "induce", "message"),
    [
        (4, "on-test", "ask for fewer senses"),
        (3, "on-corpus", r"no word of jsonl has senses \(crane.n\): give a corpus"),
    ],
)
def test_no_word_has_senses(small_model, small_task, n_senses, induce, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(small_task, ModelSystem(small_model, n_senses=n_senses), induce=induce)


def test_task_without_instances(small_model, small_task) -> None:
    with pytest.raises(InputError, match="has no instances"):
        evaluate(replace(small_task, instances=()), small_model)


def test_gold_key_of_another_test_set(small_model, small_task) -> None:
    other = Key({"seal.n": {"9": (Label("animal"),)}})
    with pytest.raises(InputError, match="gold key has none of the 4 instances"):
        evaluate(replace(small_task, gold=other), small_model)


def test_answers_that_look_at_nothing_stand_beside(small_model, small_task) -> None:
    result = evaluate(small_task, small_model)
    told = result.to_dict()["baselines"]
    assert list(told) == ["one cluster a word", "one cluster an occurrence"]
    assert told["one cluster a word"]["n_clusters"] == 1.0
    assert told["one cluster a word"]["b_cubed_recall"] == 100.0
    assert told["one cluster an occurrence"]["b_cubed_precision"] == 100.0
    names = [row[0] for row in result.to_table().rows]
    assert names[-2:] == list(told)
    rows = result.rows()
    assert [row["group"] for row in rows] == names
    assert rows[0]["f_score"] == result.to_dict()["all"]["f_score"]
    assert replace(result, scores=None, baselines={}).rows() == []


def test_baselines_by_hand() -> None:
    labels = {str(i): (Label(name),) for i, name in enumerate("aaab")}
    found = score_baselines(Key({"crane": labels}), ClusteringScores)
    one, own = found.values()
    # All alike: (3 * 3 + 1) / 16, and all. Each its own: all, and (3 / 3 + 1) / 4.
    assert (one.b_cubed_precision, one.b_cubed_recall) == pytest.approx((62.5, 100.0))
    assert (own.b_cubed_precision, own.b_cubed_recall) == pytest.approx((100.0, 50.0))
