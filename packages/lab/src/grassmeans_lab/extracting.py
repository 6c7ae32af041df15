"""The contexts of many words, as experiments and rivals take them."""

from __future__ import annotations

from typing import Any

from grassmeans.corpus.corpus import Corpus
from grassmeans.geometry.windows import (
    DEFAULT_WINDOW,
    Contexts,
    ContextShape,
    contexts_at,
    rows_of_tokens,
    sample_positions,
)
from grassmeans.vectors.word_vectors import WordVectors


class ContextExtractor:
    """Extracts contexts of one word after another; what all words share is worked out once.

    Ids are rows of the vectors, or without them the corpus's (see `rows_of_tokens`).
    """

    def __init__(
        self,
        corpus: Corpus,
        vectors: WordVectors | None = None,
        *,
        window: int = DEFAULT_WINDOW,
        drop_repeats: bool = False,
        drop_function_words: bool = True,
    ) -> None:
        self.corpus = corpus
        self.shape = ContextShape(window=window, drop_repeats=drop_repeats)
        self.row_of_token = rows_of_tokens(corpus, vectors, drop_function_words=drop_function_words)

    def extract(
        self, word: str | int, *, max_contexts: int | None = None, random_state: Any = 0
    ) -> Contexts:
        """The contexts of a word (or of a word id), all or a random sample in text order."""
        positions = sample_positions(self.corpus.positions(word), max_contexts, random_state)
        return contexts_at(self.corpus, positions, self.row_of_token, self.shape)
