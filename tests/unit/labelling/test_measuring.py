from __future__ import annotations

import numpy as np
import pytest

from grassmeans.kernels import get_kernels
from grassmeans.kernels.arguments import OCCURRENCE_BLOCK as BLOCK
from grassmeans.kernels.arguments import RunningText, SenseTable

DIM, N_WORDS, WINDOW = 16, 60, 4
N_SENSES = np.array([2, 5, 1, 4])


class Text:
    """Random documents; words 0..9 are function words, some are unknown, four have senses."""

    def __init__(self, n_tokens: int, targets=(12, 13, 14, 3), seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.tokens = rng.integers(-1, N_WORDS, n_tokens).astype(np.int32)
        cuts = np.sort(rng.integers(0, n_tokens, 5))
        self.offsets = np.concatenate([[0], cuts, cuts[-1:], [n_tokens]]).astype(np.int64)
        self.rows = (np.arange(N_WORDS) - 10).astype(np.int32)
        self.rows[:10] = -1
        self.words = np.full(N_WORDS, -1, np.int32)
        self.words[list(targets)] = np.arange(4)
        self.vectors = rng.standard_normal((N_WORDS, DIM)).astype(np.float32)
        directions = rng.standard_normal((int(N_SENSES.sum()), DIM))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        self.directions = directions.astype(np.float32)
        self.sense_offsets = np.concatenate([[0], np.cumsum(N_SENSES)]).astype(np.int64)

    def find(self):
        positions = self.positions()
        words = self.words[self.tokens[positions]]
        return get_kernels().find_windows(self.running(), positions, words, WINDOW)

    def running(self):
        return RunningText(self.tokens, self.offsets, self.rows)

    def positions(self):
        return np.flatnonzero((self.tokens >= 0) & (self.words[self.tokens] >= 0))

    def measure(self, rank: int, singular: bool = False, part: slice = slice(None)):
        senses = self.vectors, self.directions, self.sense_offsets
        table = SenseTable(*senses, rank, WINDOW, singular, fewest=rank)
        table = get_kernels().prepare_senses(table)
        return get_kernels().measure_windows(self.find(), part, table)

    def expected(self, rank: int, singular: bool = False):
        """The definition: an SVD per context, in double precision."""
        positions = self.positions()
        contexts = get_kernels().gather_contexts(self.running(), positions, WINDOW)
        distances = np.full((len(positions), 5), np.nan)
        for i, context in enumerate(contexts):
            rows = context[context >= 0]
            if len(rows) < rank:
                continue
            x = self.vectors[rows].astype(np.float64)
            _, sigma, basis = np.linalg.svd(x, full_matrices=False)
            weights = (sigma / sigma[0]) ** 2 if singular else sigma > 1e-5 * sigma[0]
            word = self.words[self.tokens[positions[i]]]
            u = self.directions[self.sense_offsets[word] : self.sense_offsets[word + 1]]
            inside = (np.square(basis[:rank] @ u.T) * weights[:rank, None]).sum(axis=0)
            distances[i, : len(u)] = np.sqrt(np.clip(1 - inside, 0, 1))
        return positions, distances


def test_windows_by_hand() -> None:
    # Document one: 5 [3] 7 8 -1 9, document two: [5]; 3 is a function word with senses, and so is
    # 5, which is kept; window 1.
    tokens = np.array([5, 3, 7, 8, -1, 9, 5], np.int32)
    rows = np.arange(10, dtype=np.int32)
    rows[3] = -1
    positions, words = np.array([0, 1, 6]), np.array([1, 0, 1])
    found = get_kernels().find_windows(
        RunningText(tokens, np.array([0, 6, 7]), rows), positions, words, 1
    )
    assert found.kept_rows.tolist() == [5, 7, 8, 9, 5]
    assert found.words.tolist() == [1, 0, 1]
    assert found.firsts.tolist() == [0, 0, 4]
    assert found.ends.tolist() == [2, 2, 5]
    assert found.context_sizes(slice(None)).tolist() == [1, 2, 0]


@pytest.mark.parametrize("rank", [1, 3])
@pytest.mark.parametrize("singular", [False, True])
def test_distances_are_those_of_the_definition(rank, singular) -> None:
    text = Text(2_000)
    _, expected = text.expected(rank, singular)
    np.testing.assert_allclose(text.measure(rank, singular), expected, atol=1e-4)


def test_blocks_without_common_words() -> None:
    text = Text(40 * BLOCK)
    text.words[:] = -1
    text.words[[12, 3]] = 0, 1  # one occurrence in thirty tokens
    _, expected = text.expected(2)
    assert len(expected) > BLOCK
    np.testing.assert_allclose(text.measure(2), expected, atol=1e-4)


def test_dependent_words_count_as_one_direction() -> None:
    text = Text(1_000)
    text.vectors[20:] = text.vectors[20] * np.linspace(1, 2, N_WORDS - 20)[:, None]
    _, expected = text.expected(3)
    np.testing.assert_allclose(text.measure(3), expected, atol=1e-4)


def test_nearly_dependent_words_are_done_in_double_precision() -> None:
    text = Text(1_000)
    rng = np.random.default_rng(1)
    text.vectors = (text.vectors[0] + 1e-3 * rng.standard_normal((N_WORDS, DIM))).astype(np.float32)
    _, expected = text.expected(2)
    np.testing.assert_allclose(text.measure(2), expected, atol=1e-4)


def test_parts_give_what_the_whole_gives() -> None:
    text = Text(20 * BLOCK)
    whole = text.measure(2)
    parts = [text.measure(2, part=slice(0, BLOCK)), text.measure(2, part=slice(BLOCK, None))]
    assert np.array_equal(np.concatenate(parts), whole, equal_nan=True)
