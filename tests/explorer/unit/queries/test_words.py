"""A word as it is shown."""

from __future__ import annotations

import numpy as np

from grassmeans import WordVectors
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.words import show_word


def test_senses_are_like_those_of_other_words(topic_model_folder):
    opened = OpenModel.open(topic_model_folder)
    angles = np.radians([0, 1, 2, 30, 40])
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    keys = ["crane.1", "crane.2", "crane", "heron.1", "lift"]
    vectors = WordVectors(keys, rows.astype(np.float32))
    opened.__dict__["lexemes"] = LexemeVectors(vectors)
    first, second = show_word(opened, "crane").senses
    assert [(near.word, near.sense) for near in first.nearest_lexemes] == [
        ("heron", 1),
        ("lift", None),
    ]
    assert [near.key for near in second.nearest_lexemes] == ["heron.1", "lift"]
