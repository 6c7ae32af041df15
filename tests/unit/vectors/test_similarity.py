from __future__ import annotations

import numpy as np

from grassmeans.vectors import similarity
from grassmeans.vectors.similarity import cosine, inverse_norms, nearest_rows


def test_inverse_norms_by_hand() -> None:
    vectors = np.array([[3, 4], [0, 0], [0, 0.5], [1e25, 0], [1e-25, 0]], dtype=np.float32)
    np.testing.assert_allclose(inverse_norms(vectors), [0.2, 0, 2, 1e-25, 1e25], rtol=1e-6)


def test_cosine_by_hand() -> None:
    assert cosine(np.array([1, 0]), np.array([3, 4])) == 0.6
    assert cosine(np.array([0, 0]), np.array([3, 4])) == 0


def test_nearest_rows_agrees_with_full_sorting(monkeypatch) -> None:
    monkeypatch.setattr(similarity, "_MAX_PRODUCT_CELLS", 1_000)  # several batches of queries
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(400, 7)).astype(np.float32)
    queries = rng.normal(size=(9, 7))
    unit = vectors.astype(np.float64) / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = (queries / np.linalg.norm(queries, axis=1, keepdims=True)) @ unit.T
    expected = np.argsort(-cosines, axis=1)[:, :12]

    found = nearest_rows(vectors, inverse_norms(vectors), queries, 12)

    np.testing.assert_array_equal(found.ids, expected)
    np.testing.assert_allclose(
        found.similarities, np.take_along_axis(cosines, expected, axis=1), atol=1e-6
    )


def test_equal_rows_rank_in_row_order() -> None:
    rng = np.random.default_rng(5)
    base = rng.normal(size=(1, 300)).astype(np.float32)
    other = rng.normal(size=(500, 300)).astype(np.float32)
    vectors = np.concatenate([other, np.repeat(base, 37, axis=0), other])
    found = nearest_rows(vectors, inverse_norms(vectors), base, 20)
    assert found.ids[0].tolist() == list(range(500, 520))


def test_many_equal_rows_stay_within_bounds(monkeypatch) -> None:
    monkeypatch.setattr(similarity, "_MAX_EXTRA_CANDIDATES", 5)
    vectors = np.ones((100, 4), dtype=np.float32)
    found = nearest_rows(vectors, inverse_norms(vectors), np.ones((1, 4)), 3)
    assert found.ids[0].tolist() == [0, 1, 2]
    np.testing.assert_allclose(found.similarities, 1)


def test_huge_and_tiny_numbers_are_ranked() -> None:
    huge = np.finfo(np.float32).max
    vectors = np.array([[1, 0], [huge, -huge], [-huge, -huge], [1e-20, 1e-20]], dtype=np.float32)
    found = nearest_rows(vectors, inverse_norms(vectors), np.array([[1, 1]]), 4)
    assert found.ids.tolist() == [[3, 0, 1, 2]]
    np.testing.assert_allclose(found.similarities, [[1, np.sqrt(0.5), 0, -1]], atol=1e-7)


def test_no_rows_give_no_neighbours() -> None:
    empty = np.zeros((0, 4), dtype=np.float32)
    found = nearest_rows(empty, inverse_norms(empty), np.ones((2, 4)), 3)
    assert found.ids.shape == (2, 0)
