"""An epoch holds every token once, in passages of its own order, wherever it is taken up."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from grassmeans.contexts.attention.reading import MOST_HELD_OUT, PassageReader
from grassmeans.contexts.attention.stored import BOUNDARY_ID, N_SPECIAL, UNKNOWN_ID
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
    assert reader.n_tokens == total - N_HELD_OUT
    for epoch in range(3):
        parts = list(reader.passages(epoch))
        assert sum(map(len, parts)) == reader.n_passages
        assert sorted(read_words(parts)) == sorted(set(range(total)) - held_out)
        boundaries = sum(int((part == BOUNDARY_ID).sum()) for part in parts)
        # One after each of the 83 documents; the rest fills up.
        assert boundaries == reader.n_passages * 16 - reader.n_tokens
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
    assert ids[UNKNOWN_ID] == reader.n_tokens - 100
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
    assert reader.n_tokens == 20
