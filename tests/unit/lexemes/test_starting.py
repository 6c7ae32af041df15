from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.lexemes.starting import (
    expand_vectors,
    find_plain_keys,
    start_senses_afresh,
)
from grassmeans.vectors.word_vectors import WordVectors

KEYS = ["the", "crane.1", "harbour", "crane.0", "crane.2", "unheard.1", "st.1\\"]


def test_every_lexeme_starts_at_its_word() -> None:
    words = WordVectors(["crane", "the", "st.1"], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    words.output = np.array([[10.0, 20.0], [30.0, 40.0], [50.0, 60.0]], np.float32)
    start = expand_vectors(words, KEYS)
    assert start.vectors.words == ["the", "crane.1", "crane.0", "crane.2", "st.1\\"]
    expected = [[3.0, 4.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [5.0, 6.0]]
    assert start.vectors.vectors.tolist() == expected
    assert start.output is not None
    assert start.output.tolist() == [[10 * x for x in row] for row in expected]


def test_without_an_output_matrix_there_is_none() -> None:
    assert expand_vectors(WordVectors(["crane"], [[1.0]]), KEYS).output is None


def test_lexeme_vectors_are_taken_by_key_first(tmp_path: Path) -> None:
    names = ["crane.1", "crane", "st.1\\"]
    WordVectors(names, [[1.0], [2.0], [3.0]]).save(tmp_path / "v", extra={"lexemes": {}})
    start = expand_vectors(WordVectors.load(tmp_path / "v"), KEYS)
    found = dict(zip(start.vectors.words, start.vectors.vectors[:, 0].tolist(), strict=True))
    assert found == {"crane.1": 1.0, "crane.0": 2.0, "crane.2": 2.0, "st.1\\": 3.0}


def test_nothing_in_common_is_an_error() -> None:
    with pytest.raises(InputError, match="no word in common"):
        expand_vectors(WordVectors(["Crane"], [[1.0]]), ["crane.1"])


def test_senses_start_afresh_and_words_where_they_are() -> None:
    words = WordVectors(["crane", "the", "st.1"], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    words.output = np.array([[10.0, 20.0], [30.0, 40.0], [50.0, 60.0]], np.float32)
    start = expand_vectors(words, KEYS)

    fresh = start_senses_afresh(start, random_state=0)

    found = dict(zip(fresh.vectors.words, fresh.vectors.vectors.tolist(), strict=True))
    assert found["the"] == [3.0, 4.0]
    assert found["st.1\\"] == [5.0, 6.0]
    for key in ("crane.0", "crane.1", "crane.2"):
        assert all(abs(number) <= 0.25 for number in found[key])  # 0.5 / dimensions
    assert found["crane.1"] != found["crane.2"]
    assert fresh.output is start.output


def test_plain_keys_are_those_of_words_with_a_vector() -> None:
    words = WordVectors(["crane", "the", "st.1"], np.eye(3))

    assert find_plain_keys(words, KEYS) == ("the", "st.1\\")
