from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans import SkipGram
from grassmeans.errors import InputError
from grassmeans.vectors import averaging, training
from grassmeans.vectors.averaging import PartSettings, find_shares, join_rows
from grassmeans.vectors.skipgram import train_vectors
from grassmeans.vectors.training import Chunk, Plan, TrainingSettings

COUNTS = np.array([1_000_000, 1_000, 1], np.int64)


@pytest.fixture
def small_chunks(monkeypatch) -> None:
    """Several chunks of a small corpus."""
    monkeypatch.setattr(training, "CHUNK_TOKENS", 500)


def make_trainer(**changes) -> SkipGram:
    return SkipGram(**{"dim": 16, "min_count": 2, "epochs": 2, "workers": 1} | changes)


def make_common(n_words: int = 3) -> PartSettings:
    frozen = np.zeros(n_words, np.bool_)
    return PartSettings(TrainingSettings(dim=2, sample=0.0), COUNTS[:n_words], frozen, frozen, 1)


def test_rounds_become_longer_as_the_rate_falls() -> None:
    n_chunks, size = 4_000, training.CHUNK_TOKENS
    chunks = [Chunk(0, 0, 0, 0, i, i * size, size) for i in range(n_chunks)]
    rounds = averaging._plan_rounds(Plan(chunks, n_chunks * size), 2)
    flat = [chunk.number for parts in rounds for i in range(len(parts[0]))
            for chunk in [part[i] for part in parts if i < len(part)]]  # fmt: skip
    assert flat == list(range(n_chunks))
    assert len(rounds[0]) == 1
    lengths = [sum(map(len, parts)) for parts in rounds[1:]]
    # 500 chunks are done alone: 7/8 of the way are left, and (7/8)^2 of the changes.
    assert lengths[0] == 2 * round(n_chunks * (7 / 8 - np.sqrt(0.99 * (7 / 8) ** 2)) / 2)
    moved = [
        sum(1 - chunk.number / n_chunks for part in parts for chunk in part)
        for parts in rounds[1:-20]
    ]
    assert max(moved) < 1.15 * min(moved)
    assert lengths[-3] > 3 * lengths[0]


def test_one_part_is_the_ordinary_training(topic_corpus, small_chunks) -> None:
    ordinary = make_trainer().fit(topic_corpus)
    one_part = make_trainer(parts=1).fit(topic_corpus)
    np.testing.assert_array_equal(one_part.vectors_.vectors, ordinary.vectors_.vectors)
    np.testing.assert_array_equal(one_part.output_, ordinary.output_)


def test_parts_give_the_same_whatever_the_number_of_workers(topic_corpus, small_chunks) -> None:
    first, second = (make_trainer(parts=3, workers=n).fit(topic_corpus) for n in (1, 2))
    np.testing.assert_array_equal(first.vectors_.vectors, second.vectors_.vectors)
    ordinary = make_trainer().fit(topic_corpus)
    assert not np.array_equal(first.vectors_.vectors, ordinary.vectors_.vectors)


def test_parts_learn_what_one_training_learns(topic_corpus, synthetic, small_chunks) -> None:
    trained = make_trainer(dim=40, epochs=20, parts=4).fit(topic_corpus).vectors_
    words = [topic[0] for topic in synthetic.topic_words]
    for topic in synthetic.topic_words:
        own = trained.similarity(topic[0], topic[1])
        others = [trained.similarity(topic[0], word) for word in words if word != topic[0]]
        assert own > max(others)


def test_a_training_in_parts_goes_on_after_its_last_round(
    topic_corpus, small_chunks, tmp_path, monkeypatch
) -> None:
    whole = train_vectors(topic_corpus, tmp_path / "whole", make_trainer(parts=2))
    ended = averaging._Rounds.end

    def stop(self, number: int) -> None:
        ended(self, number)
        if number == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(averaging._Rounds, "end", stop)
        with pytest.raises(KeyboardInterrupt):
            train_vectors(topic_corpus, tmp_path / "again", make_trainer(parts=2))
    rounds = sorted((tmp_path / ".again.building").rglob("round-*"))
    assert [path.name for path in rounds] == ["round-00003"]
    again = train_vectors(topic_corpus, tmp_path / "again", make_trainer(parts=2))
    np.testing.assert_array_equal(again.vectors, whole.vectors)


def test_rare_rows_take_the_sum_and_frequent_ones_the_mean() -> None:
    inputs, outputs = find_shares(make_common(), 1_001_001, 4)
    # The rare word: 1 / 4 occurrences a part, 6 pairs each, 0.3% of its way by each of them.
    way = 0.003 * 6 / 4
    expected = (1 - np.exp(-4 * way)) / (1 - np.exp(-way)) / 4
    np.testing.assert_allclose(inputs, [0.25, 0.25 / (1 - np.exp(-0.003 * 1_500)), expected],
                               rtol=1e-3)  # fmt: skip
    assert inputs[2] > 0.99
    assert outputs[2] < inputs[2], "negatives change the outputs, too"


def write_part(place: Path, number: int, rows: list[int], values: list[list[float]]) -> None:
    folder = place / f"part-{number:03d}"
    folder.mkdir(parents=True)
    for side in ("inputs", "outputs"):
        np.save(folder / f"{side}-rows.npy", np.array(rows, np.int64))
        np.save(folder / f"{side}.npy", np.array(values, np.float32).reshape(-1, 2))


def test_changes_are_added_row_by_row(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(averaging, "find_shares", lambda *_: [np.float32([0.5, 0.5, 1.0])] * 2)
    place, target = tmp_path / "now", tmp_path / "next"
    place.mkdir()
    start = np.array([[1, 1], [2, 2], [3, 3]], np.float32)
    for side in ("inputs", "outputs"):
        np.save(place / f"{side}-000000000.npy", start[:2])
        np.save(place / f"{side}-000000002.npy", start[2:])
    write_part(place, 0, [0, 2], [[3, 1], [4, 3]])
    write_part(place, 1, [0], [[1, 5]])
    for block in ((0, 1), (1, 3)):
        join_rows(make_common(), place, target, 2, 100, block)
    # Row 0: half of (2, 0) and of (0, 4); row 1: nobody changed it; row 2: all of (1, 0).
    joined = averaging.read_side(target, "inputs")
    np.testing.assert_array_equal(joined, [[2, 3], [2, 2], [4, 3]])


def test_parts_must_be_positive(topic_corpus) -> None:
    with pytest.raises(InputError, match="parts must be a whole number from 1 to 10,000"):
        make_trainer(parts=0).fit(topic_corpus)
