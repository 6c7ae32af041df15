"""One small corpus with vectors and a model, for all tests of lexemes and of iteration."""

from __future__ import annotations

from pathlib import Path

import pytest

from grassmeans.clustering.settings import InductionSettings
from grassmeans.corpus.corpus import Corpus
from grassmeans.labelling.labeller import label_corpus
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.lexemes.training import train_lexemes
from grassmeans.models.building import build_model
from grassmeans.models.model import SenseModel
from grassmeans.vectors.skipgram import SkipGram
from synthetic import POLYSEMOUS, SyntheticCorpus


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory, synthetic: SyntheticCorpus) -> Corpus:
    """The synthetic corpus, stored."""
    return Corpus.from_texts(synthetic.documents, tmp_path_factory.mktemp("lexemes") / "corpus")


@pytest.fixture(scope="session")
def trainer_settings() -> dict[str, int]:
    """Enough for a corpus this small, and exactly repeatable."""
    return {"dim": 24, "window": 8, "min_count": 1, "epochs": 12, "workers": 1}


@pytest.fixture(scope="session")
def vectors_folder(corpus: Corpus, trainer_settings: dict[str, int]) -> Path:
    """Word vectors with their output side."""
    trainer = SkipGram(**trainer_settings).fit(corpus)
    folder = corpus.path.parent / "vectors"
    trainer.vectors_.save(folder, output=trainer.output_)
    return folder


@pytest.fixture(scope="session")
def model(corpus: Corpus, vectors_folder: Path) -> SenseModel:
    """Two senses for each ambiguous word."""
    return build_model(
        corpus.path,
        vectors_folder,
        corpus.path.parent / "model",
        list(POLYSEMOUS),
        settings=InductionSettings(n_senses=2),
        workers=1,
    )


@pytest.fixture(scope="session")
def labelled(corpus: Corpus, model: SenseModel) -> Corpus:
    """The corpus with hard labels; so strict that about a quarter of them are IDK."""
    folder = corpus.path.parent / "labelled"
    return label_corpus(corpus, model, folder, idk_threshold=0.0133, workers=1)


@pytest.fixture(scope="session")
def lexeme_vectors(labelled: Corpus, trainer_settings: dict[str, int]) -> LexemeVectors:
    """Vectors of the hard labels, from a random start."""
    trainer = SkipGram(**trainer_settings)
    return train_lexemes(labelled, labelled.path.parent / "lexemes", trainer, keep_output=True)
