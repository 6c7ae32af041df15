from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.errors import UnknownWordError
from grassmeans.geometry.windows import Contexts, ContextShape
from grassmeans.senses import function_words
from grassmeans.senses.describing import describe_sample
from grassmeans.senses.entries import SkippedWord
from grassmeans.senses.function_words import (
    find_content_uses,
    frequent_function_words,
    judge_function_word,
)
from grassmeans.senses.induction import induce
from grassmeans.senses.samples import WordSample
from grassmeans.vectors.word_vectors import WordVectors

AUXILIARIES = [f"aux{first}{second}" for first in "abcdefgh" for second in "vwxyz"]
FUNCTION_WORDS = frozenset(["may", *AUXILIARIES])
DIM = 3


@pytest.fixture
def few_vectors(monkeypatch) -> None:
    """A handful of vectors is enough."""
    monkeypatch.setattr(function_words, "FEWEST_VECTORS", 0)


def make_vectors() -> WordVectors:
    """Forty auxiliaries near the first two axes, forty months near the third."""
    rng = np.random.default_rng(0)
    names = ["may", *AUXILIARIES, *(f"month{i}" for i in range(40))]
    rows = np.zeros((81, DIM))
    rows[:41, :2] = 0.7
    rows[41:, 2] = 1.0
    return WordVectors(names, (rows + 0.05 * rng.standard_normal(rows.shape)).astype(np.float32))


VECTORS = make_vectors()


def make_sample(*sizes: int) -> WordSample:
    """So many contexts along each axis."""
    axes = np.repeat(np.arange(DIM), sizes)
    corpus = Corpus.from_texts([f"to may month{i}" for i in range(len(axes))])
    contexts = Contexts(np.full((len(axes), 2), 41, np.int32), corpus.positions("may"))
    bases = np.eye(DIM, dtype=np.float32)[axes][:, None]
    return WordSample("may", contexts, bases, corpus, True, FUNCTION_WORDS)


def judge(*sizes: int):
    sample = make_sample(*sizes)
    kept = np.flatnonzero(sizes)
    entry = describe_sample(sample, np.eye(DIM, dtype=np.float32)[kept], VECTORS)
    return judge_function_word(entry, sample, VECTORS)


def test_uses_are_told_by_the_nearest_words() -> None:
    found = find_content_uses("may", np.eye(DIM, dtype=np.float32), VECTORS, FUNCTION_WORDS)
    assert found.tolist() == [False, False, True]


@pytest.mark.parametrize(("n_function", "is_content"), [(1, True), (2, False)])
def test_one_function_word_in_twenty_may_be_chance(n_function, is_content) -> None:
    # Of thirty near words, 29 are content words, or 28: less than 95%.
    words = [f"w{i}" for i in range(30)]
    vectors = WordVectors(words, np.tile([[1.0, 0.0]], (30, 1)).astype(np.float32))
    line = np.array([[1, 0]], np.float32)
    assert find_content_uses("may", line, vectors, set(words[:n_function])) == [is_content]


def test_uses_as_a_function_word_become_one_sense() -> None:
    entry = judge(60, 30, 20)
    assert [sense.function for sense in entry.senses] == [True, False]
    assert [sense.share for sense in entry.senses] == pytest.approx([90 / 110, 20 / 110])
    # The direction in which the contexts of both meet: that of (60, 30, 0).
    np.testing.assert_allclose(entry.directions[0], np.array([2, 1, 0]) / np.sqrt(5), atol=1e-6)
    assert judge(20, 0, 60).senses[1].function  # the larger sense comes first


def test_a_word_without_content_uses_has_no_senses() -> None:
    for sizes in ((30, 30, 0), (300, 300, 9), (600, 0, 11)):  # fewer than 10, or than 2%
        found = judge(*sizes)
        assert isinstance(found, SkippedWord)
        assert f"{sum(sizes)} of its occurrences show no use as a content word" in found.reason
    assert not isinstance(judge(300, 100, 10), SkippedWord)


def test_a_word_that_is_always_a_content_word_stays_as_it_is() -> None:
    assert [sense.function for sense in judge(0, 0, 30).senses] == [False]


def test_few_vectors_tell_no_uses_apart(monkeypatch) -> None:
    corpus = Corpus.from_texts(["the may the may"], language="en")
    vectors = WordVectors(["may", "the"], np.eye(2, dtype=np.float32))
    monkeypatch.setattr(function_words, "FEWEST_VECTORS", 3)
    assert frequent_function_words(corpus, vectors, 1) == []
    monkeypatch.setattr(function_words, "FEWEST_VECTORS", 2)
    assert frequent_function_words(corpus, vectors, 1) == ["may", "the"]


@pytest.mark.usefixtures("few_vectors")
def test_function_words_of_the_list_that_have_a_vector() -> None:
    texts = ["May the the the on, month1", "may the on on"]
    corpus = Corpus.from_texts(texts, language="en")
    vectors = WordVectors(["may", "the", "month1", ","], np.eye(4, dtype=np.float32))
    assert frequent_function_words(corpus, vectors, 2) == ["the", "may"]
    assert frequent_function_words(corpus, vectors, 3) == ["the"]


class Rays(SubspaceEncoder):
    """Contexts as lines that have ends, on the side of their words."""

    lines_have_ends = True

    def encode(self, occurrences):
        return np.abs(super().encode(occurrences))


@pytest.mark.usefixtures("few_vectors")
def test_words_that_nobody_named_are_judged_and_named_ones_are_not() -> None:
    texts = [f"month1 month2 may month3 month4 x{i}" for i in range(60)]
    texts += [f"verb verb auxav verb verb auxaw x{i}" for i in range(60)]
    options = IngestOptions(function_words=FUNCTION_WORDS)
    corpus = Corpus.from_texts(texts, options=options)
    words = [*(word for word in VECTORS.words if word != "auxaw"), "verb"]
    rows = [*(VECTORS[word] for word in words[:-1]), np.array([1.0, 1.0, 0.0])]
    vectors = WordVectors(words, np.array(rows, np.float32))
    encoder = Rays(vectors, ContextShape(2, 1), corpus.function_words)

    def find(named=None, kind=encoder, n_senses="auto"):
        return induce(corpus, kind, named, n_senses=n_senses, min_count=50, show_progress=False)

    found = find()
    assert {"verb", "month1", "may"} <= set(found)  # it stands among months alone
    assert [skipped.word for skipped in found.skipped] == ["auxav"]  # auxaw has no vector
    with pytest.raises(UnknownWordError, match="it is a function word here: 60 of its"):
        found["auxav"]
    assert "auxav" in find(["auxav"])
    plain = SubspaceEncoder(vectors, ContextShape(2, 1), corpus.function_words)
    for others in (find(n_senses=1), find(kind=plain)):
        assert {"may", "auxav"}.isdisjoint([*others, *(s.word for s in others.skipped)])


def test_a_letter_alone_is_not_looked_at(few_vectors) -> None:
    corpus = Corpus.from_texts(["may s may s"], language="en")
    vectors = WordVectors(["may", "s"], np.eye(2, dtype=np.float32))
    assert "s" in corpus.function_words
    assert frequent_function_words(corpus, vectors, 1) == ["may"]
