"""Words near occurrences: counts and scores worked out by hand."""

from __future__ import annotations

from math import log, log2

import numpy as np
import pytest

from crane_model import save_crane_model
from grassmeans import Corpus, find_collocates, load
from grassmeans.collocations.collocates import (
    OUTSIDE,
    NearWords,
    count_near_words,
    tokens_around,
)
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.errors import InputError

TEXTS = [
    "nest crane wing",  # a bird
    "steel crane beam",  # a machine
    "wing crane nest",  # a bird
    "nest nest the",
]
# 12 tokens: nest 4, crane 3, wing 2, steel 1, beam 1, the 1.


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_texts(TEXTS)


def test_words_near_groups_are_counted_inside_documents(corpus):
    birds, machines = np.array([1, 7]), np.array([4])
    near = count_near_words(corpus, [birds, machines], before=2, after=2)
    found = {near.words[i]: near.counts[:, n].tolist() for n, i in enumerate(near.ids)}
    assert found == {"nest": [2, 0], "wing": [2, 0], "steel": [0, 1], "beam": [0, 1]}
    assert (near.lines.tolist(), near.places.tolist()) == ([2, 1], [4, 2])
    only_left = count_near_words(corpus, [birds], before=1, after=0)
    assert [only_left.words[i] for i in only_left.ids] == ["nest", "wing"]
    nothing = count_near_words(corpus, [np.empty(0, np.int64)])
    assert nothing.rank(0) == ()
    for before, after in ((0, 0), (-1, 3), (60, 60)):
        with pytest.raises(InputError, match="before and after"):
            count_near_words(corpus, [birds], before=before, after=after)


def test_an_occurrence_may_be_several_tokens_long(corpus):
    near = count_near_words(corpus, [np.array([0, 3])], before=1, after=1, length=2)
    assert [near.words[i] for i in near.ids] == ["wing", "beam"]
    assert tokens_around(corpus, np.array([0]), 1, 2, length=2).tolist() == [
        [OUTSIDE, corpus.word_id("wing"), OUTSIDE]
    ]


def test_words_beyond_the_vocabulary_take_a_place():
    options = IngestOptions(max_vocabulary=2)
    corpus = Corpus.from_texts(["nest crane beam"], options=options)
    near = count_near_words(corpus, [np.array([1])], before=50, after=50)
    assert [near.words[i] for i in near.ids] == ["beam"]
    assert near.places.tolist() == [2]


def test_collocates_are_ranked_by_either_score(corpus):
    near = count_near_words(corpus, [np.array([1, 7])], before=1, after=1)
    wing, nest = near.rank(0, fewest=1)
    assert (wing.word, wing.count, wing.total, wing.log_dice) == ("wing", 2, 2, 14.0)
    assert wing.expected == pytest.approx(4 * 2 / 12, abs=1e-3)
    assert nest.log_dice == pytest.approx(14 + log2(2 * 2 / (2 + 4)), abs=1e-3)
    expected = 2 * (2 * log(24 / 16) + 4 * log(24 / 32) + 6 * log(72 / 64))
    assert nest.log_likelihood == pytest.approx(expected, abs=1e-3)
    assert [c.word for c in near.rank(0, by="log_likelihood", fewest=1, limit=1)] == ["wing"]
    assert near.rank(0, fewest=3) == ()
    with pytest.raises(InputError, match="log_dice"):
        near.rank(0, by="mutual")


def test_of_a_sample_only_its_part_of_the_other_word_counts(corpus):
    near = count_near_words(corpus, [np.array([1])], before=1, after=1, shares=[0.5])
    # Half of the two "wing" could stand near: 2 * 1 / (1 + 1).
    assert {c.word: c.log_dice for c in near.rank(0, fewest=1)}["wing"] == 14.0


def test_function_words_are_left_out_unless_asked_for(corpus):
    near = count_near_words(corpus, [np.array([9])], before=2, after=2)
    assert [c.word for c in near.rank(0, fewest=1)] == ["nest"]
    assert {c.word for c in near.rank(0, fewest=1, function_words=True)} == {"nest", "the"}


def test_differences_have_a_sign(corpus):
    near = count_near_words(corpus, [np.array([1, 7]), np.array([4])], before=1, after=1)
    found = {d.word: d for d in near.compare(0, 1, fewest=1)}
    assert set(found) == {"nest", "wing", "steel", "beam"}
    wing, steel = found["wing"], found["steel"]
    assert (wing.first, wing.second, wing.second_log_dice) == (2, 0, None)
    # Near birds 2 of 4 places, near machines 0 of 2.
    expected = 2 * (2 * log(6 * 2 / (4 * 2)) + 2 * log(6 * 2 / (4 * 4)) + 2 * log(6 * 2 / (2 * 4)))
    assert wing.log_likelihood == pytest.approx(expected, abs=1e-3)
    assert steel.log_likelihood < 0
    assert steel.second_log_dice == 14.0
    mirrored = {d.word: d.log_likelihood for d in near.compare(1, 0, fewest=1)}
    assert mirrored["wing"] == -wing.log_likelihood
    scores = [abs(d.log_likelihood) for d in near.compare(0, 1, fewest=1)]
    assert scores == sorted(scores, reverse=True)
    signs = [d.log_likelihood > 0 for d in near.compare(0, 1, fewest=1, limit=1)]
    assert sorted(signs) == [False, True]  # one for each


