"""Words that are spelt alike."""

from __future__ import annotations

import difflib

import pytest

from grassmeans.vectors.spelling import SpellingIndex, count_edits, fold_word


@pytest.mark.parametrize(
    ("first", "second", "edits"),
    [
        ("crane", "crane", 0),
        ("crnae", "crane", 1),  # a swap
        ("crne", "crane", 1),
        ("craane", "crane", 1),
        ("crone", "crane", 1),
        ("recieve", "received", 2),
        ("", "ab", 2),
        ("kitten", "sitting", 3),
    ],
)
def test_edits_are_counted(first, second, edits):
    assert count_edits(first, second, 3) == count_edits(second, first, 3) == edits
    if edits:
        assert count_edits(first, second, edits - 1) == edits  # one more than was looked for


def test_what_people_leave_out_is_folded_away():
    assert fold_word("Café") == fold_word("CAFE") == "cafe"
    assert fold_word("ice-cream") == fold_word("ice_cream") == fold_word("Ice cream") == "icecream"
    assert fold_word("Straße") == "strasse"


@pytest.fixture
def index() -> SpellingIndex:
    words = ["bank", "band", "café", "cafe", "crane", "create", "rane", "ice_cream", "журавль"]
    return SpellingIndex(words, [1000, 10, 5, 50, 100, 5000, 100, 7, 9])


def test_few_edits_come_first_then_frequent_words(index):
    assert index.find("banl") == ["bank", "band"]
    assert index.find("crnae") == ["crane", "create", "rane"]  # 1, 2, and 2 with another beginning
    assert index.find("xrane") == ["crane", "rane"]  # changed or left out: 1, and both begin anew
    assert index.find("bank") == ["band"]
    assert index.find("журавел")[0] == "журавль"
    assert index.find("bank", 0) == []


def test_nothing_is_spelt_like_noise(index):
    assert index.find("qqqqqqq") == index.find("") == index.find("b") == index.find("x" * 99) == []
    assert SpellingIndex([]).find("crane") == []
    assert index.find("\ud800\ud800") == []


def test_marks_alone_lead_to_the_frequent_word(index):
    assert index.same_but_for_marks("CAFÉ") == "cafe"
    assert index.same_but_for_marks("Ice cream") == "ice_cream"
    assert index.same_but_for_marks("cran") is None


def test_no_word_within_an_edit_is_missed(index):
    """The bags of letters only save time: the same as looking at all words."""
    for word in ("crane", "creat", "bnak", "fecac"):
        near = {other for other in index.words if count_edits(word, fold_word(other), 1) <= 1}
        assert near - {word} <= set(index.find(word, 9)), difflib.get_close_matches(word, near)
