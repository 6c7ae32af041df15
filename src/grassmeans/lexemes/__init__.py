"""One vector per word and sense, and similarity in context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grassmeans.lazy import give_names

if TYPE_CHECKING:
    from grassmeans.lexemes.context_similarity import ContextSimilarity as ContextSimilarity
    from grassmeans.lexemes.context_similarity import Passage as Passage
    from grassmeans.lexemes.lexeme_vectors import LexemeVectors as LexemeVectors
    from grassmeans.lexemes.training import train_lexemes as train_lexemes

__all__, __getattr__, __dir__ = give_names(
    __name__,
    {
        "lexeme_vectors": ("LexemeVectors",),
        "context_similarity": ("ContextSimilarity", "Passage"),
        "training": ("train_lexemes",),
    },
    deprecated={
        "compact_model": (
            "grassmeans.models.compacting:compact_model",
            "grassmeans.models.compact_model",
        )
    },
)
