"""Several corpora as one text, and its passages.

Words go by shares, and every batch has a part of each corpus. An epoch of a corpus holds every
token once, in passages of its own order, wherever it is taken up.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import islice

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.contexts.attention.reading import (
    MOST_HELD_OUT,
    MixedReader,
    PassageReader,
    join_batches,
    mix_corpora,
    normalise_shares,
    share_out,
)
from grassmeans.contexts.attention.stored import BOUNDARY_ID, N_SPECIAL, UNKNOWN_ID
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.errors import InputError
from grassmeans.text.tokenizer import Tokenizer
from grassmeans.vectors.training import MemoryShard

LENGTHS = [7, 0, 30, 4, 12] * 9 + [5] * 40
"""Of 85 documents; those with the numbers 39 and 79 are held out."""

N_HELD_OUT = LENGTHS[39] + LENGTHS[79]


@pytest.fixture
def shards() -> list[MemoryShard]:
    """Documents in three shards, whose n-th token is the word n."""
    offsets = np.cumsum([0, *LENGTHS])
    found = []
    for first, last in ((0, 20), (20, 20), (20, 85)):
        start, end = offsets[first], offsets[last]
        tokens = np.arange(start, end, dtype=np.int32)
        found.append(MemoryShard(tokens, offsets[first : last + 1] - start))
    return found


def know_first(n_words: int) -> np.ndarray:
    """Of all words, the first ones are known, by the same numbers."""
    words = np.arange(sum(LENGTHS), dtype=np.int32)
    return np.where(words < n_words, words, np.int32(-1))


def read_words(passages) -> list[int]:
    ids = np.concatenate([part.ravel() for part in passages])
    return (ids[ids >= N_SPECIAL] - N_SPECIAL).tolist()


@pytest.mark.parametrize("sizes", [(10**6, 10**6), (40, 64), (1, 1)])
def test_an_epoch_holds_each_token_once_and_no_held_out_ones(shards, sizes) -> None:
    total = sum(LENGTHS)
    stretch, buffer = sizes
    reader = PassageReader(
        shards, know_first(total), passage=16, seed=3, stretch_tokens=stretch, buffer_tokens=buffer
    )
    offsets = np.cumsum([0, *LENGTHS])
    held_out = {t for d in (39, 79) for t in range(offsets[d], offsets[d + 1])}
    n_tokens = total - N_HELD_OUT
    for epoch in range(3):
        parts = list(reader.passages(epoch))
        assert sum(map(len, parts)) == reader.n_passages
        assert sorted(read_words(parts)) == sorted(set(range(total)) - held_out)
        boundaries = sum(int((part == BOUNDARY_ID).sum()) for part in parts)
        # One after each of the 83 documents; the rest fills up.
        assert boundaries == reader.n_passages * 16 - n_tokens
        assert boundaries >= 83
    assert sorted(read_words([reader.held_out()])) == sorted(held_out)


def test_neighbours_stay_neighbours_and_epochs_differ(shards) -> None:
    numbers = know_first(sum(LENGTHS))
    reader = PassageReader(shards, numbers, passage=16, stretch_tokens=40, buffer_tokens=64)
    first, second = (np.concatenate(list(reader.passages(epoch))) for epoch in (0, 1))
    assert first.tolist() != second.tolist()
    words = first[(first[:, :-1] >= N_SPECIAL).all(1) & (first[:, -1] >= N_SPECIAL)]
    assert len(words) > 5
    assert (np.diff(words, axis=1) == 1).all()


def test_rare_words_are_unknown(shards) -> None:
    reader = PassageReader(shards, know_first(100), passage=16)
    ids = Counter(np.concatenate(list(reader.passages(0))).ravel().tolist())
    assert ids[UNKNOWN_ID] == sum(LENGTHS) - N_HELD_OUT - 100
    assert max(ids) == 99 + N_SPECIAL


def test_words_have_the_numbers_that_they_are_given(shards) -> None:
    # The encoder's words stand in the opposite order, every third is unknown to it.
    total = sum(LENGTHS)
    numbers = np.arange(total - 1, -1, -1, dtype=np.int32)
    numbers[::3] = -1
    reader = PassageReader(shards, numbers, passage=16)
    offsets = np.cumsum([0, *LENGTHS])
    held_out = {t for d in (39, 79) for t in range(offsets[d], offsets[d + 1])}
    expected = [total - 1 - t for t in range(total) if t % 3 and t not in held_out]
    assert sorted(read_words(reader.passages(0))) == sorted(expected)


def test_tokens_that_are_no_words_are_unknown() -> None:
    shard = MemoryShard(np.array([0, -1, 1], np.int32), np.array([0, 3]))
    reader = PassageReader([shard], np.array([0, 1], np.int32), passage=4)
    (passages,) = reader.passages(0)
    found = Counter(passages.ravel().tolist())
    assert found.pop(BOUNDARY_ID) == reader.n_passages * 4 - 3
    assert found == {UNKNOWN_ID: 1, N_SPECIAL: 1, N_SPECIAL + 1: 1}


def test_batches_can_be_taken_up_at_any_of_them(shards) -> None:
    numbers = know_first(sum(LENGTHS))
    reader = PassageReader(shards, numbers, passage=16, stretch_tokens=40, buffer_tokens=64)
    batches = list(islice(reader.batches(5), 40))
    assert 2 * reader.n_passages < 40 * 5  # over the ends of two epochs
    assert {batch.shape for batch in batches} == {(5, 16)}
    for number in (1, 7, 13, 31):
        again = list(islice(reader.batches(5, number), 40 - number))
        np.testing.assert_array_equal(again, batches[number:])


def test_held_out_text_is_thinned_where_there_is_much() -> None:
    lengths = np.full(40 * 300, 1000)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    shard = MemoryShard(np.zeros(offsets[-1], np.int32), offsets)
    found = PassageReader([shard], know_first(10), passage=128).held_out()
    assert 0.9 * MOST_HELD_OUT <= found.size <= MOST_HELD_OUT + 128


def test_a_few_documents_leave_nothing_out() -> None:
    shard = MemoryShard(np.arange(20, dtype=np.int32), np.array([0, 10, 20]))
    reader = PassageReader([shard], know_first(20), passage=8)
    assert reader.held_out().shape == (0, 8)
    assert sorted(read_words(reader.passages(0))) == list(range(20))


@pytest.fixture(scope="module")
def rivers(tmp_path_factory) -> Corpus:
    """Of 10 tokens: river 6, bank 3, boat 1."""
    text = "river bank river bank river bank river river river boat"
    return Corpus.from_texts([text], tmp_path_factory.mktemp("mixed") / "rivers")


@pytest.fixture(scope="module")
def money(tmp_path_factory) -> Corpus:
    """Of 30 tokens: bank 15, money 12, loan 3."""
    text = " ".join(["bank"] * 15 + ["money"] * 12 + ["loan"] * 3)
    return Corpus.from_texts([text], tmp_path_factory.mktemp("mixed") / "money")


def test_shares_are_one_in_all() -> None:
    sizes = np.array([10.0, 30.0])
    assert normalise_shares(None, sizes).tolist() == [0.25, 0.75]
    assert normalise_shares([3, 1], sizes).tolist() == [0.75, 0.25]


@pytest.mark.parametrize(
    "shares", [[1.0], [0.5, 0.3, 0.2], [1.0, 0.0], [1.0, -1.0], [1.0, math.nan], [1.0, math.inf]]
)
def test_shares_that_are_none_are_refused(shares) -> None:
    with pytest.raises(InputError, match="a share above 0 for each of the 2 corpora; got"):
        normalise_shares(shares, np.array([10.0, 30.0]))


def test_words_are_counted_as_often_as_they_would_occur(rivers, money) -> None:
    text = mix_corpora([rivers, money], [1, 1], n_words=10, min_count=3)
    # Of 40 tokens half are of each: words of the first count twice, of the other two thirds.
    assert text.words == ["bank", "river", "money"]
    assert text.counts.tolist() == [6 + 10, 12, 8]
    assert text.shares.tolist() == [0.5, 0.5]
    assert text.n_tokens == 40


def test_numbers_lead_from_words_of_a_corpus_to_those_of_the_text(rivers, money) -> None:
    text = mix_corpora([rivers, money], None, n_words=3, min_count=1)
    assert text.words == ["bank", "money", "river"]
    for corpus, numbers in zip((rivers, money), text.numbers, strict=True):
        known = set()
        for word, number in zip(corpus.vocabulary.words, numbers.tolist(), strict=True):
            assert (text.words[number] if number >= 0 else None) == (
                word if word in text.words else None
            )
            known.add(number)
        assert -1 in known  # boat, loan


def test_one_corpus_has_the_words_and_numbers_of_its_own_vocabulary(topic_corpus) -> None:
    text = mix_corpora([topic_corpus], None, 10**6, 5)
    n = topic_corpus.vocabulary.size_at(5)
    assert text.words == topic_corpus.vocabulary.words[:n]
    assert text.counts.tolist() == list(topic_corpus.vocabulary.counts[:n])
    (numbers,) = text.numbers
    assert numbers[:n].tolist() == list(range(n))
    assert (numbers[n:] == -1).all()
    assert text.function_words == topic_corpus.function_words


@pytest.mark.parametrize("n", [6, 10, 35])
def test_a_word_that_occurs_often_enough_stays_with_shares_as_large_as_corpora(tmp_path, n) -> None:
    # Shares times sizes are whole numbers again only but for the last digit.
    rare = Corpus.from_texts([" ".join(["rare"] * 5 + ["fill"] * n)], tmp_path / "one")
    other = Corpus.from_texts([" ".join(["other"] * 37)], tmp_path / "two")
    text = mix_corpora([rare, other], None, 10, 5)
    assert dict(zip(text.words, text.counts.tolist(), strict=True)) == {
        "rare": 5,
        "fill": n,
        "other": 37,
    }


def test_words_can_be_given(rivers, money) -> None:
    text = mix_corpora([rivers, money], [1, 1], 1, 100, words=["loan", "absent", "bank"])
    assert text.words == ["loan", "absent", "bank"]
    assert text.counts.tolist() == [2, 1, 16]  # at least 1, for logarithms
    assert dict(zip(money.vocabulary.words, text.numbers[1].tolist(), strict=True)) == {
        "bank": 2,
        "money": -1,
        "loan": 0,
    }


def test_nothing_frequent_is_told(rivers, money) -> None:
    with pytest.raises(InputError, match="no word occurs 100 times or more"):
        mix_corpora([rivers, money], None, 10, 100)


def test_corpora_of_other_rules_are_refused(rivers, tmp_path) -> None:
    options = IngestOptions(tokenizer=Tokenizer(lowercase=False))
    other = Corpus.from_texts(["A Bank"], tmp_path / "other", options=options)
    with pytest.raises(InputError, match=r"other and .*rivers were cut into words by different"):
        mix_corpora([rivers, other], None, 10, 1)


def test_a_corpus_is_given_once(rivers) -> None:
    with pytest.raises(InputError, match="the same corpus is given twice"):
        mix_corpora([rivers, Corpus.open(rivers.path)], None, 10, 1)


@pytest.mark.parametrize(
    ("n", "shares", "expected"),
    [
        (10, [0.5, 0.3, 0.2], [5, 3, 2]),
        (10, [0.55, 0.25, 0.2], [6, 2, 2]),  # of two equal remainders the first
        (8, [0.6, 0.3, 0.1], [5, 2, 1]),  # 4.8, 2.4, 0.8
        (7, [1 / 3, 1 / 3, 1 / 3], [3, 2, 2]),
        (32, [0.995, 0.005], [31, 1]),  # however small a share, it is read
        (2, [0.8, 0.1, 0.1], [1, 1, 0]),  # unless there is no room
        (1, [0.5, 0.5], [1, 0]),
        (16, [1.0], [16]),
    ],
)
def test_whole_numbers_by_shares(n, shares, expected) -> None:
    assert share_out(n, np.array(shares)) == expected


def make_readers() -> list[PassageReader]:
    """Two texts: words 0 to 199, and 500 to 699; two documents of the 160 are held out."""
    readers = []
    for first, seed in ((0, 1), (500, 2)):
        tokens = np.arange(800, dtype=np.int32)
        shard = MemoryShard(tokens, np.arange(0, 801, 10))
        numbers = first + np.arange(800, dtype=np.int32) % 200
        readers.append(PassageReader([shard], numbers, 8, seed))
    return readers


def test_every_batch_has_its_part_of_each_text() -> None:
    readers = make_readers()
    mixed = MixedReader(readers, np.array([0.7, 0.3]))
    assert mixed.n_passages == sum(reader.n_passages for reader in readers)
    assert mixed.passage == 8
    batches = list(islice(mixed.batches(10), 60))
    assert 3 * readers[0].n_passages < 60 * 7  # over the ends of epochs
    for batch in batches:
        assert batch.shape == (10, 8)
        first, second = batch[:7], batch[7:]
        assert first.max() < 500 + N_SPECIAL
        words = second[second >= N_SPECIAL]
        assert (words >= 500 + N_SPECIAL).all()
    alone = islice(readers[1].batches(3), 60)
    np.testing.assert_array_equal([batch[7:] for batch in batches], list(alone))


def test_mixed_batches_can_be_taken_up_at_any_of_them() -> None:
    batches = list(islice(MixedReader(make_readers(), np.array([0.7, 0.3])).batches(10), 40))
    for number in (1, 17, 39):
        mixed = MixedReader(make_readers(), np.array([0.7, 0.3]))
        again = list(islice(mixed.batches(10, number), 40 - number))
        np.testing.assert_array_equal(again, batches[number:])


def test_what_is_held_out_is_that_of_all() -> None:
    readers = make_readers()
    found = MixedReader(readers, np.array([0.7, 0.3])).held_out()
    expected = np.concatenate([reader.held_out() for reader in readers])
    np.testing.assert_array_equal(found, expected)
    assert (found >= 500 + N_SPECIAL).sum() == (found >= N_SPECIAL).sum() / 2 == 20


def test_batches_of_one_text_are_not_copied() -> None:
    batch = np.zeros((2, 4), np.int32)
    assert join_batches([batch]) is batch
