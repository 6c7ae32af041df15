from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import grassmeans
from grassmeans.errors import ArtifactError
from grassmeans.models import places as model_places
from installed import install_models


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, topic_model_folder: Path) -> Path:
    """An installed model, ``xx``, and a working directory of its own."""
    folder = tmp_path / "models"
    shutil.copytree(topic_model_folder, folder / "xx")
    install_models({"xx": folder / "xx"}, tmp_path, monkeypatch)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return folder


def test_a_model_is_found_by_name(models: Path) -> None:
    assert model_places.list_models() == ["xx"]
    model = grassmeans.load("xx")
    assert model.folder == models / "xx"
    assert "crane" in model.words
    assert model_places.find_model(Path("xx")) == models / "xx"  # as the command line gives it


def test_a_model_folder_of_that_name_goes_first(models: Path, topic_model_folder: Path) -> None:
    shutil.copytree(topic_model_folder, "xx")

    assert model_places.find_model("xx") == Path("xx")


def test_any_other_folder_of_that_name_does_not(models: Path) -> None:
    Path("xx").mkdir()
    Path("xx", "text.txt").write_text("words")

    assert model_places.find_model("xx") == models / "xx"


def test_an_unknown_name_tells_those_that_there_are(models: Path) -> None:
    with pytest.raises(ArtifactError, match=r"no model at yy: .*pip install grassmeans-yy"):
        grassmeans.load("yy")
    with pytest.raises(ArtifactError, match=r"no model at cranes: .* an installed model: xx"):
        grassmeans.load("cranes")


def test_a_path_is_never_a_name(models: Path) -> None:
    with pytest.raises(ArtifactError, match="there is no model at"):
        grassmeans.load("elsewhere/xx")


def test_without_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_models({}, tmp_path, monkeypatch)

    assert model_places.list_models() == []
    with pytest.raises(ArtifactError, match="an installed model: there is none"):
        model_places.find_model(tmp_path / "nowhere")


def test_the_models_own_limits_decide(topic_model, topic_corpus, synthetic):
    birds = " ".join(synthetic.topic_words[0][:8])
    passages = [("", f" {birds}"), ("", "")]
    (tagged,) = topic_model.tag(f"crane {birds}")
    found = topic_model.decide("Crane", topic_model.distances("crane", passages))
    assert found.senses.tolist() == [tagged.sense, 0]
    assert found.confidence[0] == pytest.approx(tagged.confidence, abs=1e-6)
    sure = topic_model.decide("crane", topic_model.distances("crane", passages), confidence=1.0)
    assert sure.senses.tolist() == [0, 0]


def test_senses_in_a_corpus_are_those_of_its_labels(topic_model, topic_corpus, tmp_path):
    from grassmeans.labelling import label_corpus
    from grassmeans.senses.keys import decode_key

    labelled = label_corpus(topic_corpus, topic_model, tmp_path / "labelled", workers=1)
    positions = topic_corpus.positions("crane")
    tokens = np.concatenate([np.asarray(shard.tokens) for shard in labelled.shards])
    labels = [decode_key(labelled.vocabulary.words[i])[1] for i in tokens[positions].tolist()]
    assert topic_model.senses_at(topic_corpus, "crane", positions).senses.tolist() == labels
    about = labelled.manifest["labelled"]
    assert (about["read_in"], about["only_senses"]) == ("documents", "always")
