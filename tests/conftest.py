"""Fixtures that every test may use."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# Tests are imported by path (--import-mode=importlib), which does not make this folder importable.
sys.path.insert(0, str(Path(__file__).parent))

from grassmeans import Corpus, SkipGram, WordVectors
from grassmeans.clustering.settings import InductionSettings
from grassmeans.models.building import build_model
from grassmeans.models.model import SenseModel, load
from grassmeans.plugins import find_plugins
from script_coverage import ScriptLines
from synthetic import SyntheticCorpus, make_topic_text
from tiny_transformer import make_transformer


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(ScriptLines(config), "script lines")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lies in a folder ``system``, before tests are chosen by their marks."""
    for item in items:
        if "system" in item.path.relative_to(Path(__file__).parent).parts:
            item.add_marker("system")


@pytest.fixture(scope="session", autouse=True)
def quiet_disk() -> Iterator[None]:
    """Wait for no disk: thousands of small files are written, and no power is cut."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(autouse=True)
def plugins_as_they_are() -> Iterator[None]:
    """What a test installed is gone after it."""
    yield
    find_plugins.cache_clear()


@pytest.fixture(scope="session")
def synthetic() -> SyntheticCorpus:
    """A corpus of 160 short documents about eight topics, with gold labels."""
    return make_topic_text()


@pytest.fixture(scope="session")
def synthetic_text_file(
    tmp_path_factory: pytest.TempPathFactory, synthetic: SyntheticCorpus
) -> Path:
    """The same corpus as a text file in which a blank line starts a new document."""
    path = tmp_path_factory.mktemp("synthetic") / "topics.txt"
    path.write_text("\n\n".join(synthetic.documents) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def topic_corpus(tmp_path_factory, synthetic) -> Corpus:
    """The same documents as a corpus."""
    return Corpus.from_texts(synthetic.documents, tmp_path_factory.mktemp("topics") / "corpus")


@pytest.fixture(scope="session")
def topic_vectors(tmp_path_factory, topic_corpus) -> WordVectors:
    """Word vectors of them."""
    folder = tmp_path_factory.mktemp("topics") / "vectors"
    trainer = SkipGram(dim=40, window=5, min_count=3, epochs=20, workers=1)
    trainer.fit(topic_corpus).vectors_.save(folder)
    return WordVectors.load(folder)


@pytest.fixture(scope="session")
def topic_model_folder(tmp_path_factory, topic_corpus, topic_vectors) -> Path:
    """A model of two words with two senses each, and of one that does not occur."""
    folder = tmp_path_factory.mktemp("topics") / "model"
    build_model(
        topic_corpus.path,
        topic_vectors.folder,
        folder,
        ["crane", "bank", "nowhere"],
        settings=InductionSettings(n_senses=2),
        workers=1,
    )
    return folder


@pytest.fixture(scope="session")
def forms_corpus(tmp_path_factory, synthetic) -> Corpus:
    """The same documents, but every second of them writes "cranes" for "crane"."""
    documents = [
        text.replace("crane", "cranes") if number // 8 % 2 else text
        for number, text in enumerate(synthetic.documents)
    ]
    return Corpus.from_texts(documents, tmp_path_factory.mktemp("forms") / "corpus")


@pytest.fixture(scope="session")
def forms_model(tmp_path_factory, forms_corpus, topic_vectors, synthetic) -> SenseModel:
    """A model of it in which both have one entry."""
    first, second = synthetic.topic_words[0][:2]
    return build_model(
        forms_corpus.path,
        topic_vectors.folder,
        tmp_path_factory.mktemp("forms") / "model",
        ["Cranes", "bank", "nowhere"],
        settings=InductionSettings(n_senses=2),
        lemmas={"cranes": "crane", "unheard": "bank", second: first},
        workers=1,
    )


@pytest.fixture(scope="session")
def doubtful_corpus(tmp_path_factory, synthetic) -> Corpus:
    """The same documents; and crane among words of music, and between birds and machines."""
    birds, machines, music = (synthetic.topic_words[topic] for topic in (0, 1, 5))
    turned = range(4)
    documents = list(synthetic.documents)
    documents += [" ".join([*music[i : i + 5], "crane", *music[i + 5 : i + 10]]) for i in turned]
    documents += [" ".join([*birds[i : i + 4], "crane", *machines[i : i + 4]]) for i in turned]
    return Corpus.from_texts(documents, tmp_path_factory.mktemp("doubtful") / "doubtful")


@pytest.fixture(scope="session")
def doubtful_model_folder(tmp_path_factory, doubtful_corpus, topic_vectors) -> Path:
    """A model of it, in which crane and bank have two senses."""
    folder = tmp_path_factory.mktemp("doubtful") / "model"
    settings = InductionSettings(n_senses=2)
    words = ["crane", "bank"]
    build_model(
        doubtful_corpus.path, topic_vectors.folder, folder, words, settings=settings, workers=1
    )
    return folder


@pytest.fixture(scope="session")
def transformer_folder(tmp_path_factory) -> Path:
    """A tiny random transformer with its tokenizer; skips where the extra is not installed."""
    pytest.importorskip("torch", reason="the extra transformers is not installed")
    pytest.importorskip("transformers", reason="the extra transformers is not installed")
    return make_transformer(tmp_path_factory.mktemp("transformer") / "tiny")


@pytest.fixture(scope="session")
def topic_model(topic_model_folder) -> SenseModel:
    """That model, opened."""
    return load(topic_model_folder)
