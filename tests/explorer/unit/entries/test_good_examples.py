from __future__ import annotations

import json
from dataclasses import replace

import pytest

from entry_model import make_corpus, make_model
from grassmeans import Corpus
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.senses.entries import ExampleLine
from grassmeans.senses.examples import Candidate
from grassmeans_explorer.entries import good_examples
from grassmeans_explorer.entries.entry import KEEP, NEVER, PROPOSED, EntryExample
from grassmeans_explorer.entries.good_examples import (
    DICTIONARY_WEIGHTS,
    ReadWord,
    add_examples,
    find_defining,
    read_weights,
    stored_examples,
)


@pytest.fixture(scope="module")
def word(tmp_path_factory) -> ReadWord:
    corpus = make_corpus(tmp_path_factory.mktemp("entries") / "corpus")
    return ReadWord.of_corpus(make_model(), corpus, "Crane")


FLAT = replace(DICTIONARY_WEIGHTS, nearness=0.0)  # all are as near


def tell(ranked) -> dict[str, float]:
    return {one.example.document: one.score for one in ranked}


def test_good_sentences_of_a_sense_come_first(word):
    ranked = word.rank(1, weights=FLAT)
    # Two typical words each; the last but one has a number, which is rare, the last points back.
    expected = {"0": 0.6, "1": 0.6, "3": 0.6 - 0.2 - 0.2, "2": 0.6 - 0.5}
    assert tell(ranked) == pytest.approx(expected)
    assert list(tell(ranked)) == list(expected)
    assert all(one.example.decision == PROPOSED for one in ranked)
    assert tell(word.rank(2, weights=FLAT)) == pytest.approx({"4": 0.6, "5": 0.6})


def test_a_line_that_is_no_sentence_is_no_example(word):
    shown = [one.example.text for one in word.rank(2, weights=FLAT, limit=99)]
    assert "beam and steel by a crane" not in shown


@pytest.mark.parametrize(
    ("left", "right", "is_good"),
    [
        ('"The power of the ', " was seen.", False),  # of which quotation?
        ('"The power of the ', '" was seen.', True),
        ("Three hits in three at-", "s were seen.", False),
        ("He drew a ", "-like figure.", False),
    ],
)
def test_parts_of_quotations_and_of_words_are_no_examples(monkeypatch, word, left, right, is_good):
    line = ExampleLine(left, "crane", right, "d", 0.1)
    monkeypatch.setattr(Candidate, "make_example", lambda _: line)
    assert bool(word.rank(1, weights=FLAT)) == is_good


def test_what_was_decided_on_is_not_proposed_again(word):
    first = word.rank(1, weights=FLAT)[0].example
    for decision in (KEEP, NEVER):
        # However it is spaced, it is the same sentence.
        decided = replace(first, left="  " + first.left, document="", decision=decision)
        assert list(tell(word.rank(1, (), [decided], FLAT))) == ["1", "3", "2"]


def test_weights_change_the_order_and_words_of_ones_own_count(word):
    weights = replace(FLAT, anaphora=0.0, number=-2.0)
    assert tell(word.rank(1, weights=weights)) == pytest.approx({"0": 0.6, "1": 0.6, "2": 0.6})
    found = tell(word.rank(1, ("old",), weights=FLAT))
    assert list(found) == ["1", "0", "3", "2"]
    assert found["1"] == pytest.approx(0.9)
    assert len(word.rank(1, limit=2)) == 2


TEXTS = [
    "The crane (an old word) is a bird. " + "It has a nest. " * 3 + "Once a crane is seen it goes.",
    "We know what a crane means and where cranes go. A crane is a bird with a nest.",
]


def test_places_at_which_a_word_may_be_defined(tmp_path, monkeypatch):
    corpus = Corpus.from_texts(TEXTS, tmp_path / "corpus", language="en")

    def find(language="en"):
        found = find_defining("crane", corpus, corpus, language)
        behind = (corpus.line_at(int(place)).right for place in found)
        return [" ".join(text.split()[:2]) for text in behind]

    # At the beginning of a document, and before "is" and "means".
    assert find() == ["(an old", "is seen", "means and", "is a"]
    monkeypatch.setattr(good_examples, "DEFINING", 3)  # "is a" is surer than "is seen"
    assert find() == ["(an old", "means and", "is a"]
    monkeypatch.setattr(good_examples, "DEFINING", 2)
    assert find() == ["(an old", "means and"]
    assert find("fr") == []


def test_what_a_single_document_has_is_not_spread(word):
    one = replace(word, candidates=(word.candidates[0][:1], word.candidates[1]))
    assert {"nest", "wing"} <= word.find_spread(1) & one.find_spread(1)
    alone = one.find_spread(1) - word.find_spread(1)
    assert alone  # of one document: all words, where there is no other


def test_a_word_that_does_not_occur_is_told(tmp_path):
    model = make_model()
    corpus = Corpus.from_texts(["No such bird."], tmp_path / "corpus")
    with pytest.raises(UnknownWordError):
        ReadWord.of_corpus(model, corpus, "crane")


def test_the_models_own_examples():
    senses = make_model().senses("crane")
    (example,) = stored_examples(senses, 2)
    assert example == EntryExample("Stored: a ", "crane", " with steel.", "stored", PROPOSED)
    assert stored_examples(senses, 2, [replace(example, decision=NEVER)]) == ()


def test_decided_examples_are_filled_up():
    kept, never, a, b = (
        EntryExample(text, "", "", decision=decision)
        for text, decision in (("k", KEEP), ("n", NEVER), ("a", PROPOSED), ("b", PROPOSED))
    )
    assert add_examples([kept, never], [a, b], 2) == (kept, never, a)
    assert add_examples([kept, never], [a, b], 1) == (kept, never)
    assert add_examples([kept, never], [a, b], 0) == (kept, never)
    assert add_examples([], [a, b], 9) == (a, b)


def test_weights_of_a_file(tmp_path):
    path = tmp_path / "weights.json"
    path.write_text(json.dumps({"number": -1, "most_words": 12}))
    assert read_weights(path) == replace(DICTIONARY_WEIGHTS, number=-1, most_words=12)
    for text, told in [
        ('{"numbr": 1}', "'numbr' is no weight; there are nearness"),
        ("[1]", "holds no weights"),
        ("{", "cannot be read as weights"),
        ('{"number": "much"}', "number must be a number"),
        ('{"most_words": -1}', "most_words must be a whole number"),
    ]:
        path.write_text(text)
        with pytest.raises(InputError, match=r"weights\.json") as error:
            read_weights(path)
        assert told in str(error.value)
    with pytest.raises(InputError, match="missing"):
        read_weights(tmp_path / "nothing.json")
