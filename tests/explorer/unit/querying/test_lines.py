"""Lines are cut between words."""

from __future__ import annotations

import pytest

from grassmeans import Corpus
from grassmeans_explorer.querying.lines import cut_left, cut_right, read_line

TEXT = "The old harbour's crane-driver lifted\nthe steel beams, and went home."


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


def test_a_line_shows_the_tokens_and_what_stands_around_them():
    corpus = Corpus.from_texts([{"text": TEXT, "date": "1857"}], meta=["date"])
    line = read_line(corpus, 6, 9, width=14)
    assert (line.start, line.end, line.match) == (6, 9, "lifted the steel")
    assert (line.left, line.right) == ("crane-driver ", " beams, and")
    assert (line.document, dict(line.fields)) == ("0", {"date": "1857"})
    one = read_line(corpus, 6, 7, width=200)
    assert one.left + one.match + one.right == TEXT.replace("\n", " ")
