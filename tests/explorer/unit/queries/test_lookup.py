"""From what was typed to a word: of the model, of its vectors, of the corpus, or of nobody."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.corpus import Corpus
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.text.tokenizer import Tokenizer, WhitespaceTokenizer
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_explorer.limits import TooMuchError, WordNotFoundError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.corrections import Correction, correct_word
from grassmeans_explorer.queries.lines import read_plain_lines
from grassmeans_explorer.queries.lookup import (
    find_word,
    look_up,
    suggest_words,
)
from grassmeans_explorer.work import LongWorkError, run_quickly

SINGULAR = [f"{a}o{b}" for a in "bdfgk" for b in "lmnr"]
OTHERS = [f"{a}{b}{c}" for a in "aeiou" for b in "xyz" for c in "aeiou"]


def make_model(names, tokenizer=None, words=()) -> SenseModel:
    """A model that knows the words ``names``; plurals with "s" are near their singulars."""
    rng = np.random.default_rng(1)
    rows = {word: rng.normal(size=10) for word in [*SINGULAR, *words, *names, *OTHERS, "the"]}
    rows |= {f"{word}s": rows[word] + 0.1 * rng.normal(size=10) for word in SINGULAR}
    vectors = WordVectors(
        list(rows), np.array(list(rows.values()), np.float32), np.arange(len(rows), 0, -1)
    )
    directions = np.eye(2, 10, dtype=np.float32)
    entries = [WordSenses(name, 9, 9, directions, ()) for name in names]
    encoder = SubspaceEncoder(vectors, ContextShape(2, 1), frozenset({"the"}))
    return SenseModel(encoder, SenseInventory(entries), tokenizer or Tokenizer())


@pytest.fixture
def small() -> OpenModel:
    return OpenModel(make_model(["bol", "dom", "café", "crane"], words=["kran"]))


@pytest.fixture
def with_corpus(topic_model, topic_corpus) -> OpenModel:
    return OpenModel(topic_model, topic_corpus)


def test_a_word_of_the_model_is_itself(small):
    found = look_up(small, "crane")
    assert (found.word, found.known_by, found.led_by, found.n_senses) == ("crane", "model", "", 2)
    assert (found.neighbours, found.suggestions, found.in_corpus) == ((), (), None)
    assert look_up(small, " crane ").led_by == ""


@pytest.mark.parametrize(
    ("typed", "word", "sense", "led_by"),
    [
        ("Crane", "crane", None, "spelling"),
        ("CAFÉ", "café", None, "spelling"),
        ("cafe", "café", None, "spelling"),
        ("crane.2", "crane", 2, "lexeme"),
        ("Crane.7", "crane", 7, "lexeme"),  # the page says that there is none
        ("crane.0", "crane", None, "spelling"),
        ("bols", "bol", None, "form"),
        ("cranes", "crane", None, "form"),  # by the ending alone: it has no vector
    ],
)
def test_capitals_lexemes_and_forms_lead_to_the_word(small, typed, word, sense, led_by):
    found = look_up(small, typed)
    assert (found.word, found.sense, found.led_by) == (word, sense, led_by)
    assert found.known_by == "model"
    assert found.itself == (typed == "bols")  # which the vectors have
    assert (found.asked, found.suggestions) == (typed, ())


def test_one_is_not_led_where_one_does_not_want_to_be(small):
    found = look_up(small, "bols", exact=True)
    assert (found.word, found.known_by, found.led_by) == ("bols", "vectors", "")
    assert found.neighbours[0].word == "bol"
    assert (found.suggestions[0].word, found.suggestions[0].reason) == ("bol", "form")


def test_lemmas_lead_to_their_entry():
    opened = OpenModel(make_model(["mouse"]).with_lemmas({"mice": "mouse"}))
    assert find_word(opened, "Mice") == ("mouse", None, "lemma")


def test_words_of_the_vectors_have_neighbours_by_meaning(small):
    found = look_up(small, "kran")
    assert (found.known_by, found.n_senses) == ("vectors", 0)
    vectors = small.base.vectors
    assert found.count == len(vectors) - vectors.words.index("kran")
    expected = vectors.most_similar("kran", 3, exclude=["the"])
    assert [near.word for near in found.neighbours[:3]] == [near.word for near in expected]
    reasons = {item.word: item.reason for item in found.suggestions}
    assert set(reasons) <= {"bol", "dom", "café", "crane"}
    assert "meaning" in reasons.values()
    assert not found.is_function_word


def test_function_words_say_so_and_suggest_nothing(small):
    found = look_up(small, "The")
    assert (found.word, found.known_by, found.is_function_word) == ("the", "vectors", True)
    assert found.suggestions == ()


def test_unknown_words_suggest_what_is_spelt_alike(small):
    found = look_up(small, "carne")
    assert (found.known_by, found.neighbours, found.count) == ("nobody", (), None)
    assert (found.suggestions[0].word, found.suggestions[0].reason) == ("crane", "spelling")
    assert look_up(small, "dom crane").suggestions[0].reason == "part"
    assert look_up(small, "x" * 200).suggestions == ()
    with pytest.raises(TooMuchError):
        run_quickly(look_up, small, "x" * 201)


@pytest.mark.parametrize(
    "word", ["and/or", "100%", "what?", "#tag", "a.b", "..", ".", "st.1", "n'est"]
)
def test_odd_words_are_reached(word):
    opened = OpenModel(make_model(["crane", word], WhitespaceTokenizer()))
    assert find_word(opened, word) == (word, None, "")
    assert find_word(opened, f" {word}")[0] == word
    assert find_word(opened, f"{word}.2") == (word, 2, "lexeme")


def test_words_of_the_corpus_have_lines_and_neighbours(with_corpus, synthetic):
    seal = look_up(with_corpus, "seal", exact=True)
    assert seal.known_by == "vectors"
    assert seal.in_corpus == seal.count == read_plain_lines(with_corpus, "seal").total
    page = read_plain_lines(with_corpus, "Seal", 3, 2)
    assert [line.word.lower() for line in page.lines] == ["seal", "seal"]
    positions = with_corpus.corpus.positions("seal")
    assert [line.position for line in page.lines] == positions[3:5].tolist()
    with pytest.raises(WordNotFoundError):
        read_plain_lines(with_corpus, "zzz")


def test_without_a_corpus_lines_are_those_of_other_words(topic_model):
    alone = OpenModel(topic_model)
    example = topic_model.inventory["crane"].senses[0].examples[0]
    word = next(token for token in example.right.split() if token.isalpha())
    found = read_plain_lines(alone, word.upper(), 0, 2)
    assert len(found.lines) == min(2, found.total)
    assert {line.word for line in found.lines} == {word}
    assert {line.position for line in found.lines} == {None}
    texts = [f"{line.left}{line.word}{line.right}" for line in found.lines]
    assert all("crane" in text or "bank" in text for text in texts)
    assert read_plain_lines(alone, "zzz").total == 0


def test_a_word_that_only_the_corpus_has(topic_model, synthetic, tmp_path):
    birds = " ".join(synthetic.topic_words[0][:8])
    documents = [f"{birds} heron {birds}", *synthetic.documents[:50]]
    opened = OpenModel(topic_model, Corpus.from_texts(documents, tmp_path / "corpus"))
    with pytest.raises(LongWorkError):
        run_quickly(look_up, opened, "Heron")
    found = look_up(opened, "Heron")
    assert (found.word, found.known_by, found.in_corpus, found.count) == (
        "heron",
        "corpus",
        1,
        None,
    )
    near = [item.word for item in found.neighbours]
    assert near
    assert all(word in synthetic.topic_words[0] for word in near[:5])
    assert run_quickly(look_up, opened, "crane").known_by == "model"
    assert run_quickly(look_up, opened, "zzz").known_by == "nobody"


def test_what_was_added_by_a_correction_is_a_word(with_corpus):
    assert look_up(with_corpus, "seal").known_by == "vectors"
    correct_word(with_corpus, "seal", Correction("adopt", n_senses=2))
    found = look_up(with_corpus, "Seal")
    assert (found.word, found.known_by, found.n_senses) == ("seal", "model", 2)


def test_suggestions_of_nothing_are_none(small):
    assert suggest_words(small, "") == suggest_words(small, "x" * 65) == ()
