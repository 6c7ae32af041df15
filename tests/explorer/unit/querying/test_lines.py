"""Lines are cut between words."""

from __future__ import annotations

from grassmeans import Corpus
from grassmeans_explorer.querying.lines import read_line

TEXT = "The old harbour's crane-driver lifted\nthe steel beams, and went home."


def test_a_line_shows_the_tokens_and_what_stands_around_them():
    corpus = Corpus.from_texts([{"text": TEXT, "date": "1857"}], meta=["date"])
    line = read_line(corpus, 6, 9, width=14)
    assert (line.start, line.end, line.match) == (6, 9, "lifted the steel")
    assert (line.left, line.right) == ("crane-driver ", " beams, and")
    assert (line.document, dict(line.fields)) == ("0", {"date": "1857"})
    one = read_line(corpus, 6, 7, width=200)
    assert one.left + one.match + one.right == TEXT.replace("\n", " ")
