"""What annotators decide turns senses towards their lines."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.models.model import load
from grassmeans.senses.samples import sample_word
from grassmeans_explorer.annotation import refitting
from grassmeans_explorer.annotation.making import draw_project
from grassmeans_explorer.annotation.project import make_project
from grassmeans_explorer.annotation.refitting import refit_senses


@pytest.fixture
def project(tmp_path, doubtful_corpus, doubtful_model_folder):
    return draw_project(
        doubtful_corpus, "crane", tmp_path / "lines", ["Ann", "Bo"],
        model=doubtful_model_folder, size=500,
    )  # fmt: skip


def test_lines_are_drawn_with_the_labels_of_the_model(project, doubtful_corpus):
    assert list(project.labels) == ["1", "2", "new", "0"]
    assert len(project.items) == doubtful_corpus.count_of("crane")
    assert project.manifest["inputs"]["corpus"] == doubtful_corpus.manifest["digest"]


def test_decided_lines_make_a_new_sense(project, doubtful_corpus, doubtful_model_folder, tmp_path):
    music = {
        use.identifier: use.position for use in project.uses.values() if "music" in use.context
    }
    assert len(music) == 4
    for name in project.annotators:
        for item in music:
            project.judge(name, item, "new")
    found = refit_senses(project, doubtful_model_folder, doubtful_corpus)
    assert (found.n_lines, found.refused) == (4, ())
    assert found.n_open == len(project.items) - 4
    saved = load(found.save(tmp_path / "versions"))
    before = load(doubtful_model_folder)
    assert saved.inventory["crane"].n_senses == before.inventory["crane"].n_senses + 1
    positions = np.array(sorted(music.values()))
    senses = saved.senses_at(doubtful_corpus, "crane", positions).senses
    assert (senses == saved.inventory["crane"].n_senses).sum() >= 2


def test_adjudicated_lines_turn_a_sense(project, doubtful_corpus, doubtful_model_folder):
    model = load(doubtful_model_folder)
    own = project.uses
    positions = np.array([use.position for use in own.values()])
    senses = model.senses_at(doubtful_corpus, "crane", positions).senses
    lines = [name for name, sense in zip(own, senses.tolist(), strict=True) if sense == 1][:5]
    for item in lines:
        project.adjudicate(item, "1")
    found = refit_senses(project, model, doubtful_corpus)
    (edit,) = found.edits["crane"].edits
    assert (edit.action, edit.senses, len(edit.lines)) == ("assign", (1,), 5)
    assert edit.n_taken == 5


def test_the_contexts_of_a_word_are_read_once_for_all_its_labels(
    project, doubtful_corpus, doubtful_model_folder, monkeypatch
):
    read = []

    def sample(word, *rest):
        read.append(word)
        return sample_word(word, *rest)

    monkeypatch.setattr(refitting, "sample_word", sample)
    for use in project.uses.values():
        if "music" in use.context:
            project.adjudicate(use.identifier, "new")
    for item in list(project.items)[-5:]:
        project.adjudicate(item, "1")
    assert len({one.label for one in project.decide() if one.label}) == 2
    refit_senses(project, doubtful_model_folder, doubtful_corpus)
    assert read == ["crane"]


def test_what_cannot_be_refitted_is_told(
    project, topic_corpus, doubtful_corpus, doubtful_model_folder, tmp_path
):
    with pytest.raises(InputError, match="no line is decided"):
        refit_senses(project, doubtful_model_folder, doubtful_corpus)
    with pytest.raises(InputError, match="not drawn from"):
        refit_senses(project, doubtful_model_folder, topic_corpus)
    uses = list(project.uses.values())[:3]
    pairs = make_project(tmp_path / "pairs", uses, ["Ann"], task="relatedness")
    with pytest.raises(InputError, match="labels of senses"):
        refit_senses(pairs, doubtful_model_folder, doubtful_corpus)


def test_labels_of_another_version_are_no_senses_of_this_one(
    project, doubtful_corpus, doubtful_model_folder, tmp_path
):
    for use in project.uses.values():
        if "music" in use.context:
            project.adjudicate(use.identifier, "new")
    other = refit_senses(project, doubtful_model_folder, doubtful_corpus).save(tmp_path / "v")
    with pytest.raises(InputError, match="senses of another model, or of another version"):
        refit_senses(project, other, doubtful_corpus)


def test_where_all_is_refused_the_reasons_are_told(
    project, doubtful_corpus, doubtful_model_folder, tmp_path
):
    items = list(project.items)[:5]
    positions = np.array([project.uses[item].position for item in items])
    own = load(doubtful_model_folder).senses_at(doubtful_corpus, "crane", positions).senses
    assert len(set(own.tolist())) == 1
    other = str(3 - own[0])
    for item in items:
        project.adjudicate(item, other)
    found = refit_senses(project, doubtful_model_folder, doubtful_corpus)
    assert len(found.refused) == 1
    with pytest.raises(InputError, match=rf"no line could be given .* would have sense {other}"):
        found.save(tmp_path / "versions")
