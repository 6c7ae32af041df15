from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.corpus.shard import ConcordanceLine
from grassmeans.errors import InputError
from grassmeans.geometry.windows import Contexts
from grassmeans.senses.entries import ExampleLine, shorten_sides
from grassmeans.senses.examples import (
    ANAPHORIC,
    Candidate,
    SentenceWeights,
    choose_examples,
    find_names,
    rank_candidates,
    read_candidates,
    score_sentence,
)
from grassmeans.senses.samples import WordSample

TEXT = "the a we to by sat on river of bank money took from near old in was and all day"
KNOWN = TEXT.split()
VECTORS = WordVectors(KNOWN, np.ones((len(KNOWN), 2), np.float32))


def read(text: str, *, document: str = "d", nearer: float = 0.0) -> Candidate:
    """A candidate whose word is between stars."""
    left, word, right = text.split("*")
    return Candidate.read(ConcordanceLine(left, word, right, 0, document, ""), 0.5, nearer)


def show(candidate: Candidate) -> str:
    example = candidate.make_example()
    return f"{example.left}*{example.word}*{example.right}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("He left. We sat by the *bank*. Then it rained.", "We sat by the *bank*."),
        ("*Banks* took\nmoney. Then", "*Banks* took money."),
        ('He left. "We sat by the *bank*!" Then', '"We sat by the *bank*!"'),
        ("One line\n\nwe sat by the *bank*.\n\nanother", "we sat by the *bank*."),  # a whole line
    ],
)
def test_an_example_is_the_whole_sentence(text: str, shown: str) -> None:
    assert read(text).is_whole
    assert show(read(text)) == shown


@pytest.mark.parametrize(
    "text",
    [
        "we sat by the *bank*. Then it rained.\nMore",  # begins like no sentence, and is no line
        "A heading of the *bank*\nMore",
        "We (sat by the *bank*. Then",
        "We sat " + "long " * 40 + "by the *bank*.",  # more than 200 characters
        "Once. " + "We " * 80 + "sat by the *bank*.",  # the sentence may begin before what was read
        "We sat by the *bank*" + " and so on" * 25,
    ],
)
def test_anything_else_is_the_text_around_the_word(text: str) -> None:
    assert not read(text).is_whole


def test_a_line_is_cut_between_words_and_marked() -> None:
    found = read("We sat " + "long " * 60 + "by the *bank* \n of the old river. It was so.")
    left, right = show(found).split("*bank*")
    assert left == "…" + "long " * 18 + "by the "  # of 100 characters the first is half a word
    assert right == " of the old river. It was so."


def test_sides_are_cut_between_words() -> None:
    assert shorten_sides("the tall yellow ", " lifted steel", 10) == ("…yellow ", " lifted…")
    assert shorten_sides("yellow ", " lifted", 7) == ("yellow ", " lifted")
    assert shorten_sides("yellow", "lifted", 3) == ("…low", "lif…")
    assert shorten_sides("the ", " lifted", 0) == ("", "")


def test_score_of_a_sentence() -> None:
    typical, names = {"river", "money", "old", "day"}, {"ann"}
    # Eight known words, one of them typical.
    assert score_sentence(read("We sat on a *bank* near the river."), typical, (), VECTORS) == 0.2
    # Two words too few; a fifth of the contexts is nearer.
    found = score_sentence(read("We sat by the old *bank*.", nearer=0.2), typical, (), VECTORS)
    assert found == pytest.approx(-2 * 0.2 + 0.2 - 2 * 0.2)
    # Four typical words, of which three count; a name that is rare, a number that is, two brackets.
    text = "All day Ann took (in 1990) money from the old *bank* by the river."
    expected = 3 * 0.2 - 0.15 - 0.2 - 2 * 0.15 - 2 * 0.1
    assert score_sentence(read(text), typical, names, VECTORS) == pytest.approx(expected)
    # 27 words are two too many.
    text = "The *bank* " + "was old and " * 8 + "old."
    assert score_sentence(read(text), (), (), VECTORS) == pytest.approx(-2 * 0.2)


