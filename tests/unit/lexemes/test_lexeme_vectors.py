"""Hand-computed similarities over a handful of two-dimensional lexemes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans.errors import InputError, UnknownWordError
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.vectors.word_vectors import WordVectors

ROOT_HALF = 0.5**0.5


@pytest.fixture
def lexemes() -> LexemeVectors:
    vectors = {
        "crane.1": (1.0, 0.0),
        "crane.2": (0.0, 2.0),
        "crane.0": (3.0, 3.0),
        "bank.3": (0.0, -1.0),  # more frequent than sense 1; neither IDK nor a plain vector
        "bank.1": (1.0, 0.0),
        "harbour": (0.0, 5.0),
        "seal.2": (1.0, 0.0),
        "seal": (0.0, 1.0),
        "st.1\\": (-1.0, 0.0),  # the plain word "st.1"
        "nothing": (0.0, 0.0),
    }
    return LexemeVectors(WordVectors(list(vectors), list(vectors.values())))


def test_senses_are_the_numbered_ones_with_a_vector(lexemes: LexemeVectors) -> None:
    assert lexemes.senses("crane") == [1, 2]
    assert lexemes.senses("bank") == [1, 3]
    assert lexemes.senses("harbour") == []
    assert lexemes.senses("unheard") == []
    assert lexemes.has_idk("crane")
    assert not lexemes.has_idk("bank")


def test_keys_come_in_the_order_of_senses(lexemes: LexemeVectors) -> None:
    assert lexemes.keys("crane") == ["crane.1", "crane.2", "crane.0"]
    assert lexemes.keys("seal") == ["seal.2", "seal"]
    assert lexemes.keys("st.1") == ["st.1\\"]
    assert lexemes.keys("st") == []
    assert lexemes.words_with_senses == ["crane", "bank", "seal"]


def test_vector_is_that_of_exactly_this_lexeme(lexemes: LexemeVectors) -> None:
    assert lexemes.vector("crane", 2).tolist() == [0.0, 2.0]
    assert lexemes.vector("harbour").tolist() == [0.0, 5.0]
    assert lexemes.vector("st.1").tolist() == [-1.0, 0.0]
    with pytest.raises(UnknownWordError, match=r"'crane\.7'; there is: crane\.1, crane\.2"):
        lexemes.vector("crane", 7)
    with pytest.raises(UnknownWordError, match="'crane' has no vector without a sense"):
        lexemes.vector("crane")
    with pytest.raises(UnknownWordError, match="'unheard' has no vector, in any sense"):
        lexemes.vector("unheard", 1)


def test_nearest_lexemes_include_other_senses_but_not_itself(lexemes: LexemeVectors) -> None:
    found = lexemes.nearest_lexemes("crane", 2, 3)
    assert [neighbour.word for neighbour in found] == ["harbour", "seal", "crane.0"]
    assert found[2].similarity == pytest.approx(ROOT_HALF)
    assert lexemes.nearest_lexemes("crane", 2, 1, exclude=["harbour"])[0].word == "seal"
    assert lexemes.most_similar("crane.2", 3) == found
    assert lexemes.most_similar(positive=["crane.1", "crane.2"], topn=1)[0].word == "crane.0"


@pytest.mark.parametrize(
    ("word", "sense", "expected"),
    [
        ("crane", 1, 1.0),
        ("crane", 2, 0.0),
        ("crane", 0, ROOT_HALF),
        ("crane", 9, ROOT_HALF),  # no such sense: crane.0
        ("seal", 1, 0.0),  # no such sense, no seal.0: the plain word
        ("bank", 2, 0.0),  # neither: the most frequent lexeme, bank.3
        ("bank", 0, 0.0),
        ("harbour", None, 0.0),
        ("harbour", 2, 0.0),
        ("st.1", None, -1.0),
        ("nothing", None, 0.0),
    ],
)
def test_hard_similarity_to_the_first_axis(
    lexemes: LexemeVectors, word: str, sense: int | None, expected: float
) -> None:
    assert lexemes.hard_similarity(word, sense, "crane", 1) == pytest.approx(expected)
    assert lexemes.hard_similarity("crane", 1, word, sense) == pytest.approx(expected)


def test_the_fallback_of_bank_is_its_most_frequent_lexeme(lexemes: LexemeVectors) -> None:
    assert lexemes.hard_similarity("bank", 2, "harbour", None) == pytest.approx(-1.0)


def test_words_without_any_vector_have_no_similarity(lexemes: LexemeVectors) -> None:
    assert lexemes.hard_similarity("unheard", 1, "crane", 1) is None
    assert lexemes.soft_similarity("crane", [0.5, 0.5], "unheard", [1.0]) is None
    assert "unheard" not in lexemes
    assert "bank" in lexemes


def test_soft_similarity_is_the_expected_cosine(lexemes: LexemeVectors) -> None:
    # cosines: crane.1-bank.1 1, crane.1-bank.3 0, crane.2-bank.1 0, crane.2-bank.3 -1
    found = lexemes.soft_similarity("crane", [0.75, 0.25], "bank", [0.6, 0.0, 0.4])
    assert found == pytest.approx(0.75 * 0.6 - 0.25 * 0.4)
    assert lexemes.soft_similarity("crane", [0.75, 0.25], "harbour", None) == pytest.approx(0.25)


def test_the_mass_of_senses_without_a_vector_is_spread(lexemes: LexemeVectors) -> None:
    # bank.2 has none: 0.2 and 0.3 become 0.4 and 0.6
    found = lexemes.soft_similarity("bank", [0.2, 0.5, 0.3], "crane", [1.0, 0.0])
    assert found == pytest.approx(0.4)
    # All the mass on senses without one: as hard decoding does, crane.0
    found = lexemes.soft_similarity("crane", [0.0, 0.0, 1.0], "crane", [1.0, 0.0])
    assert found == pytest.approx(ROOT_HALF)


@pytest.mark.parametrize("wrong", [[0.5, 0.2], [1.5, -0.5], [], [[1.0]], [float("nan"), 1.0]])
def test_probabilities_must_sum_to_one(lexemes: LexemeVectors, wrong: list[float]) -> None:
    with pytest.raises(InputError, match="sum to 1"):
        lexemes.soft_similarity("crane", wrong, "bank", [1.0])


def test_vectors_are_counted_by_kind(lexemes: LexemeVectors) -> None:
    assert lexemes.counts_by_kind() == {
        "n_words_with_senses": 3,
        "n_senses": 5,
        "n_idk": 1,
        "n_plain": 4,
    }


def test_any_vectors_folder_may_hold_lexemes(lexemes: LexemeVectors, tmp_path: Path) -> None:
    lexemes.vectors.save(tmp_path / "lexemes")
    again = LexemeVectors.load(tmp_path / "lexemes")
    assert np.array_equal(again.vector("bank", 3), lexemes.vector("bank", 3))


def test_one_export_file_holds_all_senses(lexemes: LexemeVectors, tmp_path: Path) -> None:
    from grassmeans.vectors.exchange import write_word2vec_text

    write_word2vec_text(lexemes.vectors, tmp_path / "lexemes.txt")
    read = LexemeVectors.load(tmp_path / "lexemes.txt")
    assert read.senses("crane") == [1, 2]
    assert read.keys("st.1") == ["st.1\\"]


def test_average_and_maximum_over_the_senses_of_both_words(lexemes: LexemeVectors) -> None:
    # crane: (1, 0), (0, 1); bank: (1, 0), (0, -1); cosines 1, 0, 0, -1.
    assert lexemes.average_similarity("crane", "bank") == pytest.approx(0.0)
    assert lexemes.maximum_similarity("crane", "bank") == pytest.approx(1.0)
    # A word without senses stands for itself.
    assert lexemes.average_similarity("crane", "harbour") == pytest.approx(0.5)
    assert lexemes.maximum_similarity("harbour", "st.1") == pytest.approx(0.0)
    assert lexemes.average_similarity("crane", "unheard") is None
    assert lexemes.maximum_similarity("unheard", "crane") is None
