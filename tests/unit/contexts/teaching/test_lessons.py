"""Lessons: every word of the right documents once, and passages in any order from files."""

from __future__ import annotations

from itertools import islice, pairwise

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.contexts.attention.reading import MOST_HELD_OUT, join_batches
from grassmeans.contexts.attention.stored import BOUNDARY_ID, N_SPECIAL, UNKNOWN_ID
from grassmeans.contexts.teaching import lessons
from grassmeans.contexts.teaching.lessons import (
    Lesson,
    LessonFiles,
    LessonReader,
    PassagePlan,
    choose_passages,
)
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.errors import ArtifactError

LENGTHS = [7, 1, 30, 4, 12] * 9 + [5] * 40
"""Of 85 documents; those with the numbers 39 and 79 are held out."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Corpus:
    """Documents in many shards, whose n-th token is the word wn."""
    ends = np.cumsum([0, *LENGTHS])
    texts = [" ".join(f"w{n}" for n in range(a, b)) for a, b in pairwise(ends)]
    place = tmp_path_factory.mktemp("lessons") / "corpus"
    found = Corpus.from_texts(texts, place, options=IngestOptions(shard_chars=400))
    assert len(found.shards) > 3
    return found


def number_all(corpus: Corpus) -> np.ndarray:
    """The student's word n is the text's n-th token."""
    return np.array([int(word[1:]) for word in corpus.vocabulary.words], np.int32)


def expected_text(held_out: bool) -> list[int]:
    """Ids of all chosen documents, each with a boundary behind it."""
    ends = np.cumsum([0, *LENGTHS])
    ids: list[int] = []
    for number, (first, end) in enumerate(pairwise(ends)):
        if (number in (39, 79)) == held_out:
            ids += [n + N_SPECIAL for n in range(first, end)] + [BOUNDARY_ID]
    return ids


@pytest.mark.parametrize("held_out", [False, True])
@pytest.mark.parametrize("passage", [4, 16, 1_000])
def test_passages_hold_every_token_once_with_boundaries_between(corpus, passage, held_out) -> None:
    plan = PassagePlan(corpus, number_all(corpus), passage, held_out)
    numbers = np.arange(plan.n_passages)
    ids = plan.read_ids(plan.segments(numbers), plan.n_passages)
    assert ids.shape == (plan.n_passages, passage)
    expected = expected_text(held_out)
    assert ids.size - passage < len(expected) <= ids.size
    found = ids.ravel().tolist()
    assert found[: len(expected)] == expected
    assert set(found[len(expected) :]) <= {BOUNDARY_ID}


def test_some_passages_are_those_of_all(corpus) -> None:
    plan = PassagePlan(corpus, number_all(corpus), 16, False)
    whole = plan.read_ids(plan.segments(np.arange(plan.n_passages)), plan.n_passages)
    chosen = np.array([20, 3, 11])
    np.testing.assert_array_equal(plan.read_ids(plan.segments(chosen), 3), whole[chosen])


def test_segments_are_words_of_one_document(corpus) -> None:
    plan = PassagePlan(corpus, number_all(corpus), 16, False)
    # 7 words, a boundary, 1 word, a boundary, and 6 of the third document's 30.
    first = [(s.first, s.end, s.slot) for s in plan.segments(np.array([0]))]
    assert first == [(0, 7, 0), (7, 8, 8), (8, 14, 10)]
    (second,) = plan.segments(np.array([1]))
    assert (second.first, second.end, second.slot) == (14, 30, 0)


def test_unknown_words_and_boundaries_have_ids_of_their_own(corpus) -> None:
    numbers = number_all(corpus)
    numbers[numbers == 2] = -1
    plan = PassagePlan(corpus, numbers, 8, False)
    (ids,) = plan.read_ids(plan.segments(np.array([0])), 1)
    assert ids.tolist() == [2, 3, UNKNOWN_ID, 5, 6, 7, 8, BOUNDARY_ID]


def test_much_held_out_text_is_cut_short(tmp_path) -> None:
    texts = ["a"] * 39 + ["b " * (MOST_HELD_OUT + 5_000)]
    corpus = Corpus.from_texts(texts, tmp_path / "corpus")
    numbers = np.zeros(len(corpus.vocabulary.words), np.int32)
    assert PassagePlan(corpus, numbers, 128, True).n_passages == -(-MOST_HELD_OUT // 128)


def test_passages_are_chosen_from_everywhere() -> None:
    assert choose_passages(10, 5).tolist() == [0, 2, 4, 6, 8]
    assert choose_passages(10, 4).tolist() == [0, 2, 5, 7]
    assert choose_passages(3, 100).tolist() == [0, 1, 2]
    assert choose_passages(0, 5).tolist() == []


def make_lesson(rows: range, passage: int = 4, n_axes: int = 3) -> Lesson:
    """Of a passage: its number everywhere."""
    numbers = np.array(rows)[:, None]
    ids = np.repeat(numbers, passage, 1).astype(np.int32)
    codes = np.repeat(ids[..., None], n_axes, 2).astype(np.int8)
    return Lesson(ids, (3 * ids).astype(np.int16), codes, (ids / 2).astype(np.float16))


@pytest.fixture
def files(tmp_path, monkeypatch) -> LessonFiles:
    """Ten passages, four a file."""
    monkeypatch.setattr(lessons, "FILE_PASSAGES", 4)
    found = LessonFiles(tmp_path / "trained", 10, 4, 3)
    for number in range(found.n_files):
        rows = found.rows_of(number)
        found.write(number, make_lesson(range(rows.start, rows.stop)))
    return found


def test_files_are_whole_or_not_there(files, tmp_path) -> None:
    assert files.n_files == 3
    assert [len(files.read(number)) for number in range(3)] == [4, 4, 2]
    other = LessonFiles(files.folder, 10, 4, 3)
    assert [other.is_written(number) for number in range(3)] == [True] * 3
    (files.folder / "00001.scales.npy").unlink()  # which is written last
    assert [other.is_written(number) for number in range(3)] == [True, False, True]
    assert not LessonFiles(tmp_path / "elsewhere", 10, 4, 3).is_written(0)


def test_files_of_another_size_are_damaged(files) -> None:
    with pytest.raises(ArtifactError, match=r"00000\.codes\.npy"):
        LessonFiles(files.folder, 10, 4, 2).read(0)


@pytest.fixture
def reader(files, tmp_path) -> LessonReader:
    kept_back = LessonFiles(tmp_path / "kept back", 2, 4, 3)
    kept_back.write(0, make_lesson(range(100, 102)))
    return LessonReader(files, kept_back, seed=5)


def test_an_epoch_has_every_passage_once_in_an_order_of_its_own(reader) -> None:
    assert (reader.n_passages, reader.passage) == (10, 4)
    given = [batch.ids[:, 0].tolist() for batch in islice(reader.batches(5), 6)]
    epochs = [given[i] + given[i + 1] for i in (0, 2, 4)]
    for epoch in epochs:
        assert sorted(epoch) == list(range(10))
    assert epochs[0] != epochs[1] != epochs[2]


@pytest.mark.parametrize("size", [3, 4, 10, 25])
def test_batches_go_over_the_ends_of_epochs_and_are_taken_up_anywhere(reader, size) -> None:
    n = 60 // size + 3
    batches = [batch.ids[:, 0].tolist() for batch in islice(reader.batches(size), n)]
    assert {len(batch) for batch in batches} == {size}
    flat = [row for batch in batches for row in batch]
    for start in range(0, len(flat) - 10, 10):
        assert sorted(flat[start : start + 10]) == list(range(10))
    for number in (1, 2, n - 1):
        again = islice(reader.batches(size, number), n - number)
        assert [batch.ids[:, 0].tolist() for batch in again] == batches[number:]


def test_what_is_held_out_is_never_trained_on(reader) -> None:
    assert reader.held_out().ids[:, 0].tolist() == [100, 101]


def test_lessons_are_joined_and_cut_like_arrays() -> None:
    joined = join_batches([make_lesson(range(3)), make_lesson(range(7, 9))])
    assert joined.ids[:, 0].tolist() == [0, 1, 2, 7, 8]
    assert joined.codes.shape == (5, 4, 3)
    assert joined[np.array([4, 0])].scales[:, 0].tolist() == [4.0, 0.0]
    assert joined[1:3].codes[:, 0, 0].tolist() == [1, 2]
