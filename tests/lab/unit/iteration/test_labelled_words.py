from __future__ import annotations

import pickle

import numpy as np
import pytest

from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError, UnknownWordError
from grassmeans_lab.iteration.labelled_words import LabelledWords


def test_all_keys_of_a_word_in_text_order(by_hand: LabelledWords) -> None:
    assert len(by_hand.shards) == 2
    assert by_hand.positions("crane").tolist() == [2, 6, 8]
    assert by_hand.positions(by_hand.word_id("crane.0")).tolist() == [8]
    assert by_hand.count_of("crane") == 3
    with pytest.raises(UnknownWordError, match="'heron' does not occur"):
        by_hand.positions("heron")
    with pytest.raises(UnknownWordError, match=r"'crane.1' does not occur"):
        by_hand.count_of("crane.1")


def test_labels_are_read_from_the_keys(by_hand: LabelledWords) -> None:
    assert by_hand.labels_at(by_hand.positions("crane")).tolist() == [2, 1, 0]
    assert by_hand.labels_at(np.array([10])).tolist() == [2]


def test_occurrences_know_their_shard(by_hand: LabelledWords) -> None:
    parts = list(by_hand.occurrences(by_hand.positions("crane")))
    assert [part for part, _ in parts] == [slice(0, 2), slice(2, 3)]
    for shard, (_, occurrences) in zip(by_hand.shards, parts, strict=True):
        assert occurrences[:1].shard is shard


def test_workers_get_words_too(by_hand: LabelledWords) -> None:
    again = pickle.loads(pickle.dumps(by_hand))
    assert again.positions("crane").tolist() == [2, 6, 8]


def test_nearest_senses_are_those_of_the_distances(labelled: Corpus) -> None:
    words = LabelledWords.of(labelled)
    positions = words.positions("crane")
    stored = np.load(labelled.shards[0].folder / "sense_positions.npy")
    distances = np.load(labelled.shards[0].folder / "sense_distances.npy")
    rows = [distances[stored.tolist().index(p)] for p in positions]
    expected = [1 + (row[1] < row[0]) for row in rows]
    assert set(expected) == {1, 2}
    assert words.nearest_at(positions).tolist() == expected
    without = next(p for p in range(50) if p not in stored)
    with pytest.raises(InputError, match=f"position {without} has no senses"):
        words.nearest_at(np.array([without]))
