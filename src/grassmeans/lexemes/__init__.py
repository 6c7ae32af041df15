"""One vector per word and sense, and similarity in context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grassmeans.lazy import give_names

if TYPE_CHECKING:
    from grassmeans.lexemes.compacting import compact_model as compact_model
    from grassmeans.lexemes.context_similarity import ContextSimilarity as ContextSimilarity
    from grassmeans.lexemes.context_similarity import Passage as Passage
    from grassmeans.lexemes.lexeme_vectors import LexemeVectors as LexemeVectors
    from grassmeans.lexemes.training import train_lexemes as train_lexemes

_PUBLIC = {
    "LexemeVectors": "grassmeans.lexemes.lexeme_vectors",
    "ContextSimilarity": "grassmeans.lexemes.context_similarity",
    "Passage": "grassmeans.lexemes.context_similarity",
    "train_lexemes": "grassmeans.lexemes.training",
    "compact_model": "grassmeans.lexemes.compacting",
}

__all__ = [*_PUBLIC]  # noqa: PLE0604

__getattr__ = give_names(__name__, _PUBLIC)


def __dir__() -> list[str]:
    return sorted(__all__)
