from __future__ import annotations

import re

import pytest

from crane_model import save_crane_model
from grassmeans.errors import ArtifactError, InputError
from grassmeans.models.places import (
    find_model,
    installed_folder,
    installed_name,
    is_installed,
    is_model,
    list_models,
    resolve_name,
)
from installed import install_models


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Models ``xx`` and ``aa`` are installed; the work is in an empty folder."""
    folders = {name: save_crane_model(tmp_path / "site" / name) for name in ("xx", "aa")}
    install_models(folders, tmp_path, monkeypatch)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return folders


def test_installed_models_have_names_and_folders(installed):
    assert list_models() == ["aa", "xx"]
    assert installed_folder("xx") == installed["xx"]
    assert is_installed(installed["xx"] / ".." / "xx")
    assert not is_installed(installed["xx"].parent)
    assert installed_name(installed["aa"]) == "aa"
    assert installed_name(installed["xx"].parent) is None


def test_a_name_is_that_of_an_installed_model_unless_we_wrote_a_folder_of_that_name(
    installed, tmp_path
):
    work = tmp_path / "work"
    (work / "xx").mkdir()  # texts, say
    assert resolve_name("xx") == installed["xx"]
    save_crane_model(work / "aa")
    assert resolve_name("aa").resolve() == work / "aa"
    assert str(resolve_name("none")) == "none"
    with pytest.raises(InputError, match="a model must be named by"):
        resolve_name(3)  # type: ignore[arg-type]


def test_only_the_folder_of_a_model_is_one(installed, tmp_path):
    assert is_model(installed["xx"])
    assert not is_model(installed["xx"] / "vectors")
    assert not is_model(tmp_path)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("en", "or install the model of that name (pip install grassmeans-en)"),
        ("zz", "installed model: aa, xx. There is no model of the language 'zz' to be installed"),
        ("zz", "`grassmeans model TEXT -o zz-model --language zz`"),
        ("folder", "or the name of an installed model: aa, xx"),
    ],
)
def test_where_there_is_no_model_the_next_step_is_told(installed, name, told):
    with pytest.raises(ArtifactError, match=re.escape(told)):
        find_model(name)


def test_where_none_is_installed_that_is_told(installed, tmp_path, monkeypatch):
    install_models({}, tmp_path, monkeypatch)
    with pytest.raises(ArtifactError, match="installed model: there is none"):
        find_model("folder")
