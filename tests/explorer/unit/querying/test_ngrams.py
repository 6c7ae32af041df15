"""N-grams, counted by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.errors import InputError, UnknownWordError
from grassmeans_explorer.querying.ngrams import count_ngrams

TEXTS = ["the old crane and the old crane", "the old crane flew", "crane and the bird"]


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_texts(TEXTS)


def told(found) -> dict[str, int]:
    return {" ".join(one.words): one.count for one in found.ngrams}


def test_pairs_and_triples_are_counted_inside_documents(corpus):
    assert told(count_ngrams(corpus, 1, min_count=3)) == {"crane": 4, "the": 4, "old": 3}
    pairs = count_ngrams(corpus, 2)
    assert told(pairs) == {"the old": 3, "old crane": 3, "crane and": 2, "and the": 2}
    assert pairs.ngrams[0].per_million == pytest.approx(3e6 / 15, abs=0.01)
    assert told(count_ngrams(corpus, 3)) == {"the old crane": 3, "crane and the": 2}
    assert told(count_ngrams(corpus, 4, min_count=1))["the old crane and"] == 1
    assert told(count_ngrams(corpus, 8)) == {}


def test_ngrams_are_chosen_by_a_word_and_by_their_edges(corpus):
    assert told(count_ngrams(corpus, 2, containing="And")) == {"crane and": 2, "and the": 2}
    assert told(count_ngrams(corpus, 2, function_words=False)) == {"old crane": 3}
    few = count_ngrams(corpus, 2, limit=1)
    assert (len(few.ngrams), few.total) == (1, 4)
    assert few.rows()[0]["count"] == 3
    assert list(few.rows()[0]) == list(few.column_types())
    with pytest.raises(UnknownWordError):
        count_ngrams(corpus, 2, containing="xyzzy")
    with pytest.raises(InputError, match="1 to 8"):
        count_ngrams(corpus, 9)


def test_many_shards_count_as_one_text():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(list("abcd"), 12)) for _ in range(30)]
    corpus = Corpus.from_texts(texts, options=IngestOptions(shard_chars=60, keep_duplicates=True))
    assert len(corpus.shards) > 3
    for n in (2, 3, 4):
        words = [text.split() for text in texts]
        all_of_them = Counter(
            " ".join(own[i : i + n]) for own in words for i in range(len(own) - n + 1)
        )
        kept = {ngram: count for ngram, count in all_of_them.items() if count >= 2}
        assert told(count_ngrams(corpus, n)) == kept


def test_words_beyond_the_vocabulary_are_in_no_ngram():
    corpus = Corpus.from_texts(["b a b c a b"], options=IngestOptions(max_vocabulary=2))
    assert told(count_ngrams(corpus, 2, min_count=1)) == {"a b": 2, "b a": 1}
