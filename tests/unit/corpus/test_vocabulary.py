from __future__ import annotations

import numpy as np
import pytest

from grassmeans.corpus.vocabulary import UNKNOWN, Vocabulary
from grassmeans.errors import ArtifactError, InputError


@pytest.fixture
def vocabulary() -> Vocabulary:
    return Vocabulary.from_counts({"b": 3, "a": 3, "rare": 1, "the": 9})


def test_words_are_ordered_by_count_then_spelling(vocabulary: Vocabulary) -> None:
    assert list(vocabulary.words) == ["the", "a", "b", "rare"]
    assert vocabulary.counts.tolist() == [9, 3, 3, 1]


def test_max_size_keeps_the_most_frequent() -> None:
    assert Vocabulary.from_counts({"x": 1, "y": 5, "z": 2}, max_size=2).words == ["y", "z"]


@pytest.mark.parametrize(("min_count", "size"), [(1, 4), (2, 3), (3, 3), (4, 1), (10, 0)])
def test_size_at_counts_words_that_are_frequent_enough(
    vocabulary: Vocabulary, min_count: int, size: int
) -> None:
    assert vocabulary.size_at(min_count) == size


def test_ids_and_counts_of_known_and_unknown_words(vocabulary: Vocabulary) -> None:
    assert vocabulary.id_of("b") == 2
    assert vocabulary.id_of("nothing") == UNKNOWN
    assert vocabulary.ids_of(["rare", "nothing", "the"]).tolist() == [3, UNKNOWN, 0]
    assert vocabulary.count_of("a") == 3
    assert vocabulary.count_of("nothing") == 0
    assert "rare" in vocabulary
    assert "nothing" not in vocabulary


def test_round_trip(vocabulary: Vocabulary, tmp_path) -> None:
    vocabulary.save(tmp_path)
    loaded = Vocabulary.load(tmp_path)
    assert loaded.words == list(vocabulary.words)
    assert loaded.counts.tolist() == vocabulary.counts.tolist()


def test_empty_vocabulary_round_trip(tmp_path) -> None:
    Vocabulary([], np.empty(0, np.int64)).save(tmp_path)
    assert len(Vocabulary.load(tmp_path)) == 0


def test_line_break_in_a_word_is_refused(tmp_path) -> None:
    with pytest.raises(InputError, match="line break"):
        Vocabulary(["a\nb"], np.array([1])).save(tmp_path)


def test_truncated_words_are_noticed(vocabulary: Vocabulary, tmp_path) -> None:
    vocabulary.save(tmp_path)
    (tmp_path / "words.txt").write_text("the\na")
    with pytest.raises(ArtifactError, match="2 words but 4 counts"):
        Vocabulary.load(tmp_path)
