"""In how many documents each word occurs, and the weights that follow from it."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.kernels.cpu.windows import as_read_only
from grassmeans.vectors.word_vectors import WordVectors


def count_document_frequencies(corpus: Corpus) -> NDArray[np.int64]:
    """(n_types,) the number of documents that each word of the corpus occurs in; one pass."""
    frequencies = np.zeros(len(corpus.vocabulary), np.int64)
    last_document = np.full(len(corpus.vocabulary), -1, np.int64)
    for first, shard in zip(corpus.document_starts.tolist(), corpus.shards, strict=False):
        _count_shard(
            as_read_only(shard.tokens, np.int32),
            as_read_only(shard.document_offsets, np.int64),
            first,
            last_document,
            frequencies,
        )
    return frequencies


def inverse_document_frequencies(corpus: Corpus, vectors: WordVectors) -> NDArray[np.float32]:
    """Weights log(documents / documents with the word), one for each row of the vectors.

    A word of every document weighs nothing; one that the corpus does not have weighs as much as a
    word of one document.
    """
    frequencies = np.ones(len(vectors), np.int64)
    rows = vectors.ids_of(corpus.vocabulary.words)
    known = rows >= 0
    frequencies[rows[known]] = np.maximum(count_document_frequencies(corpus)[known], 1)
    weights: NDArray[np.float32] = np.log(max(corpus.n_documents, 1) / frequencies)
    return weights.astype(np.float32)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _count_shard(
    tokens: NDArray[np.int32],
    document_offsets: NDArray[np.int64],
    first_document: int,
    last_document: NDArray[np.int64],
    frequencies: NDArray[np.int64],
) -> None:
    """Count a word where its document is not the last one that it was seen in."""
    for i in range(document_offsets.shape[0] - 1):
        document = first_document + i
        for position in range(document_offsets[i], document_offsets[i + 1]):
            token = tokens[position]
            if token >= 0 and last_document[token] != document:
                last_document[token] = document
                frequencies[token] += 1
