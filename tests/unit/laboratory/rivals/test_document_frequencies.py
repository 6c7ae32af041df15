from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.documents import RawDocument
from grassmeans.corpus.ingest import IngestOptions, ingest_documents
from grassmeans.laboratory.rivals.document_frequencies import (
    count_document_frequencies,
    inverse_document_frequencies,
)
from grassmeans.vectors.word_vectors import WordVectors

TEXTS = ("a b a c", "a b b", "a d")


@pytest.fixture(params=[5, 10_000], ids=["many shards", "one shard"])
def corpus(request: pytest.FixtureRequest, tmp_path: Path) -> Corpus:
    documents = (RawDocument(str(i), "", text, "tokens") for i, text in enumerate(TEXTS))
    options = IngestOptions(function_words=frozenset(), shard_chars=request.param)
    ingest_documents(documents, tmp_path / "c", options, workers=1, show_progress=False)
    return Corpus.open(tmp_path / "c")


def test_every_document_counts_once(corpus: Corpus) -> None:
    frequencies = count_document_frequencies(corpus)
    found = dict(zip(corpus.vocabulary.words, frequencies.tolist(), strict=True))
    assert found == {"a": 3, "b": 2, "c": 1, "d": 1}


def test_weights_stand_in_the_order_of_the_vectors(corpus: Corpus) -> None:
    vectors = WordVectors(["d", "elsewhere", "b", "a"], np.eye(4))
    weights = inverse_document_frequencies(corpus, vectors)
    assert weights.dtype == np.float32
    assert weights.tolist() == pytest.approx([np.log(3), np.log(3), np.log(1.5), 0.0])
