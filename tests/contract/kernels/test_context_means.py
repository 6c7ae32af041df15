from __future__ import annotations

import numpy as np
import pytest

KERNEL = "average_contexts"

VECTORS = np.array([[2.0, 0.0], [0.0, 1.0], [-2.0, 0.0]], np.float32)


def test_weighted_directions_by_hand(kernels) -> None:
    ids = np.array([[0, 1, -1], [1, 1, 0], [0, 2, -1], [-1, -1, -1]], np.int32)
    means = kernels.average_contexts(ids, VECTORS, np.array([1.5, 4.0, 1.5], np.float32))
    # 1.5 (2, 0) + 4 (0, 1) = (3, 4); (3, 8); opposite words cancel out; no words at all.
    expected = [[0.6, 0.8], [3 / np.sqrt(73), 8 / np.sqrt(73)], [0, 0], [0, 0]]
    assert np.allclose(means, expected, atol=1e-6)


def test_words_that_weigh_nothing_are_no_context(kernels) -> None:
    ids = np.array([[0, 1]], np.int32)
    assert kernels.average_contexts(ids, VECTORS, np.zeros(3, np.float32)).tolist() == [[0.0, 0.0]]


def test_distances_to_the_senses_of_each_word_by_hand(kernels) -> None:
    means = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 0.0]], np.float32)
    directions = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]], np.float32)
    words = np.array([0, 1, 0], np.int32)  # word 0 has two senses, word 1 has one
    found = kernels.measure_means(means, words, directions, np.array([0, 2, 3]))
    assert found.dtype == np.float32
    assert found[0].tolist() == pytest.approx([0.0, 1.0])
    assert found[1, 0] == pytest.approx((1 - 0.8) / 2)
    assert np.isnan(found[1, 1])
    assert np.isnan(found[2]).all()


def test_many_contexts_in_blocks_equal_a_plain_product(kernels) -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(50, 7)).astype(np.float32)
    weights = rng.random(50).astype(np.float32)
    ids = rng.integers(-1, 50, size=(2000, 6)).astype(np.int32)
    sums = np.einsum("nw,nwd->nd", np.where(ids >= 0, weights[ids], 0.0), vectors[ids])
    expected = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    assert np.allclose(kernels.average_contexts(ids, vectors, weights), expected, atol=1e-5)


def test_neighbours_are_counted_inside_documents(kernels) -> None:
    # 3 is passed over, 2 stands there without a column, -1 is unknown.
    tokens = np.array([0, 3, 1, 2, 0, -1, 1, 0], np.int32)
    counts = np.zeros((1, 2), np.float32)
    rows, columns = np.array([0, -1, -1, -1], np.int32), np.array([0, 1, -1, -2], np.int32)
    kernels.count_neighbours(tokens, np.array([0, 6, 8]), rows, columns, 2, counts)
    # The first 0 has 1 and 2 in its window, the second 1 and 2 before it; the last one has 1.
    assert counts.tolist() == [[0.0, 3.0]]
    kernels.count_neighbours(tokens, np.array([0, 6, 8]), rows, columns, 9, counts)
    assert counts.tolist() == [[2.0, 6.0]]
