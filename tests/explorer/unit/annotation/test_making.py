"""Annotations drawn from a corpus."""

from __future__ import annotations

import pytest

from grassmeans.errors import InputError
from grassmeans_explorer.annotation.making import draw_project


def test_labels_may_be_ones_own(tmp_path, topic_corpus):
    wanted = {"labels": ["bird", "machine"], "size": 5}
    project = draw_project(topic_corpus, "crane", tmp_path / "a", ["Ann"], **wanted)
    assert project.labels == {"bird": "bird", "machine": "machine", "0": "cannot decide"}
    again = draw_project(topic_corpus, "crane", tmp_path / "b", ["Ann"], **wanted)
    assert list(again.uses) == list(project.uses)
    assert all(use.word.lower() == "crane" for use in project.uses.values())


def test_pairs_need_no_labels(tmp_path, topic_corpus):
    project = draw_project(
        topic_corpus, '"crane"', tmp_path / "a", ["Ann"], task="relatedness", size=5, n_pairs=7
    )
    assert len(project.items) == 7


def test_senses_need_a_model_that_has_the_word(tmp_path, topic_corpus, topic_model_folder):
    with pytest.raises(InputError, match="labels are not known"):
        draw_project(topic_corpus, "crane", tmp_path / "a", ["Ann"])
    with pytest.raises(InputError, match="labels are not known"):
        draw_project(topic_corpus, "seal", tmp_path / "a", ["Ann"], model=topic_model_folder)
    with pytest.raises(InputError, match="each of another name"):
        draw_project(topic_corpus, "crane", tmp_path / "a", [], model=topic_model_folder)
