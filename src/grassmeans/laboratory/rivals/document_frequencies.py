"""In how many documents each word occurs, and the weights that follow from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.kernels import get_kernels
from grassmeans.vectors.word_vectors import WordVectors


def count_document_frequencies(corpus: Corpus) -> NDArray[np.int64]:
    """(n_types,) the number of documents that each word of the corpus occurs in; one pass."""
    frequencies = np.zeros(len(corpus.vocabulary), np.int64)
    for shard in corpus.shards:
        frequencies += get_kernels().count_documents(
            np.asarray(shard.tokens), np.asarray(shard.document_offsets), len(frequencies)
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
