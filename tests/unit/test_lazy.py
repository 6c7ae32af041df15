"""The names at the top of the package."""

from __future__ import annotations

import importlib

import pytest

import grassmeans
from grassmeans.lazy import give_names

TOP = {
    "find_senses", "SenseModel", "load", "Corpus", "WordVectors", "SkipGram", "extract_contexts",
    "principal_subspaces", "KGrassmeans", "decode", "label_corpus", "train_lexemes",
    "find_collocates", "compare_groups",
}  # fmt: skip
OLD = {
    "ContextShape": "grassmeans.geometry.windows", "FoundSenses": "grassmeans.models.fitting",
    "InductionSettings": "grassmeans.clustering.settings",
    "SenseInventory": "grassmeans.models.induced", "build_model": "grassmeans.models.building",
    "decode_hard": "grassmeans.senses.decoding", "decode_soft": "grassmeans.senses.decoding",
    "induce": "grassmeans.models.induced", "rank_changes": "grassmeans.change.tables",
    "sense_shares": "grassmeans.change.tables", "tag_iter": "grassmeans.integrations.iterables",
    "use_engine": "grassmeans.engines",
}  # fmt: skip


def test_fourteen_names() -> None:
    assert set(grassmeans.__all__) == TOP | {"__version__"}
    assert set(dir(grassmeans)) == TOP
    for name in TOP:
        assert getattr(grassmeans, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'senses_of'"):
        grassmeans.senses_of  # noqa: B018


@pytest.mark.parametrize("name", OLD)
def test_names_of_the_version_before_still_work_and_name_the_new_way(name: str) -> None:
    for _ in range(2):  # every line that has one is told
        with pytest.warns(DeprecationWarning, match=rf"^grassmeans\.{name} goes .*: use ") as told:
            found = getattr(grassmeans, name)
        assert told[0].filename == __file__
    assert found.__module__ == OLD[name]


def test_another_package_gives_a_name_of_another() -> None:
    with pytest.warns(DeprecationWarning, match=r"use grassmeans\.models\.compact_model"):
        moved = importlib.import_module("grassmeans.lexemes").compact_model
    assert moved is importlib.import_module("grassmeans.models").compact_model


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("edited_words", "Edit"),
        ("edited_words", "EditedWord"),
        ("edited_words", "apply_edits"),
        ("saving", "save_version"),
        ("version_merge", "merge_versions"),
    ],
)
def test_names_that_moved_to_another_distribution_lead_there(module: str, name: str) -> None:
    now = f"grassmeans_explorer.editing.{module}"
    earlier = importlib.import_module(f"grassmeans.editing.{module}")
    with pytest.warns(DeprecationWarning, match=rf"{name} goes .*: use {now}\.{name}$"):
        moved = getattr(earlier, name)
    assert moved is getattr(importlib.import_module(now), name)


def test_names_are_looked_up_where_they_are() -> None:
    names, find, list_names = give_names("grassmeans.text", {"tokenizer": ("Tokenizer",)})
    assert names == list_names() == ["Tokenizer"]
    assert find("Tokenizer").__module__ == "grassmeans.text.tokenizer"
