from __future__ import annotations

import numpy as np
import pytest

from grassmeans.contexts.pretrained.passages import choose_bounds, cut_texts, hide_words
from grassmeans.corpus.occurrences import Occurrences, number_words, write_tokens
from grassmeans.errors import InputError

DOCUMENTS = [[f"a{i}" for i in range(20)], ["x", "y", "z"]]


def occurrences_at(*places: int) -> Occurrences:
    found = number_words(DOCUMENTS).at(np.array(places))
    return found.written_in(lambda i: write_tokens(DOCUMENTS[i]))


def test_passages_begin_every_quarter_and_stay_in_their_document() -> None:
    first, end = choose_bounds(occurrences_at(0, 3, 4, 9, 10, 19, 21), 8)
    # Quarters of 2: those of the places begin at 0, 2, 4, 8, 10, 18; three tokens before each.
    assert first.tolist() == [0, 0, 1, 5, 7, 12, 20]
    assert end.tolist() == [8, 8, 9, 13, 15, 20, 23]


def test_words_of_one_passage_are_read_together_and_put_in_order() -> None:
    found = cut_texts(occurrences_at(9, 8, 22), 8)
    assert [text.text for text in found.texts] == ["a5 a6 a7 a8 a9 a10 a11 a12", "x y z"]
    words = [text.text[start:end] for text in found.texts for start, end in text.spans]
    assert words == ["a9", "a8", "z"]
    assert found.order.tolist() == [0, 1, 2]


def test_the_company_does_not_matter() -> None:
    alone = cut_texts(occurrences_at(9), 8).texts[0].text
    assert cut_texts(occurrences_at(1, 9, 15), 8).texts[1].text == alone


def test_words_that_are_written_otherwise_have_a_passage_each() -> None:
    found = cut_texts(occurrences_at(8, 9), 4, {"a8": "a8", "a9": "another"})
    assert [text.text for text in found.texts] == ["a7 a8 a9 a10", "a8 another a10 a11"]
    assert [text.text[slice(*text.spans[0])] for text in found.texts] == ["a8", "another"]


def test_other_words_are_hidden_one_by_one() -> None:
    one = occurrences_at(21)
    texts = hide_words(one, 8, [20, 22], "---")
    assert [text.text for text in texts] == ["x y z", "--- y z", "x y ---"]
    assert [text.text[slice(*text.spans[0])] for text in texts] == ["y", "y", "y"]


def test_tokens_without_text_are_refused() -> None:
    with pytest.raises(InputError, match="original text"):
        cut_texts(number_words(DOCUMENTS), 8)
