"""What somebody typed: words, forms, possessives, phrases, and what is not there."""

from __future__ import annotations

import pytest

from grassmeans import Corpus
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.errors import InputError
from grassmeans.text.tokenizer import Tokenizer
from grassmeans_explorer.querying.headwords import understand

TEXT = (
    "The crane's nest. Cranes flew to New York; New-York is not the new, York one. "
    "I don't like ice cream, I don’t. U.S. cranes and the U. S. army. "
    "It's Paris's ice, cream and Paris. Catch 22 is a book."
)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_texts([TEXT])


@pytest.mark.parametrize(
    ("asked", "kind", "word", "shown"),
    [
        ("crane", "word", "crane", ["crane"]),
        ("  Cranes ", "word", "cranes", ["Cranes", "cranes"]),
        ("crane's", "possessive", "crane", ["crane"]),
        ("Crane’s", "possessive", "crane", ["crane"]),
        ("cranes'", "possessive", "cranes", ["Cranes", "cranes"]),
        ("Paris's", "possessive", "paris", ["Paris", "Paris"]),
        ("Paris'", "possessive", "paris", ["Paris", "Paris"]),
        ("New York", "phrase", "new york", ["New York", "New-York"]),
        ("new-york", "phrase", "new york", ["New York", "New-York"]),
        ("New York's", "phrase", "new york", ["New York", "New-York"]),
        ("don't", "phrase", "don t", ["don't", "don’t"]),
        ("U.S.", "phrase", "u s", ["U.S", "U. S"]),
        ("it's", "phrase", "it s", ["It's"]),
        ("ice   cream", "phrase", "ice cream", ["ice cream"]),
    ],
)
def test_what_occurs(corpus, asked, kind, word, shown):
    found = understand(corpus, asked)
    assert (found.kind, found.word, found.count) == (kind, word, len(shown))
    assert [line.match for line in found.lines(corpus)] == shown
    assert (found.asked, found.is_complete, found.reason) == (asked, True, "")


@pytest.mark.parametrize(
    ("asked", "kind", "reason"),
    [
        ("xyzzy", "absent", "does not occur"),
        ("xyzzy's", "absent", "does not occur"),
        ("crane xyzzy", "absent", "does not occur"),
        ("cream ice", "absent", "nowhere as this phrase"),
        ("22", "untold", "numbers are no tokens"),
        ("Catch 22", "untold", "numbers are no tokens"),
        ("?!", "untold", "no word"),
        ("", "untold", "no word"),
    ],
)
def test_what_does_not_occur_says_so_only_where_it_is_true(corpus, asked, kind, reason):
    found = understand(corpus, asked)
    assert (found.kind, found.count, found.lines(corpus)) == (kind, 0, ())
    assert reason in found.reason


def test_other_capitals_are_found_where_a_corpus_keeps_them():
    kept = IngestOptions(tokenizer=Tokenizer(lowercase=False))
    corpus = Corpus.from_texts(["Crane and NATO met in Paris; a crane flew"], options=kept)
    spelt = {asked: understand(corpus, asked).word for asked in ("CRANE", "nato", "paris", "Flew")}
    assert spelt == {"CRANE": "crane", "nato": "NATO", "paris": "Paris", "Flew": "flew"}
    assert [understand(corpus, word).count for word in ("Crane", "crane")] == [1, 1]


def test_rare_words_beyond_the_vocabulary_are_not_said_to_be_absent():
    corpus = Corpus.from_texts(["nest nest crane"], options=IngestOptions(max_vocabulary=1))
    found = understand(corpus, "crane")
    assert (found.kind, found.count) == ("untold", 0)
    assert "rarer" in found.reason


def test_numbers_that_are_kept_are_words():
    corpus = Corpus.from_texts([TEXT], options=IngestOptions(tokenizer=Tokenizer(numbers="keep")))
    assert understand(corpus, "catch 22").kind == "phrase"
    assert understand(corpus, "22").kind == "word"


def test_tokens_that_came_so_are_found_as_they_are():
    corpus = Corpus.from_texts([["We", "do", "n't", "see", "the", "crane", "'s", "nest", "U.S."]])
    assert understand(corpus, "U.S.").kind == "word"
    assert understand(corpus, "crane's").word == "crane"
    assert understand(corpus, "do n't").count == 1


def test_apostrophes_of_other_languages_make_no_possessive():
    corpus = Corpus.from_texts(["de foto's en de foto"], language="nl")
    found = understand(corpus, "foto's")
    assert (found.kind, found.word, found.count) == ("phrase", "foto s", 1)


def test_forms_lead_to_the_word_of_the_model(forms_corpus, forms_model):
    found = understand(forms_corpus, "Cranes", model=forms_model)
    assert (found.kind, found.word) == ("form", "crane")
    both = forms_corpus.count_of("crane") + forms_corpus.count_of("cranes")
    assert found.count == both == understand(forms_corpus, "crane", model=forms_model).count
    assert understand(forms_corpus, "crane's", model=forms_model).kind == "possessive"
    pooled = forms_model.pool_forms(forms_corpus)
    assert understand(pooled, "Cranes", model=forms_model).count == both
    assert understand(forms_corpus, "Cranes").count == forms_corpus.count_of("cranes")


def test_words_near_a_phrase_are_beside_all_of_it(corpus):
    near = understand(corpus, "ice cream").count_near(corpus, before=1, after=1)
    words = {one.word for one in near.rank(0, fewest=1, function_words=True)}
    assert words == {"like", "i"}


def test_of_very_many_places_the_first_are_looked_at(corpus):
    found = understand(corpus, "new york", most_checked=1)
    assert (found.count, found.is_complete) == (1, False)


def test_what_is_too_long_or_labelled_is_refused(corpus):
    with pytest.raises(InputError, match="200 characters"):
        understand(corpus, "a" * 201)
