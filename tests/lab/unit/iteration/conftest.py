from __future__ import annotations

from pathlib import Path

import pytest

from grassmeans.corpus.ingest import Ingest, IngestOptions
from grassmeans.reading.documents import RawDocument
from grassmeans_lab.iteration.labelled_words import LabelledWords
from lexeme_fixtures import (
    corpus,
    labelled,
    lexeme_vectors,
    model,
    trainer_settings,
    vectors_folder,
)

__all__ = ["corpus", "labelled", "lexeme_vectors", "model", "trainer_settings", "vectors_folder"]

TEXTS = (
    "bird.1 the crane.2 bank.1 the.1 river crane.1 rare",
    "crane.0 lifted bank.2",
)


@pytest.fixture
def by_hand(tmp_path: Path) -> LabelledWords:
    """Keys as ordinary tokens of tokenised documents, one a shard."""
    documents = (RawDocument(str(i), "", text, "tokens") for i, text in enumerate(TEXTS))
    options = IngestOptions(function_words=frozenset({"the"}), shard_chars=10)
    Ingest(tmp_path / "c", options, workers=1, show_progress=False).take_documents(documents)
    return LabelledWords.open(tmp_path / "c")
