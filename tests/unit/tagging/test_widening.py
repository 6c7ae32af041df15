from __future__ import annotations

import numpy as np

from grassmeans.corpus.occurrences import Occurrences, number_words
from grassmeans.senses.calibration import Calibration, ConfidenceRule, Strangers
from grassmeans.tagging.widening import SentencedText, find_margins, measure_near_first

# Two texts: sentences a b | X c | d e f g X, and X h | i.
WORDS = ["a", "b", "X", "c", "d", "e", "f", "g", "X"], ["X", "h", "i"]
EDGES = np.array([0, 2, 4, 9, 11, 12])


def make_text() -> SentencedText:
    numbered = number_words(WORDS)
    places = np.array([2, 8, 9])
    return SentencedText(numbered.at(places), EDGES, np.ones(len(numbered.words), np.bool_))


class Recorder:
    """Answers with what it was told, and keeps which words it was asked with."""

    def __init__(self, distances: dict[str, tuple[float, float]]) -> None:
        self.distances = distances
        self.asked: list[list[str]] = []

    def __call__(self, occurrences: Occurrences, rows: np.ndarray) -> np.ndarray:
        starts, ends = occurrences.document_bounds
        stretches = [
            " ".join(occurrences.words[token] for token in occurrences.tokens[start:end])
            for start, end in zip(starts, ends, strict=True)
        ]
        assert all(occurrences.words[t] == "X" for t in occurrences.tokens[occurrences.positions])
        self.asked.append(stretches)
        return np.array([self.distances[stretch] for stretch in stretches], np.float32)


ALL = {
    "X c": (0.8, 0.9),  # margin 0.17
    "d e f g X": (0.9, 0.9),  # says enough: four words
    "X h": (np.nan, np.nan),
    "a b X c d e f g X": (0.9, 0.5),  # margin 0.56
    "X h i": (0.9, 0.8),
}


def test_only_what_says_little_is_measured_again() -> None:
    measure = Recorder(ALL)
    found = measure_near_first(make_text(), measure)
    assert measure.asked == [["X c", "d e f g X", "X h"], ["a b X c d e f g X", "X h i"]]
    np.testing.assert_allclose(found.distances, [(0.9, 0.5), (0.9, 0.9), (0.9, 0.8)])
    assert list(zip(found.starts, found.ends, strict=True)) == [(0, 9), (4, 9), (9, 12)]


def test_the_stretch_that_tells_best_decides() -> None:
    measure = Recorder(ALL | {"a b X c d e f g X": (0.3, 0.31)})  # nearer, but tells less
    found = measure_near_first(make_text(), measure)
    np.testing.assert_allclose(found.distances[0], (0.8, 0.9))
    assert (found.starts[0], found.ends[0]) == (2, 4)


def test_an_only_sense_is_measured_again_where_it_is_unsure() -> None:
    # Usually at 0.6 (c = 0.8), strangers at c = 0: 0.99 (c = 0.14) is one, 0.7 is not.
    rule = ConfidenceRule(Calibration(3.0, 1.5, Strangers(0.0, 0.1)), 0.7)
    numbered = number_words([["a", "b", "c", "d", "e", "f", "g", "X"]])
    text = SentencedText(numbered.at(np.array([7])), np.array([0, 3, 8]), np.ones(8, np.bool_))
    answers = {"d e f g X": (0.99,), "a b c d e f g X": (0.7,)}
    for usual, asked in ((0.6, list(answers)), (np.nan, ["d e f g X"])):
        measure = Recorder(answers)
        measure_near_first(text, measure, rule, np.array([usual]))
        assert [texts[0] for texts in measure.asked] == asked


def test_an_unsure_answer_is_measured_again_and_wider() -> None:
    rule = ConfidenceRule(Calibration(3.0, 1.5), 0.7)  # the margin has to be 0.23
    edges = np.array([0, 2, 3, 8])
    numbered = number_words([["a", "b", "c", "d", "e", "f", "g", "X"]])
    text = SentencedText(numbered.at(np.array([7])), edges, np.ones(8, np.bool_))
    answers = {
        "d e f g X": (0.9, 0.9),
        "c d e f g X": (0.9, 0.89),
        "a b c d e f g X": (0.2, 0.9),
    }
    measure = Recorder(answers)
    found = measure_near_first(text, measure, rule)
    assert [asked[0] for asked in measure.asked] == list(answers)
    assert (found.starts[0], found.ends[0]) == (0, 8)
    assert len(measure.asked) == 3
    again = Recorder(answers)
    measure_near_first(text, again)
    assert len(again.asked) == 1


