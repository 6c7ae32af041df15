"""A model made by a recipe, in some seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grassmeans import Corpus
from grassmeans.contexts.attention.training import EncoderSettings
from grassmeans.recipes import About, Recipe, Source, make_model
from synthetic import make_topic_text

BRIEF = EncoderSettings(dim=64, layers=1, passage=32, epochs=2, batch_tokens=512)
RECIPE = Recipe(BRIEF, min_count=60, epochs=1)
ABOUT = About("topics", "CC BY 4.0", (Source("made up", "CC0", 28_000),), limits=("No birds.",))


@pytest.fixture(scope="session")
def texts(tmp_path_factory) -> Path:
    """A corpus of 400 documents, long enough for pseudo-words."""
    documents = make_topic_text(400).documents
    return Corpus.from_texts(documents, tmp_path_factory.mktemp("texts") / "corpus").path


@pytest.fixture(scope="session")
def told() -> list[str]:
    """What the making of the model has said."""
    return []


@pytest.fixture(scope="session")
def made(tmp_path_factory, texts, told) -> Path:
    """A model of the topics, with its steps beside it."""
    pytest.importorskip("torch", reason="needs the extra encoder")
    folder = tmp_path_factory.mktemp("made") / "model"
    with pytest.warns(match="fewer than 50,000"):
        make_model(texts, folder, RECIPE, about=ABOUT, keep=True, **quiet(told))
    return folder


def quiet(told: list[str] | None = None) -> dict[str, Any]:
    """How small things are made."""
    said = [] if told is None else told
    return {"workers": 1, "show_progress": False, "tell": said.append}
