from __future__ import annotations

import numpy as np

from grassmeans import Corpus
from grassmeans.collocations.surroundings import OUTSIDE, tokens_around, tokens_at


def test_tokens_around_stay_inside_their_document():
    corpus = Corpus.from_texts(["one two three", "four two"])
    around = tokens_around(corpus, corpus.positions("two"), 2, 1)
    names = [[corpus.vocabulary.words[i] if i >= 0 else i for i in row] for row in around]
    assert names == [[OUTSIDE, "one", "three"], [OUTSIDE, "four", OUTSIDE]]
    assert tokens_around(corpus, np.empty(0, np.int64), 1, 1).shape == (0, 2)
    at = tokens_at(corpus, np.array([0, 3]))
    assert [corpus.vocabulary.words[i] for i in at] == ["one", "four"]
