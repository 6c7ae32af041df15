"""A labelled corpus made by hand: keys are ordinary tokens of a tokenised document."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans.contexts import ContextExtractor
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.documents import RawDocument
from grassmeans.corpus.ingest import IngestOptions, ingest_documents
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.laboratory.iteration.word_contexts import (
    LexemeContextExtractor,
)
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.vectors.word_vectors import WordVectors

TEXTS = (
    "bird.1 the crane.2 bank.1 the.1 river crane.1 rare",
    "crane.0 lifted bank.2",
)
VECTORS = ["bird.1", "the", "the.1", "crane.1", "crane.2", "crane.0", "bank.1", "bank.2", "river"]


@pytest.fixture
def by_hand(tmp_path: Path) -> Corpus:
    documents = (RawDocument(str(i), "", text, "tokens") for i, text in enumerate(TEXTS))
    options = IngestOptions(function_words=frozenset({"the"}), shard_chars=10)
    ingest_documents(documents, tmp_path / "c", options, workers=1, show_progress=False)
    return Corpus.open(tmp_path / "c")


@pytest.fixture
def lexemes() -> LexemeVectors:
    return LexemeVectors(WordVectors(VECTORS, np.eye(len(VECTORS))))


def context_words(ids: np.ndarray) -> list[list[str]]:
    return [[VECTORS[i] for i in row if i >= 0] for row in ids]


def test_all_keys_of_a_word_in_text_order(by_hand: Corpus, lexemes: LexemeVectors) -> None:
    contexts = LexemeContextExtractor(by_hand, lexemes, window=2).extract("crane")
    assert contexts.positions.tolist() == [2, 6, 8]
    # Function words go in any sense ("the", "the.1"), and "rare" and "lifted" have no vector.
    assert context_words(contexts.context_ids) == [
        ["bird.1", "bank.1", "river"],
        ["bank.1", "river"],
        ["bank.2"],
    ]


def test_labels_are_read_from_the_keys(by_hand: Corpus, lexemes: LexemeVectors) -> None:
    extractor = LexemeContextExtractor(by_hand, lexemes)
    assert len(by_hand.shards) == 2
    assert extractor.labels("crane", extractor.positions("crane")).tolist() == [2, 1, 0]
    assert extractor.labels("bank", np.array([10])).tolist() == [2]
    assert extractor.count("crane") == 3
    assert "crane" in extractor
    assert "crane.1" not in extractor


def test_repeats_of_the_target_are_dropped_in_any_sense(
    by_hand: Corpus, lexemes: LexemeVectors
) -> None:
    kept = LexemeContextExtractor(by_hand, lexemes, window=4).extract("crane")
    assert context_words(kept.context_ids)[0] == ["bird.1", "bank.1", "river", "crane.1"]
    dropped = LexemeContextExtractor(by_hand, lexemes, window=4, drop_repeats=True).extract("crane")
    assert context_words(dropped.context_ids)[0] == ["bird.1", "bank.1", "river"]


def test_a_sample_is_in_text_order(labelled: Corpus, lexeme_vectors: LexemeVectors) -> None:
    extractor = LexemeContextExtractor(labelled, lexeme_vectors)
    every = extractor.extract("crane")
    sample = extractor.extract("crane", max_contexts=20, random_state=1)
    assert len(sample) == 20
    rows = np.searchsorted(every.positions, sample.positions)
    assert np.all(np.diff(rows) > 0)
    assert np.array_equal(every.context_ids[rows], sample.context_ids)


def test_without_senses_it_is_the_ordinary_extractor(
    corpus: Corpus, labelled: Corpus, lexeme_vectors: LexemeVectors, vectors_folder: Path
) -> None:
    words = WordVectors.load(vectors_folder)
    ours = LexemeContextExtractor(labelled, lexeme_vectors).extract("seal")
    plain = ContextExtractor(corpus, words).extract("seal")
    assert np.array_equal(ours.positions, plain.positions)
    for mine, theirs in zip(ours.context_ids, plain.context_ids, strict=True):
        keys = [lexeme_vectors.vectors.words[i].split(".")[0] for i in mine if i >= 0]
        assert keys == [words.words[i] for i in theirs if i >= 0]


def test_mistakes_are_explained(by_hand: Corpus, lexemes: LexemeVectors) -> None:
    extractor = LexemeContextExtractor(by_hand, lexemes)
    with pytest.raises(UnknownWordError, match="'heron' does not occur"):
        extractor.extract("heron")
    with pytest.raises(InputError, match="no key in common"):
        LexemeContextExtractor(by_hand, LexemeVectors(WordVectors(["x"], [[1.0]])))
    with pytest.raises(InputError, match="window must be 1 or more"):
        LexemeContextExtractor(by_hand, lexemes, window=0)
