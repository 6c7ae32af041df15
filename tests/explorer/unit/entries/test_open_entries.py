"""Versions that are saved elsewhere have the entries of their model."""

from __future__ import annotations

import shutil

from grassmeans.models.model import load
from grassmeans_explorer.annotation.making import draw_project
from grassmeans_explorer.entries.entry import DictionaryEntry
from grassmeans_explorer.entries.following import ModelNumbers
from grassmeans_explorer.entries.open_entries import refit_with_entries
from grassmeans_explorer.entries.store import EntryStore, read_entries
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.shelf import Shelf


def test_a_version_of_judged_lines_has_the_entries_too(
    doubtful_corpus, doubtful_model_folder, tmp_path
):
    folder = shutil.copytree(doubtful_model_folder, tmp_path / "near" / "model")
    opened = OpenModel.open(folder, doubtful_corpus.path, save_to=tmp_path / "far")
    (tmp_path / "far").mkdir()
    entry = DictionaryEntry("crane", notes=("a bird first",))
    with EntryStore(opened.base) as store:
        store.put(entry, 0, ModelNumbers.of_model(opened.base))
    project = draw_project(
        doubtful_corpus, "crane", tmp_path / "notes" / "lines", ["Ann"], model=folder, size=500
    )
    for use in project.uses.values():
        if "music" in use.context:
            project.judge("Ann", use.identifier, "new")
    opened.annotations = Shelf(tmp_path / "notes")
    found = refit_with_entries(opened, "lines", "judged")
    assert found.n_lines == 4
    version = load(tmp_path / "far" / "judged")
    assert [one.notes for one in read_entries(version)] == [("a bird first",)]
    assert read_entries(version) == read_entries(opened.base)
