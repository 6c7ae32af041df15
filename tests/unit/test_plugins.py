from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from grassmeans import plugins


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Two distributions, of which one cannot be imported; how often they were looked for."""
    (tmp_path / "added_by_a_test.py").write_text("FOLDER = '/models/xx'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = [
        EntryPoint("xx", "added_by_a_test:FOLDER", plugins.MODELS),
        EntryPoint("yy", "not_there_at_all:FOLDER", plugins.MODELS),
        EntryPoint("xx", "added_by_a_test:COMMANDS", plugins.COMMANDS),
    ]
    asked = []

    def entry_points(group: str) -> list[EntryPoint]:
        asked.append(group)
        return [point for point in found if point.group == group]

    monkeypatch.setattr(plugins, "entry_points", entry_points)
    plugins.find_plugins.cache_clear()
    return asked


def test_names_of_one_group_are_found_once_and_nothing_is_imported(installed):
    assert list(plugins.find_plugins(plugins.MODELS)) == ["xx", "yy"]  # yy does not even exist
    assert list(plugins.find_plugins(plugins.MODELS)) == ["xx", "yy"]
    assert installed == [plugins.MODELS]
    assert plugins.find_plugins(plugins.TASKS) == {}


def test_what_a_name_stands_for_is_loaded_when_it_is_asked_for(installed):
    assert plugins.load_plugin(plugins.MODELS, "xx") == "/models/xx"
    with pytest.raises(ModuleNotFoundError, match="not_there_at_all"):
        plugins.load_plugin(plugins.MODELS, "yy")
