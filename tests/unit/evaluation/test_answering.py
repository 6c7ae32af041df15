from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grassmeans.evaluation.answering import (
    answer_by_induction,
    answer_with_senses,
    known_form,
)
from grassmeans.evaluation.instance_contexts import instance_contexts
from grassmeans.evaluation.key_files import Label
from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.senses.settings import InductionSettings

TWO = InductionSettings(n_senses=2)


def make_instances(*texts: str, target: str = "crane") -> list[Instance]:
    """Each text is cut at its ``|``, where the target stands."""
    cut = [text.partition("|") for text in texts]
    return [Instance(str(i), target, "", a, target, b) for i, (a, _, b) in enumerate(cut)]


def names(answers, word: str) -> list[str]:
    return [labels[0].name for labels in answers.key.labels[word].values()]


def test_nearest_sense_and_the_largest_where_nothing_is_known(small_model, small_task) -> None:
    answers = answer_with_senses(small_model, small_model.inventory, small_task.instances)
    assert names(answers, "crane.n") == ["crane.n.1", "crane.n.2", "crane.n.1", "crane.n.1"]
    assert (answers.n_not_located, answers.n_poor_context, answers.n_without_senses) == (1, 1, 0)


def test_word_without_senses_is_one_cluster(small_model) -> None:
    instances = make_instances("nest |", "beam |", target="seal") + make_instances("mix |")
    answers = answer_with_senses(small_model, small_model.inventory, instances)
    assert names(answers, "seal") == ["seal.1", "seal.1"]
    assert answers.words_without_senses == ("seal",)
    assert answers.n_without_senses == 2


def test_soft_answers_leave_out_what_is_hardly_likely(small_model) -> None:
    # mix lies at distance 0.8 of the first sense and 0.6 of the second, nest at 0 and 1.
    instances = make_instances("mix |", "nest |", "unseen |")
    answers = answer_with_senses(small_model, small_model.inventory, instances, sharpness=10.0)
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
    answers = answer_by_induction(small_model, instances, TWO)
    assert names(answers, "seal") == ["seal.1", "seal.2", "seal.1", "seal.1", "seal.1"]
    assert answers.n_poor_context == 1


def test_too_few_instances_to_induce_from(small_model, small_task) -> None:
    answers = answer_by_induction(small_model, small_task.instances, replace(TWO, n_senses=3))
    assert answers.words_without_senses == ("crane.n",)
    # Two of the four can be used: the target that was not found is left out.
    usable = answer_by_induction(small_model, small_task.instances, TWO)
    assert usable.words_without_senses == ()
    assert (usable.n_not_located, usable.n_poor_context) == (1, 1)


def test_contexts_are_those_of_the_tagger(small_model) -> None:
    texts = ["nest a beam mix |A beam", "|mix", "unseen |."]
    instances = make_instances(*texts)
    found = instance_contexts(small_model, instances)
    assert found.tolist() == [[1, 2, 1, -1], [-1, -1, 2, -1], [-1, -1, -1, -1]]


@pytest.mark.parametrize(("drop_repeats", "expected"), [(False, [0, 1]), (True, [-1, 1])])
def test_repeats_of_the_target(small_model, drop_repeats: bool, expected: list[int]) -> None:
    small_model.rules = replace(small_model.rules, drop_repeats=drop_repeats, window=1)
    instances = make_instances("nest |beam", target="nest")
    assert instance_contexts(small_model, instances).tolist() == [expected]
