"""Texts are cut between words."""

from __future__ import annotations

import pytest

from grassmeans.text.cutting import cut_left, cut_right


@pytest.mark.parametrize(
    ("width", "left", "right"),
    [
        (0, "", ""),
        (2, "", ""),
        (3, "the", ""),
        (4, "the", ""),
        (5, "the", " home"),
        (6, "the", " home."),
        (99, "lifted the", " home."),
    ],
)
def test_sides_are_cut_at_words(width, left, right):
    assert (cut_left("lifted the", width), cut_right(" home.", width)) == (left, right)


def test_apostrophes_hyphens_and_marks_hold_a_word_together():
    assert cut_right(" harbour's x", 9) == ""
    assert cut_right(" crane-driver x", 8) == ""
    assert cut_left("x crane-driver", 8) == ""
    assert cut_right(" cafe\u0301 x", 5) == ""
    assert cut_right(" cafe\u0301 x", 6) == " cafe\u0301"


def test_scripts_without_spaces_are_cut_anywhere():
    assert cut_right("鹤站在水边", 3) == "鹤站在"
    # A mark goes with its letter there too.
    assert cut_right("น้ำ", 1) == ""
    assert cut_right("ที่ดิน", 3) == "ที่"


def test_marks_at_the_end_of_a_word_go_with_it() -> None:
    assert cut_left("one two). (Three) four", 15) == "(Three) four"
    assert cut_left("one two). (Three) four", 14) == "(Three) four"
    assert cut_left("one .two", 4) == ".two"  # written to the word that stays
