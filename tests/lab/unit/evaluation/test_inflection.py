from __future__ import annotations

import pytest

from grassmeans_lab.evaluation.inflection import irregular_forms, regular_forms


@pytest.mark.parametrize(
    ("lemma", "forms"),
    [
        ("wait", "waits waited waiting"),
        ("divide", "divides divided dividing"),
        ("deny", "denies denied denying"),
        ("deploy", "deploys deployed deploying"),
        ("commit", "commits committed committing"),
        ("level", "levels leveled levelled leveling levelling"),
        ("lie", "lies lied lying"),
        ("relax", "relaxes relaxed relaxing"),
        ("swim", "swims swimming"),
        ("analyze", "analyzes analyzed analyzing analyse analysed analysing"),
        ("realise", "realised realize realized realizing"),
        ("go", "goes going"),
    ],
)
def test_regular_verbs(lemma: str, forms: str) -> None:
    assert set(forms.split()) <= regular_forms(lemma, "v")
    assert lemma not in regular_forms(lemma, "v")


def test_verbs_that_keep_their_consonant_or_drop_their_e() -> None:
    assert "relaxxed" not in regular_forms("relax", "v")
    assert "slowwed" not in regular_forms("slow", "v")
    assert "divideed" not in regular_forms("divide", "v")
    assert "denyed" not in regular_forms("deny", "v")


@pytest.mark.parametrize(
    ("lemma", "forms"),
    [
        ("house", {"houses"}),
        ("body", {"bodies"}),
        ("display", {"displays"}),
        ("class", {"classs", "classes", "classses"}),
        ("gas", {"gass", "gases", "gasses"}),
    ],
)
def test_regular_nouns(lemma: str, forms: set[str]) -> None:
    assert regular_forms(lemma, "n") == forms


def test_irregular_forms() -> None:
    assert irregular_forms("lie", "v") == {"lay", "lain"}
    assert irregular_forms("swear", "v") == {"swore", "sworn"}
    assert irregular_forms("stick", "v") == {"stuck"}
    assert irregular_forms("foot", "n") == {"feet"}
    assert irregular_forms("wait", "v") == frozenset()


def test_other_parts_of_speech_are_not_inflected() -> None:
    assert regular_forms("cool", "a") == frozenset()
    assert irregular_forms("cool", "a") == frozenset()
