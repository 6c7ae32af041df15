from __future__ import annotations

from lexeme_fixtures import (
    corpus,
    labelled,
    lexeme_vectors,
    model,
    trainer_settings,
    vectors_folder,
)

__all__ = ["corpus", "labelled", "lexeme_vectors", "model", "trainer_settings", "vectors_folder"]
