from __future__ import annotations

import math

import pytest

from grassmeans.evaluation.sentence_scores import WordAnswers, match_senses, score_words


def make_word(senses, answers, kind="", **pairs) -> WordAnswers:
    return WordAnswers(kind, senses, answers, answers, **pairs)


def test_senses_are_matched_one_to_one_so_that_most_sentences_agree() -> None:
    # 7 as the bird agrees with three sentences; 3 as the bird and 7 as the machine with two.
    birds = ("bird", "bird", "bird", "bird", "machine")
    assert match_senses(make_word(birds, (7, 7, 7, 3, 7))) == {7: "bird"}
    # One to one: 2 has most of both, and must leave the birds to 4.
    senses = ("bird", "bird", "machine", "machine")
    assert match_senses(make_word(senses, (4, 2, 2, 2))) == {4: "bird", 2: "machine"}
    assert match_senses(make_word(senses, (1, 1, 0, None))) == {1: "bird", 0: "machine"}
    assert match_senses(make_word(senses, (None,) * 4)) == {}


def test_what_is_not_answered_is_matched_nevertheless() -> None:
    far = WordAnswers("", ("bird", "bird", "machine"), (0, 0, 0), (None, None, 0))
    assert match_senses(far) == {0: "bird"}
    assert score_words([far]).accuracy == 0


def test_scores_of_two_words_by_hand() -> None:
    crane = make_word(
        kind="homonym",
        senses=("bird", "bird", "machine", "machine"),
        answers=(4, 2, 2, 2),
        pairs=(("bird", "machine"), ("machine", "bird"), ("bird", "machine")),
        pair_answers=((4, 2), (2, 2), (None, 4)),
    )
    river = make_word(("water",) * 3, (0, 1, None), "one-sense")
    scores = score_words([crane, river])
    assert (scores.n_words, scores.n_sentences, scores.n_pairs) == (2, 7, 3)
    assert scores.answered == pytest.approx(100 * 6 / 7)
    # 4 is the bird and 2 the machine: three cranes; of the two rivers one answer has no sense left.
    assert scores.accuracy == pytest.approx(100 * 4 / 6)
    # Cranes: birds differ (wrong), machines agree (right); of four mixed pairs those with 4 are
    # right (two). Rivers: one pair, wrong.
    assert scores.pairwise == pytest.approx(100 * 3 / 7)
    assert scores.same == pytest.approx(100 * 1 / 3)
    assert scores.other == pytest.approx(100 * 2 / 4)
    assert scores.split == 100
    # 4 2 are right, of 2 2 the first is, and 4 is no machine.
    assert scores.answered_in_pairs == pytest.approx(100 * 5 / 6)
    assert scores.accuracy_in_pairs == pytest.approx(100 * 3 / 5)
    assert scores.told_apart == pytest.approx(100 * 1 / 2)
    # A sample of words holds both, or one of them twice: 3 of 4 cranes right, 1 of 2 rivers.
    assert scores.accuracy_interval is not None
    assert scores.accuracy_interval.low == pytest.approx(50)
    assert scores.accuracy_interval.high == pytest.approx(75)
    assert scores.pairwise_interval is not None
    assert scores.pairwise_interval.low == pytest.approx(0)
    assert scores.pairwise_interval.high == pytest.approx(50)


def test_numbers_of_senses_do_not_matter() -> None:
    senses = ("a", "b", "a", "c")
    given = score_words([make_word(senses, (0, 1, 0, 1))])
    assert given == score_words([make_word(senses, (5, 0, 5, 0))])
    assert given.accuracy == pytest.approx(75)


def test_what_cannot_be_scored_is_no_number() -> None:
    scores = score_words([make_word(("a", "a", "b"), (None, None, 0))])
    assert scores.answered == pytest.approx(100 / 3)
    assert scores.accuracy == 100
    nothing = (scores.pairwise, scores.same, scores.other, scores.split, scores.told_apart)
    assert all(math.isnan(value) for value in nothing)
    assert scores.accuracy_interval is None


def test_words_of_one_sense_with_a_single_answer_are_not_split() -> None:
    words = [
        make_word(("a", "a"), (0, 0)),
        make_word(("a", "a"), (0, 1)),
        make_word(("a", "a"), (0, None)),
        make_word(("a", "b"), (0, 1)),
    ]
    assert score_words(words).split == 50
