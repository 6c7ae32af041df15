from __future__ import annotations

import shutil
from pathlib import Path

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
