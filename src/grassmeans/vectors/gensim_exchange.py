"""Word and lexeme vectors from and to gensim, in memory."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from grassmeans.errors import InputError, MissingExtraError
from grassmeans.vectors.word_vectors import WordVectors


class _HoldsWordVectors(Protocol):
    """Lexeme vectors, which are word vectors whose words are lexeme keys."""

    @property
    def vectors(self) -> WordVectors: ...


def from_gensim(keyed_vectors: Any) -> WordVectors:
    """Make word vectors from gensim's ``KeyedVectors``, or from a model that has them as ``wv``.

    Counts are taken over where gensim knows them; the matrix is shared, not copied.
    """
    keyed_vectors = getattr(keyed_vectors, "wv", keyed_vectors)
    try:
        words, matrix = keyed_vectors.index_to_key, keyed_vectors.vectors
    except AttributeError as error:
        raise InputError(
            "expected gensim's KeyedVectors (gensim 4 or later) or a model with .wv, got "
            f"{type(keyed_vectors).__name__}"
        ) from error
    counts = getattr(keyed_vectors, "expandos", {}).get("count")
    known = counts is not None and len(counts) == len(words)
    return WordVectors(
        [str(word) for word in words],
        matrix,
        np.asarray(counts).astype(np.int64) if known else None,
    )


def to_gensim(vectors: WordVectors | _HoldsWordVectors) -> Any:
    """Make gensim's ``KeyedVectors`` with a copy of the vectors, and the counts where known.

    Lexeme vectors keep their keys: ``crane.1``, ``crane.2``, ``crane.0`` for "I don't know".
    """
    if not isinstance(vectors, WordVectors):
        vectors = vectors.vectors
    try:
        from gensim.models import KeyedVectors
    except ImportError as error:
        raise MissingExtraError("gensim", "gensim", "handing vectors to gensim") from error
    keyed_vectors = KeyedVectors(vector_size=vectors.dim)
    keyed_vectors.add_vectors(vectors.words, np.array(vectors.vectors))
    if vectors.counts is not None:
        for word, count in zip(vectors.words, vectors.counts.tolist(), strict=True):
            keyed_vectors.set_vecattr(word, "count", count)
    return keyed_vectors
