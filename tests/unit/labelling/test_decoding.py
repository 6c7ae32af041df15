from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus, SkipGram
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.errors import InputError
from grassmeans.labelling.decoding import SoftCorpus, draw_senses
from grassmeans.labelling.labeller import label_corpus


def test_draws_fall_between_the_bounds() -> None:
    probabilities = np.array([[0.25, 0.5, 0.25]] * 4)
    draws = np.array([0.0, 0.25, 0.749, 0.75])
    assert draw_senses(probabilities, np.full(4, 3), draws).tolist() == [1, 2, 2, 3]


def test_rounding_gives_no_sense_beyond_the_last() -> None:
    """Ten times 0.1 sums to 0.9999999999999999, the largest number that is ever drawn.

    Another word has eleven senses, so that the table has a column for one more.
    """
    probabilities = np.array([[0.1] * 10 + [0.0]])
    largest = np.nextafter(1.0, 0.0)
    assert np.cumsum(probabilities)[9] == largest
    assert draw_senses(probabilities, np.array([10]), np.array([largest])).tolist() == [10]


SECOND = np.exp(-6) / (np.exp(-6) + np.exp(-8))  # distances 0.6 and 0.8, sharpness 10


@pytest.fixture
def labelled(model, tmp_path) -> Corpus:
    texts = [f"{i} mix crane the" for i in range(1_000)]
    corpus = Corpus.from_texts(texts, tmp_path / "many", options=IngestOptions(shard_chars=6_000))
    assert len(corpus.shards) > 1
    return label_corpus(corpus, model, tmp_path / "labelled", workers=1)


def test_vocabulary_has_expected_counts(labelled) -> None:
    soft = SoftCorpus(labelled)
    assert soft.vocabulary.words == ["mix", "the", "crane.2", "crane.1"]
    expected = [1_000, 1_000, 1_000 * SECOND, 1_000 * (1 - SECOND)]
    np.testing.assert_allclose(soft.vocabulary.counts, expected, atol=1.5)
    assert soft.vocabulary.counts.sum() == 3_000
    flat = SoftCorpus(labelled, sharpness=0.0)
    assert flat.vocabulary.words == ["mix", "the", "crane.1", "crane.2"]
    assert flat.vocabulary.counts.tolist() == [1_000, 1_000, 500, 500]


def test_every_epoch_draws_anew_and_repeats_itself(labelled) -> None:
    soft = SoftCorpus(labelled)
    shard = soft.shards[0]
    n = int(shard.document_offsets[-1])
    first = shard.read_tokens(0, n, 0)
    second = shard.read_tokens(0, n, 1)
    assert first.dtype == np.int32
    assert np.array_equal(first, shard.read_tokens(0, n, 0))
    assert not np.array_equal(first, second)
    words = np.array(soft.vocabulary.words)
    assert words[first[0::3]].tolist() == ["mix"] * (n // 3)
    assert words[second[2::3]].tolist() == ["the"] * (n // 3)
    assert set(words[first[1::3]]) == {"crane.1", "crane.2"}
    assert (words[first[1::3]] == "crane.2").mean() == pytest.approx(SECOND, abs=0.05)
    other = SoftCorpus(labelled, random_state=1).shards[0]
    assert not np.array_equal(first, other.read_tokens(0, n, 0))
    assert len(shard.read_tokens(4, 4, 0)) == 0
    assert words[shard.read_tokens(3, 4, 0)].tolist() == ["mix"]


def test_skip_gram_trains_on_it(labelled) -> None:
    vectors = SkipGram(dim=8, epochs=2, workers=2).fit(SoftCorpus(labelled)).vectors_
    assert vectors.words == ["mix", "the", "crane.2", "crane.1"]


def test_rare_senses_keep_an_id_but_count_nothing(model, tmp_path, options) -> None:
    corpus = Corpus.from_texts(["nest crane wing"], tmp_path / "c", options=options)
    soft = SoftCorpus(label_corpus(corpus, model, tmp_path / "l", workers=1))
    # exp(-10) for the second sense: expected 0.00005 times
    assert soft.vocabulary.words == ["crane.1", "nest", "wing", "crane.2"]
    assert soft.vocabulary.counts.tolist() == [1, 1, 1, 0]
    assert soft.vocabulary.size_at(1) == 3


def test_a_corpus_without_labels_is_refused(corpus) -> None:
    with pytest.raises(InputError, match="grassmeans label"):
        SoftCorpus(corpus)