def test_what_is_near_both_is_shared():
    corpus = Corpus.from_texts(["a nest crane", "a nest heron", "a steel crane", "big big big big"])
    cranes, herons = (corpus.positions(word) for word in ("crane", "heron"))
    near = count_near_words(corpus, [cranes, herons], before=2, after=0)
    (nest,) = near.compare(0, 1, shared=True, fewest=1)
    assert (nest.word, nest.first, nest.second) == ("nest", 1, 1)
    # 2 * 1 / (2 + 2) and 2 * 1 / (1 + 2).
    assert nest.first_log_dice == 13.0
    assert nest.second_log_dice == pytest.approx(14 + log2(2 / 3), abs=1e-3)
    assert near.compare(0, 1, shared=True, fewest=2) == ()


def near_words(totals, *counts, lines=50, places=500, n_tokens=10_000):
    """Words "a", "b", ... near groups of 50 occurrences each, with ten words around each."""
    n = len(counts)
    return NearWords(
        words="abcdef"[: len(totals)],
        ids=np.arange(len(totals)),
        counts=np.array(counts),
        totals=np.array(totals),
        lines=np.full(n, lines),
        places=np.full(n, places),
        n_tokens=n_tokens,
        shares=np.ones(n),
        function_words=frozenset("f"),
    )


def test_what_is_near_as_often_as_by_chance_is_no_collocate():
    # Of 10,000 words 500 are near: of a word's 100 five are expected.
    near = near_words([100, 100, 100], [4, 5, 6])
    (collocate,) = near.rank(0)
    assert (collocate.word, collocate.expected) == ("c", 5.0)


def test_the_scores_rank_differently():
    # a: 3 of 3 near, logDice of 6 / 53, expected 0.15; b: 20 of 200, of 40 / 250, expected 10.
    near = near_words([3, 200], [3, 20])
    assert [c.word for c in near.rank(0)] == ["b", "a"]
    assert [c.word for c in near.rank(0, by="log_likelihood")] == ["a", "b"]
    for function_words in (False, True):
        assert [c.word for c in near.rank(0, limit=1, function_words=function_words)] == ["b"]


def test_what_is_shared_is_ranked_by_the_group_that_it_belongs_to_less():
    # 50 lines and 50 in all: logDice follows the counts, of a 30 and 5, of b 10 and 10.
    near = near_words([50, 50], [30, 10], [5, 10])
    assert [c.word for c in near.compare(0, 1, shared=True)] == ["b", "a"]


def test_tokens_around_stay_inside_their_document():
    corpus = Corpus.from_texts(["one two three", "four two"])
    around = tokens_around(corpus, corpus.positions("two"), 2, 1)
    names = [[corpus.vocabulary.words[i] if i >= 0 else i for i in row] for row in around]
    assert names == [[OUTSIDE, "one", "three"], [OUTSIDE, "four", OUTSIDE]]
    assert tokens_around(corpus, np.empty(0, np.int64), 1, 1).shape == (0, 2)
    at = corpus.tokens_at(np.array([0, 3]))
    assert [corpus.vocabulary.words[i] for i in at] == ["one", "four"]


def test_collocates_of_senses(tmp_path, corpus):
    model = load(save_crane_model(tmp_path / "model"))
    found = find_collocates(model, corpus, "Crane", before=1, after=1)
    assert (found.word, found.n_lines, found.n_looked_at) == ("crane", 3, 3)
    assert {c.word for c in found.rank(1, fewest=1)} == {"nest", "wing"}
    assert {c.word for c in found.rank(2, fewest=1)} == {"steel", "beam"}
    assert found.compare(1, 2, fewest=2)[0].word in {"nest", "wing"}
    with pytest.raises(InputError, match="senses 1 to 2, not 3"):
        found.rank(3)
    few = find_collocates(model, corpus, "crane", max_contexts=2)
    assert few.n_looked_at == 2
    assert few.near.shares.tolist() == [2 / 3, 2 / 3]


def test_collocates_of_all_forms(forms_model, forms_corpus) -> None:
    found = find_collocates(forms_model, forms_corpus, "cranes")
    assert (found.word, found.n_lines) == ("crane", forms_model["crane"].count)
