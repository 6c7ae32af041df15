from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.laboratory.experiments.merged_text import MemoryShard, MergeableText, Merger


@pytest.fixture
def text() -> MergeableText:
    """Two documents of rows 0 to 4: 0 1 2 3 4 0 0 0 0 3 | 4 0 0 0 1."""
    tokens = np.array([0, 1, 2, 3, 4, 0, 0, 0, 0, 3, 4, 0, 0, 0, 1], np.int32)
    return MergeableText(
        candidates=np.array([1, 3]),
        weights=np.array([0.5, 0.5]),
        counts=np.array([8, 2, 1, 2, 2]),
        text=MemoryShard(tokens, np.array([0, 10, 15])),
    )


def test_text_is_cut_down_to_the_words_around_artificial_ones(text):
    # Rows 1 and 3 become row 7, which stands at 1, 3, 9 and 14.
    found = text.merge(Merger(np.array([[1, 3]]), first_row=7), reach=1)
    assert found.tokens.tolist() == [0, 7, 2, 7, 4, 0, 7, 0, 7]
    assert found.document_offsets.tolist() == [0, 5, 7, 9]


def test_stretches_end_with_their_documents(text):
    found = text.merge(Merger(np.array([[3], [4]]), first_row=5), reach=1)
    # 3 -> 5 and 4 -> 6; the last word of the first document and the first of the second meet.
    assert found.tokens.tolist() == [2, 5, 6, 0, 0, 5, 6, 0]
    assert found.document_offsets.tolist() == [0, 4, 6, 8]


def test_a_long_reach_keeps_everything(text):
    found = text.merge(Merger(np.array([[1, 3]]), first_row=5), reach=100)
    assert found.document_offsets.tolist() == [0, 10, 15]


def test_counts_move_to_the_artificial_words(text):
    merger = Merger(np.array([[1, 3], [0, 2]]), first_row=6)
    assert text.merge_counts(merger, 9).tolist() == [0, 0, 0, 0, 2, 0, 4, 9, 0]
    assert merger.rows == slice(6, 8)


def test_reading_leaves_out_unknown_words_and_takes_documents_evenly():
    documents = ["river water stone", "river stone water", "stone river water"]
    documents.append("river nowhere the water")
    corpus = Corpus.from_texts(documents)
    vectors = WordVectors(["stone", "river", "water", "the"], np.eye(4, dtype=np.float32))
    found = MergeableText.read(corpus, vectors, min_count=4, max_tokens=13)
    assert found.text.tokens.tolist() == [1, 2, 0, 1, 0, 2, 0, 1, 2, 1, 3, 2]
    assert found.text.document_offsets.tolist() == [0, 3, 6, 9, 12]
    assert found.counts.tolist() == [3, 4, 4, 1]
    # Content words only, by their frequency: river and water occur four times.
    assert sorted(found.candidates.tolist()) == [1, 2]
    assert found.weights.tolist() == [0.5, 0.5]
    half = MergeableText.read(corpus, vectors, min_count=4, max_tokens=7)
    assert half.text.tokens.tolist() == [1, 2, 0, 0, 1, 2]
