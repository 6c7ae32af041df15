from __future__ import annotations

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.corpus.tokenizer import Tokenizer
from grassmeans.evaluation.answering import (
    answer_by_induction,
    answer_with_senses,
    known_form,
)
from grassmeans.evaluation.instance_contexts import ContextReader
from grassmeans.evaluation.key_files import Label
from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.laboratory.rivals.grassmeans import GrassmeansSenses, ModelSenses
from grassmeans.laboratory.rivals.interface import ContextRule
from grassmeans.laboratory.rivals.trivial import OneSense, SensePerInstance
from grassmeans.senses.model import SenseModel


def answer(model: SenseModel, instances, **options):
    reader = ContextReader.for_model(model)
    return answer_with_senses(ModelSenses(model), instances, reader, **options)


def induce(model: SenseModel, instances, n_senses: int = 2):
    method = GrassmeansSenses(n_senses, rank=1, window=2)
    return answer_by_induction(method, instances, ContextReader.for_model(model))


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


def test_target_is_known_in_lower_case_and_joined(small_model) -> None:
    assert known_form(small_model.inventory, "Crane") == "crane"
    assert known_form(small_model.inventory, "seal") is None


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


def test_contexts_are_those_of_the_tagger(small_model) -> None:
    texts = ["nest a beam mix |A beam", "|mix", "unseen |."]
    instances = make_instances(*texts)
    reader = ContextReader.for_model(small_model)
    found = reader.read_instances("crane", instances, ContextRule(window=2))
    assert found.tolist() == [[1, 2, 1, -1], [-1, -1, 2, -1], [-1, -1, -1, -1]]


@pytest.mark.parametrize(("drop_repeats", "expected"), [(False, [0, 1]), (True, [-1, 1])])
def test_repeats_of_the_target(small_model, drop_repeats: bool, expected: list[int]) -> None:
    rule = ContextRule(window=1, drop_repeats=drop_repeats)
    instances = make_instances("nest |beam", target="nest")
    reader = ContextReader.for_model(small_model)
    assert reader.read_instances("nest", instances, rule).tolist() == [expected]


def test_function_words_stay_where_a_rule_keeps_them() -> None:
    vectors = WordVectors(["a", "nest"], np.eye(2, dtype=np.float32))
    reader = ContextReader(Tokenizer(), frozenset({"a"}), vectors)
    passages = [("a nest a", "")]
    kept = reader.read_passages("crane", passages, ContextRule(2, drop_function_words=False))
    assert kept.tolist() == [[1, 0, -1, -1]]
    assert reader.read_passages("crane", passages, ContextRule(2)).tolist() == [[-1, 1, -1, -1]]


def test_methods_that_look_at_no_context_answer_all_instances(small_model, small_task) -> None:
    reader = ContextReader.for_model(small_model)
    answers = answer_by_induction(SensePerInstance(), small_task.instances, reader)
    assert names(answers, "crane.n") == [f"crane.n.{i}" for i in (1, 2, 3, 4)]
    assert (answers.n_not_located, answers.n_poor_context) == (0, 0)
    one = answer_by_induction(OneSense(), small_task.instances, reader)
    assert names(one, "crane.n") == ["crane.n.1"] * 4
