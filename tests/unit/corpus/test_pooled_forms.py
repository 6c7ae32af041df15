"""A corpus that is asked for lemmas."""

from __future__ import annotations

import pickle

import pytest

from grassmeans import Corpus
from grassmeans.corpus.pooled_forms import PooledForms
from grassmeans.errors import UnknownWordError

TEXTS = ["banks and a bank", "mice drew Banks", "cat cat cat cat"]
LEMMAS = {"banks": "bank", "mice": "mouse", "drew": "draw", "nowhere": "cat", "cat": "cat"}


@pytest.fixture
def pooled() -> PooledForms:
    # No name is kept for the corpus: its temporary folder stays all the same.
    return PooledForms(Corpus.from_texts(TEXTS), LEMMAS)


def test_a_word_has_the_occurrences_of_its_forms(pooled) -> None:
    assert pooled.positions("bank").tolist() == [0, 3, 6]
    assert pooled.positions("Banks").tolist() == [0, 3, 6]
    assert pooled.positions("mouse").tolist() == [4]  # which does not stand there itself
    assert pooled.positions("cat").tolist() == [7, 8, 9, 10]
    assert [pooled.count_of(word) for word in ("bank", "banks", "mice", "cat")] == [3, 3, 1, 4]
    with pytest.raises(UnknownWordError, match="'dog' does not occur"):
        pooled.count_of("dog")


def test_an_id_is_of_one_form(pooled) -> None:
    assert pooled.positions(pooled.vocabulary.id_of("banks")).tolist() == [0, 6]


def test_forms_are_told_the_most_frequent_first(pooled) -> None:
    assert pooled.forms_of("bank") == (("banks", 2), ("bank", 1))
    assert pooled.forms_of("mouse") == (("mice", 1),)
    assert pooled.forms_of("cat") == ()
    assert Corpus.from_texts(TEXTS).forms_of("bank") == ()


def test_frequent_words_are_counted_in_all_forms(pooled) -> None:
    assert pooled.words_from(2) == ["cat", "bank"]
    assert set(pooled.words_from(1)) == {"cat", "bank", "and", "a", "mouse", "draw"}


def test_workers_see_the_same_words(pooled) -> None:
    sent = pickle.loads(pickle.dumps(pooled))
    assert sent.positions("bank").tolist() == [0, 3, 6]
    assert sent.spell("drew") == "draw"


def test_words_looked_up_together_have_the_positions_of_each(pooled) -> None:
    words = ["cat", "bank", "mouse", "banks"]
    found = pooled.gather_positions(words)
    assert [positions.tolist() for positions in found] == [
        pooled.positions(word).tolist() for word in words
    ]
    assert pooled.gather_positions([]) == []
    with pytest.raises(UnknownWordError, match="'dog' does not occur"):
        pooled.gather_positions(["cat", "dog"])


def test_a_worker_keeps_what_it_has_opened(pooled) -> None:
    sent = pickle.dumps(pooled)
    assert pickle.loads(sent) is pickle.loads(sent)
    other = PooledForms(pooled._corpus, {"banks": "bank"})
    assert pickle.loads(pickle.dumps(other)).positions("drew").tolist() == [5]