def test_the_best_sentences_come_first_one_a_document_and_none_twice() -> None:
    candidates = [
        read("All day we sat on the *bank* of 1990.", document="numbers"),
        read("All day we sat on the old *bank*.", document="plain"),
        read("All day we took money to the *bank*.", document="plain"),
        read("ALL day we sat on the old *bank*.", document="again"),
        read("and the *bank* was", document="line", nearer=0.9),
        read("All day we sat on the river *bank*.", document="typical"),
        read("All day we sat near the *bank*.", document="far", nearer=0.8),
    ]
    found = choose_examples(candidates, {"river"}, (), VECTORS)
    assert [line.document for line in found] == ["typical", "plain", "numbers", "line", "far"]
    assert found[0] == ExampleLine("All day we sat on the river ", "bank", ".", "typical", 0.5)


def test_weights_can_be_set() -> None:
    found = read("They sat on the *bank* of 1990 all day.")
    none = SentenceWeights(length=0.0, number=0.0, rare=0.0)
    assert score_sentence(found, (), (), VECTORS, none, ANAPHORIC["en"]) == 0.0
    back = SentenceWeights(length=0.0, number=0.0, rare=0.0, anaphora=-0.5)
    assert score_sentence(found, (), (), VECTORS, back, ANAPHORIC["en"]) == -0.5
    assert score_sentence(found, (), (), VECTORS, back, ANAPHORIC["de"]) == 0.0
    few = SentenceWeights(length=0.0, number=0.0, rare=-1.0, frequent=2)  # the, a
    assert score_sentence(read("The *bank* was a river."), (), (), VECTORS, few) == -3.0


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"typical": "much"}, "typical must be a number"),
        ({"name": float("nan")}, "name must be a number"),
        ({"most_words": 2.5}, "most_words must be a whole number"),
        ({"of_document": 0}, "of_document must be a whole number from 1"),
    ],
)
def test_weights_that_are_none_are_refused(values: dict, told: str) -> None:
    with pytest.raises(InputError, match=told):
        SentenceWeights(**values)


def test_a_document_gives_as_many_as_the_weights_allow() -> None:
    texts = [f"All day we sat on the {word} *bank*." for word in ("old", "river", "money")]
    candidates = [read(text) for text in texts]
    for n in (1, 2, 3):
        ranked = rank_candidates(candidates, (), (), VECTORS, SentenceWeights(of_document=n))
        assert len(list(ranked)) == n
    ranked = rank_candidates(candidates, {"money"}, (), VECTORS, SentenceWeights(of_document=3))
    assert [(c.words[6], s) for c, s in ranked] == [("money", 0.2), ("old", 0.0), ("river", 0.0)]


def test_six_are_kept() -> None:
    texts = [f"All day we sat on the {word} *bank*." for word in KNOWN[:9]]
    candidates = [read(text, document=text) for text in texts]
    assert len(choose_examples(candidates, (), (), VECTORS)) == 6


def test_candidates_are_near_to_the_sense_and_far_from_others() -> None:
    corpus = Corpus.from_texts([f"Line {n}\n\nthe bank {n}.\n\nMore" for n in ("a", "b", "c")])
    contexts = Contexts(np.zeros((3, 2), np.int32), corpus.positions("bank"))
    sample = WordSample("bank", contexts, np.zeros((3, 1, 2), np.float32), corpus)
    distances = np.array([[0.2, 0.3], [0.4, 0.9], [0.8, 0.1]])
    found = read_candidates(sample, distances, distances.argmin(axis=1), 0)
    assert [(c.sentence, c.distance, c.nearer) for c in found] == [
        ("the bank b.", 0.4, 0.0),
        ("the bank a.", 0.2, 0.5),
    ]
    assert all(candidate.is_whole for candidate in found)  # whole lines
    alone = read_candidates(sample, distances[:, :1], np.zeros(3, np.int64), 0)
    assert [c.distance for c in alone] == [0.2, 0.4, 0.8]


def test_names_are_capitalised_inside_of_sentences() -> None:
    text = "Yesterday the man called Ann met *Tom* and all of his old friends near the house."
    assert find_names([read(text)]) == {"ann", "tom"}
    twice = [read(text), read("So the old ann sat there all day on a *bank* of the old river.")]
    assert find_names(twice) == {"tom"}
    german = "Heute saß der Mann mit der Frau am *Ufer* und sah den Fluss und die Boote."
    assert find_names([read(german)]) == frozenset()
