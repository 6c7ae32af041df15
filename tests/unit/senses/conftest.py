from __future__ import annotations

from pathlib import Path

import pytest

from grassmeans import Corpus, SkipGram, WordVectors
from grassmeans.senses.building import build_model
from grassmeans.senses.model import SenseModel
from grassmeans.senses.settings import InductionSettings

TWO_SENSES = InductionSettings(n_senses=2)


@pytest.fixture(scope="session")
def topic_corpus(tmp_path_factory, synthetic) -> Corpus:
    return Corpus.from_texts(synthetic.documents, tmp_path_factory.mktemp("topics") / "corpus")


@pytest.fixture(scope="session")
def topic_vectors(tmp_path_factory, topic_corpus) -> WordVectors:
    folder = tmp_path_factory.mktemp("topics") / "vectors"
    trainer = SkipGram(dim=40, window=5, min_count=3, epochs=20, workers=1)
    trainer.fit(topic_corpus).vectors_.save(folder)
    return WordVectors.load(folder)


@pytest.fixture(scope="session")
def topic_model_folder(tmp_path_factory, topic_corpus, topic_vectors) -> Path:
    folder = tmp_path_factory.mktemp("topics") / "model"
    build_model(
        topic_corpus.path,
        topic_vectors.folder,
        folder,
        ["crane", "bank", "nowhere"],
        settings=TWO_SENSES,
        workers=1,
    )
    return folder


@pytest.fixture(scope="session")
def topic_model(topic_model_folder) -> SenseModel:
    import grassmeans

    return grassmeans.load(topic_model_folder)
