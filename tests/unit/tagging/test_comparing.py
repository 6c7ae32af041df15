from __future__ import annotations

import math

import pytest

from evaluation_fixtures import small_model
from grassmeans.errors import InputError
from grassmeans.tagging.comparing import compare_texts, locate_word
from grassmeans.tagging.lemmas import Lemmas
from grassmeans.text.tokenizer import Tokenizer

__all__ = ["small_model"]

RULE = Tokenizer()


def find(text: str, lemmas: Lemmas | None = None) -> tuple[int, int]:
    read = locate_word("text1", text, "crane", RULE, lemmas)
    (place,) = read.targets
    return read.spans[place]


def test_the_first_occurrence_or_the_marked_one() -> None:
    assert find("A Crane and a crane.") == (2, 7)
    assert find("A crane and a <b>crane</b>.") == (14, 19)
    assert find("A crane and <b>two cranes</b>.") == (12, 15)  # the first that is marked


def test_forms_that_lead_to_the_word() -> None:
    assert find("Two cranes", Lemmas({"cranes": "crane"}.get, set())) == (4, 10)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Two cranes", "there is no 'crane' in text1"),
        ("", "there is no 'crane' in text1"),
        ("a crane <b> </b>", "no word is marked in text1"),
    ],
)
def test_a_text_without_the_word(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find(text)


def test_how_alike_by_hand(small_model) -> None:
    def compare(first: str, second: str) -> float:
        return compare_texts((first, second), "crane", small_model.encoder, RULE)

    assert compare("nest crane", "crane mix") == pytest.approx(0.36)
    assert compare("nest crane", "crane nest") == pytest.approx(1.0)
    assert compare("nest crane", "mix crane, beam <b>cranes</b>") == pytest.approx(
        compare("crane nest", "mix, beam crane")
    )
    assert math.isnan(compare("nest crane", "crane"))
