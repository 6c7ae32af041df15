"""Annotations: blind to each other, decided by most, never replaced."""

from __future__ import annotations

import pytest

from grassmeans.errors import ArtifactError, InputError
from grassmeans.models.model import load
from grassmeans_explorer.annotation.project import (
    ADJUDICATOR,
    AnnotationProject,
    draw_pairs,
    list_senses,
    make_project,
)
from grassmeans_explorer.annotation.uses import Use

LABELS = {"1": "bird", "2": "machine", "0": "cannot decide"}


def make_uses(n: int, lemma: str = "crane") -> list[Use]:
    return [Use(f"{lemma}{i}", lemma, "A crane.", (2, 7), (0, 8)) for i in range(n)]


@pytest.fixture
def project(tmp_path) -> AnnotationProject:
    names = ["Ann", "Bo", "Cy"]
    return make_project(tmp_path / "lines", make_uses(6), names, labels=LABELS)


def test_an_annotation_is_opened_as_it_was_made(project):
    again = AnnotationProject.open(project.path)
    assert (again.task, again.labels, again.annotators) == ("senses", LABELS, ("Ann", "Bo", "Cy"))
    assert list(again.uses) == list(again.items) == [f"crane{i}" for i in range(6)]
    assert again.uses["crane3"] == make_uses(6)[3]


def test_annotators_have_orders_of_their_own_and_see_nothing_of_others(project):
    orders = {name: [x.identifier for x in project.order_for(name)] for name in project.annotators}
    assert orders["Ann"] != orders["Bo"]
    assert sorted(orders["Ann"]) == sorted(orders["Bo"])
    assert orders["Ann"] == [x.identifier for x in project.order_for("Ann")]
    project.judge("Ann", orders["Ann"][0], "1")
    assert project.next_item("Ann").identifier == orders["Ann"][1]
    assert project.next_item("Bo").identifier == orders["Bo"][0]
    assert project.judgments_of("Bo") == {}
    for item in project.items:
        project.judge("Bo", item, "1")
    assert project.next_item("Bo") is None


def test_the_last_judgment_counts(project):
    project.judge("Ann", "crane0", "1", "a comment")
    project.judge("Ann", "crane0", "2")
    assert project.judgments_of("Ann")["crane0"].label == "2"


def test_items_are_decided_by_more_than_half_or_by_adjudication(project):
    given = {
        "crane0": ("1", "1", "1"),
        "crane1": ("1", "1", "2"),
        "crane2": ("1", "2", "0"),
        "crane3": ("0", "0", "2"),
        "crane4": ("1", "2", None),
    }
    for item, labels in given.items():
        for name, label in zip(project.annotators, labels, strict=True):
            if label is not None:
                project.judge(name, item, label)
    project.adjudicate("crane4", "2")
    told = {one.item: (one.label, one.how) for one in project.decide()}
    both = project.judgments_by_item()["crane4"]
    assert {name: one.label for name, one in both.items()} == {"Ann": "1", "Bo": "2"}
    assert told == {
        "crane0": ("1", "agreed"),
        "crane1": ("1", "majority"),
        "crane2": ("", "open"),
        "crane3": ("2", "majority"),
        "crane4": ("2", "adjudicated"),
        "crane5": ("", "missing"),
    }


def test_what_does_not_fit_is_refused(project):
    for who, item, label in (
        ("Dee", "crane0", "1"),
        (ADJUDICATOR, "crane0", "1"),
        ("Ann", "crane9", "1"),
        ("Ann", "crane0", "3"),
    ):
        with pytest.raises(InputError):
            project.judge(who, item, label)
    with pytest.raises(InputError, match="comment"):
        project.judge("Ann", "crane0", "1", "x" * 2_001)
    assert project.judgments_of("Ann") == {}


def test_judgments_are_never_replaced(project):
    uses = make_uses(2)
    with pytest.raises(InputError, match="exists already"):
        make_project(project.path, uses, ["Ann"], labels=LABELS)
    assert len(make_project(project.path, uses, ["Ann"], labels=LABELS, overwrite=True).items) == 2
    AnnotationProject.open(project.path).judge("Ann", "crane0", "1")
    with pytest.raises(InputError, match="is not replaced"):
        make_project(project.path, uses, ["Ann"], labels=LABELS, overwrite=True)
    assert AnnotationProject.open(project.path).judgments_of("Ann")["crane0"].label == "1"


@pytest.mark.parametrize(
    ("uses", "names", "changes"),
    [
        ([], ["Ann"], {}),
        (make_uses(1), [], {}),
        (make_uses(1), ["Ann", "Ann"], {}),
        (make_uses(1), ["a\nb"], {}),
        (make_uses(1), [ADJUDICATOR], {}),
        (make_uses(1), ["Ann"], {"labels": {}}),
        (make_uses(1), ["Ann"], {"task": "ranks"}),
        (make_uses(1), ["Ann"], {"task": "relatedness"}),
        (make_uses(2), ["Ann"], {"task": "relatedness", "pairs": [("crane0", "crane0")]}),
        (make_uses(2), ["Ann"], {"task": "relatedness", "pairs": [("crane0", "xyzzy")]}),
    ],
)
def test_an_annotation_that_cannot_be_is_not_made(tmp_path, uses, names, changes):
    with pytest.raises(InputError):
        make_project(tmp_path / "lines", uses, names, **{"labels": LABELS} | changes)
    assert not (tmp_path / "lines").exists()


def test_pairs_are_of_one_word_and_each_once(tmp_path):
    uses = [*make_uses(3), *make_uses(2, "bank")]
    assert sorted(draw_pairs(uses, 99)) == [
        ("bank0", "bank1"), ("crane0", "crane1"), ("crane0", "crane2"), ("crane1", "crane2"),
    ]  # fmt: skip
    assert draw_pairs(uses, 2) == draw_pairs(uses, 2)
    assert len(draw_pairs(uses, 2)) == 2
    pairs = [("crane0", "crane1"), ("crane1", "crane0")]
    project = make_project(tmp_path / "p", uses, ["Ann"], task="relatedness", pairs=pairs)
    assert list(project.items) == ["crane0|crane1"]
    assert list(project.labels) == ["4", "3", "2", "1", "0"]


def test_senses_of_a_model_are_labels(topic_model_folder):
    labels = list_senses(load(topic_model_folder), "Crane")
    assert list(labels) == ["1", "2", "new", "0"]
    assert all(labels.values())


def test_another_folder_is_no_annotation(tmp_path, topic_model_folder):
    with pytest.raises(ArtifactError, match="annotation"):
        AnnotationProject.open(topic_model_folder)