def test_margins_by_hand() -> None:
    distances = np.array([(0.5, 1.0, np.nan), (0.8, 0.6, 0.0), [np.nan] * 3], np.float32)
    np.testing.assert_allclose(find_margins(distances), [0.75, 0.36, -1.0], atol=1e-6)
    np.testing.assert_allclose(find_margins(np.array([[0.6]], np.float32)), [0.64], atol=1e-6)


def test_an_unsure_answer_stays_away_from_the_same_word_and_a_poor_sentence_does_not() -> None:
    """Sentences a X b c d e | f | X g, read by an unsure model: only the last has few words."""
    rule = ConfidenceRule(Calibration(3.0, 1.5), 0.7)
    numbered = number_words([["a", "X", "b", "c", "d", "e", "f", "X", "g"]])
    text = SentencedText(
        numbered.at(np.array([1, 7])), np.array([0, 6, 7, 9]), np.ones(8, np.bool_)
    )
    answers = {
        "a X b c d e": (0.9, 0.9),
        "X g": (0.9, 0.9),
        "a X b c d e f": (0.9, 0.89),
        "f X g": (0.9, 0.89),
        "a X b c d e f X g": (0.2, 0.9),
    }
    measure = Recorder(answers)
    found = measure_near_first(text, measure, rule)
    assert measure.asked == [
        ["a X b c d e", "X g"],
        ["a X b c d e f", "f X g"],
        ["a X b c d e f X g"],
    ]
    np.testing.assert_allclose(found.distances, [(0.9, 0.89), (0.2, 0.9)])
    assert list(zip(found.starts, found.ends, strict=True)) == [(0, 7), (0, 9)]


def make_one_document(sentences: str, targets: str = "X") -> SentencedText:
    """Sentences divided by "|"; some of the words are asked for, "the" describes nothing."""
    cut = [sentence.split() for sentence in sentences.split("|")]
    words = [word for sentence in cut for word in sentence]
    numbered = number_words([words])
    places = [i for i, word in enumerate(words) if word in targets]
    edges = np.cumsum([0, *map(len, cut)])
    describes = np.array([word != "the" for word in numbered.words])
    return SentencedText(numbered.at(np.array(places)), edges, describes)


class Unsure:
    """Knows nothing, and keeps what it was asked with."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, occurrences: Occurrences, rows: np.ndarray) -> np.ndarray:
        bounds = zip(*occurrences.document_bounds, strict=True)
        tokens = occurrences.tokens
        stretches = [" ".join(occurrences.words[t] for t in tokens[a:b]) for a, b in bounds]
        self.asked.append(stretches)
        return np.full((len(rows), 2), 0.9, np.float32)


RULE = ConfidenceRule(Calibration(3.0, 1.5), 0.7)


def ask(text: SentencedText, rule: ConfidenceRule | None = RULE) -> list[list[str]]:
    measure = Unsure()
    measure_near_first(text, measure, rule)
    return measure.asked


def test_no_sentence_with_enough_words_looks_back_or_ahead_to_the_same_word() -> None:
    text = make_one_document("X a b c d | e | f g X h i | j | k l m n X")
    assert ask(text) == [
        ["X a b c d", "f g X h i", "k l m n X"],
        ["X a b c d e", "e f g X h i j", "j k l m n X"],
    ]


def test_the_same_word_may_stand_next_door() -> None:
    assert ask(make_one_document("X a b c d | e f X g h")) == [["X a b c d", "e f X g h"]]


def test_another_word_is_no_bound() -> None:
    text = make_one_document("Y a b c d | X e f g h", targets="XY")
    whole = "Y a b c d X e f g h"
    assert ask(text) == [["Y a b c d", "X e f g h"], [whole, whole]]


def test_the_same_word_of_another_document_opens_none() -> None:
    numbered = number_words([["X", "a", "b", "c", "d", "e"], ["X", "f", "g", "h", "i"]])
    text = SentencedText(
        numbered.at(np.array([0, 6])), np.array([0, 5, 6, 11]), np.ones(10, np.bool_)
    )
    assert ask(text) == [["X a b c d", "X f g h i"], ["X a b c d e"]]


def test_four_words_beside_the_word_itself_are_enough_and_function_words_are_none() -> None:
    for own, is_enough in (("a b c X", False), ("a b c d X", True), ("a the b c X", False)):
        asked = ask(make_one_document(f"{own} | y z"), rule=None)
        assert len(asked) == (1 if is_enough else 2)


def test_what_tells_no_better_does_not_decide_and_is_not_asked_again() -> None:
    text = make_one_document("X a | b")
    measure = Unsure()
    found = measure_near_first(text, measure)
    assert measure.asked == [["X a"], ["X a b"]]  # the whole text is no wider
    assert (found.starts[0], found.ends[0]) == (0, 2)
