from __future__ import annotations

import numpy as np
import pytest

from grassmeans.models.placed_lexemes import place_lexemes
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.vectors.word_vectors import WordVectors

ROOT_HALF = 0.5**0.5


def make_entry(word: str, directions: list[list[float]]) -> WordSenses:
    senses = tuple(
        Sense(number, 1 / len(directions), 0.4, (), (), (), f"{word} {number}")
        for number in range(1, len(directions) + 1)
    )
    return WordSenses(word, 20, 20, np.array(directions, np.float32), senses)


def test_a_sense_lies_between_its_word_and_its_direction() -> None:
    inventory = SenseInventory(
        [make_entry("crane", [[1, 0, 0], [0, 1, 0]]), make_entry("unheard", [[0, 0, 1]])]
    )
    plain = WordVectors(["harbour", "crane"], np.array([[0, 0, 5], [3, 0, 0]], np.float32))

    found = place_lexemes(inventory, plain)

    assert found.words == ["crane.1", "crane.2", "unheard.1", "harbour"]
    expected = [[1, 0, 0], [ROOT_HALF, ROOT_HALF, 0], [0, 0, 1], [0, 0, 1]]
    np.testing.assert_allclose(found.vectors, expected, atol=1e-6)


def test_a_model_of_learned_contexts_has_them_and_stores_none() -> None:
    pytest.importorskip("grassmeans_en", reason="the English model is a package: packages/en")
    import grassmeans

    model = grassmeans.load("en")
    assert model.stored_lexemes is None
    assert model.lexemes is not None
    first = model.inventory.directions("crane")[0]
    own = model.vectors["crane"] / np.linalg.norm(model.vectors["crane"])
    middle = (own + first) / np.linalg.norm(own + first)
    np.testing.assert_allclose(model.lexemes["crane.1"], middle, atol=1e-5)
